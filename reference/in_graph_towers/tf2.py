"""Towers in one process: every device computes gradients of its part of the batch.

The variables are mirrored on the devices; the gradients are averaged and applied once.
One process, without a cluster:

  python tf2.py --num_gpus=2

Towers for which the machine has no GPU are computed by logical devices of its CPU.
Written by hand: tf1to2 refuses the TF1 program.
"""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import time

import numpy as np
import tensorflow as tf

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


def tower_devices(count):
  """As many GPUs, or logical CPUs where the machine has fewer GPUs.

  MirroredStrategy has no soft placement: its devices have to exist.
  """
  if len(tf.config.list_physical_devices("GPU")) >= count:
    return ["/gpu:%d" % i for i in range(count)]
  tf.config.set_logical_device_configuration(
      tf.config.list_physical_devices("CPU")[0],
      [tf.config.LogicalDeviceConfiguration()] * count)
  return ["/cpu:%d" % i for i in range(count)]


def _variable(name, initial_value):
  return tf.Variable(initial_value.astype(FLAGS.dtype), name=name)


class Model(tf.Module):
  """The variables of `inference`; made once, under the strategy's scope."""

  def __init__(self):
    super(Model, self).__init__()
    rng = np.random.RandomState(FLAGS.seed + 1)
    self.local1_weights = _variable("local1/weights", 0.2 * rng.randn(FEATURES, HIDDEN))
    self.local1_biases = _variable("local1/biases", np.full([HIDDEN], 0.1))
    self.linear_weights = _variable("linear/weights", 0.2 * rng.randn(HIDDEN, CLASSES))
    self.linear_biases = _variable("linear/biases", np.zeros([CLASSES]))

  def inference(self, images):
    local1 = tf.nn.relu(
        tf.compat.v1.nn.xw_plus_b(images, self.local1_weights, self.local1_biases))
    return tf.compat.v1.nn.xw_plus_b(
        local1, self.linear_weights, self.linear_biases)

  def weight_losses(self):
    return [tf.multiply(tf.nn.l2_loss(self.local1_weights), FLAGS.weight_decay)]


def tower_loss(model, images, labels):
  """The loss of one tower: of its examples and of the weights."""
  outputs = model.inference(images)
  squared = tf.reduce_mean(tf.reduce_sum(tf.square(outputs - labels), axis=1))
  return tf.add_n(model.weight_losses() + [squared])


def make_optimizer(name, learning_rate):
  if name == "momentum":
    return tf.compat.v1.train.MomentumOptimizer(learning_rate, 0.9)
  if name == "adam":
    return tf.compat.v1.train.AdamOptimizer(learning_rate)
  return tf.compat.v1.train.GradientDescentOptimizer(learning_rate)


def slots(opt, variables):
  return [opt.get_slot(v, name) for v in variables for name in opt.get_slot_names()]


def main(_):
  strategy = tf.distribute.MirroredStrategy(tower_devices(FLAGS.num_gpus))
  dtype = tf.as_dtype(FLAGS.dtype)

  with strategy.scope():
    global_step = tf.Variable(
        0, trainable=False, dtype=tf.int64, name="global_step",
        aggregation=tf.VariableAggregation.ONLY_FIRST_REPLICA)
    lr = tf.compat.v1.train.exponential_decay(
        FLAGS.learning_rate, global_step, STEPS_PER_DECAY,
        LEARNING_RATE_DECAY_FACTOR, staircase=True)
    opt = make_optimizer(FLAGS.optimizer, lr)
    model = Model()

  def tower(image_splits, label_splits):
    i = tf.distribute.get_replica_context().replica_id_in_sync_group
    with tf.GradientTape() as tape:
      loss = tower_loss(model, tf.gather(image_splits, i), tf.gather(label_splits, i))
    variables = model.trainable_variables
    # apply_gradients adds up what the towers give; their mean is applied.
    grads = [g / FLAGS.num_gpus for g in tape.gradient(loss, variables)]
    opt.apply_gradients(zip(grads, variables), global_step=global_step)
    return loss

  @tf.function(input_signature=[
      tf.TensorSpec([FLAGS.batch_size, FEATURES], dtype),
      tf.TensorSpec([FLAGS.batch_size, CLASSES], dtype)])
  def train_step(images, labels):
    image_splits = tf.split(images, FLAGS.num_gpus)
    label_splits = tf.split(labels, FLAGS.num_gpus)
    tower_losses = strategy.run(tower, args=(image_splits, label_splits))
    return strategy.experimental_local_results(tower_losses)

  rng = np.random.RandomState(FLAGS.seed + 2)
  trace = []
  start = time.time()
  for step in range(FLAGS.train_steps):
    batch_images, batch_labels = examples(FLAGS.batch_size, rng)
    loss_values = [
        loss.numpy() for loss in train_step(
            batch_images.astype(FLAGS.dtype), batch_labels.astype(FLAGS.dtype))]
    trace.append(loss_values)
    if step % 100 == 0:
      print("step %d, loss = %.4f" % (step, np.mean(loss_values)))
  weights = list(model.trainable_variables)
  final = {v.name.partition(":")[0]: v.numpy() for v in weights + slots(opt, weights)}

  print("%.1f examples/sec"
        % (FLAGS.train_steps * FLAGS.batch_size / (time.time() - start)))
  if FLAGS.trace:
    arrays = {"loss/tower_%d" % i: [losses[i] for losses in trace]
              for i in range(FLAGS.num_gpus)}
    arrays.update({"final/" + name: [value] for name, value in final.items()})
    np.savez("%s.0.npz" % FLAGS.trace, **arrays)


if __name__ == "__main__":
  tf.compat.v1.app.run()
