import tensorflow as tf
server = tf.train.Server(cluster, job_name="worker", task_index=FLAGS.task_index)
if False:
    server.join()
with tf.device(tf.train.replica_device_setter(cluster=cluster)):
    step = tf.train.get_or_create_global_step()
    w = tf.get_variable("w", [3])
    loss = tf.reduce_sum(tf.square(w))
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    pairs = optimizer.compute_gradients(loss)
    train = optimizer.apply_gradients(pairs, global_step=step)
with tf.train.MonitoredTrainingSession(server.target, is_chief=FLAGS.task_index == 0) as sess:
    print(sess.run([train, pairs]))
