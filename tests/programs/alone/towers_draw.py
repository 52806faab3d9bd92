"""Towers that each take the next batch of one iterator, to the end of two epochs."""
import sys

import numpy as np
import tensorflow as tf

log = open(sys.argv[1].split("=")[1] + "/loss.0", "w")

NUM_GPUS = 2
rng = np.random.RandomState(5)
features = rng.rand(46, 4).astype(np.float32)
targets = (features[:, :1] * 2 - features[:, 1:2]).astype(np.float32)


def parse(x, y):
  return {"x": x, "mask": x > 0.1}, y


def loss_of(features, labels):
  with tf.variable_scope("model", reuse=tf.AUTO_REUSE):
    w = tf.get_variable("w", [4, 1], initializer=tf.zeros_initializer())
    b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
    x = features["x"] * tf.cast(features["mask"], tf.float32)
    return tf.reduce_mean(tf.square(tf.matmul(x, w) + b - labels))


with tf.Graph().as_default():
  # Eight batches of each epoch, the last smaller.
  dataset = tf.data.Dataset.from_tensor_slices((features, targets)).map(parse)
  dataset = dataset.batch(6).repeat(2)
  iterator = tf.data.make_one_shot_iterator(dataset)
  global_step = tf.train.get_or_create_global_step()
  opt = tf.train.MomentumOptimizer(0.2, 0.5)
  tower_grads = []
  losses = []
  with tf.variable_scope(tf.get_variable_scope()):
    for i in range(NUM_GPUS):
      with tf.device("/device:GPU:%d" % i):
        with tf.name_scope("clone_%d" % i):
          inputs, labels = iterator.get_next()
          loss = loss_of(inputs, labels)
          losses.append(loss)
          grads_and_vars = opt.compute_gradients(loss)
          tower_grads.append(grads_and_vars)

  average = []
  for grad_and_vars in zip(*tower_grads):
    grad = tf.reduce_mean(tf.stack([g for g, _ in grad_and_vars]), 0)
    average.append((grad, grad_and_vars[0][1]))
  train_op = opt.apply_gradients(average, global_step)
  mean_loss = tf.reduce_mean(losses)
  config = tf.ConfigProto(allow_soft_placement=True)

  with tf.Session(config=config) as sess:
    sess.run(tf.global_variables_initializer())
    try:
      while True:
        _, value, step = sess.run([train_op, mean_loss, global_step])
        log.write("%d %r\n" % (step, float(value)))
    except tf.errors.OutOfRangeError:
      log.write("%d %r\n" % (100, float(sess.run(global_step))))
log.close()
