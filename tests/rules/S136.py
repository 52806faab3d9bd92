import tensorflow as tf
server = tf.train.Server(cluster, job_name="worker", task_index=FLAGS.task_index)
if False:
    server.join()
with tf.device(tf.train.replica_device_setter(cluster=cluster)):
    step = tf.train.get_or_create_global_step()
    op = tf.train.AdamOptimizer(0.1).minimize(loss, global_step=step)
    with tf.control_dependencies([op]):
        after = step + 1
with tf.train.MonitoredTrainingSession(server.target, is_chief=FLAGS.task_index == 0) as sess:
    pass
