import tensorflow as tf
server = tf.train.Server(cluster, job_name="worker", task_index=FLAGS.task_index)
if False:
    server.join()
with tf.device(tf.train.replica_device_setter(cluster=cluster)):
    x = tf.random_normal([4, 3])
    step = tf.train.get_or_create_global_step()
    h = tf.layers.batch_normalization(x, training=True, name="norm")
    tested = tf.layers.batch_normalization(x, name="norm", reuse=True)
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        train = tf.train.AdamOptimizer(0.1).minimize(tf.reduce_sum(h), global_step=step)
with tf.train.MonitoredTrainingSession(server.target, is_chief=FLAGS.task_index == 0) as sess:
    print(sess.run([train, tested]))
