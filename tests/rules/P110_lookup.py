import tensorflow as tf

cluster = tf.train.ClusterSpec({"ps": ["a:1", "b:1"], "worker": ["c:1", "d:1"]})
server = tf.train.Server(cluster, job_name=job, task_index=index)
if job == "ps":
    server.join()
with tf.device(tf.train.replica_device_setter(cluster=cluster)):
    w = tf.get_variable("w", [10, 2], partitioner=tf.fixed_size_partitioner(2))
    loss = tf.reduce_sum(tf.nn.embedding_lookup(w, [1, 3]))
    step = tf.train.get_or_create_global_step()
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, step)
with tf.train.MonitoredTrainingSession(server.target, index == 0) as sess:
    while not sess.should_stop():
        sess.run(train_op)
