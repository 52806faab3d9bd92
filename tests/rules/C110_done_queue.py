import tensorflow as tf
cluster = tf.train.ClusterSpec({"ps": ["a:1"], "worker": ["b:1", "c:1"]})
server = tf.train.Server(cluster, job_name=job, task_index=task)
with tf.device("/job:ps/task:0"):
    queue = tf.FIFOQueue(2, tf.int32, shared_name="done_queue0")
if job == "ps":
    sess = tf.Session(server.target)
    for _ in range(2):
        sess.run(queue.dequeue())
else:
    with tf.device(tf.train.replica_device_setter(cluster=cluster)):
        x = tf.placeholder(tf.float32, [None, 3])
        w = tf.get_variable("w", [3, 1])
        loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))
        train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    with tf.train.MonitoredTrainingSession(server.target, task == 0) as sess:
        sess.run(train_op, {x: xs})
        sess.run(queue.enqueue(1))
