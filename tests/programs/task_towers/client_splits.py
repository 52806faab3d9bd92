"""Towers on the workers, variables on a parameter server; a client that is no task trains.

The batch is split; a function averages the towers' gradients.
"""
import argparse

import numpy as np
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument("--job_name")
parser.add_argument("--task_index", type=int)
parser.add_argument("--ps_hosts", default="")
parser.add_argument("--worker_hosts", default="")
parser.add_argument("--dir")
FLAGS = parser.parse_args()


def average_gradients(tower_grads):
    average_grads = []
    for grad_and_vars in zip(*tower_grads):
        grads = tf.concat([tf.expand_dims(g, 0) for g, _ in grad_and_vars], axis=0)
        average_grads.append((tf.reduce_mean(grads, 0), grad_and_vars[0][1]))
    return average_grads


def train(cluster):
    num_workers = cluster.num_tasks("worker")
    rng = np.random.RandomState(3)
    with tf.device("/job:ps/task:0"):
        w = tf.get_variable("w", initializer=rng.randn(5, 4).astype("float32"))
        b = tf.get_variable("b", initializer=np.zeros([4], "float32"))
        global_step = tf.train.get_or_create_global_step()
    with tf.device("/job:ps/task:1"):
        v = tf.get_variable("v", initializer=rng.randn(4, 1).astype("float32"))
    x = tf.placeholder(tf.float32, [None, 5])
    y = tf.placeholder(tf.float32, [None, 1])
    opt = tf.train.MomentumOptimizer(0.05, 0.9)
    x_parts, y_parts = tf.split(x, num_workers), tf.split(y, num_workers)
    tower_grads = []
    tower_losses = []
    for i in range(num_workers):
        with tf.device("/job:worker/task:%d" % i):
            h = tf.tanh(tf.matmul(x_parts[i], w) + b)
            loss = tf.reduce_mean(tf.square(tf.matmul(h, v) - y_parts[i]))
            tower_grads.append(opt.compute_gradients(loss))
            tower_losses.append(loss)
    # The losses are of the weights before the update.
    with tf.control_dependencies(tower_losses):
        train_op = opt.apply_gradients(
            average_gradients(tower_grads), global_step=global_step)
    with tf.Session("grpc://" + FLAGS.worker_hosts.split(",")[0]) as sess:
        sess.run(tf.global_variables_initializer())
        with open(FLAGS.dir + "/loss.0", "w") as log:
            for step in range(12):
                xs = rng.randn(8, 5)
                ys = np.sin(xs[:, :1])
                losses, _ = sess.run([tower_losses, train_op], {x: xs, y: ys})
                print(step, *["%.9g" % value for value in losses], file=log)
            print("w", *["%.9g" % u for u in sess.run(w).ravel()], file=log)


def main():
    cluster = tf.train.ClusterSpec({
        "ps": FLAGS.ps_hosts.split(","), "worker": FLAGS.worker_hosts.split(",")})
    if FLAGS.job_name == "client":
        train(cluster)
    else:
        server = tf.train.Server(cluster, FLAGS.job_name, FLAGS.task_index)
        server.join()


if __name__ == "__main__":
    main()
