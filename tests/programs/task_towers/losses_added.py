"""Workers without parameter servers: losses of towers added up, and one optimizer.

Variables are on the first worker, which is the client.
"""
import argparse

import numpy as np
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument("--job_name")
parser.add_argument("--task_index", type=int)
parser.add_argument("--ps_hosts")
parser.add_argument("--worker_hosts")
parser.add_argument("--dir")
FLAGS = parser.parse_args()

workers = FLAGS.worker_hosts.split(",")
cluster = tf.train.ClusterSpec({"worker": workers})
server = tf.train.Server(cluster, job_name="worker", task_index=FLAGS.task_index)
if FLAGS.task_index != 0:
    server.join()

rng = np.random.RandomState(5)
with tf.device("/job:worker/task:0"):
    w = tf.Variable(rng.randn(4, 3).astype(np.float32), name="w")
    v = tf.Variable(rng.randn(3, 1).astype(np.float32), name="v")
x = tf.placeholder(tf.float32, [None, 4], name="x")
y = tf.placeholder(tf.float32, [None, 1], name="y")
x_parts = tf.split(x, len(workers))
y_parts = tf.split(y, len(workers))
losses = []
for i in range(len(workers)):
    with tf.device("/job:worker/task:%d" % i):
        prediction = tf.matmul(tf.sigmoid(tf.matmul(x_parts[i], w)), v)
        losses.append(tf.reduce_mean(tf.square(prediction - y_parts[i])))
with tf.device("/job:worker/task:0"):
    loss = tf.add_n(losses) / len(workers)
    train_op = tf.train.RMSPropOptimizer(0.01).minimize(loss)

with tf.Session(server.target) as sess:
    sess.run(tf.global_variables_initializer())
    with open(FLAGS.dir + "/loss.0", "w") as log:
        for step in range(12):
            xs = rng.randn(8, 4)
            feed = {x: xs, y: xs[:, :1] * xs[:, 1:2]}
            value = sess.run(loss, feed)
            sess.run(train_op, feed)
            log.write("%d %.9g\n" % (step, value))
