"""Trainers that are objects: their model_fn is a method, and reads what __init__ was given."""

import glob

import numpy as np
import tensorflow as tf


class BaseTrainer(object):
  """What every trainer has."""

  LEARNING_RATE = 0.05

  def __init__(self, model_dir, params):
    self.params = params
    self._model_dir = model_dir

  def _model(self, features, labels, mode):
    raise NotImplementedError("a trainer has a model")

  def estimator(self):
    config = tf.estimator.RunConfig(save_summary_steps=1)
    return tf.estimator.Estimator(
        model_fn=self._model, model_dir=self._model_dir, config=config)


class ClassifierTrainer(object):
  """Trains a classifier of three classes."""

  def __init__(self, model_dir, hidden, learning_rate=0.02, keep_prob=1.0):
    self.hidden = list(hidden)
    self.learning_rate = learning_rate
    # Of what is not dropped.
    self._keep_prob = keep_prob
    self.class_weights = [1.0, 2.0, 0.5]
    self.regularizer = tf.contrib.layers.l2_regularizer(1e-3)
    self.classifier = tf.estimator.Estimator(
        model_fn=self._model_fn,
        model_dir=model_dir,
        config=tf.estimator.RunConfig(save_summary_steps=1))

  def _network(self, net, is_training):
    """Hidden layers, and one for the classes."""
    for i, units in enumerate(self.hidden):
      net = tf.layers.dense(
          net, units, tf.nn.relu, kernel_regularizer=self.regularizer,
          name="hidden%d" % i)
      net = tf.layers.dropout(net, 1 - self._keep_prob, training=is_training)
    return tf.layers.dense(net, 3, name="logits")

  def _weighted(self, labels, logits):
    weights = tf.gather(self.class_weights, labels)
    return tf.losses.sparse_softmax_cross_entropy(labels, logits, weights)

  # The model, in three modes.
  def _model_fn(self, features, labels, mode):
    """Multilayer perceptron.

    Args:
      features: a dict with `x`.
    """
    logits = self._network(features["x"], mode == tf.estimator.ModeKeys.TRAIN)
    predictions = {
        "classes": tf.argmax(logits, axis=1),
        "probabilities": tf.nn.softmax(logits),
    }
    if mode == tf.estimator.ModeKeys.PREDICT:
      return tf.estimator.EstimatorSpec(mode, predictions=predictions)
    loss = self._weighted(labels, logits) + tf.losses.get_regularization_loss()
    if mode == tf.estimator.ModeKeys.EVAL:
      return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops={
          "accuracy": tf.metrics.accuracy(labels, predictions["classes"])})
    step = tf.train.get_global_step()
    learning_rate = tf.train.exponential_decay(
        self.learning_rate, step, 10, 0.8, staircase=True)
    optimizer = tf.train.AdamOptimizer(learning_rate)
    train_op = optimizer.minimize(loss, global_step=step)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)

  def train(self, input_fn, **kwargs):
    self.classifier.train(input_fn, **kwargs)


class RegressionTrainer(BaseTrainer):
  """Trains a regression; where its Estimator is made, its base class knows."""

  def __init__(self, model_dir, params):
    super(RegressionTrainer, self).__init__(model_dir, params)
    self._units = params["units"]

  def _model(self, features, labels, mode):
    net = tf.layers.dense(features, self._units, activation=tf.nn.tanh)
    value = tf.squeeze(tf.layers.dense(net, 1), 1)
    if mode == tf.estimator.ModeKeys.PREDICT:
      return tf.estimator.EstimatorSpec(mode, predictions={"value": value})
    loss = tf.losses.mean_squared_error(labels, value)
    if mode == tf.estimator.ModeKeys.EVAL:
      return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops={
          "mae": tf.metrics.mean_absolute_error(labels, value)})
    optimizer = tf.train.MomentumOptimizer(self.LEARNING_RATE, 0.9)
    gradients, variables = zip(*optimizer.compute_gradients(loss))
    gradients, _ = tf.clip_by_global_norm(gradients, self.params["clip"])
    train_op = optimizer.apply_gradients(
        zip(gradients, variables), tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def losses(directory):
  """The loss of each step, from the summaries."""
  found = {}
  for path in glob.glob(directory + "/events*"):
    for event in tf.train.summary_iterator(path):
      for value in event.summary.value:
        if value.tag == "loss":
          found[event.step] = value.simple_value
  return [found[step] for step in sorted(found)]


def variables(estimator):
  return {
      name: estimator.get_variable_value(name)
      for name in estimator.get_variable_names()
  }


def batches(seed, labels_of):
  rng = np.random.RandomState(seed)
  x = rng.randn(60, 4).astype(np.float32)
  labels = labels_of(x.sum(1))
  return x, labels


def run(directory):
  slices = tf.data.Dataset.from_tensor_slices
  x, y = batches(1, lambda s: np.digitize(s, [-1, 1]).astype(np.int32))
  of_classes = lambda: slices(({"x": x}, y)).repeat().batch(12)
  a, b = batches(2, lambda s: np.sin(s).astype(np.float32))
  of_values = lambda: slices((a, b)).repeat().batch(12)

  results = {}
  trainer = ClassifierTrainer(directory + "/classifier", hidden=[6, 5])
  regression = RegressionTrainer(
      directory + "/regression", {"units": 7, "clip": 0.8}).estimator()
  if tf.train.latest_checkpoint(directory + "/classifier") is None:
    trainer.train(of_classes, steps=5)
    regression.train(of_values, steps=5)
  for name, estimator, input_fn, one in (
      ("classifier", trainer.classifier, of_classes, "probabilities"),
      ("regression", regression, of_values, "value")):
    estimator.train(input_fn, max_steps=25)
    results[name + "/losses"] = losses(directory + "/" + name)[-20:]
    for key, value in estimator.evaluate(input_fn, steps=5).items():
      results[name + "/eval/" + key] = value
    results[name + "/" + one] = [
        p[one] for p, _ in zip(estimator.predict(input_fn), range(24))]
    for key, value in variables(estimator).items():
      results[name + "/after/" + key] = value
  return results
