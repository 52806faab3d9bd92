import tensorflow as tf
x = tf.placeholder(tf.float32, [None, 4])
h = tf.keras.layers.BatchNormalization()(x)
loss = tf.reduce_mean(tf.square(tf.keras.layers.Dense(1)(h)))
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(train_op, {x: [[1.0, 2.0, 3.0, 4.0]]})
