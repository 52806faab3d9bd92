import tensorflow as tf

cluster = tf.train.ClusterSpec({"ps": ["a:1", "b:1"], "worker": ["c:1", "d:1"]})
server = tf.train.Server(cluster, job_name=job, task_index=index)
if job == "ps":
    server.join()
with tf.device(tf.train.replica_device_setter(cluster=cluster, ps_strategy=tf.contrib.training.GreedyLoadBalancingStrategy(
        2, tf.contrib.training.byte_size_load_fn))):
    w = tf.Variable(1.0)
    loss = w * w
    step = tf.train.get_or_create_global_step()
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, step)
with tf.train.MonitoredTrainingSession(server.target, index == 0) as sess:
    while not sess.should_stop():
        sess.run(train_op)
