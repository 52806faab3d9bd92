"""Towers within each worker of a cluster: a tower for every GPU that the worker has.

The variables are on the parameter servers. Each worker splits its batch over its towers and
averages their gradients; so its update is one, which it applies by itself or, with
--sync_replicas, together with the other workers':

  python tf1.py --job_name=ps --task_index=0 --ps_hosts=... --worker_hosts=...
  python tf1.py --job_name=worker --task_index=0 --num_gpus=2 ...
  python tf1.py --job_name=worker --task_index=1 --num_gpus=2 ...
"""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import numpy as np
import tensorflow as tf
import towers_of_workers
import training_session

flags = tf.compat.v1.app.flags
flags.DEFINE_string("checkpoint_dir", None, "Directory of checkpoints and summaries")
flags.DEFINE_string("trace", None, "Prefix of the file that gets each step's losses")
flags.DEFINE_string("dtype", "float32", "float32 or float64")
flags.DEFINE_integer("train_steps", 200, "Number of (global) training steps")
flags.DEFINE_integer("batch_size", 32, "Examples of one worker's step")
flags.DEFINE_integer("num_gpus", 2, "Number of towers of each worker")
flags.DEFINE_string("optimizer", "sgd", "One of sgd, momentum, adam")
flags.DEFINE_float("learning_rate", 0.02, "Learning rate")
flags.DEFINE_float("max_gradient", 0.0, "Norm that a worker's gradients are clipped to")
flags.DEFINE_integer("seed", 1, "Seed of the data")
flags.DEFINE_string("ps_hosts", "localhost:2222",
                    "Comma-separated list of hostname:port pairs")
flags.DEFINE_string("worker_hosts", "localhost:2223,localhost:2224",
                    "Comma-separated list of hostname:port pairs")
flags.DEFINE_boolean("sync_replicas", False,
                     "Average the gradients of all workers in every step")
flags.DEFINE_string("job_name", None, "job name: worker or ps")
flags.DEFINE_integer("task_index", None, "Worker task index; 0 is the chief")

FLAGS = flags.FLAGS

FEATURES, HIDDEN, CLASSES = 20, 16, 4


def examples(count, rng):
  """Points around a center per class, and their classes, one-hot."""
  centers = np.random.RandomState(FLAGS.seed).randn(CLASSES, FEATURES)
  classes = rng.randint(CLASSES, size=count)
  images = centers[classes] + rng.randn(count, FEATURES)
  return images, np.eye(CLASSES)[classes]


def dense(name, inputs, outputs):
  with tf.name_scope(name):
    weights = tf.Variable(tf.compat.v1.truncated_normal_initializer(stddev=0.2, dtype=FLAGS.dtype)([inputs, outputs], dtype=FLAGS.dtype), name="weights")
    biases = tf.Variable(tf.compat.v1.constant_initializer(0.1)([outputs], dtype=FLAGS.dtype), name="biases")

  def apply(x):
    with tf.name_scope(name):
      return tf.compat.v1.nn.xw_plus_b(x, weights, biases)

  return apply


def tower_loss():
  """The loss of one tower's examples."""
  hidden_of = dense(name="hidden", inputs=FEATURES, outputs=HIDDEN)
  outputs_of = dense(name="linear", inputs=HIDDEN, outputs=CLASSES)

  def apply(images, labels):
    hidden = tf.nn.relu(hidden_of(images))
    outputs = outputs_of(hidden)
    return tf.reduce_mean(tf.reduce_sum(tf.square(outputs - labels), axis=1))

  return apply


def make_optimizer(name, learning_rate):
  if name == "momentum":
    return tf.compat.v1.train.MomentumOptimizer(learning_rate, 0.9)
  if name == "adam":
    return tf.compat.v1.train.AdamOptimizer(learning_rate)
  return tf.compat.v1.train.GradientDescentOptimizer(learning_rate)


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
    replicas = towers_of_workers.SynchronousReplicas(strategy, FLAGS.task_index, towers=FLAGS.num_gpus)
  else:
    # Worker 0 is also the coordinator; the other workers serve it.
    if FLAGS.task_index != 0:
      training_session.serve(server)
    strategy = tf.distribute.ParameterServerStrategy(
        tf.distribute.cluster_resolver.SimpleClusterResolver(
            training_session.with_coordinator(cluster), rpc_layer="grpc"))
    replicas = towers_of_workers.AsynchronousReplicas(strategy, cluster, towers=FLAGS.num_gpus)
  num_workers = len(worker_hosts)

  with strategy.scope(), replicas.recording():
    global_step = training_session.create_global_step()
    opt = make_optimizer(FLAGS.optimizer, FLAGS.learning_rate)
    if FLAGS.sync_replicas:
      replicas.check_aggregation(num_workers, num_workers)

    dtype = tf.as_dtype(FLAGS.dtype)
    with tf.name_scope("model"):
      loss_of = tower_loss()

    @replicas.step_function(
        tf.TensorSpec([FLAGS.batch_size, FEATURES], dtype),
        tf.TensorSpec([FLAGS.batch_size, CLASSES], dtype))
    def train_step(images, labels):
      # A fetched variable has its value before the update.
      global_step_value = global_step.read_value()
      with tf.GradientTape() as tape:
        image_splits = tf.split(images, FLAGS.num_gpus)
        label_splits = tf.split(labels, FLAGS.num_gpus)

        # Calculate the gradients of each tower, on its GPU.
        i = replicas.tower()
        with tf.name_scope("model"):
          loss = loss_of(image_splits[i], label_splits[i])
      variables = replicas.trainable_variables
      tower_gradients = list(zip(tape.gradient(loss, variables), variables))
      tower_losses = replicas.towers(loss)

      grads = replicas.averaged(tower_gradients)
      if FLAGS.max_gradient:
        gradients, variables = zip(*grads)
        gradients, _ = tf.clip_by_global_norm(gradients, FLAGS.max_gradient)
        grads = zip(gradients, variables)
      gradients, variables = zip(*grads)
      opt.apply_gradients(zip(replicas.average(gradients), variables), global_step=global_step)
      return global_step_value, tower_losses
  # A tower whose GPU is not there is computed by the CPU.

  def run_worker(task_index):
    is_chief = (task_index == 0)

    hooks = [training_session.StopAtStepHook(last_step=FLAGS.train_steps)]
    rng = np.random.RandomState(FLAGS.seed + 2 + task_index)
    trace = []
    with training_session.MonitoredTrainingSession(
        replicas,
        is_chief=is_chief,
        checkpoint_dir=FLAGS.checkpoint_dir,
        save_checkpoint_steps=1000,
        save_summaries_steps=None,
        hooks=hooks) as sess:
      while not sess.should_stop():
        batch_images, batch_labels = examples(FLAGS.batch_size, rng)
        step, losses = sess.run(train_step, batch_images, batch_labels)
        trace.append(losses)
        if len(trace) % 50 == 0:
          print("worker %d: %d local steps (global step: %d), loss %.4f"
                % (task_index, len(trace), step, np.mean(losses)))

    if FLAGS.trace:
      np.savez("%s.%d.npz" % (FLAGS.trace, task_index), loss=trace)

  replicas.run(run_worker)


if __name__ == "__main__":
  tf.compat.v1.app.run()
