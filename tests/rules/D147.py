import numpy as np
import tensorflow as tf
cluster = tf.train.ClusterSpec({"ps": ["a:1"], "worker": ["b:1", "c:1"]})
server = tf.train.Server(cluster, job_name=job, task_index=task)
if job == "ps":
    server.join()
with tf.device(tf.train.replica_device_setter(cluster=cluster)):
    x = tf.placeholder(tf.float32, [None, 3])
    w = tf.get_variable("w", [3, 1])
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))
    global_step = tf.train.get_or_create_global_step()
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step)
step = 0
with tf.train.MonitoredTrainingSession(server.target, is_chief=task == 0) as sess:
    while step < 100:
        _, step = sess.run([train_op, global_step], {x: batches[step]})
