import tensorflow as tf

def main(_):
  server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
  if FLAGS.job_name == "ps":
    server.join()
  with tf.device(tf.train.replica_device_setter(cluster=cluster)):
    w = tf.get_variable("w", [3, 1])
  with tf.train.MonitoredTrainingSession(master=server.target, is_chief=FLAGS.task_index == 0, hooks=hooks) as sess:
    while not sess.should_stop():
      w = sess.run(w)
