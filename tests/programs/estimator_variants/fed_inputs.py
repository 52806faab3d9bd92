"""Iterators that a hook initialises, with arrays that are fed to their datasets."""

import numpy as np
import tensorflow as tf


class IteratorHook(tf.train.SessionRunHook):
  def __init__(self, iterator=None, func=None):
    self.iterator = iterator
    self.func = func

  def after_create_session(self, session, coord):
    if self.iterator is not None:
      session.run(self.iterator.initializer)
    else:
      self.func(session)


hook = IteratorHook()


def made(x, y, batch_size, training):
  own = IteratorHook()

  def inputs():
    with tf.name_scope("data"):
      x_placeholder = tf.placeholder(tf.float32, x.shape)
      y_placeholder = tf.placeholder(y.dtype, [None])
      dataset = tf.data.Dataset.from_tensor_slices((x_placeholder, y_placeholder))
      if training:
        dataset = dataset.repeat(None)
      iterator = dataset.batch(batch_size).make_initializable_iterator()
      next_x, next_y = iterator.get_next()
      own.func = lambda sess: sess.run(
          iterator.initializer, feed_dict={x_placeholder: x, y_placeholder: y})
      return 2 * next_x, next_y

  return inputs, own


def by_hook_attribute():
  dataset = tf.data.Dataset.from_tensor_slices((X, Y)).repeat(2).batch(3)
  iterator = dataset.make_initializable_iterator()
  hook.iterator = iterator
  return iterator.get_next()


def feeds_apart():
  arrays = X[2:], Y[2:]
  x_ = tf.placeholder(dtype=tf.float32, shape=[None, 2], name="x")
  y_ = tf.placeholder(tf.int32, arrays[1].shape)
  dataset = tf.data.Dataset.from_tensor_slices((x_, y_)).batch(3)
  iterator = tf.data.make_initializable_iterator(dataset)
  feed_dict = {x_: arrays[0], y_: arrays[1]}
  hook.iterator = None
  hook.func = lambda session: session.run(iterator.initializer, feed_dict)
  return iterator.get_next()


class Reader(object):
  def __init__(self, x, y, size):
    self.x, self.y, self.size = x, y, size
    self.hook = IteratorHook()

  def input_fn(self):
    x_ = tf.placeholder(self.x.dtype, self.x.shape)
    y_ = tf.placeholder(self.y.dtype, self.y.shape)
    size_ = tf.placeholder(tf.int64, [])
    dataset = tf.data.Dataset.from_tensor_slices((x_, y_)).batch(size_)
    self.iterator = dataset.make_initializable_iterator()

    def start(session):
      session.run(self.iterator.initializer,
                  feed_dict={x_: self.x, y_: self.y, size_: self.size})

    self.hook.func = start
    return self.iterator.get_next()


X = np.random.RandomState(0).randn(10, 2).astype(np.float32)
Y = np.arange(10) % 3


def model_fn(features, labels, mode):
  w = tf.get_variable(
      "w", [2, 3], initializer=tf.random_uniform_initializer(-1, 1, seed=1))
  logits = tf.matmul(features, w)
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions=logits)
  loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
  train_op = tf.train.GradientDescentOptimizer(0.1).minimize(
      loss, tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def run(directory):
  r = {}
  reader = Reader(X.astype(np.float32), Y, 4)
  for name, fn, h in (
      ("hook", by_hook_attribute, hook),
      ("apart", feeds_apart, hook),
      ("reader", reader.input_fn, reader.hook)):
    e = tf.estimator.Estimator(model_fn, directory + "/" + name)
    e.train(fn, hooks=[h])
    r[name] = e.get_variable_value("w")
    r[name + "/l"] = e.evaluate(fn, hooks=[h])["loss"]
    r[name + "/s"] = e.get_variable_value("global_step")
  e = tf.estimator.Estimator(model_fn, directory + "/made")
  fn, own = made(X.astype(np.float64), Y, 4, True)
  e.train(fn, hooks=[own], steps=7)
  fn, own = made(X, Y, 5, False)
  r["made"] = e.evaluate(fn, hooks=[own])["loss"]
  r["predicted"] = list(e.predict(fn, hooks=[own]))
  return r
