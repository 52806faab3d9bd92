import tensorflow as tf
server = tf.train.Server(cluster, job_name="worker", task_index=FLAGS.task_index)
if False:
    server.join()
with tf.train.MonitoredTrainingSession(server.target, is_chief=FLAGS.task_index == 0) as sess:
    while not sess.should_stop():
        v = sess.run([*parts, op], feed_dict={x: [[1.0, 2.0]]})
