"""A program that already imports compat.v1; piecewise rates; scope with AUTO_REUSE; dict fetches."""
import argparse

import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python.ops import partitioned_variables

tf.disable_v2_behavior()


def mlp(x, units, keep_prob):
    with tf.variable_scope("mlp", reuse=tf.AUTO_REUSE):
        h = tf.layers.dense(x, units, activation=tf.nn.relu, name="hidden")
        h = tf.nn.dropout(h, keep_prob=keep_prob)
        return tf.layers.dense(h, 1, name="out")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ps_hosts")
    parser.add_argument("--worker_hosts")
    parser.add_argument("--job_name", choices=["ps", "worker"])
    parser.add_argument("--task_index", type=int)
    parser.add_argument("--dir")
    args = parser.parse_args()
    hosts = {}
    hosts["ps"] = args.ps_hosts.split(",")
    hosts["worker"] = args.worker_hosts.split(",")
    cluster = tf.train.ClusterSpec(hosts)
    server = tf.train.Server(cluster, job_name=args.job_name, task_index=args.task_index)
    if args.job_name == "ps":
        server.join()
    chief = args.task_index == 0
    with tf.device(tf.train.replica_device_setter(cluster=cluster)):
        step = tf.train.get_or_create_global_step()
        x = tf.placeholder(tf.float32, [None, 6], "x")
        y = tf.placeholder(tf.float32, [None, 1], "y")
        keep = tf.placeholder(tf.float32)
        with tf.variable_scope("wide", partitioner=partitioned_variables.min_max_variable_partitioner(
                max_partitions=2, min_slice_size=8)):
            w = tf.get_variable("w", [6, 1], initializer=tf.ones_initializer())
        out = mlp(x, 8, keep) + tf.matmul(x, w)
        test_out = mlp(x, 8, 1.0)
        loss = tf.losses.mean_squared_error(y, out)
        rate = tf.train.piecewise_constant(step, [5, 8], [0.1, 0.05, 0.01])
        optimizer = tf.train.AdadeltaOptimizer(rate)
        gvs = optimizer.compute_gradients(loss)
        capped = [(tf.clip_by_value(g, -1., 1.), v) for g, v in gvs if g is not None]
        train = optimizer.apply_gradients(capped, global_step=step)
    rng = np.random.RandomState(3)
    xs = rng.rand(64, 6)
    ys = xs.sum(axis=1, keepdims=True)
    hooks = [tf.train.StopAtStepHook(last_step=10), tf.train.ProfilerHook(save_steps=4, output_dir=args.dir)]
    fetches = {"train": train, "loss": loss, "step": step}
    with tf.train.MonitoredTrainingSession(server.target, is_chief=chief, checkpoint_dir=args.dir + "/t",
                                           hooks=hooks) as sess:
        log = open("%s/loss.%d" % (args.dir, args.task_index), "w")
        while not sess.should_stop():
            got = sess.run(fetches, feed_dict={x: xs, y: ys, keep: 0.9})
            log.write("%d %r\n" % (got["step"], float(got["loss"])))
            log.flush()
            if got["step"] == 3:
                print(sess.run([test_out, rate], {x: xs[:2]}))


if __name__ == "__main__":
    main()
