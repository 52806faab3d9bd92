"""D147: data is chosen by the global step, which counts the steps of all workers."""
import argparse
import time

import numpy as np
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument("--ps_hosts", default="")
parser.add_argument("--worker_hosts", default="")
parser.add_argument("--job_name", default="")
parser.add_argument("--task_index", type=int, default=0)
parser.add_argument("--dir", default="/tmp/train")
FLAGS = parser.parse_args()


def lines():
    found = [path for path in tf.gfile.Glob(FLAGS.dir + "/loss.*")]
    return sum(len(open(path).readlines()) for path in found)


def main():
    cluster = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts.split(","),
                                    "worker": FLAGS.worker_hosts.split(",")})
    server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
    if FLAGS.job_name == "ps":
        server.join()
    with tf.device(tf.train.replica_device_setter(
            worker_device="/job:worker/task:%d" % FLAGS.task_index, cluster=cluster)):
        x = tf.placeholder(tf.float32, [])
        w = tf.get_variable("w", [], initializer=tf.constant_initializer(8.0))
        loss = tf.square(w - x)
        global_step = tf.train.get_or_create_global_step()
        train_op = tf.train.GradientDescentOptimizer(0.125).minimize(
            loss, global_step=global_step)

    data = np.arange(20, dtype=np.float32)
    with tf.train.MonitoredTrainingSession(
            master=server.target, is_chief=FLAGS.task_index == 0) as sess:
        log = open(FLAGS.dir + "/loss.%d" % FLAGS.task_index, "w")
        step = 0
        for i in range(5):
            # The workers take turns.
            while lines() < 2 * i + FLAGS.task_index:
                time.sleep(0.02)
            example = data[step]
            _, step = sess.run([train_op, global_step], {x: example})
            log.write("%d %r\n" % (i, float(example)))
            log.flush()
        log.close()


if __name__ == "__main__":
    main()
