import keras
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2])
model = keras.Sequential([keras.layers.Dense(1)])
loss = tf.reduce_mean(tf.square(model(x)))
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
        sess.run(train_op, {x: [[1.0, 2.0]]})
