"""Towers of a convolutional net with batch normalisation, moved by the first tower."""
import sys

import numpy as np
import tensorflow as tf

log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")

NUM_GPUS = 3
BATCH_SIZE = 4


def network(images, training, reuse):
  with tf.variable_scope("net", reuse=reuse):
    h = tf.layers.conv2d(images, 4, 3, use_bias=False, name="conv",
                         kernel_initializer=tf.truncated_normal_initializer(stddev=.3, seed=1))
    h = tf.layers.batch_normalization(h, training=training, momentum=0.8, name="bn")
    h = tf.layers.flatten(tf.nn.relu(h))
    h = tf.layers.dense(h, 6, use_bias=False, name="hidden",
                        kernel_initializer=tf.truncated_normal_initializer(stddev=.2, seed=2))
    h = tf.layers.batch_normalization(h, training=training, momentum=0.7, name="bn_dense")
    return tf.layers.dense(h, 2, name="out",
                           kernel_initializer=tf.truncated_normal_initializer(stddev=.3, seed=3))


def average_gradients(tower_grads):
  average_grads = []
  for grad_and_vars in zip(*tower_grads):
    grads = []
    for g, _ in grad_and_vars:
      grads.append(tf.expand_dims(g, 0))
    grad = tf.reduce_mean(tf.concat(grads, 0), 0)
    average_grads.append((grad, grad_and_vars[0][1]))
  return average_grads


def main():
  images = tf.placeholder(tf.float32, [None, 6, 6, 1])
  labels = tf.placeholder(tf.float32, [None, 2])
  opt = tf.train.AdamOptimizer(0.01)
  tower_grads, tower_losses = [], []
  reuse = False
  for i in range(NUM_GPUS):
    with tf.device("/gpu:%d" % i), tf.name_scope("tower_%d" % i) as scope:
      _x = images[i * BATCH_SIZE:(i + 1) * BATCH_SIZE]
      _y = labels[i * BATCH_SIZE:(i + 1) * BATCH_SIZE]
      logits = network(_x, True, reuse)
      predictions = network(_x, False, True)
      loss = tf.losses.mean_squared_error(_y, logits)
      grads = opt.compute_gradients(loss)
      tower_grads.append(grads)
      tower_losses.append(loss)
      if i == 0:
        # The statistics of the first tower are enough.
        update_ops = tf.get_collection(tf.GraphKeys.UPDATE_OPS, scope)
        error = tf.reduce_mean(tf.abs(predictions - _y))
      reuse = True
  with tf.control_dependencies(update_ops):
    train_op = opt.apply_gradients(average_gradients(tower_grads))
  mean_loss = tf.add_n(tower_losses) / NUM_GPUS

  rng = np.random.RandomState(0)
  with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(6):
      xs = rng.rand(NUM_GPUS * BATCH_SIZE, 6, 6, 1)
      feed = {images: xs, labels: xs[:, 1:3, 0, 0] * 2}
      _, value = sess.run([train_op, mean_loss], feed)
      log.write("%d %r\n" % (step, float(value)))
      # What evaluation computes with the averages.
      log.write("%d %r\n" % (100 + step, float(sess.run(error, feed))))
  log.close()


main()
