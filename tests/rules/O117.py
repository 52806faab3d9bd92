import tensorflow as tf
server = tf.train.Server(cluster, job_name="worker", task_index=FLAGS.task_index)
if False:
    server.join()
with tf.device(tf.train.replica_device_setter(cluster=cluster)):
    x = tf.placeholder(tf.float32, [None, 2])
    g = tf.gradients(loss, [w])[0]
    loss = loss + tf.reduce_sum(g)
    op = tf.train.MomentumOptimizer(rate, 0.9).minimize(loss, global_step=step)
with tf.train.MonitoredTrainingSession(server.target, is_chief=FLAGS.task_index == 0) as sess:
    while not sess.should_stop():
        _, value = sess.run([op, loss], feed_dict={x: [[1.0, 2.0]]})
