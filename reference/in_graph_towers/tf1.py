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

flags = tf.app.flags
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
    return tf.get_variable(
        name, initial_value.shape, FLAGS.dtype,
        initializer=tf.constant_initializer(initial_value))


def _variable_with_weight_decay(name, initial_value):
  var = _variable_on_cpu(name, initial_value)
  weight_decay = tf.multiply(tf.nn.l2_loss(var), FLAGS.weight_decay,
                             name="weight_loss")
  tf.add_to_collection("losses", weight_decay)
  return var


def inference(images):
  rng = np.random.RandomState(FLAGS.seed + 1)
  with tf.variable_scope("local1"):
    weights = _variable_with_weight_decay("weights", 0.2 * rng.randn(FEATURES, HIDDEN))
    biases = _variable_on_cpu("biases", np.full([HIDDEN], 0.1))
    local1 = tf.nn.relu(tf.nn.xw_plus_b(images, weights, biases))
  with tf.variable_scope("linear"):
    weights = _variable_on_cpu("weights", 0.2 * rng.randn(HIDDEN, CLASSES))
    biases = _variable_on_cpu("biases", np.zeros([CLASSES]))
    return tf.nn.xw_plus_b(local1, weights, biases)


def tower_loss(scope, images, labels):
  """The loss of one tower: of its examples and of the weights."""
  outputs = inference(images)
  squared = tf.reduce_mean(tf.reduce_sum(tf.square(outputs - labels), axis=1))
  tf.add_to_collection("losses", squared)
  # Those of this tower only.
  losses = tf.get_collection("losses", scope)
  return tf.add_n(losses, name="total_loss")


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
    v = grad_and_vars[0][1]
    average_grads.append((grad, v))
  return average_grads


def make_optimizer(name, learning_rate):
  if name == "momentum":
    return tf.train.MomentumOptimizer(learning_rate, 0.9)
  if name == "adam":
    return tf.train.AdamOptimizer(learning_rate)
  return tf.train.GradientDescentOptimizer(learning_rate)


def slots(opt, variables):
  return [opt.get_slot(v, name) for v in variables for name in opt.get_slot_names()]


def main(_):
  with tf.Graph().as_default(), tf.device("/cpu:0"):
    global_step = tf.train.get_or_create_global_step()
    lr = tf.train.exponential_decay(FLAGS.learning_rate, global_step, STEPS_PER_DECAY,
                                    LEARNING_RATE_DECAY_FACTOR, staircase=True)
    opt = make_optimizer(FLAGS.optimizer, lr)

    dtype = tf.as_dtype(FLAGS.dtype)
    images = tf.placeholder(dtype, [FLAGS.batch_size, FEATURES])
    labels = tf.placeholder(dtype, [FLAGS.batch_size, CLASSES])
    image_splits = tf.split(images, FLAGS.num_gpus)
    label_splits = tf.split(labels, FLAGS.num_gpus)

    # Calculate the gradients of each tower.
    tower_grads = []
    tower_losses = []
    with tf.variable_scope(tf.get_variable_scope()):
      for i in range(FLAGS.num_gpus):
        with tf.device("/gpu:%d" % i):
          with tf.name_scope("tower_%d" % i) as scope:
            loss = tower_loss(scope, image_splits[i], label_splits[i])
            # The next tower uses the same variables.
            tf.get_variable_scope().reuse_variables()
            tower_grads.append(opt.compute_gradients(loss))
            tower_losses.append(loss)

    # The synchronization point of all towers.
    grads = average_gradients(tower_grads)
    # The losses are those of the weights before the update.
    with tf.control_dependencies(tower_losses):
      train_op = opt.apply_gradients(grads, global_step=global_step)

    # A tower whose GPU is not there is computed by the CPU.
    config = tf.ConfigProto(allow_soft_placement=True)
    rng = np.random.RandomState(FLAGS.seed + 2)
    trace = []
    start = time.time()
    with tf.Session(config=config) as sess:
      sess.run(tf.global_variables_initializer())
      for step in range(FLAGS.train_steps):
        batch_images, batch_labels = examples(FLAGS.batch_size, rng)
        _, loss_values = sess.run(
            [train_op, tower_losses],
            feed_dict={images: batch_images, labels: batch_labels})
        trace.append(loss_values)
        if step % 100 == 0:
          print("step %d, loss = %.4f" % (step, np.mean(loss_values)))
      weights = tf.trainable_variables()
      final = sess.run({v.op.name: v for v in weights + slots(opt, weights)})

  print("%.1f examples/sec"
        % (FLAGS.train_steps * FLAGS.batch_size / (time.time() - start)))
  if FLAGS.trace:
    arrays = {"loss/tower_%d" % i: [losses[i] for losses in trace]
              for i in range(FLAGS.num_gpus)}
    arrays.update({"final/" + name: [value] for name, value in final.items()})
    np.savez("%s.0.npz" % FLAGS.trace, **arrays)


if __name__ == "__main__":
  tf.app.run()
