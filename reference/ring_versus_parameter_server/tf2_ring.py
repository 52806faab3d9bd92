"""Synchronous training whose gradients are added up in a ring of the workers.

Small batches and wide weights: what a step costs is what it sends.

  python tf2_ring.py --job_name=worker --task_index=0 --worker_hosts=...
  python tf2_ring.py --job_name=worker --task_index=1 ...

tf2.py, with the ring asked for.
"""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

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
  if FLAGS.job_name == "ps":
    training_session.leave("Synchronous training needs no parameter server.")
  strategy = tf.distribute.MultiWorkerMirroredStrategy(
      cluster_resolver=tf.distribute.cluster_resolver.SimpleClusterResolver(
          training_session.workers_only(cluster),
          task_type="worker",
          task_id=FLAGS.task_index,
          rpc_layer="grpc"),
      communication_options=tf.distribute.experimental.CommunicationOptions(
          implementation=tf.distribute.experimental.CommunicationImplementation.RING))
  replicas = training_session.SynchronousReplicas(strategy, FLAGS.task_index)

  is_chief = (FLAGS.task_index == 0)
  num_workers = len(worker_hosts)
  w1_0, w2_0 = [w.astype(FLAGS.dtype) for w in initial_weights()]

  with strategy.scope(), replicas.recording():
    global_step = training_session.create_global_step()
    dtype = tf.as_dtype(FLAGS.dtype)

    w1 = tf.Variable(w1_0, name="w1")
    w2 = tf.Variable(w2_0, name="w2")

    opt = tf.compat.v1.train.MomentumOptimizer(FLAGS.learning_rate, FLAGS.momentum)
    replicas.check_aggregation(num_workers, num_workers)

    @replicas.step_function(
        tf.TensorSpec([None, FEATURES], dtype),
        tf.TensorSpec([None, CLASSES], dtype))
    def train_step(x, y):
      with tf.GradientTape() as tape:
        predicted = tf.matmul(tf.nn.relu(tf.matmul(x, w1)), w2)
        loss = tf.reduce_mean(tf.reduce_sum(tf.square(predicted - y), axis=1))
      variables = replicas.trainable_variables
      gradients = tape.gradient(loss, variables)
      opt.apply_gradients(zip(replicas.average(gradients), variables), global_step=global_step)
      return loss

  hooks = [training_session.StopAtStepHook(last_step=FLAGS.train_steps)]
  rng = np.random.RandomState(FLAGS.seed + 1 + FLAGS.task_index)
  losses = []
  start = time.time()
  with training_session.MonitoredTrainingSession(
      replicas,
      is_chief=is_chief,
      hooks=hooks) as sess:
    while not sess.should_stop():
      features, targets = examples(rng)
      loss_value = sess.run(train_step, features, targets)
      losses.append(loss_value)
      if len(losses) == WARM_UP:
        start = time.time()
    seconds = time.time() - start

  print("worker %d: loss %g, %.1f steps/s"
        % (FLAGS.task_index, losses[-1], (len(losses) - WARM_UP) / seconds))
  if FLAGS.trace:
    np.savez("%s.%d.npz" % (FLAGS.trace, FLAGS.task_index), loss=losses)


if __name__ == "__main__":
  tf.compat.v1.app.run()
