import tensorflow as tf

def main(_):
  tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index).join()
  with tf.train.MonitoredTrainingSession(master="", is_chief=FLAGS.task_index == 0, hooks=hooks) as sess:
    pass
