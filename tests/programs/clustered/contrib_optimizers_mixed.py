"""Ratings from looked-up rows and dense features, by the optimizers of tf.contrib.opt."""
import os

import numpy as np
import tensorflow as tf
from tensorflow.contrib import opt as contrib_opt
from tensorflow.contrib.opt import LARSOptimizer
from tensorflow.contrib.opt.python.training.lazy_adam_optimizer import LazyAdamOptimizer

tf.app.flags.DEFINE_string("ps_hosts", "", "Comma-separated hosts")
tf.app.flags.DEFINE_string("worker_hosts", "", "Comma-separated hosts")
tf.app.flags.DEFINE_string("job_name", "", "ps or worker")
tf.app.flags.DEFINE_integer("task_index", 0, "Index of the task")
tf.app.flags.DEFINE_string("dir", "/tmp/train", "Output directory")
tf.app.flags.DEFINE_integer("steps", 40, "Steps to train")
FLAGS = tf.app.flags.FLAGS

ITEMS, DIM, FEATURES, BATCH = 20, 4, 3, 16


def batch(rng):
    items = rng.randint(ITEMS, size=(BATCH, 2)).astype(np.int32)
    features = rng.randn(BATCH, FEATURES)
    ratings = np.sin(items.sum(axis=1, keepdims=True)) + features[:, :1]
    return items, features, ratings


def main(_):
    cluster = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts.split(","),
                                    "worker": FLAGS.worker_hosts.split(",")})
    server = tf.train.Server(cluster, job_name=FLAGS.job_name,
                             task_index=FLAGS.task_index)
    if FLAGS.job_name == "ps":
        server.join()

    rng = np.random.RandomState(1)
    start_items = (0.3 * rng.randn(ITEMS, DIM)).astype(np.float32)
    start_w = (0.3 * rng.randn(2 * DIM + FEATURES, 6)).astype(np.float32)
    start_v = (0.3 * rng.randn(6, 1)).astype(np.float32)

    with tf.device(tf.train.replica_device_setter(cluster=cluster)):
        global_step = tf.train.get_or_create_global_step()
        items = tf.placeholder(tf.int32, [None, 2])
        features = tf.placeholder(tf.float32, [None, FEATURES])
        ratings = tf.placeholder(tf.float32, [None, 1])

        table = tf.get_variable("table", initializer=start_items)
        w = tf.get_variable("w", initializer=start_w)
        b = tf.get_variable("b", [6], initializer=tf.zeros_initializer())
        v = tf.get_variable("v", initializer=start_v)

        rows = tf.reshape(tf.nn.embedding_lookup(table, items), [-1, 2 * DIM])
        hidden = tf.nn.relu(tf.matmul(tf.concat([rows, features], 1), w) + b)
        loss = tf.reduce_mean(tf.square(tf.matmul(hidden, v) - ratings))

        # Looked-up rows, the hidden layer and the output take turns.
        lazy_op = LazyAdamOptimizer(0.02).minimize(loss, var_list=[table])

        rate = tf.train.exponential_decay(0.01, global_step, 10, 0.9)
        adamw = contrib_opt.AdamWOptimizer(weight_decay=1e-3, learning_rate=rate)
        grads = adamw.compute_gradients(loss, var_list=[w, b])
        clipped = [(tf.clip_by_norm(g, 1.0), var) for g, var in grads]
        # TensorFlow 1 orders the decay and the gradient's reads of w in no way.
        with tf.control_dependencies([g for g, _ in clipped]):
            adamw_op = adamw.apply_gradients(clipped, decay_var_list=[w])

        lars = LARSOptimizer(rate, momentum=0.8, eeta=0.1)
        lars_op = lars.minimize(loss, global_step=global_step, var_list=[v])

    data = np.random.RandomState(FLAGS.task_index)
    log = open(os.path.join(FLAGS.dir, "loss.%d" % FLAGS.task_index), "w")
    hooks = [tf.train.StopAtStepHook(last_step=FLAGS.steps)]
    with tf.train.MonitoredTrainingSession(
            master=server.target, is_chief=(FLAGS.task_index == 0),
            checkpoint_dir=os.path.join(FLAGS.dir, "checkpoints"),
            save_checkpoint_steps=10, hooks=hooks) as sess:
        while not sess.should_stop():
            x, f, y = batch(data)
            feed = {items: x, features: f, ratings: y}
            losses = [sess.run([lazy_op, loss], feed)[1],
                      sess.run([adamw_op, loss], feed)[1],
                      sess.run([lars_op, loss], feed)[1]]
            for value in losses:
                log.write("%d %.9g\n" % (len(losses), value))
            log.flush()


if __name__ == "__main__":
    tf.app.run()
