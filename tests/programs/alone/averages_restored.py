"""A trainer that keeps moving averages, and an evaluation that reads them."""
import os
import sys

import numpy as np
import tensorflow as tf

DIR = sys.argv[1].split("=")[1]

MOVING_AVERAGE_DECAY = 0.9


def inference(x):
  weights = tf.get_variable("weights", [6, 3],
                            initializer=tf.truncated_normal_initializer(stddev=0.3, seed=2))
  biases = tf.get_variable("biases", [3], initializer=tf.zeros_initializer())
  return tf.matmul(x, weights) + biases


def batch(rng):
  xs = rng.rand(16, 6)
  return xs, np.eye(3)[np.argmax(xs[:, :3], 1)]


def train(log):
  with tf.Graph().as_default():
    x = tf.placeholder(tf.float32, [None, 6])
    y = tf.placeholder(tf.float32, [None, 3])
    global_step = tf.train.get_or_create_global_step()
    logits = inference(x)
    loss = tf.reduce_mean(tf.reduce_sum(tf.square(logits - y), 1))
    opt = tf.train.MomentumOptimizer(0.1, 0.9)
    apply_op = opt.minimize(loss, global_step=global_step)
    ema = tf.train.ExponentialMovingAverage(MOVING_AVERAGE_DECAY, global_step)
    with tf.control_dependencies([apply_op]):
      train_op = ema.apply(tf.trainable_variables())
    saver = tf.train.Saver()
    rng = np.random.RandomState(1)
    with tf.Session() as sess:
      sess.run(tf.global_variables_initializer())
      for step in range(8):
        xs, ys = batch(rng)
        _, value = sess.run([train_op, loss], feed_dict={x: xs, y: ys})
        log.write("%d %r\n" % (step, float(value)))
      saver.save(sess, os.path.join(DIR, "model.ckpt"), global_step=8)


def evaluate(log):
  with tf.Graph().as_default():
    x = tf.placeholder(tf.float32, [None, 6])
    y = tf.placeholder(tf.float32, [None, 3])
    logits = inference(x)
    loss = tf.reduce_mean(tf.reduce_sum(tf.square(logits - y), 1))
    variable_averages = tf.train.ExponentialMovingAverage(MOVING_AVERAGE_DECAY)
    variables_to_restore = variable_averages.variables_to_restore()
    saver = tf.train.Saver(variables_to_restore)
    rng = np.random.RandomState(2)
    with tf.Session() as sess:
      saver.restore(sess, tf.train.latest_checkpoint(DIR))
      for step in range(3):
        xs, ys = batch(rng)
        value = sess.run(loss, feed_dict={x: xs, y: ys})
        log.write("%d %r\n" % (100 + step, float(value)))


def main(_):
  with open(os.path.join(DIR, "loss.0"), "w") as log:
    train(log)
    evaluate(log)


if __name__ == "__main__":
  tf.app.run()
