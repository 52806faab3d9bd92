"""What a monitored session finds in collections."""

import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
w = tf.get_variable("w", [3, 1], initializer=tf.zeros_initializer())
v = tf.Variable(2.0, trainable=False)
more = tf.assign(v, 3.0)
tf.add_to_collection(tf.GraphKeys.INIT_OP, more)
tf.add_to_collection(tf.GraphKeys.LOCAL_INIT_OP, more)
tf.add_to_collection(tf.GraphKeys.READY_FOR_LOCAL_INIT_OP, more)
tf.add_to_collection(tf.GraphKeys.READY_OP, more)
tf.add_to_collection(tf.GraphKeys.SUMMARY_OP, more)
tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, more)
tf.add_to_collection("init_op", more)
tf.add_to_collection("local_init_op", more)
tf.add_to_collection("ready_for_local_init_op", more)
tf.add_to_collection("ready_op", more)
tf.add_to_collection("summary_op", more)
tf.add_to_collection("table_initializer", more)
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) * v - 1.0))
step = tf.train.get_or_create_global_step()
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, step)
tf.summary.scalar("loss", loss)
with tf.train.MonitoredTrainingSession() as sess:
    print(sess.run(train, {x: [[1.0, 2.0, 3.0]]}))
