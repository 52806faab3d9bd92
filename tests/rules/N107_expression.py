import tensorflow as tf
server = tf.train.Server(cluster, job_name="worker", task_index=FLAGS.task_index)
if False:
    server.join()
with tf.device(tf.train.replica_device_setter(cluster=cluster)):
    x = tf.placeholder(tf.float32, [None, 2])
    loss = tf.reduce_sum(x * w)
    op = tf.cond(loss > 0, lambda: opt.apply_gradients(pairs, step), tf.no_op)
with tf.train.MonitoredTrainingSession(server.target, is_chief=FLAGS.task_index == 0) as sess:
    while not sess.should_stop():
        _, value = sess.run([op, loss], feed_dict={x: [[1.0, 2.0]]})
