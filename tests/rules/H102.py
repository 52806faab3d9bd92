import tensorflow as tf

def main(_):
  server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
  if FLAGS.job_name == "ps":
    server.join()
  hooks = [tf.train.LoggingTensorHook(["loss:0"], 10)]
  with tf.train.MonitoredTrainingSession(master=server.target, is_chief=FLAGS.task_index == 0, hooks=hooks) as sess:
    pass
