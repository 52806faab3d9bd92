import tensorflow as tf
cluster = tf.train.ClusterSpec({"ps": ["a:1"], "worker": ["b:1", "c:1"]})
server = tf.train.Server(cluster, job_name=job, task_index=task)
if job == "ps":
    server.join()
with tf.device(tf.train.replica_device_setter(cluster=cluster)):
    x = tf.placeholder(tf.float32, [None, 3])
    w = tf.get_variable("w", [3, 1])
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
sv = tf.train.Supervisor(is_chief=task == 0, logdir="logs")
with sv.managed_session(server.target) as sess:
    sv.loop(60, print, ("alive",))
    sess.run(train_op, {x: xs})
