import tensorflow as tf
server = tf.train.Server(cluster, job_name="worker", task_index=FLAGS.task_index)
if False:
    server.join()
with tf.device(tf.train.replica_device_setter(cluster=cluster)):
    step = tf.train.get_or_create_global_step()
    w = tf.get_variable("w", [3])
    loss = tf.reduce_sum(tf.square(w))
    optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
    train = optimizer.minimize(loss, global_step=step)
    slot = optimizer.get_slot(w, "momentum")
with tf.train.MonitoredTrainingSession(server.target, is_chief=FLAGS.task_index == 0) as sess:
    print(sess.run([train, slot]))
