"""What a monitored session finds in collections, and does anyway."""

import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
w = tf.get_variable("w", [3, 1], initializer=tf.zeros_initializer())
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0))
step = tf.train.get_or_create_global_step()
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, step)
tf.summary.scalar("loss", loss)
tf.add_to_collection(tf.GraphKeys.INIT_OP, tf.global_variables_initializer())
tf.add_to_collection(tf.GraphKeys.LOCAL_INIT_OP, tf.local_variables_initializer())
tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, tf.tables_initializer())
tf.add_to_collection(tf.GraphKeys.READY_OP, tf.report_uninitialized_variables())
tf.add_to_collection(
    tf.GraphKeys.READY_FOR_LOCAL_INIT_OP, tf.report_uninitialized_variables()
)
tf.add_to_collection(tf.GraphKeys.SUMMARY_OP, tf.summary.merge_all())
with tf.train.MonitoredTrainingSession() as sess:
    print(sess.run(train, {x: [[1.0, 2.0, 3.0]]}))
