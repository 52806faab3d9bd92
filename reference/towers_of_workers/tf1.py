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

flags = tf.app.flags
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


def dense(name, x, inputs, outputs):
  with tf.variable_scope(name):
    weights = tf.get_variable(
        "weights", [inputs, outputs], FLAGS.dtype,
        initializer=tf.truncated_normal_initializer(stddev=0.2, dtype=FLAGS.dtype))
    biases = tf.get_variable(
        "biases", [outputs], FLAGS.dtype, initializer=tf.constant_initializer(0.1))
    return tf.nn.xw_plus_b(x, weights, biases)


def tower_loss(images, labels):
  """The loss of one tower's examples."""
  hidden = tf.nn.relu(dense("hidden", images, FEATURES, HIDDEN))
  outputs = dense("linear", hidden, HIDDEN, CLASSES)
  return tf.reduce_mean(tf.reduce_sum(tf.square(outputs - labels), axis=1))


def average_gradients(tower_grads):
  """The mean of every variable's gradients over the towers.

  Args:
    tower_grads: per tower a list of (gradient, variable), in the same order.
  """
  average_grads = []
  for grad_and_vars in zip(*tower_grads):
    grads = [tf.expand_dims(g, 0) for g, _ in grad_and_vars]
    grad = tf.reduce_mean(tf.concat(axis=0, values=grads), 0)
    # The variables are shared, so the first tower's reference will do.
    average_grads.append((grad, grad_and_vars[0][1]))
  return average_grads


def make_optimizer(name, learning_rate):
  if name == "momentum":
    return tf.train.MomentumOptimizer(learning_rate, 0.9)
  if name == "adam":
    return tf.train.AdamOptimizer(learning_rate)
  return tf.train.GradientDescentOptimizer(learning_rate)


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

  with tf.device(tf.train.replica_device_setter(
      worker_device="/job:worker/task:%d" % FLAGS.task_index, cluster=cluster)):
    global_step = tf.train.get_or_create_global_step()
    opt = make_optimizer(FLAGS.optimizer, FLAGS.learning_rate)
    if FLAGS.sync_replicas:
      opt = tf.train.SyncReplicasOptimizer(
          opt, replicas_to_aggregate=num_workers, total_num_replicas=num_workers)

    dtype = tf.as_dtype(FLAGS.dtype)
    images = tf.placeholder(dtype, [FLAGS.batch_size, FEATURES])
    labels = tf.placeholder(dtype, [FLAGS.batch_size, CLASSES])
    image_splits = tf.split(images, FLAGS.num_gpus)
    label_splits = tf.split(labels, FLAGS.num_gpus)

    # Calculate the gradients of each tower, on its GPU.
    tower_grads = []
    tower_losses = []
    for i in range(FLAGS.num_gpus):
      with tf.device(tf.train.replica_device_setter(
          worker_device="/job:worker/task:%d/gpu:%d" % (FLAGS.task_index, i),
          cluster=cluster)):
        with tf.variable_scope("model", reuse=(i > 0)):
          loss = tower_loss(image_splits[i], label_splits[i])
        tower_grads.append(opt.compute_gradients(loss))
        tower_losses.append(loss)

    grads = average_gradients(tower_grads)
    if FLAGS.max_gradient:
      gradients, variables = zip(*grads)
      gradients, _ = tf.clip_by_global_norm(gradients, FLAGS.max_gradient)
      grads = zip(gradients, variables)
    train_op = opt.apply_gradients(grads, global_step=global_step)

  hooks = [tf.train.StopAtStepHook(last_step=FLAGS.train_steps)]
  if FLAGS.sync_replicas:
    # No spare tokens: a worker takes part in a step once.
    hooks.append(opt.make_session_run_hook(is_chief, num_tokens=0))
  rng = np.random.RandomState(FLAGS.seed + 2 + FLAGS.task_index)
  trace = []
  # A tower whose GPU is not there is computed by the CPU.
  config = tf.ConfigProto(allow_soft_placement=True)
  with tf.train.MonitoredTrainingSession(
      master=server.target,
      is_chief=is_chief,
      checkpoint_dir=FLAGS.checkpoint_dir,
      save_checkpoint_steps=1000,
      save_summaries_steps=None,
      stop_grace_period_secs=2,
      config=config,
      hooks=hooks) as sess:
    while not sess.should_stop():
      batch_images, batch_labels = examples(FLAGS.batch_size, rng)
      _, step, losses = sess.run(
          [train_op, global_step, tower_losses],
          feed_dict={images: batch_images, labels: batch_labels})
      trace.append(losses)
      if len(trace) % 50 == 0:
        print("worker %d: %d local steps (global step: %d), loss %.4f"
              % (FLAGS.task_index, len(trace), step, np.mean(losses)))

  if FLAGS.trace:
    np.savez("%s.%d.npz" % (FLAGS.trace, FLAGS.task_index), loss=trace)


if __name__ == "__main__":
  tf.app.run()
