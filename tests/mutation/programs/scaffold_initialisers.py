"""A Scaffold whose operations only initialise."""

import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
w = tf.get_variable("w", [3, 1], initializer=tf.zeros_initializer())
v = tf.Variable(2.0, trainable=False)
more = tf.assign(v, 3.0)
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) * v - 1.0))
step = tf.train.get_or_create_global_step()
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, step)
tf.summary.scalar("loss", loss)
init = tf.group(
    tf.variables_initializer([w, v]), tf.initialize_variables([step]), w.initializer
)
scaffold = tf.train.Scaffold(
    init_op=init, local_init_op=tf.local_variables_initializer()
)
with tf.train.MonitoredTrainingSession(scaffold=scaffold) as sess:
    print(sess.run(train, {x: [[1.0, 2.0, 3.0]]}))
