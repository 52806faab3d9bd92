"""Each tower takes the next batch of one dataset; the host of every task is a flag."""
import argparse

import numpy as np
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument("--job_name")
parser.add_argument("--task_index", type=int)
parser.add_argument("--ps_hosts")
parser.add_argument("--worker_hosts")
parser.add_argument("--dir")
FLAGS = parser.parse_args()


def average(towers):
    return [(sum(g for g, _ in pairs) / len(pairs), pairs[0][1])
            for pairs in zip(*towers)]


def main():
    first, second = FLAGS.worker_hosts.split(",")
    cluster = tf.train.ClusterSpec({"ps": [FLAGS.ps_hosts], "worker": [first, second]})
    server = tf.train.Server(
        cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
    if FLAGS.job_name == "ps" or FLAGS.task_index > 0:
        server.join()
        return
    rng = np.random.RandomState(7)
    features = rng.randn(24, 3).astype(np.float32)
    dataset = tf.data.Dataset.from_tensor_slices((features, features[:, :1] ** 2))
    iterator = dataset.repeat().batch(4).make_one_shot_iterator()
    with tf.device("/job:ps/task:0"):
        w = tf.get_variable("w", initializer=np.ones([3, 1], "float32"))
    opt = tf.train.MomentumOptimizer(0.02, 0.9, use_nesterov=True)
    tower_grads = []
    for i in range(2):
        worker = "/job:worker/task:{}".format(i)
        with tf.device(worker):
            x, y = iterator.get_next()
            loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - y))
            tower_grads.append(opt.compute_gradients(loss))
    train_op = opt.apply_gradients(average(tower_grads))
    with tf.Session(server.target) as sess:
        sess.run(tf.global_variables_initializer())
        with open(FLAGS.dir + "/loss.0", "w") as log:
            for step in range(12):
                sess.run(train_op)
                values = sess.run(w).ravel()
                log.write("%d %s\n" % (step, " ".join("%.9g" % u for u in values)))


if __name__ == "__main__":
    main()
