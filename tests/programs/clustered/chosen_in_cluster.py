"""Asynchronous; which operation a step runs depends on its number: the bias alone at first,
then the weights and everything in turn; a measure, one of two, every fourth step."""
import argparse

import numpy as np
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument("--ps_hosts", default="")
parser.add_argument("--worker_hosts", default="")
parser.add_argument("--job_name", default="")
parser.add_argument("--task_index", type=int, default=0)
parser.add_argument("--dir", default="/tmp/train")
FLAGS, _ = parser.parse_known_args()


def main():
    cluster = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts.split(","),
                                    "worker": FLAGS.worker_hosts.split(",")})
    server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
    if FLAGS.job_name == "ps":
        server.join()
    with tf.device(tf.train.replica_device_setter(
            worker_device="/job:worker/task:%d" % FLAGS.task_index, cluster=cluster)):
        x = tf.placeholder(tf.float32, [None, 5])
        y = tf.placeholder(tf.float32, [None, 1])
        w = tf.get_variable("w", [5, 1], initializer=tf.zeros_initializer())
        b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
        error = tf.matmul(x, w) + b - y
        loss = tf.reduce_mean(tf.square(error))
        worst = tf.reduce_max(tf.abs(error))
        global_step = tf.train.get_or_create_global_step()
        optimizer = tf.train.GradientDescentOptimizer(0.05)
        train_bias = optimizer.minimize(loss, global_step=global_step, var_list=[b])
        train_weights = optimizer.minimize(loss, global_step=global_step, var_list=[w])
        train_all = optimizer.minimize(loss, global_step=global_step)
    later = [train_weights, train_all]
    rng = np.random.RandomState(FLAGS.task_index)
    log = open("%s/loss.%d" % (FLAGS.dir, FLAGS.task_index), "w")
    with tf.train.MonitoredTrainingSession(
            master=server.target, is_chief=FLAGS.task_index == 0) as sess:
        for number in range(24):
            points = rng.randn(10, 5)
            train_op = train_bias if number < 6 else later[number % 2]
            feed = {x: points, y: points.sum(1, keepdims=True) + 1}
            _, value = sess.run([train_op, loss], feed_dict=feed)
            log.write("%d %r\n" % (number, float(value)))
            if number % 4 == 3:
                value = sess.run(worst if number > 12 else loss, feed_dict=feed)
                log.write("%d %r\n" % (number, float(value)))
    log.close()


main()
