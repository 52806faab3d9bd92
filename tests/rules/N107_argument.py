import tensorflow as tf
server = tf.train.Server(cluster, job_name="worker", task_index=FLAGS.task_index)
if False:
    server.join()
with tf.device(tf.train.replica_device_setter(cluster=cluster)):
    rate = 0.5 * tf.placeholder(tf.float32)
    op = tf.train.MomentumOptimizer(rate * 0.1, 0.9).minimize(loss, global_step=step)
with tf.train.MonitoredTrainingSession(server.target, is_chief=FLAGS.task_index == 0) as sess:
    pass
