import tensorflow as tf

def main(_):
  cluster = tf.train.ClusterSpec({"ps": ["a:2222"], "learner": ["b:2222", "c:2222"]})
  server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
  if FLAGS.job_name == "ps":
    server.join()
  with tf.device(tf.train.replica_device_setter(cluster=cluster)):
    w = tf.get_variable("w", [3, 1])
    loss = tf.reduce_mean(tf.matmul(x, w))
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
  with tf.train.MonitoredTrainingSession(master=server.target, is_chief=FLAGS.task_index == 0, hooks=hooks) as sess:
    sess.run(train)
