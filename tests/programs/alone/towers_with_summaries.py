"""Towers whose helpers write summaries; moving averages of the variables they share."""
import os
import re
import sys
import zlib
import time
from datetime import datetime

import numpy as np
import tensorflow as tf

DIR = sys.argv[1].split("=")[1]
MAX_STEPS = 10
NUM_GPUS = 2
BATCH_SIZE = 12  # Examples of all towers.

TOWER_NAME = "tower"
MOVING_AVERAGE_DECAY = 0.9
NUM_EPOCHS_PER_DECAY = 2.0
LEARNING_RATE_DECAY_FACTOR = 0.5
INITIAL_LEARNING_RATE = 0.1
NUM_EXAMPLES_PER_EPOCH_FOR_TRAIN = 48


def _activation_summary(x):
  """Histogram and sparsity of activations, without the tower's name."""
  tensor_name = re.sub("%s_[0-9]*/" % TOWER_NAME, "", x.op.name)
  tf.summary.histogram(tensor_name + "/activations", x)
  tf.summary.scalar(tensor_name + "/sparsity", tf.nn.zero_fraction(x))


def _variable_on_cpu(name, shape, initializer):
  with tf.device("/cpu:0"):
    var = tf.get_variable(name, shape, initializer=initializer, dtype=tf.float32)
  return var


def _variable_with_weight_decay(name, shape, stddev, wd):
  var = _variable_on_cpu(
      name, shape, tf.truncated_normal_initializer(stddev=stddev, seed=3, dtype=tf.float32))
  if wd is not None:
    weight_decay = tf.multiply(tf.nn.l2_loss(var), wd, name="weight_loss")
    tf.add_to_collection("losses", weight_decay)
  return var


def inference(images):
  with tf.variable_scope("conv1") as scope:
    kernel = _variable_with_weight_decay("weights", shape=[3, 3, 1, 4], stddev=0.3, wd=None)
    conv = tf.nn.conv2d(images, kernel, [1, 1, 1, 1], padding="SAME")
    biases = _variable_on_cpu("biases", [4], tf.constant_initializer(0.1))
    pre_activation = tf.nn.bias_add(conv, biases)
    conv1 = tf.nn.relu(pre_activation, name=scope.name)
    _activation_summary(conv1)
  pool1 = tf.nn.max_pool(conv1, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1],
                         padding="SAME", name="pool1")
  with tf.variable_scope("local3") as scope:
    reshape = tf.reshape(pool1, [-1, 36])
    weights = _variable_with_weight_decay("weights", shape=[36, 8], stddev=0.2, wd=0.04)
    biases = _variable_on_cpu("biases", [8], tf.constant_initializer(0.1))
    local3 = tf.nn.relu(tf.matmul(reshape, weights) + biases, name=scope.name)
    _activation_summary(local3)
  with tf.variable_scope("softmax_linear") as scope:
    weights = _variable_with_weight_decay("weights", [8, 3], stddev=0.3, wd=0.01)
    biases = _variable_on_cpu("biases", [3], tf.constant_initializer(0.0))
    softmax_linear = tf.add(tf.matmul(local3, weights), biases, name=scope.name)
    _activation_summary(softmax_linear)
  return softmax_linear


def loss(logits, labels):
  labels = tf.cast(labels, tf.int64)
  cross_entropy = tf.nn.sparse_softmax_cross_entropy_with_logits(
      labels=labels, logits=logits, name="cross_entropy_per_example")
  cross_entropy_mean = tf.reduce_mean(cross_entropy, name="cross_entropy")
  tf.add_to_collection("losses", cross_entropy_mean)
  # The total loss is the cross entropy plus all of the weight decay terms.
  return tf.add_n(tf.get_collection("losses"), name="total_loss")


def tower_loss(scope, images, labels):
  """The total loss on a single tower running the model."""
  logits = inference(images)
  # Assemble the losses of this tower; the total of all is not used.
  _ = loss(logits, labels)
  losses = tf.get_collection("losses", scope)
  total_loss = tf.add_n(losses, name="total_loss")
  # Attach a scalar summary to all individual losses and the total loss.
  for l in losses + [total_loss]:
    loss_name = re.sub("%s_[0-9]*/" % TOWER_NAME, "", l.op.name)
    tf.summary.scalar(loss_name, l)
  return total_loss


