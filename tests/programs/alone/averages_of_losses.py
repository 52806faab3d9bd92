"""Averages of losses, which are shown, and of weights, which are fetched."""
import os
import sys

import numpy as np
import tensorflow as tf

DIR = sys.argv[1].split("=")[1]


def main(_):
  x = tf.placeholder(tf.float32, [None, 6], name="x")
  y = tf.placeholder(tf.float32, [None, 3], name="y")
  hidden = tf.layers.dense(x, 5, tf.nn.relu, name="hidden",
                           kernel_initializer=tf.glorot_uniform_initializer(seed=4))
  weights = tf.get_variable("weights", [5, 3],
                            initializer=tf.truncated_normal_initializer(stddev=0.3, seed=2))
  logits = tf.matmul(hidden, weights)
  mean_squares = tf.reduce_mean(tf.square(logits - y), name="mean_squares")
  decay = tf.multiply(tf.nn.l2_loss(weights), 0.1, name="weight_loss")
  total_loss = tf.add_n([mean_squares, decay], name="total_loss")

  loss_averages = tf.train.ExponentialMovingAverage(0.9, name="avg")
  loss_averages_op = loss_averages.apply([mean_squares, decay] + [total_loss])
  shown = loss_averages.average(total_loss)

  global_step = tf.Variable(0, name="global_step", trainable=False)
  with tf.control_dependencies([loss_averages_op]):
    opt = tf.train.AdamOptimizer(0.05)
    grads = opt.compute_gradients(total_loss)
  apply_gradient_op = opt.apply_gradients(grads, global_step=global_step)

  ema = tf.train.ExponentialMovingAverage(decay=0.8)
  with tf.control_dependencies([apply_gradient_op]):
    variables_averages_op = ema.apply(tf.trainable_variables())
  with tf.control_dependencies([apply_gradient_op, variables_averages_op]):
    train_op = tf.no_op(name="train")
  averaged = ema.average(weights)
  init = tf.global_variables_initializer()

  rng = np.random.RandomState(1)
  with tf.Session() as sess, open(os.path.join(DIR, "loss.0"), "w") as log:
    sess.run(init)
    for step in range(8):
      xs = rng.rand(16, 6)
      ys = np.eye(3)[np.argmax(xs[:, :3], 1)]
      _, value = sess.run([train_op, total_loss], feed_dict={x: xs, y: ys})
      log.write("%d %r\n" % (step, float(value)))
      log.write("%d %r\n" % (100 + step, float(sess.run(shown, feed_dict={x: xs, y: ys}))))
      log.write("%d %r\n" % (200 + step, float(sess.run(averaged)[1, 2])))


if __name__ == "__main__":
  tf.app.run()
