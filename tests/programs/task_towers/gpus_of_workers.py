"""Two towers on each worker, one for every GPU of it; its CPU where it has none."""
import argparse

import numpy as np
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument("--job_name")
parser.add_argument("--task_index", type=int)
parser.add_argument("--ps_hosts")
parser.add_argument("--worker_hosts")
parser.add_argument("--dir")
parser.add_argument("--num_gpus", type=int, default=2)
FLAGS = parser.parse_args()


def mean_of(tower_grads):
    averaged = []
    for pairs in zip(*tower_grads):
        grads = [g for g, _ in pairs]
        averaged.append((tf.add_n(grads) / len(grads), pairs[0][1]))
    return averaged


def build(num_towers):
    x = tf.placeholder(tf.float32, [8, 4])
    y = tf.placeholder(tf.float32, [8, 1])
    x_parts, y_parts = tf.split(x, num_towers), tf.split(y, num_towers)
    opt = tf.train.AdagradOptimizer(0.3)
    tower_grads, losses = [], []
    for i in range(num_towers):
        where = "/job:worker/task:%d/gpu:%d" % (i // FLAGS.num_gpus, i % FLAGS.num_gpus)
        with tf.device(where):
            with tf.variable_scope(tf.get_variable_scope(), reuse=tf.AUTO_REUSE):
                w = tf.get_variable("w", [4, 1], initializer=tf.ones_initializer())
                loss = tf.nn.l2_loss(tf.matmul(x_parts[i], w) - y_parts[i])
                losses.append(loss)
                grads = opt.compute_gradients(loss)
                tower_grads.append(grads)
    with tf.control_dependencies(losses):
        train_op = opt.apply_gradients(mean_of(tower_grads))
    return x, y, losses, train_op


def train(cluster):
    x, y, losses, train_op = build(FLAGS.num_gpus * cluster.num_tasks("worker"))
    rng = np.random.RandomState(8)
    config = tf.ConfigProto(allow_soft_placement=True)
    target = "grpc://" + cluster.task_address("worker", 0)
    with tf.Session(target, config=config) as sess:
        sess.run(tf.global_variables_initializer())
        with open(FLAGS.dir + "/loss.0", "w") as log:
            for step in range(12):
                xs = rng.randn(8, 4)
                values, _ = sess.run([losses, train_op], {x: xs, y: xs[:, 2:3]})
                print(step, *["%.9g" % value for value in values], file=log)


def main():
    cluster = tf.train.ClusterSpec({
        "ps": FLAGS.ps_hosts.split(","), "worker": FLAGS.worker_hosts.split(",")})
    if FLAGS.job_name == "client":
        train(cluster)
    else:
        tf.train.Server(cluster, FLAGS.job_name, FLAGS.task_index).join()


if __name__ == "__main__":
    main()
