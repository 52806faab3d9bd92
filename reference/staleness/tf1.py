"""Two workers on shared weights: a gradient that is stale by one update, or in step.

A worker reads the weights and computes in one run, and updates them in another. Where
the workers take turns at every run, both read, then both write: the second update is by
a gradient of weights that are gone. With --sync_replicas both gradients are averaged and
the weights are updated once.

Start one process per task:

  python tf1.py --job_name=ps --task_index=0 --ps_hosts=... --worker_hosts=...
  python tf1.py --job_name=worker --task_index=0 ...
  python tf1.py --job_name=worker --task_index=1 ...
"""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import numpy as np
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_string("trace", None, "Prefix of the file that gets each step's values")
flags.DEFINE_string("dtype", "float32", "float32 or float64")
flags.DEFINE_integer("train_steps", 200, "Number of gradients, of all workers together")
flags.DEFINE_float("learning_rate", 0.05, "Learning rate")
flags.DEFINE_float("momentum", 0.0, "Momentum")
flags.DEFINE_boolean("sync_replicas", False,
                     "Average the gradients of all workers in every step")
flags.DEFINE_integer("seed", 1, "Seed of weights and data")
flags.DEFINE_string("ps_hosts", "localhost:2222",
                    "Comma-separated list of hostname:port pairs")
flags.DEFINE_string("worker_hosts", "localhost:2223,localhost:2224",
                    "Comma-separated list of hostname:port pairs")
flags.DEFINE_string("job_name", None, "job name: worker or ps")
flags.DEFINE_integer("task_index", None, "Worker task index; 0 is the chief")

FLAGS = flags.FLAGS

FEATURES, HIDDEN, BATCH = 8, 6, 16


def initial_weights():
  rng = np.random.RandomState(FLAGS.seed)
  return 0.5 * rng.randn(FEATURES, HIDDEN), 0.5 * rng.randn(HIDDEN, 1)


def examples(task_index, number):
  """A worker's batch: a function of the features that the model can learn."""
  rng = np.random.RandomState(1000 * (10 * FLAGS.seed + task_index) + number)
  features = rng.randn(BATCH, FEATURES)
  return features, np.maximum(features[:, :1] + features[:, 1:2], 0.0)


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
    y = tf.placeholder(dtype, [None, 1])
    w1_gradient = tf.placeholder(dtype, [FEATURES, HIDDEN])
    w2_gradient = tf.placeholder(dtype, [HIDDEN, 1])

    w1 = tf.get_variable("w1", initializer=w1_0)
    w2 = tf.get_variable("w2", initializer=w2_0)
    predicted = tf.matmul(tf.nn.relu(tf.matmul(x, w1)), w2)
    loss = tf.reduce_mean(tf.reduce_sum(tf.square(predicted - y), axis=1))
    gradients = tf.gradients(loss, [w1, w2])

    opt = tf.train.MomentumOptimizer(FLAGS.learning_rate, FLAGS.momentum)
    if FLAGS.sync_replicas:
      opt = tf.train.SyncReplicasOptimizer(
          opt, replicas_to_aggregate=num_workers, total_num_replicas=num_workers)
    train_op = opt.apply_gradients(
        [(w1_gradient, w1), (w2_gradient, w2)], global_step=global_step)

  hooks = []
  if FLAGS.sync_replicas:
    # No spare tokens: a worker takes part in a step once.
    hooks.append(opt.make_session_run_hook(is_chief, num_tokens=0))
  losses, weights = [], []
  with tf.train.MonitoredTrainingSession(
      master=server.target,
      is_chief=is_chief,
      stop_grace_period_secs=2,
      hooks=hooks) as sess:
    for number in range(FLAGS.train_steps // num_workers):
      features, targets = examples(FLAGS.task_index, number)
      # Reads the weights and computes.
      read, (g1, g2), loss_value = sess.run(
          [[w1, w2], gradients, loss], feed_dict={x: features, y: targets})
      # Writes them.
      sess.run(train_op, feed_dict={w1_gradient: g1, w2_gradient: g2})
      losses.append(loss_value)
      weights.append(read)

  print("worker %d: loss %g" % (FLAGS.task_index, losses[-1]))
  if FLAGS.trace:
    np.savez("%s.%d.npz" % (FLAGS.trace, FLAGS.task_index), loss=losses,
             w1=[both[0] for both in weights], w2=[both[1] for both in weights])


if __name__ == "__main__":
  tf.app.run()
