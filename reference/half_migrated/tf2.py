"""Asynchronous training on parameter servers, migrated by half.

Keras and a GradientTape in TensorFlow 1's cluster and session. It runs on no version.

The command lines are those of every between-graph program:

  python half.py --job_name=ps --task_index=0 --ps_hosts=... --worker_hosts=...
  python half.py --job_name=worker --task_index=0 ...
  python half.py --job_name=worker --task_index=1 ...
"""

import argparse

import numpy as np
import tensorflow as tf
import tf_keras
import eager_steps
import training_session

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
server = tf.distribute.Server(
    cluster,
    job_name=FLAGS.job_name,
    task_index=FLAGS.task_index,
    config=training_session.server_config())
if FLAGS.job_name == "ps":
  server.join()

# The chief, or worker 0, is also the coordinator; the others serve it.
if not training_session.is_coordinator(
    cluster, FLAGS.job_name, FLAGS.task_index):
  training_session.serve(server)
strategy = tf.distribute.ParameterServerStrategy(
    tf.distribute.cluster_resolver.SimpleClusterResolver(
        training_session.with_coordinator(cluster), rpc_layer="grpc"))
replicas = eager_steps.AsynchronousSteps(strategy, cluster)

features, targets, (w0, w1) = arrays()
# Every worker trains on its shard of the examples.
dataset = tf.data.Dataset.from_tensor_slices((features, targets))
dataset = training_session.per_worker(
    lambda dataset=dataset: dataset.shard(len(worker_hosts), training_session.task_index(FLAGS.task_index)))
dataset = training_session.per_worker(
    lambda dataset=dataset: dataset.batch(FLAGS.batch_size).repeat())

with strategy.scope(), replicas.recording():
  model = tf_keras.Sequential([
      tf_keras.layers.Dense(
          w0.shape[1], activation="relu", dtype=FLAGS.dtype,
          kernel_initializer=tf.constant_initializer(w0)),
      tf_keras.layers.Dense(
          w1.shape[1], dtype=FLAGS.dtype, kernel_initializer=tf.constant_initializer(w1))])
  loss_fn = tf_keras.losses.MeanSquaredError(reduction="none")
  optimizer = tf_keras.optimizers.SGD(FLAGS.learning_rate)


def train_step(x, y):
  with tf.GradientTape() as tape:
    loss = tf.reduce_mean(loss_fn(y, model(x, training=True)))
  gradients = tape.gradient(loss, model.trainable_variables)
  optimizer.apply_gradients(zip(gradients, model.trainable_variables))
  return loss


with strategy.scope(), replicas.recording():
  @replicas.step_function(*dataset.element_spec)
  def distributed_step(x, y):
    return train_step(x, y)

def run_worker(task_index):
  losses = []
  batches = iter(dataset)
  hooks = [training_session.StopAtStepHook(last_step=FLAGS.train_steps)]
  with training_session.MonitoredTrainingSession(
      replicas,
      is_chief=(task_index == 0),
      hooks=hooks) as sess:
    while not sess.should_stop():
      x, y = next(batches)
      value = sess.run(distributed_step, x, y)
      losses.append(value)

  if FLAGS.trace:
    np.savez("%s.%d.npz" % (FLAGS.trace, task_index), loss=losses)


replicas.run(run_worker)
