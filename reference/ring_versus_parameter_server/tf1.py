"""Synchronous training whose gradients are added up by a parameter server.

Small batches and wide weights: what a step costs is what it sends.

  python tf1.py --job_name=ps --task_index=0 --ps_hosts=... --worker_hosts=...
  python tf1.py --job_name=worker --task_index=0 ...
  python tf1.py --job_name=worker --task_index=1 ...
"""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import time

import numpy as np
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_string("trace", None, "Prefix of the file that gets each step's values")
flags.DEFINE_string("dtype", "float32", "float32 or float64")
flags.DEFINE_integer("train_steps", 100, "Number of training steps")
flags.DEFINE_integer("hidden_units", 32, "Number of units in the hidden layer")
flags.DEFINE_float("learning_rate", 0.02, "Learning rate")
flags.DEFINE_float("momentum", 0.9, "Momentum")
flags.DEFINE_integer("seed", 1, "Seed of weights and data")
flags.DEFINE_string("ps_hosts", "localhost:2222",
                    "Comma-separated list of hostname:port pairs")
flags.DEFINE_string("worker_hosts", "localhost:2223,localhost:2224",
                    "Comma-separated list of hostname:port pairs")
flags.DEFINE_string("job_name", None, "job name: worker or ps")
flags.DEFINE_integer("task_index", None, "Worker task index; 0 is the chief")

FLAGS = flags.FLAGS

FEATURES, CLASSES, BATCH = 48, 16, 16
WARM_UP = 10


def initial_weights():
  rng = np.random.RandomState(FLAGS.seed)
  return (rng.randn(FEATURES, FLAGS.hidden_units) / np.sqrt(FEATURES),
          rng.randn(FLAGS.hidden_units, CLASSES) / np.sqrt(FLAGS.hidden_units))


def examples(rng):
  """Points around a center per class, and their classes, one-hot."""
  centers = np.random.RandomState(FLAGS.seed).randn(CLASSES, FEATURES)
  classes = rng.randint(CLASSES, size=BATCH)
  return centers[classes] + rng.randn(BATCH, FEATURES), np.eye(CLASSES)[classes]


def main(_):
  ps_hosts = FLAGS.ps_hosts.split(",")
  worker_hosts = FLAGS.worker_hosts.split(",")
  cluster = tf.train.ClusterSpec({"ps": ps_hosts, "worker": worker_hosts})
  server = tf.train.Server(
      cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
  if FLAGS.job_name == "ps":
    server.join()

  is_chief = (FLAGS.task_index == 0)
  num_workers = len(worker_hosts)
  w1_0, w2_0 = [w.astype(FLAGS.dtype) for w in initial_weights()]

  with tf.device(tf.train.replica_device_setter(
      worker_device="/job:worker/task:%d" % FLAGS.task_index,
      cluster=cluster)):
    global_step = tf.train.get_or_create_global_step()
    dtype = tf.as_dtype(FLAGS.dtype)
    x = tf.placeholder(dtype, [None, FEATURES])
    y = tf.placeholder(dtype, [None, CLASSES])

    w1 = tf.get_variable("w1", initializer=w1_0)
    w2 = tf.get_variable("w2", initializer=w2_0)
    predicted = tf.matmul(tf.nn.relu(tf.matmul(x, w1)), w2)
    loss = tf.reduce_mean(tf.reduce_sum(tf.square(predicted - y), axis=1))

    opt = tf.train.MomentumOptimizer(FLAGS.learning_rate, FLAGS.momentum)
    opt = tf.train.SyncReplicasOptimizer(
        opt, replicas_to_aggregate=num_workers, total_num_replicas=num_workers)
    train_op = opt.minimize(loss, global_step=global_step)

  hooks = [
      tf.train.StopAtStepHook(last_step=FLAGS.train_steps),
      # No spare tokens: a worker takes part in a step once.
      opt.make_session_run_hook(is_chief, num_tokens=0),
  ]
  rng = np.random.RandomState(FLAGS.seed + 1 + FLAGS.task_index)
  losses = []
  start = time.time()
  with tf.train.MonitoredTrainingSession(
      master=server.target,
      is_chief=is_chief,
      stop_grace_period_secs=2,
      hooks=hooks) as sess:
    while not sess.should_stop():
      features, targets = examples(rng)
      _, loss_value = sess.run([train_op, loss], feed_dict={x: features, y: targets})
      losses.append(loss_value)
      if len(losses) == WARM_UP:
        start = time.time()
    seconds = time.time() - start

  print("worker %d: loss %g, %.1f steps/s"
        % (FLAGS.task_index, losses[-1], (len(losses) - WARM_UP) / seconds))
  if FLAGS.trace:
    np.savez("%s.%d.npz" % (FLAGS.trace, FLAGS.task_index), loss=losses)


if __name__ == "__main__":
  tf.app.run()
