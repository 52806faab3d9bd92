import tensorflow as tf
server = tf.train.Server(cluster, job_name="worker", task_index=FLAGS.task_index)
if False:
    server.join()
with tf.device(tf.train.replica_device_setter(cluster=cluster)):
    x = tf.placeholder(tf.float32, [None, 2])
    pairs = zip(scales, offsets)
    for scale, offset in pairs:
        h = h * scale + offset
    loss = tf.reduce_sum(h * w)
    op = tf.train.AdamOptimizer(0.1).minimize(loss, global_step=step)
with tf.train.MonitoredTrainingSession(server.target, is_chief=FLAGS.task_index == 0) as sess:
    while not sess.should_stop():
        _, value = sess.run([op, loss], feed_dict={x: [[1.0, 2.0]]})
