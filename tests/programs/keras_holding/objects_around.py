"""Model functions inside of methods, which read the object of the method around them."""

import os

import numpy as np
import tensorflow as tf


def drawn(seed):
  return tf.random_uniform_initializer(-0.5, 0.5, seed=seed)


class IrisClassifier(tf.estimator.Estimator):
  """An Estimator of its own: its model_fn is in its __init__."""

  def __init__(self, hidden_units, n_classes=3, rate=0.1, model_dir=None):
    self.hidden_units = hidden_units
    self.n_classes = n_classes
    self.settings = {"rate": rate, "momentum": 0.9}

    def _model_fn(features, labels, mode):
      net = features["x"]
      for i, units in enumerate(self.hidden_units):
        net = tf.layers.dense(
            net, units, activation=tf.nn.relu, kernel_initializer=drawn(i))
      logits = tf.layers.dense(net, self.n_classes, kernel_initializer=drawn(9))
      if mode == tf.estimator.ModeKeys.PREDICT:
        predictions = {
            "classes": tf.argmax(logits, 1),
            "hot": tf.one_hot(tf.argmax(logits, 1), self.n_classes),
        }
        return tf.estimator.EstimatorSpec(mode, predictions=predictions)
      loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
      if mode == tf.estimator.ModeKeys.EVAL:
        return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops={
            "accuracy": tf.metrics.accuracy(labels, tf.argmax(logits, 1))})
      optimizer = tf.train.MomentumOptimizer(
          self.settings["rate"], self.settings.get("momentum", 0.5))
      train_op = optimizer.minimize(loss, tf.train.get_global_step())
      return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)

    super(IrisClassifier, self).__init__(model_fn=_model_fn, model_dir=model_dir)

  def slow_down(self, by):
    self.settings = dict(self.settings, rate=self.settings["rate"] / by)


class Factorizer(object):
  """Variables of its own; what it is told later is read where a graph is made."""

  def __init__(self, size, factors, directory):
    self.size = size
    self.factors = factors
    self.penalty = 0.0
    self.estimator = self.make_estimator(directory)

  def make_estimator(self, directory):
    # What it reads of the object may change between two graphs.
    def model_fn(features, labels, mode):
      w = tf.get_variable("w", [self.size, 1], initializer=drawn(4))
      v = tf.get_variable("v", [self.size, self.factors], initializer=drawn(5))
      linear = tf.matmul(features["x"], w)
      pairs = tf.square(tf.matmul(features["x"], v))
      score = tf.squeeze(linear, 1) + 0.5 * tf.reduce_sum(pairs, 1)
      if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={"score": score})
      loss = tf.losses.mean_squared_error(labels, score)
      loss += self.penalty * tf.nn.l2_loss(v)
      if mode == tf.estimator.ModeKeys.EVAL:
        return tf.estimator.EstimatorSpec(mode, loss=loss)
      train_op = tf.train.AdamOptimizer(0.05).minimize(loss, tf.train.get_global_step())
      return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)

    return tf.estimator.Estimator(model_fn, directory)

  def fit(self, input_fn, steps, penalty):
    self.penalty = penalty
    self.estimator.train(input_fn, max_steps=steps)
    return self.estimator.evaluate(input_fn)


def data(kinds):
  rng = np.random.RandomState(7)
  x = rng.uniform(-1, 1, [40, 4]).astype(np.float32)
  kind = (x.sum(1) > 0).astype(np.int64) + (x[:, 0] > 0.5)
  return {"x": x}, kind if kinds else x[:, 0] * x[:, 1]


def input_of(kinds):
  return lambda: tf.data.Dataset.from_tensor_slices(data(kinds)).batch(8)


def take(results, name, estimator, evaluated):
  for key, value in evaluated.items():
    results["%s/%s" % (name, key)] = value
  for variable in estimator.get_variable_names():
    results["%s/%s" % (name, variable)] = estimator.get_variable_value(variable)


def run(directory):
  results = {}
  iris = IrisClassifier([6, 5], model_dir=os.path.join(directory, "iris"))
  for step in (2, 5):
    iris.train(input_of(True), max_steps=step)
    iris.slow_down(4.0)
    take(results, "iris_%d" % step, iris, iris.evaluate(input_of(True)))
  rows = list(iris.predict(input_of(True)))
  results["classes"] = np.array([row["classes"] for row in rows])
  results["hot"] = np.stack([row["hot"] for row in rows])

  model = Factorizer(4, 3, os.path.join(directory, "factors"))
  for step, penalty in ((2, 0.0), (5, 0.1)):
    found = model.fit(input_of(False), step, penalty)
    take(results, "factors_%d" % step, model.estimator, found)
  rows = list(model.estimator.predict(input_of(False)))
  results["score"] = np.array([row["score"] for row in rows])
  return results
