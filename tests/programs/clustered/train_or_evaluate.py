"""Training in a cluster and an evaluation by one process, in two functions of a file."""
import argparse

import numpy as np
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument("--ps_hosts", default="")
parser.add_argument("--worker_hosts", default="")
parser.add_argument("--job_name", default="")
parser.add_argument("--task_index", type=int, default=0)
parser.add_argument("--mode", default="train")
parser.add_argument("--dir", default="/tmp/train")
FLAGS, _ = parser.parse_known_args()


def train():
    cluster = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts.split(","),
                                    "worker": FLAGS.worker_hosts.split(",")})
    server = tf.train.Server(cluster, job_name=FLAGS.job_name,
                             task_index=FLAGS.task_index)
    if FLAGS.job_name == "ps":
        server.join()
    with tf.device(tf.train.replica_device_setter(
            worker_device="/job:worker/task:%d" % FLAGS.task_index, cluster=cluster)):
        x = tf.placeholder(tf.float32, [None, 5])
        y = tf.placeholder(tf.float32, [None, 1])
        output = tf.layers.dense(x, 1, kernel_initializer=tf.constant_initializer(0.3))
        loss = tf.losses.mean_squared_error(y, output)
        global_step = tf.train.get_or_create_global_step()
        train_op = tf.train.MomentumOptimizer(0.05, 0.9).minimize(
            loss, global_step=global_step)
    rng = np.random.RandomState(FLAGS.task_index)
    log = open("%s/loss.%d" % (FLAGS.dir, FLAGS.task_index), "w")
    with tf.train.MonitoredTrainingSession(
            master=server.target, is_chief=FLAGS.task_index == 0,
            checkpoint_dir=FLAGS.dir + "/model",
            hooks=[tf.train.StopAtStepHook(last_step=30)]) as sess:
        while not sess.should_stop():
            xs = rng.randn(10, 5)
            _, value, step = sess.run([train_op, loss, global_step],
                                      {x: xs, y: xs.sum(1, keepdims=True)})
            log.write("%d %r\n" % (step, float(value)))
    log.close()


def evaluate():
    x = tf.placeholder(tf.float32, [None, 5])
    output = tf.layers.dense(x, 1)
    saver = tf.train.Saver()
    with tf.Session() as sess:
        saver.restore(sess, tf.train.latest_checkpoint(FLAGS.dir + "/model"))
        found = sess.run(output, {x: np.eye(5)})
    with open(FLAGS.dir + "/output", "w") as out:
        out.write(" ".join("%.8f" % value for value in found.ravel()))


def main():
    if FLAGS.mode == "train":
        train()
    else:
        evaluate()


if __name__ == "__main__":
    main()
