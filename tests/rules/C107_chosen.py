import tensorflow as tf

def main(_):
  server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
  if FLAGS.job_name == "ps":
    server.join()
  with tf.device(tf.train.replica_device_setter(cluster=cluster)):
    w = tf.get_variable("w", [3, 1])
    loss = tf.reduce_mean(tf.matmul(x, w))
    if FLAGS.task_index == 0:
      value = loss * 2.0
    else:
      value = loss * 3.0
  with tf.train.MonitoredTrainingSession(master=server.target, is_chief=FLAGS.task_index == 0, hooks=hooks) as sess:
    sess.run(value)
