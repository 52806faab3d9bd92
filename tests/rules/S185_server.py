import tensorflow as tf
cluster = tf.train.ClusterSpec({"ps": ["a:1"], "worker": ["b:1", "c:1"]})
server = tf.train.Server(cluster, job_name=job, task_index=task)
if job == "ps":
    server.join()
register(server.target)
with tf.device(tf.train.replica_device_setter(cluster=cluster)):
    x = tf.placeholder(tf.float32, [None, 3])
    w = tf.get_variable("w", [3, 1])
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))
    step = tf.train.get_or_create_global_step()
    optimizer = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(0.1), 2)
    train_op = optimizer.minimize(loss, step)
hook = optimizer.make_session_run_hook(task == 0)
with tf.train.MonitoredTrainingSession(server.target, task == 0, hooks=[hook]) as sess:
    sess.run(train_op, {x: xs})
