import tensorflow as tf

cluster = tf.train.ClusterSpec({"ps": ["a:1"], "worker": ["b:1", "c:1"]})
server = tf.train.Server(cluster, job_name=job, task_index=index)
if job == "ps":
    server.join()
with tf.device(tf.train.replica_device_setter(cluster=cluster)):
    w = tf.Variable(1.0)
    loss = w * w
    step = tf.train.get_or_create_global_step()
    optimizer = tf.train.SyncReplicasOptimizer(
        tf.train.GradientDescentOptimizer(0.1), 2, variables_to_average=[w])
    train_op = optimizer.minimize(loss, step)
    hook = optimizer.make_session_run_hook(index == 0)
with tf.train.MonitoredTrainingSession(server.target, index == 0, hooks=[hook]) as sess:
    while not sess.should_stop():
        sess.run(train_op)
