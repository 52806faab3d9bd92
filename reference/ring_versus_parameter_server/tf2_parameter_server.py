"""Synchronous training on ParameterServerStrategy: the servers add the gradients up.

Small batches and wide weights: what a step costs is what it sends.

  python tf2_parameter_server.py --job_name=ps --task_index=0 --ps_hosts=... --worker_hosts=...
  python tf2_parameter_server.py --job_name=worker --task_index=0 ...
  python tf2_parameter_server.py --job_name=worker --task_index=1 ...

What SyncReplicasOptimizer did, written by hand: ParameterServerStrategy itself has no
synchronous training. The workers add their gradients to sums that the parameter servers
hold; when all have, the servers update the weights by the mean.
"""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import threading
import time

import numpy as np
import tensorflow as tf
import training_session

flags = tf.compat.v1.app.flags
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
  server = tf.distribute.Server(
      cluster,
      job_name=FLAGS.job_name,
      task_index=FLAGS.task_index,
      config=training_session.server_config())
  if FLAGS.job_name == "ps":
    server.join()

  # Worker 0 is also the coordinator; the other workers serve it.
  if FLAGS.task_index != 0:
    training_session.serve(server)
  strategy = tf.distribute.ParameterServerStrategy(
      tf.distribute.cluster_resolver.SimpleClusterResolver(cluster, rpc_layer="grpc"))
  replicas = training_session.AsynchronousReplicas(strategy, cluster)
  num_workers = len(worker_hosts)
  w1_0, w2_0 = [w.astype(FLAGS.dtype) for w in initial_weights()]

  with strategy.scope(), replicas.recording():
    dtype = tf.as_dtype(FLAGS.dtype)

    w1 = tf.Variable(w1_0, name="w1")
    w2 = tf.Variable(w2_0, name="w2")
    sums = [tf.Variable(np.zeros_like(w), name=name, trainable=False)
            for name, w in (("w1_sum", w1_0), ("w2_sum", w2_0))]

    opt = tf.compat.v1.train.MomentumOptimizer(FLAGS.learning_rate, FLAGS.momentum)

    @replicas.step_function(
        tf.TensorSpec([None, FEATURES], dtype),
        tf.TensorSpec([None, CLASSES], dtype))
    def add_gradients(x, y):
      with tf.GradientTape() as tape:
        predicted = tf.matmul(tf.nn.relu(tf.matmul(x, w1)), w2)
        loss = tf.reduce_mean(tf.reduce_sum(tf.square(predicted - y), axis=1))
      for total, gradient in zip(sums, tape.gradient(loss, [w1, w2])):
        total.assign_add(gradient)
      return loss

    @replicas.step_function()
    def apply_means():
      means = [total / num_workers for total in sums]
      opt.apply_gradients(zip(means, [w1, w2]))
      for total in sums:
        total.assign(tf.zeros_like(total))

  def update():
    # On a server: the sums and the weights stay where they are.
    with tf.device("/job:ps/task:0"):
      apply_means.function()

  # The last worker to come updates the weights, before any goes on.
  all_have_added = threading.Barrier(num_workers, action=update)

  def run_worker(task_index):
    rng = np.random.RandomState(FLAGS.seed + 1 + task_index)
    losses = []
    start = time.time()
    while len(losses) < FLAGS.train_steps:
      features, targets = examples(rng)
      results = replicas.call(add_gradients, add_gradients.convert_arguments((features, targets)))
      all_have_added.wait()
      losses.append(results["fetches"])
      if len(losses) == WARM_UP:
        start = time.time()
    seconds = time.time() - start

    print("worker %d: loss %g, %.1f steps/s"
          % (task_index, losses[-1], (len(losses) - WARM_UP) / seconds))
    if FLAGS.trace:
      np.savez("%s.%d.npz" % (FLAGS.trace, task_index), loss=losses)

  replicas.run(run_worker)


if __name__ == "__main__":
  tf.compat.v1.app.run()
