"""A MonitoredSession whose creator is the chief's or a worker's; its own saver hook."""
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
    server = tf.train.Server(cluster, job_name=FLAGS.job_name,
                             task_index=FLAGS.task_index)
    if FLAGS.job_name == "ps":
        server.join()
    with tf.device(tf.train.replica_device_setter(
            worker_device="/job:worker/task:%d" % FLAGS.task_index, cluster=cluster)):
        x = tf.placeholder(tf.float32, [None, 5])
        y = tf.placeholder(tf.float32, [None, 1])
        w = tf.get_variable("w", [5, 1], initializer=tf.constant_initializer(0.3))
        loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - y))
        global_step = tf.train.get_or_create_global_step()
        train_op = tf.train.MomentumOptimizer(0.05, 0.9).minimize(
            loss, global_step=global_step)

    hooks = [tf.train.StopAtStepHook(last_step=30)]
    if FLAGS.task_index == 0:
        hooks.append(tf.train.CheckpointSaverHook(FLAGS.dir, save_steps=20))
    # The chief prepares the session, the others wait for it.
    if FLAGS.task_index == 0:
        creator = tf.train.ChiefSessionCreator(master=server.target,
                                               checkpoint_dir=FLAGS.dir)
    else:
        creator = tf.train.WorkerSessionCreator(master=server.target)
    rng = np.random.RandomState(FLAGS.task_index)
    log = open("%s/loss.%d" % (FLAGS.dir, FLAGS.task_index), "w")
    with tf.train.MonitoredSession(session_creator=creator, hooks=hooks) as sess:
        while not sess.should_stop():
            xs = rng.randn(10, 5)
            _, value, step = sess.run([train_op, loss, global_step],
                                      {x: xs, y: xs.sum(1, keepdims=True)})
            log.write("%d %r\n" % (step, float(value)))
    log.close()


main()
