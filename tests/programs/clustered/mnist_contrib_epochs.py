#!/usr/bin/env python
"""Softmax regression on MNIST with the reader of tf.contrib.learn.

Usage:
  mnist_contrib_epochs.py --job_name=ps|worker --task_index=N --ps_hosts=... --worker_hosts=...
"""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import os

import numpy as np
import tensorflow as tf
from tensorflow.contrib.learn.python.learn.datasets.mnist import read_data_sets

tf.app.flags.DEFINE_string("ps_hosts", "", "Comma-separated list of hostname:port pairs")
tf.app.flags.DEFINE_string("worker_hosts", "", "Comma-separated list of hostname:port pairs")
tf.app.flags.DEFINE_string("job_name", "", "One of 'ps', 'worker'")
tf.app.flags.DEFINE_integer("task_index", 0, "Index of task within the job")
tf.app.flags.DEFINE_string("dir", "/tmp/mnist_contrib", "Output directory")
tf.app.flags.DEFINE_string("data_dir", "", "Where the MNIST files are; default: DIR/mnist")
tf.app.flags.DEFINE_integer("num_epochs", 2, "Passes over the training images")
tf.app.flags.DEFINE_integer("batch_size", 100, "Images per step")

FLAGS = tf.app.flags.FLAGS

NUM_CLASSES = 10


def create_cluster():
    spec = {}
    for job, hosts in (("ps", FLAGS.ps_hosts), ("worker", FLAGS.worker_hosts)):
        spec[job] = [host.strip() for host in hosts.split(",")]
    return tf.train.ClusterSpec(spec)


def inference(images):
    """Logits of a softmax regression."""
    W = tf.Variable(tf.zeros([784, NUM_CLASSES]), name="W")
    b = tf.Variable(tf.zeros([NUM_CLASSES]), name="b")
    return tf.matmul(images, W) + b


def main(_):
    cluster = create_cluster()
    server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)

    if FLAGS.job_name == "ps":
        server.join()
    elif FLAGS.job_name == "worker":
        mnist = read_data_sets(FLAGS.data_dir or os.path.join(FLAGS.dir, "mnist"),
                               one_hot=True, validation_size=200)
        # The readers shuffle with numpy's global generator and have just seeded it
        # from the clock.
        np.random.seed(42)

        # Assigns ops to the local worker by default.
        with tf.device(tf.train.replica_device_setter(
                worker_device="/job:worker/task:%d" % FLAGS.task_index,
                cluster=cluster)):
            global_step = tf.train.get_or_create_global_step()

            with tf.name_scope("input"):
                x = tf.placeholder(tf.float32, shape=[None, 784], name="x")
                y_ = tf.placeholder(tf.float32, shape=[None, NUM_CLASSES], name="y_")
                tf.summary.image("images", tf.reshape(x, [-1, 28, 28, 1]), 2)

            y = inference(x)
            cross_entropy = tf.reduce_mean(
                tf.nn.softmax_cross_entropy_with_logits(logits=y, labels=y_))
            rate = tf.train.piecewise_constant(global_step, [10, 20], [0.05, 0.02, 0.005])
            train_step = tf.train.GradientDescentOptimizer(rate).minimize(
                cross_entropy, global_step=global_step)

            correct_prediction = tf.equal(tf.argmax(y, 1), tf.argmax(y_, 1))
            accuracy = tf.reduce_mean(tf.cast(correct_prediction, tf.float32))
            tf.summary.scalar("cross_entropy", cross_entropy)
            tf.summary.scalar("accuracy", accuracy)
            summary_op = tf.summary.merge_all()

        summary_hook = tf.train.SummarySaverHook(
            save_steps=10, output_dir=os.path.join(FLAGS.dir, "summaries"),
            summary_op=summary_op)

        loss_log = open(os.path.join(FLAGS.dir, "loss.%d" % FLAGS.task_index), "w")
        with tf.train.MonitoredTrainingSession(
                master=server.target,
                is_chief=(FLAGS.task_index == 0),
                checkpoint_dir=os.path.join(FLAGS.dir, "train"),
                save_checkpoint_steps=15,
                save_summaries_steps=None,
                save_summaries_secs=None,
                chief_only_hooks=[summary_hook]) as sess:
            step = 0
            while not sess.should_stop() and mnist.train.epochs_completed < FLAGS.num_epochs:
                batch_xs, batch_ys = mnist.train.next_batch(FLAGS.batch_size)
                _, step, cost = sess.run([train_step, global_step, cross_entropy],
                                         feed_dict={x: batch_xs, y_: batch_ys})
                loss_log.write("%d %r\n" % (step, float(cost)))
                loss_log.flush()

            test_accuracy = sess.run(accuracy, feed_dict={x: mnist.test.images,
                                                          y_: mnist.test.labels})
            print("step %d, test accuracy %.4f" % (step, test_accuracy))


if __name__ == "__main__":
    tf.app.run()
