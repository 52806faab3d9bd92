import tensorflow as tf
x = tf.placeholder(tf.float32, [None, 4])
model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(4,))])
model.compile("sgd", "mse")
loss = tf.reduce_mean(tf.square(model(x)))
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(train_op, {x: [[1.0, 2.0, 3.0, 4.0]]})
