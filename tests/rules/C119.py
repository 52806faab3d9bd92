import tensorflow as tf

def main(_):
  cluster = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts, "worker": FLAGS.worker_hosts})
  server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
  if FLAGS.job_name == "ps":
    server.join()
  print("worker %d starts" % FLAGS.task_index)
  with tf.device(tf.train.replica_device_setter(cluster=cluster)):
    w = tf.get_variable("w", [3, 1])
    loss = tf.reduce_mean(tf.square(w))
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=tf.train.get_or_create_global_step())
  with tf.train.MonitoredTrainingSession(master=server.target, is_chief=FLAGS.task_index == 0, hooks=[tf.train.StopAtStepHook(9)]) as sess:
    while not sess.should_stop():
      sess.run(train)
