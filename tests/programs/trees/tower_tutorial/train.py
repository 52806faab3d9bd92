"""Trains on several devices: towers that share variables, fed by a prefetch queue."""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

from datetime import datetime
import os.path
import re
import time

import numpy as np
from six.moves import xrange  # pylint: disable=redefined-builtin
import tensorflow as tf

import images

FLAGS = tf.app.flags.FLAGS

tf.app.flags.DEFINE_string('dir', '/tmp/images_train', 'For event logs and checkpoints.')
tf.app.flags.DEFINE_integer('max_steps', 12, 'Number of batches to run.')
tf.app.flags.DEFINE_integer('num_gpus', 2, 'How many GPUs to use.')
tf.app.flags.DEFINE_boolean('log_device_placement', False, 'Whether to log placement.')


def tower_loss(scope, images_, labels):
  """The total loss of one tower."""
  logits = images.inference(images_)
  # The total of all towers so far is not used: see below.
  _ = images.loss(logits, labels)
  losses = tf.get_collection('losses', scope)
  total_loss = tf.add_n(losses, name='total_loss')
  for l in losses + [total_loss]:
    # Without the tower's name, if there are several.
    loss_name = re.sub('%s_[0-9]*/' % images.TOWER_NAME, '', l.op.name)
    tf.summary.scalar(loss_name, l)
  return total_loss


def average_gradients(tower_grads):
  """The mean of each variable's gradients over all towers."""
  average_grads = []
  for grad_and_vars in zip(*tower_grads):
    grads = []
    for g, _ in grad_and_vars:
      # The first dimension is the towers'.
      expanded_g = tf.expand_dims(g, 0)
      grads.append(expanded_g)
    grad = tf.concat(axis=0, values=grads)
    grad = tf.reduce_mean(grad, 0)
    v = grad_and_vars[0][1]
    grad_and_var = (grad, v)
    average_grads.append(grad_and_var)
  return average_grads


def train():
  with tf.Graph().as_default(), tf.device('/cpu:0'):
    global_step = tf.get_variable(
        'global_step', [], initializer=tf.constant_initializer(0), trainable=False)
    num_batches_per_epoch = (images.NUM_EXAMPLES_PER_EPOCH_FOR_TRAIN / FLAGS.batch_size)
    decay_steps = int(num_batches_per_epoch * images.NUM_EPOCHS_PER_DECAY)
    lr = tf.train.exponential_decay(images.INITIAL_LEARNING_RATE,
                                    global_step,
                                    decay_steps,
                                    images.LEARNING_RATE_DECAY_FACTOR,
                                    staircase=True)
    opt = tf.train.GradientDescentOptimizer(lr)

    images_, labels = images.training_inputs()
    batch_queue = tf.contrib.slim.prefetch_queue.prefetch_queue(
        [images_, labels], capacity=2 * FLAGS.num_gpus)
    tower_grads = []
    total = 0.
    with tf.variable_scope(tf.get_variable_scope()):
      for i in xrange(FLAGS.num_gpus):
        with tf.device('/gpu:%d' % i):
          with tf.name_scope('%s_%d' % (images.TOWER_NAME, i)) as scope:
            # A batch for this tower.
            image_batch, label_batch = batch_queue.dequeue()
            loss = tower_loss(scope, image_batch, label_batch)
            # The next tower has the same variables.
            tf.get_variable_scope().reuse_variables()
            # Retain the summaries from the final tower.
            summaries = tf.get_collection(tf.GraphKeys.SUMMARIES, scope)
            grads = opt.compute_gradients(loss)
            tower_grads.append(grads)
            total += loss

    # All towers wait for each other here.
    grads = average_gradients(tower_grads)
    summaries.append(tf.summary.scalar('learning_rate', lr))
    for grad, var in grads:
      if grad is not None:
        summaries.append(tf.summary.histogram(var.op.name + '/gradients', grad))
    apply_gradient_op = opt.apply_gradients(grads, global_step=global_step)
    for var in tf.trainable_variables():
      summaries.append(tf.summary.histogram(var.op.name, var))
    variable_averages = tf.train.ExponentialMovingAverage(
        images.MOVING_AVERAGE_DECAY, global_step)
    variables_averages_op = variable_averages.apply(tf.trainable_variables())
    train_op = tf.group(apply_gradient_op, variables_averages_op)

    saver = tf.train.Saver(tf.global_variables())
    summary_op = tf.summary.merge(summaries)
    init = tf.global_variables_initializer()
    sess = tf.Session(config=tf.ConfigProto(
        allow_soft_placement=True,
        log_device_placement=FLAGS.log_device_placement))
    sess.run(init)
    tf.train.start_queue_runners(sess=sess)
    summary_writer = tf.summary.FileWriter(FLAGS.dir, sess.graph)

    log = open(os.path.join(FLAGS.dir, 'loss.0'), 'w')
    for step in xrange(FLAGS.max_steps):
      start_time = time.time()
      # Which tower has which batch is not certain, so the sum of the losses is shown.
      _, loss_value = sess.run([train_op, total])
      duration = time.time() - start_time
      assert not np.isnan(loss_value), 'Model diverged with loss = NaN'
      log.write('%d %r\n' % (step, float(loss_value)))

      if step % 10 == 0:
        num_examples_per_step = FLAGS.batch_size * FLAGS.num_gpus
        examples_per_sec = num_examples_per_step / duration
        format_str = '%s: step %d, loss = %.2f (%.1f examples/sec)'
        print(format_str % (datetime.now(), step, loss_value, examples_per_sec))

      if step % 5 == 0:
        summary_str = sess.run(summary_op)
        summary_writer.add_summary(summary_str, step)
        for value in tf.Summary.FromString(summary_str).value:
          if not value.tag.startswith(images.TOWER_NAME) and value.HasField('histo'):
            log.write('%d %r\n' % (100 + step, float(value.histo.sum)))

      if step % 1000 == 0 or (step + 1) == FLAGS.max_steps:
        checkpoint_path = os.path.join(FLAGS.dir, 'model.ckpt')
        saver.save(sess, checkpoint_path, global_step=step)
    log.close()


def make_data(directory):
  """Images whose brightest rows are their class."""
  directory = os.path.join(directory, 'batches-bin')
  if not os.path.exists(directory):
    os.makedirs(directory)
  rng = np.random.RandomState(0)
  for i in range(1, 4):
    with open(os.path.join(directory, 'data_batch_%d.bin' % i), 'wb') as f:
      for _ in range(20):
        label = rng.randint(3)
        image = rng.randint(0, 100, [1, 8, 8])
        image[:, 2 * label:2 * label + 3] += 100
        f.write(bytes(bytearray([label])) + image.astype(np.uint8).tobytes())


def main(argv=None):  # pylint: disable=unused-argument
  FLAGS.data_dir = FLAGS.dir
  make_data(FLAGS.data_dir)
  train()


if __name__ == '__main__':
  tf.app.run()
