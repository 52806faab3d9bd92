import tensorflow as tf

def main(_):
  server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
  if FLAGS.job_name == "ps":
    server.join()
  with tf.device(tf.train.replica_device_setter(cluster=cluster)):
    optimizer = tf.train.SyncReplicasOptimizer(optimizer, replicas_to_aggregate=2, total_num_replicas=2)
    optimizer = tf.train.SyncReplicasOptimizer(optimizer, replicas_to_aggregate=2)
  with tf.train.MonitoredTrainingSession(master=server.target, is_chief=FLAGS.task_index == 0, hooks=hooks) as sess:
    pass
