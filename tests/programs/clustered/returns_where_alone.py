"""Alone, it trains and returns; below that a Supervisor trains on the cluster of TF_CONFIG."""
import json
import os
import sys

import numpy as np
import tensorflow as tf


def linear(x, size, name):
    with tf.variable_scope(name):
        w = tf.get_variable("w", [x.shape[1].value, size],
                            initializer=tf.constant_initializer(0.4))
        b = tf.get_variable("b", [size], initializer=tf.zeros_initializer())
        return tf.matmul(x, w) + b


def network():
    x = tf.placeholder(tf.float32, [None, 3])
    y = tf.placeholder(tf.float32, [None, 2])
    output = linear(tf.nn.relu(linear(x, 4, "first")), 2, "second")
    loss = tf.reduce_mean(tf.squared_difference(output, y))
    return x, y, loss


def draw(random):
    xs = random.rand(6, 3)
    return xs, np.stack([xs.sum(1), xs[:, 0] - xs[:, 1]], 1)


def main():
    config = json.loads(os.environ.get("TF_CONFIG", "{}"))
    random = np.random.RandomState(11)
    if not config:
        out = sys.argv[1].split("=")[1]
        x, y, loss = network()
        train_op = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
        log = open(out + "/loss.0", "w")
        sess = tf.Session()
        sess.run(tf.global_variables_initializer())
        for step in range(15):
            xs, ys = draw(random)
            value, _ = sess.run([loss, train_op], feed_dict={x: xs, y: ys})
            log.write("%d %r\n" % (step, float(value)))
        sess.close()
        log.close()
        return

    out = os.environ["DIR"]
    job, index = config["task"]["type"], config["task"]["index"]
    cluster = tf.train.ClusterSpec(config["cluster"])
    server = tf.train.Server(cluster, job_name=job, task_index=index)
    if job == "ps":
        server.join()
    with tf.device(tf.train.replica_device_setter(
            worker_device="/job:worker/task:%d" % index, cluster=cluster)):
        x, y, loss = network()
        global_step = tf.train.get_or_create_global_step()
        train_op = tf.train.MomentumOptimizer(0.1, 0.9).minimize(
            loss, global_step=global_step)
    supervisor = tf.train.Supervisor(is_chief=index == 0, logdir=out + "/train",
                                     global_step=global_step, save_model_secs=600)
    log = open("%s/loss.%d" % (out, index), "w")
    with supervisor.managed_session(server.target) as sess:
        step = 0
        while not supervisor.should_stop() and step < 30:
            xs, ys = draw(random)
            _, value, step = sess.run([train_op, loss, global_step], {x: xs, y: ys})
            log.write("%d %r\n" % (step, float(value)))
    log.close()
    supervisor.stop()


if __name__ == "__main__":
    main()
