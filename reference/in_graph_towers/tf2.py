"""Towers in one graph: every device computes gradients of its part of the batch.

The variables are shared by the towers and live on the CPU; the gradients are averaged
there and applied once. One process, without a cluster:

  python tf1.py --num_gpus=2

Towers for which the machine has no GPU are computed by its CPU.
"""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import time

import numpy as np
import tensorflow as tf
import plain_session
import training_session

flags = tf.compat.v1.app.flags
flags.DEFINE_string("trace", None, "Prefix of the file that gets each step's values")
flags.DEFINE_string("dtype", "float32", "float32 or float64")
flags.DEFINE_integer("train_steps", 200, "Number of training steps")
flags.DEFINE_integer("num_gpus", 2, "Number of towers")
flags.DEFINE_integer("batch_size", 64, "Examples of one step, of all towers together")
flags.DEFINE_string("optimizer", "sgd", "One of sgd, momentum, adam")
flags.DEFINE_float("learning_rate", 0.05, "Learning rate at the beginning")
flags.DEFINE_float("weight_decay", 0.01, "Weight of the L2 loss of the first layer")
flags.DEFINE_integer("seed", 1, "Seed of weights and data")

FLAGS = flags.FLAGS

FEATURES, HIDDEN, CLASSES = 20, 16, 4
STEPS_PER_DECAY = 50
LEARNING_RATE_DECAY_FACTOR = 0.5


def examples(count, rng):
  """Points around a center per class, and their classes, one-hot."""
  centers = np.random.RandomState(FLAGS.seed).randn(CLASSES, FEATURES)
  classes = rng.randint(CLASSES, size=count)
  images = centers[classes] + rng.randn(count, FEATURES)
  return images, np.eye(CLASSES)[classes]


def _variable_on_cpu(name, initial_value):
  with tf.device("/cpu:0"):
    return tf.Variable(tf.compat.v1.constant_initializer(initial_value)(initial_value.shape, dtype=FLAGS.dtype), name=name)


def make_optimizer(name, learning_rate):
  if name == "momentum":
    return tf.compat.v1.train.MomentumOptimizer(learning_rate, 0.9)
  if name == "adam":
    return tf.compat.v1.train.AdamOptimizer(learning_rate)
  return tf.compat.v1.train.GradientDescentOptimizer(learning_rate)


def slots(opt, variables):
  return [opt.get_slot(v, name) for v in variables for name in opt.get_slot_names()]


def main(_):
  strategy = tf.distribute.MirroredStrategy(plain_session.tower_devices(FLAGS.num_gpus))
  replicas = plain_session.LocalReplicas(strategy)

  with strategy.scope(), replicas.recording():
    global_step = training_session.create_global_step()
    lr = tf.compat.v1.train.exponential_decay(FLAGS.learning_rate, global_step, STEPS_PER_DECAY,
                                              LEARNING_RATE_DECAY_FACTOR, staircase=True)
    opt = make_optimizer(FLAGS.optimizer, lr)

    dtype = tf.as_dtype(FLAGS.dtype)
    # From inference:
    inference_rng = np.random.RandomState(FLAGS.seed + 1)
    with tf.name_scope("local1"):
      # From _variable_with_weight_decay:
      initial_value = 0.2 * inference_rng.randn(FEATURES, HIDDEN)
      inference_weights = _variable_on_cpu("weights", initial_value)
      biases = _variable_on_cpu("biases", np.full([HIDDEN], 0.1))
    with tf.name_scope("linear"):
      inference_weights_2 = _variable_on_cpu("weights", 0.2 * inference_rng.randn(HIDDEN, CLASSES))
      biases_2 = _variable_on_cpu("biases", np.zeros([CLASSES]))

    # A tower whose GPU is not there is computed by the CPU.
    rng = np.random.RandomState(FLAGS.seed + 2)
    trace = []
    start = time.time()
    weights = replicas.trainable_variables

    @replicas.step_function(
        tf.TensorSpec([FLAGS.batch_size, FEATURES], dtype),
        tf.TensorSpec([FLAGS.batch_size, CLASSES], dtype))
    def train_step(images, labels):
      with tf.GradientTape() as tape:
        image_splits = tf.split(images, FLAGS.num_gpus)
        label_splits = tf.split(labels, FLAGS.num_gpus)

        # Calculate the gradients of each tower.
        i = tf.get_static_value(tf.distribute.get_replica_context().replica_id_in_sync_group)
        # From tower_loss:
        tower_loss_images = image_splits[i]
        tower_loss_labels = label_splits[i]
        with tf.name_scope("local1"):
          weight_decay = tf.multiply(tf.nn.l2_loss(inference_weights), FLAGS.weight_decay,
                                     name="weight_loss")
          local1 = tf.nn.relu(tf.compat.v1.nn.xw_plus_b(tower_loss_images, inference_weights, biases))
        with tf.name_scope("linear"):
          outputs = tf.compat.v1.nn.xw_plus_b(local1, inference_weights_2, biases_2)
        squared = tf.reduce_mean(tf.reduce_sum(tf.square(outputs - tower_loss_labels), axis=1))
        # Those of this tower only.
        tower_loss_losses = [weight_decay, squared]
        loss = tf.add_n(tower_loss_losses, name="total_loss")
      variables = replicas.trainable_variables
      tower_gradients = list(zip(tape.gradient(loss, variables), variables))
      tower_losses = replicas.towers(loss)

      # The synchronization point of all towers.
      gradients, variables = zip(*tower_gradients)
      opt.apply_gradients(zip(replicas.average(gradients), variables), global_step=global_step)
      return tower_losses

    @replicas.step_function()
    def compute_evaluate():
      return {plain_session.op_name(v): v for v in weights + slots(opt, weights)}

  with plain_session.Session(replicas) as sess:
    for step in range(FLAGS.train_steps):
      batch_images, batch_labels = examples(FLAGS.batch_size, rng)
      loss_values = sess.run(train_step, batch_images, batch_labels)
      trace.append(loss_values)
      if step % 100 == 0:
        print("step %d, loss = %.4f" % (step, np.mean(loss_values)))
    final = sess.run(compute_evaluate)

  print("%.1f examples/sec"
        % (FLAGS.train_steps * FLAGS.batch_size / (time.time() - start)))
  if FLAGS.trace:
    arrays = {"loss/tower_%d" % i: [losses[i] for losses in trace]
              for i in range(FLAGS.num_gpus)}
    arrays.update({"final/" + name: [value] for name, value in final.items()})
    np.savez("%s.0.npz" % FLAGS.trace, **arrays)


if __name__ == "__main__":
  tf.compat.v1.app.run()
