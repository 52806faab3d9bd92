import numpy as np
import tensorflow as tf

cluster = tf.train.ClusterSpec({"ps": ["a:1"], "worker": ["b:1"]})
server = tf.train.Server(cluster, job_name=job, task_index=index)
if job == "ps":
    server.join()
with tf.device(tf.train.replica_device_setter(cluster=cluster)):
    w = tf.Variable(1.0)
    step = tf.train.get_or_create_global_step()
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(w * w, step)
scaffold = tf.train.Scaffold(saver=tf.train.Saver(max_to_keep=3))
with tf.train.MonitoredTrainingSession(server.target, index == 0, scaffold=scaffold) as sess:
    while not sess.should_stop():
        sess.run(train_op)
