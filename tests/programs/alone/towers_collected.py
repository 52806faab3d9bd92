"""Towers whose losses helpers collect, and which share variables by a scope."""
import os
import sys
import time
from datetime import datetime

import numpy as np
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_string("dir", "/tmp/cifar10_train", "Where events and checkpoints are written.")
flags.DEFINE_integer("max_steps", 10, "Number of batches to run.")
flags.DEFINE_integer("num_gpus", 2, "How many towers.")
flags.DEFINE_boolean("log_device_placement", False, "Whether to log device placement.")
flags.DEFINE_integer("batch_size", 12, "Examples of all towers.")
FLAGS = flags.FLAGS

TOWER_NAME = "tower"
MOVING_AVERAGE_DECAY = 0.9
NUM_EPOCHS_PER_DECAY = 2.0
LEARNING_RATE_DECAY_FACTOR = 0.5
INITIAL_LEARNING_RATE = 0.1
NUM_EXAMPLES_PER_EPOCH_FOR_TRAIN = 48


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
  pool1 = tf.nn.max_pool(conv1, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1],
                         padding="SAME", name="pool1")
  with tf.variable_scope("local3") as scope:
    reshape = tf.reshape(pool1, [-1, 36])
    weights = _variable_with_weight_decay("weights", shape=[36, 8], stddev=0.2, wd=0.04)
    biases = _variable_on_cpu("biases", [8], tf.constant_initializer(0.1))
    local3 = tf.nn.relu(tf.matmul(reshape, weights) + biases, name=scope.name)
  with tf.variable_scope("softmax_linear") as scope:
    weights = _variable_with_weight_decay("weights", [8, 3], stddev=0.3, wd=0.01)
    biases = _variable_on_cpu("biases", [3], tf.constant_initializer(0.0))
    softmax_linear = tf.add(tf.matmul(local3, weights), biases, name=scope.name)
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
    num_batches_per_epoch = NUM_EXAMPLES_PER_EPOCH_FOR_TRAIN / FLAGS.batch_size
    decay_steps = int(num_batches_per_epoch * NUM_EPOCHS_PER_DECAY)
    lr = tf.train.exponential_decay(INITIAL_LEARNING_RATE, global_step, decay_steps,
                                    LEARNING_RATE_DECAY_FACTOR, staircase=True)
    opt = tf.train.GradientDescentOptimizer(lr)

    images = tf.placeholder(tf.float32, [None, 6, 6, 1])
    labels = tf.placeholder(tf.int32, [None])
    image_parts = tf.split(images, FLAGS.num_gpus)
    label_parts = tf.split(labels, FLAGS.num_gpus)
    tower_grads = []
    with tf.variable_scope(tf.get_variable_scope()):
      for i in range(FLAGS.num_gpus):
        with tf.device("/gpu:%d" % i):
          with tf.name_scope("%s_%d" % (TOWER_NAME, i)) as scope:
            # The loss of this tower, which shares its variables with the others.
            loss = tower_loss(scope, image_parts[i], label_parts[i])
            # Reuse variables for the next tower.
            tf.get_variable_scope().reuse_variables()
            grads = opt.compute_gradients(loss)
            # Keep track of the gradients across all towers.
            tower_grads.append(grads)

    # The point at which all towers wait for each other.
    grads = average_gradients(tower_grads)
    train_op = opt.apply_gradients(grads, global_step=global_step)

    saver = tf.train.Saver(tf.global_variables())
    init = tf.global_variables_initializer()
    sess = tf.Session(config=tf.ConfigProto(
        allow_soft_placement=True,
        log_device_placement=FLAGS.log_device_placement))
    sess.run(init)

    rng = np.random.RandomState(0)
    log = open(os.path.join(FLAGS.dir, "loss.0"), "w")
    for step in range(FLAGS.max_steps):
      xs = rng.rand(FLAGS.batch_size, 6, 6, 1)
      ys = np.argmax(xs.reshape(-1, 36)[:, :3], 1)
      feed = {images: xs, labels: ys}
      start_time = time.time()
      _, loss_value = sess.run([train_op, loss], feed)
      duration = time.time() - start_time
      assert not np.isnan(loss_value), "Model diverged with loss = NaN"
      log.write("%d %r\n" % (step, float(loss_value)))
      if step % 5 == 0:
        print("%s: step %d, loss = %.2f (%.3f sec/batch)" % (
            datetime.now(), step, loss_value, duration / FLAGS.num_gpus))
      if (step + 1) == FLAGS.max_steps:
        saver.save(sess, os.path.join(FLAGS.dir, "model.ckpt"), global_step=step)
    log.close()


def main(argv=None):
  if tf.gfile.Exists(FLAGS.dir + "/none"):
    tf.gfile.DeleteRecursively(FLAGS.dir + "/none")
  train()


if __name__ == "__main__":
  tf.app.run()
