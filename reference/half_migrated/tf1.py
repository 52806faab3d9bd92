"""Asynchronous training on parameter servers: the program before it was half migrated.

The command lines are those of every between-graph program:

  python tf1.py --job_name=ps --task_index=0 --ps_hosts=... --worker_hosts=...
  python tf1.py --job_name=worker --task_index=0 ...
  python tf1.py --job_name=worker --task_index=1 ...
"""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import argparse

import numpy as np
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument("--trace", help="Prefix of the file that gets each step's values")
parser.add_argument("--dtype", default="float32", help="float32 or float64")
parser.add_argument("--train_steps", type=int, default=200)
parser.add_argument("--learning_rate", type=float, default=0.1)
parser.add_argument("--batch_size", type=int, default=16)
parser.add_argument("--ps_hosts", default="localhost:2222")
parser.add_argument("--worker_hosts", default="localhost:2223,localhost:2224")
parser.add_argument("--job_name", default="worker")
parser.add_argument("--task_index", type=int, default=0)
FLAGS = parser.parse_args()


def arrays():
  """Examples, and the initial weights of two layers."""
  rng = np.random.RandomState(1)
  features = rng.randn(96, 6).astype(FLAGS.dtype)
  targets = np.tanh(features[:, :2] - features[:, 2:4]).astype(FLAGS.dtype)
  weights = [(rng.randn(6, 12) / 3).astype(FLAGS.dtype),
             (rng.randn(12, 2) / 4).astype(FLAGS.dtype)]
  return features, targets, weights


ps_hosts = FLAGS.ps_hosts.split(",")
worker_hosts = FLAGS.worker_hosts.split(",")
cluster = tf.train.ClusterSpec({"ps": ps_hosts, "worker": worker_hosts})
server = tf.train.Server(
    cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
if FLAGS.job_name == "ps":
  server.join()

features, targets, (w0, w1) = arrays()
# Every worker trains on its shard of the examples.
dataset = tf.data.Dataset.from_tensor_slices((features, targets))
dataset = dataset.shard(len(worker_hosts), FLAGS.task_index)
dataset = dataset.batch(FLAGS.batch_size).repeat()


def dense(inputs, initial):
  kernel = tf.Variable(initial)
  bias = tf.Variable(np.zeros(initial.shape[1], FLAGS.dtype))
  return tf.nn.bias_add(tf.matmul(inputs, kernel), bias)


with tf.device(tf.train.replica_device_setter(
    worker_device="/job:worker/task:%d" % FLAGS.task_index, cluster=cluster)):
  x, y = dataset.make_one_shot_iterator().get_next()
  outputs = dense(tf.nn.relu(dense(x, w0)), w1)
  errors = tf.reduce_mean(tf.squared_difference(outputs, y), axis=-1)
  loss = tf.reduce_mean(errors)
  global_step = tf.train.get_or_create_global_step()
  optimizer = tf.train.GradientDescentOptimizer(FLAGS.learning_rate)
  # The loss is that of the weights before the update.
  grads_and_vars = optimizer.compute_gradients(loss)
  with tf.control_dependencies([loss] + [g for g, _ in grads_and_vars]):
    train_op = optimizer.apply_gradients(grads_and_vars, global_step=global_step)

losses = []
hooks = [tf.train.StopAtStepHook(last_step=FLAGS.train_steps)]
with tf.train.MonitoredTrainingSession(
    master=server.target, is_chief=(FLAGS.task_index == 0), hooks=hooks) as sess:
  while not sess.should_stop():
    _, value = sess.run([train_op, loss])
    losses.append(value)

if FLAGS.trace:
  np.savez("%s.%d.npz" % (FLAGS.trace, FLAGS.task_index), loss=losses)
