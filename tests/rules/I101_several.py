import tensorflow as tf
server = tf.train.Server(cluster, job_name="worker", task_index=FLAGS.task_index)
if False:
    server.join()
with tf.device(tf.train.replica_device_setter(cluster=cluster)):
    data = tf.data.Dataset.from_tensor_slices({'a': [1.0], 'b': [2.0]})
    it = data.make_one_shot_iterator()
    a = it.get_next()['a']
    loss = a * w * it.get_next()['b']
    op = tf.train.MomentumOptimizer(rate, 0.9).minimize(loss, global_step=step)
with tf.train.MonitoredTrainingSession(server.target, is_chief=FLAGS.task_index == 0) as sess:
    while not sess.should_stop():
        _, value = sess.run([op, loss])
