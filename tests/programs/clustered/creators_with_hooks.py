"""Each kind of task makes its session's creator and its own hooks in one branch."""
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


def network(x):
    hidden = tf.layers.dense(x, 4, activation=tf.nn.tanh,
                             kernel_initializer=tf.glorot_uniform_initializer(seed=6))
    return tf.layers.dense(hidden, 1,
                           kernel_initializer=tf.glorot_uniform_initializer(seed=7))


def main():
    cluster = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts.split(","),
                                    "worker": FLAGS.worker_hosts.split(",")})
    if FLAGS.job_name == "ps":
        server = tf.train.Server(
            cluster, job_name="ps", task_index=FLAGS.task_index,
            config=tf.ConfigProto(device_filters=["/job:worker"]))
        server.join()
    else:
        server = tf.train.Server(
            cluster, job_name="worker", task_index=FLAGS.task_index,
            config=tf.ConfigProto(intra_op_parallelism_threads=1))
    with tf.device(tf.train.replica_device_setter(
            worker_device="/job:worker/task:%d" % FLAGS.task_index, cluster=cluster)):
        x = tf.placeholder(tf.float32, [None, 5]); y = tf.placeholder(tf.float32, [None, 1])
        loss = tf.reduce_mean(tf.square(network(x) - y))
        global_step = tf.train.get_or_create_global_step()
        train_op = tf.train.AdagradOptimizer(0.2).minimize(loss, global_step=global_step)

    scaffold = tf.train.Scaffold(saver=tf.train.Saver(max_to_keep=2))
    hooks = [tf.train.StopAtStepHook(num_steps=24), tf.train.NanTensorHook(loss)]
    if FLAGS.task_index == 0:
        creator = tf.train.ChiefSessionCreator(
            scaffold, master=server.target, checkpoint_dir=FLAGS.dir)
        hooks.append(tf.train.CheckpointSaverHook(
            FLAGS.dir, save_steps=9, scaffold=scaffold))
    else:
        creator = tf.train.WorkerSessionCreator(scaffold, master=server.target)
    rng = np.random.RandomState(FLAGS.task_index)
    log = open("%s/loss.%d" % (FLAGS.dir, FLAGS.task_index), "w")
    try:
        with tf.train.MonitoredSession(session_creator=creator, hooks=hooks) as sess:
            while not sess.should_stop():
                xs = rng.randn(10, 5)
                _, value, step = sess.run([train_op, loss, global_step],
                                          {x: xs, y: xs.sum(1, keepdims=True)})
                log.write("%d %r\n" % (step, float(value)))
    finally:
        log.close()


main()
