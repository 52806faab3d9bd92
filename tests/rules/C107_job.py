import tensorflow as tf
server = tf.train.Server(cluster, job_name=FLAGS.job, task_index=FLAGS.task_index)
if FLAGS.job == 'ps':
    server.join()
is_chief = FLAGS.job == 'chief'
with tf.train.MonitoredTrainingSession(server.target, is_chief=is_chief) as sess:
    pass
