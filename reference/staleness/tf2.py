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
import training_session

flags = tf.compat.v1.app.flags
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
  if not FLAGS.sync_replicas:
    server = tf.distribute.Server(
        cluster,
        job_name=FLAGS.job_name,
        task_index=FLAGS.task_index,
        config=training_session.server_config())
  if FLAGS.job_name == "ps":
    if FLAGS.sync_replicas:
      training_session.leave("Synchronous training needs no parameter server.")
    server.join()
  if FLAGS.sync_replicas:
    strategy = tf.distribute.MultiWorkerMirroredStrategy(
        cluster_resolver=tf.distribute.cluster_resolver.SimpleClusterResolver(
            training_session.workers_only(cluster),
            task_type="worker",
            task_id=FLAGS.task_index,
            rpc_layer="grpc"))
    replicas = training_session.SynchronousReplicas(strategy, FLAGS.task_index)
  else:
    # Worker 0 is also the coordinator; the other workers serve it.
    if FLAGS.task_index != 0:
      training_session.serve(server)
    strategy = tf.distribute.ParameterServerStrategy(
        tf.distribute.cluster_resolver.SimpleClusterResolver(
            training_session.with_coordinator(cluster), rpc_layer="grpc"))
    replicas = training_session.AsynchronousReplicas(strategy, cluster)
  num_workers = len(worker_hosts)
  w1_0, w2_0 = [w.astype(FLAGS.dtype) for w in initial_weights()]

  with strategy.scope(), replicas.recording():
    global_step = training_session.create_global_step()
    dtype = tf.as_dtype(FLAGS.dtype)

    w1 = tf.Variable(w1_0, name="w1")
    w2 = tf.Variable(w2_0, name="w2")

    opt = tf.compat.v1.train.MomentumOptimizer(FLAGS.learning_rate, FLAGS.momentum)
    if FLAGS.sync_replicas:
      replicas.check_aggregation(num_workers, num_workers)

    @replicas.step_function(
        tf.TensorSpec([None, FEATURES], dtype),
        tf.TensorSpec([None, 1], dtype))
    def compute_gradients_and_loss(x, y):
      with tf.GradientTape() as tape:
        predicted = tf.matmul(tf.nn.relu(tf.matmul(x, w1)), w2)
        loss = tf.reduce_mean(tf.reduce_sum(tf.square(predicted - y), axis=1))
      gradients = tape.gradient(loss, [w1, w2])
      return [[w1, w2], gradients, loss]

    @replicas.step_function(
        tf.TensorSpec([FEATURES, HIDDEN], dtype),
        tf.TensorSpec([HIDDEN, 1], dtype))
    def train_step(w1_gradient, w2_gradient):
      gradients, variables = zip(*[(w1_gradient, w1), (w2_gradient, w2)])
      opt.apply_gradients(zip(replicas.average(gradients), variables), global_step=global_step)

  def run_worker(task_index):
    is_chief = (task_index == 0)

    hooks = []
    losses, weights = [], []
    with training_session.MonitoredTrainingSession(
        replicas,
        is_chief=is_chief,
        hooks=hooks) as sess:
      for number in range(FLAGS.train_steps // num_workers):
        features, targets = examples(task_index, number)
        # Reads the weights and computes.
        read, (g1, g2), loss_value = sess.run(compute_gradients_and_loss, features, targets)
        # Writes them.
        sess.run(train_step, g1, g2)
        losses.append(loss_value)
        weights.append(read)

    print("worker %d: loss %g" % (task_index, losses[-1]))
    if FLAGS.trace:
      np.savez("%s.%d.npz" % (FLAGS.trace, task_index), loss=losses,
               w1=[both[0] for both in weights], w2=[both[1] for both in weights])

  replicas.run(run_worker)


if __name__ == "__main__":
  tf.compat.v1.app.run()
