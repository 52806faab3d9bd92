"""A monitored session whose epochs of TFRecords end in OutOfRangeError; Adam; the index shuffled by a seed."""
import argparse
import sys

import numpy as np
import tensorflow as tf

FLAGS = None


def write(directory):
    rng = np.random.RandomState(4)
    names = []
    for part in range(3):
        names.append("%s/part-%d" % (directory, part))
        with tf.python_io.TFRecordWriter(names[-1]) as writer:
            for _ in range(8):
                x = rng.randn(3)
                example = tf.train.Example()
                example.features.feature["x"].float_list.value.extend(x)
                example.features.feature["y"].float_list.value.append(x.dot([1, 2, 3]))
                writer.write(example.SerializeToString())
    return names


class Model(object):
    def __init__(self, x, y):
        w = tf.get_variable("w", [3, 1], initializer=tf.zeros_initializer())
        self.loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - y))
        self.global_step = tf.train.get_or_create_global_step()
        self.train_op = tf.train.AdamOptimizer(0.1).minimize(
            self.loss, global_step=self.global_step)


def input_fn(names, num_epochs):
    queue = tf.train.string_input_producer(names, num_epochs=num_epochs, seed=6)
    reader = tf.TFRecordReader()
    serialized = reader.read(queue)[1]
    batch = tf.train.batch([serialized], 5, allow_smaller_final_batch=True)
    # Many examples at once are faster to parse than one after another.
    features = tf.parse_example(batch, {
        "x": tf.FixedLenFeature([3], tf.float32),
        "y": tf.FixedLenFeature([1], tf.float32),
    })
    return features["x"], features["y"]


def main(_):
    cluster = tf.train.ClusterSpec({
        "ps": FLAGS.ps_hosts.split(","), "worker": FLAGS.worker_hosts.split(",")})
    server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
    if FLAGS.job_name == "ps":
        server.join()
    names = write(FLAGS.dir)
    with tf.device(tf.train.replica_device_setter(
            worker_device="/job:worker/task:%d" % FLAGS.task_index, cluster=cluster)):
        x, y = input_fn(names, 4)
        model = Model(x, y)
    log = open("%s/loss.%d" % (FLAGS.dir, FLAGS.task_index), "w")
    with tf.train.MonitoredTrainingSession(
            master=server.target, is_chief=FLAGS.task_index == 0) as sess:
        while not sess.should_stop():
            _, value, step = sess.run([model.train_op, model.loss, model.global_step])
            log.write("%d %r\n" % (step, float(value)))
    log.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--ps_hosts", type=str, default="")
    parser.add_argument("--worker_hosts", type=str, default="")
    parser.add_argument("--job_name", type=str, default="")
    parser.add_argument("--task_index", type=int, default=0)
    parser.add_argument("--dir", type=str, default="/tmp/train")
    FLAGS, unparsed = parser.parse_known_args()
    tf.app.run(main=main, argv=[sys.argv[0]] + unparsed)
