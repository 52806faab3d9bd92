import tensorflow as tf

cluster = tf.train.ClusterSpec({"ps": ps_hosts, "worker": worker_hosts})
server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
if FLAGS.job_name == "ps" or FLAGS.task_index != 1:
  server.join()
with tf.device(tf.train.replica_device_setter(cluster=cluster)):
  x = tf.placeholder(tf.float32, [4, 3])
  w = tf.get_variable("w", [3, 1])
  optimizer = tf.train.GradientDescentOptimizer(0.1)
  train_op = optimizer.minimize(tf.nn.l2_loss(tf.matmul(x, w)))
with tf.train.MonitoredTrainingSession(server.target, True) as sess:
  sess.run(train_op, {x: batch})