def average_gradients(tower_grads):
  average_grads = []
  for grad_and_vars in zip(*tower_grads):
    grads = []
    for g, _ in grad_and_vars:
      expanded_g = tf.expand_dims(g, 0)
      grads.append(expanded_g)
    grad = tf.concat(axis=0, values=grads)
    grad = tf.reduce_mean(grad, 0)
    v = grad_and_vars[0][1]
    grad_and_var = (grad, v)
    average_grads.append(grad_and_var)
  return average_grads


def train():
  with tf.Graph().as_default(), tf.device("/cpu:0"):
    global_step = tf.get_variable("global_step", [],
                                  initializer=tf.constant_initializer(0), trainable=False)
    num_batches_per_epoch = NUM_EXAMPLES_PER_EPOCH_FOR_TRAIN / BATCH_SIZE
    decay_steps = int(num_batches_per_epoch * NUM_EPOCHS_PER_DECAY)
    lr = tf.train.exponential_decay(INITIAL_LEARNING_RATE, global_step, decay_steps,
                                    LEARNING_RATE_DECAY_FACTOR, staircase=True)
    opt = tf.train.GradientDescentOptimizer(lr)

    images = tf.placeholder(tf.float32, [None, 6, 6, 1])
    labels = tf.placeholder(tf.int32, [None])
    image_parts = tf.split(images, NUM_GPUS)
    label_parts = tf.split(labels, NUM_GPUS)
    tower_grads = []
    with tf.variable_scope(tf.get_variable_scope()):
      for i in range(NUM_GPUS):
        with tf.device("/gpu:%d" % i):
          with tf.name_scope("%s_%d" % (TOWER_NAME, i)) as scope:
            # The loss of this tower, which shares its variables with the others.
            loss = tower_loss(scope, image_parts[i], label_parts[i])
            # Reuse variables for the next tower.
            tf.get_variable_scope().reuse_variables()
            # Retain the summaries from the final tower.
            summaries = tf.get_collection(tf.GraphKeys.SUMMARIES, scope)
            grads = opt.compute_gradients(loss)
            # Keep track of the gradients across all towers.
            tower_grads.append(grads)

    # The point at which all towers wait for each other.
    grads = average_gradients(tower_grads)
    summaries.append(tf.summary.scalar("learning_rate", lr))
    # Add histograms for gradients.
    for grad, var in grads:
      if grad is not None:
        summaries.append(tf.summary.histogram(var.op.name + "/gradients", grad))
    apply_gradient_op = opt.apply_gradients(grads, global_step=global_step)
    for var in tf.trainable_variables():
      summaries.append(tf.summary.histogram(var.op.name, var))
    # Track the moving averages of all trainable variables.
    variable_averages = tf.train.ExponentialMovingAverage(MOVING_AVERAGE_DECAY, global_step)
    variables_averages_op = variable_averages.apply(tf.trainable_variables())
    train_op = tf.group(apply_gradient_op, variables_averages_op)

    saver = tf.train.Saver(tf.global_variables())
    summary_op = tf.summary.merge(summaries)
    init = tf.global_variables_initializer()
    sess = tf.Session(config=tf.ConfigProto(allow_soft_placement=True))
    sess.run(init)

    rng = np.random.RandomState(0)
    log = open(os.path.join(DIR, "loss.0"), "w")
    for step in range(MAX_STEPS):
      xs = rng.rand(BATCH_SIZE, 6, 6, 1)
      ys = np.argmax(xs.reshape(-1, 36)[:, :3], 1)
      feed = {images: xs, labels: ys}
      start_time = time.time()
      _, loss_value = sess.run([train_op, loss], feed)
      duration = time.time() - start_time
      assert not np.isnan(loss_value), "Model diverged with loss = NaN"
      log.write("%d %r\n" % (step, float(loss_value)))
      if step % 5 == 0:
        print("%s: step %d, loss = %.2f (%.3f sec/batch)" % (
            datetime.now(), step, loss_value, duration / NUM_GPUS))
        summary_str = sess.run(summary_op, feed)
        show(summary_str, log)
    checkpoint_path = os.path.join(DIR, "model.ckpt")
    saver.save(sess, checkpoint_path, global_step=step)
    log.close()


def show(summary_str, log):
  """Writes each value of a summary after a number that its tag gives."""
  for value in tf.Summary.FromString(summary_str).value:
    # A tag that an operation had taken is numbered; which, is no matter here.
    tag = re.sub("(_[0-9])+$", "", value.tag)
    number = 1000 + zlib.crc32(tag.encode()) % 1000000
    shown = value.histo.sum_squares if value.HasField("histo") else value.simple_value
    log.write("%d %r\n" % (number, float(shown)))


def main(argv=None):
  train()


if __name__ == "__main__":
  main()
