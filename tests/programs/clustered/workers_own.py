"""What each worker, a process, has for itself: readers, generators, lists, its index."""
import itertools
import random

import numpy as np
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_string("ps_hosts", "", "Comma-separated hosts")
flags.DEFINE_string("worker_hosts", "", "Comma-separated hosts")
flags.DEFINE_string("job_name", "", "ps or worker")
flags.DEFINE_integer("task_index", 0, "Index of the task")
flags.DEFINE_string("dir", "/tmp/train", "Output directory")
FLAGS = flags.FLAGS

np.random.seed(5)
noise = np.random.RandomState(11)
order = np.arange(8)
seen = []
numbers = itertools.count()


class Reader(object):
    """Gives the rows of a table in turn."""

    def __init__(self, rows):
        self.rows = rows
        self.at = 0

    def next_batch(self, size):
        self.at += size
        picked = [(self.at + i) % len(self.rows) for i in range(size)]
        return self.rows[picked]


reader = Reader(np.linspace(-1, 1, 120).reshape(40, 3))


def offset():
    return 0.125 * FLAGS.task_index


def batch():
    np.random.shuffle(order)
    rows = reader.next_batch(8)[order] + 0.01 * np.random.randn(8, 3)
    rows += offset() + 0.01 * noise.uniform() + 0.01 * random.random()
    seen.append(rows.sum())
    return rows, rows.sum(1) + next(numbers) % 2


def main(_):
    cluster = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts.split(","),
                                    "worker": FLAGS.worker_hosts.split(",")})
    server = tf.train.Server(cluster, job_name=FLAGS.job_name,
                             task_index=FLAGS.task_index)
    if FLAGS.job_name == "ps":
        server.join()
    random.seed(FLAGS.task_index)
    drift = np.random.RandomState(FLAGS.task_index)

    def drifted(rows):
        return rows + 0.001 * drift.randn(*rows.shape)

    with tf.device(tf.train.replica_device_setter(
            worker_device="/job:worker/task:%d" % FLAGS.task_index, cluster=cluster)):
        x = tf.placeholder(tf.float32, [None, 3])
        y = tf.placeholder(tf.float32, [None])
        w = tf.get_variable("w", [3, 1], initializer=tf.zeros_initializer())
        loss = tf.reduce_mean(tf.squared_difference(tf.squeeze(tf.matmul(x, w), 1), y))
        step = tf.train.get_or_create_global_step()
        train = tf.train.GradientDescentOptimizer(0.05).minimize(loss, global_step=step)

    # A worker goes on when another has ended.
    config = tf.ConfigProto(device_filters=[
        "/job:ps", "/job:worker/task:%d" % FLAGS.task_index])
    log = open("%s/loss.%d" % (FLAGS.dir, FLAGS.task_index), "w")
    with tf.train.MonitoredTrainingSession(
            master=server.target, is_chief=FLAGS.task_index == 0,
            config=config) as sess:
        for i in range(20):
            rows, sums = batch()
            rows = drifted(rows)
            _, value = sess.run([train, loss], feed_dict={x: rows, y: sums})
            log.write("%d:%r:%r %r\n" % (len(seen), float(rows.sum()),
                                         float(sums.sum()), float(value)))
    log.close()


if __name__ == "__main__":
    tf.app.run()
