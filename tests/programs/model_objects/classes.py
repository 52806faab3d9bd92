"""Classes of Estimators: what they train is their model_fn, in the forms that libraries have."""

import functools
import glob

import numpy as np
import tensorflow as tf


def uniform(seed):
  return tf.random_uniform_initializer(-0.5, 0.5, seed=seed)


def _deep_model_fn(features, labels, mode, hidden, n_classes, optimizer="adagrad"):
  """The model function of `DeepClassifier`.

  Args:
    hidden: units of each layer.
  """
  net = tf.concat([features["a"], features["b"]], axis=1)
  for i, units in enumerate(hidden):
    net = tf.layers.dense(
        net, units, tf.nn.relu, kernel_initializer=uniform(i), name="hidden_%d" % i)
  logits = tf.layers.dense(net, n_classes, kernel_initializer=uniform(7))
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions={
        "probabilities": tf.nn.softmax(logits), "class": tf.argmax(logits, 1)})
  loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
  if mode == tf.estimator.ModeKeys.EVAL:
    return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops={
        "accuracy": tf.metrics.accuracy(labels, tf.argmax(logits, 1))})
  if optimizer == "adagrad":
    opt = tf.train.AdagradOptimizer(0.1)
  else:
    opt = tf.train.GradientDescentOptimizer(0.1)
  train_op = opt.minimize(loss, global_step=tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


class DeepClassifier(tf.estimator.Estimator):
  """Several layers, as a ready-made Estimator."""

  def __init__(self, hidden, n_classes=3, model_dir=None, config=None):

    def _model_fn(features, labels, mode, config):
      """What an Estimator calls."""
      return _deep_model_fn(
          features=features,
          labels=labels,
          mode=mode,
          hidden=hidden,
          n_classes=n_classes)

    super(DeepClassifier, self).__init__(
        model_fn=_model_fn, model_dir=model_dir, config=config)


class LinearRegressor(tf.estimator.Estimator):
  """One layer; the model function closes over what the class is made with."""

  def __init__(self, rate, l2=0.0, model_dir=None, config=None):
    def model_fn(features, labels, mode):
      value = tf.layers.dense(
          features["x"], 1, kernel_initializer=uniform(3),
          kernel_regularizer=tf.contrib.layers.l2_regularizer(l2), name="linear")
      value = tf.squeeze(value, 1)
      if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={"value": value})
      loss = tf.losses.mean_squared_error(labels, value)
      loss += tf.losses.get_regularization_loss()
      if mode == tf.estimator.ModeKeys.EVAL:
        return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops={
            "mse": tf.metrics.mean_squared_error(labels, value)})
      optimizer = tf.train.MomentumOptimizer(rate, 0.9)
      train_op = optimizer.minimize(loss, tf.train.get_global_step())
      return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)

    super().__init__(model_fn, model_dir, config)

  def value_of(self, x):
    """The values of some rows."""
    inputs = tf.estimator.inputs.numpy_input_fn({"x": x}, shuffle=False)
    return np.array([one["value"] for one in self.predict(inputs)])


class Autoencoder(tf.estimator.Estimator):
  """Its model function is a method, which reads what its object has."""

  def __init__(self, units, rate, model_dir=None, config=None):
    self.units = units
    # Not too fast.
    self._rate = min(rate, 0.05)
    super(Autoencoder, self).__init__(
        self._model_fn, model_dir, config, params={"scale": 0.5})

  def _encoded(self, x):
    return tf.layers.dense(
        x, self.units, tf.nn.tanh, kernel_initializer=uniform(5), name="code")

  def _model_fn(self, features, labels, mode, params):
    code = self._encoded(features["x"])
    decoded = tf.layers.dense(
        code, 4, kernel_initializer=uniform(6), name="decoded")
    if mode == tf.estimator.ModeKeys.PREDICT:
      return tf.estimator.EstimatorSpec(
          mode, predictions={"code": code, "decoded": decoded})
    loss = params["scale"] * tf.losses.mean_squared_error(features["x"], decoded)
    if mode == tf.estimator.ModeKeys.EVAL:
      return tf.estimator.EstimatorSpec(mode, loss=loss)
    train_op = tf.train.AdamOptimizer(self._rate).minimize(
        loss, global_step=tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


class Trainer(object):
  """Gives its method to Estimators, with what the method takes beside."""

  def __init__(self, units, directory):
    self.units = units
    self.directory = directory

  def model_fn(self, features, labels, mode, margin, params):
    net = tf.layers.dense(
        features["x"], self.units, tf.nn.relu, kernel_initializer=uniform(8))
    score = tf.squeeze(tf.layers.dense(net, 1, kernel_initializer=uniform(9)), 1)
    if mode == tf.estimator.ModeKeys.PREDICT:
      return tf.estimator.EstimatorSpec(mode, predictions={"score": score})
    loss = tf.reduce_mean(tf.square(tf.nn.relu(margin - labels * score)))
    train_op = tf.train.GradientDescentOptimizer(params["rate"]).minimize(
        loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)

  def estimator(self, config):
    return tf.estimator.Estimator(
        model_fn=functools.partial(self.model_fn, margin=1.5),
        model_dir=self.directory, config=config, params={"rate": 0.05})


class Ranker(object):
  """Hands its method on in a lambda."""

  def __init__(self, directory, config):
    self.rate = 0.02
    self.ranker = tf.estimator.Estimator(
        model_fn=lambda features, labels, mode, params: self.rank_fn(
            features, labels, mode, params["units"]),
        model_dir=directory, config=config, params={"units": 3})

  def rank_fn(self, features, labels, mode, units):
    net = tf.layers.dense(
        features["x"], units, tf.nn.sigmoid, kernel_initializer=uniform(1))
    score = tf.reduce_sum(net, 1)
    if mode == tf.estimator.ModeKeys.PREDICT:
      return tf.estimator.EstimatorSpec(mode, predictions={"score": score})
    loss = tf.losses.huber_loss(labels, score)
    train_op = tf.train.RMSPropOptimizer(self.rate).minimize(
        loss, tf.train.get_global_step())
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


def run(directory):
  config = tf.estimator.RunConfig(save_summary_steps=1)
  rng = np.random.RandomState(3)
  x = rng.randn(60, 4).astype(np.float32)
  total = x.sum(1)
  classes = np.digitize(total, [-1, 1]).astype(np.int32)
  signs = np.sign(total).astype(np.float32)
  slices = tf.data.Dataset.from_tensor_slices
  two = {"a": x[:, :2], "b": x[:, 2:]}
  inputs = {
      "deep": lambda: slices((two, classes)).repeat().batch(12),
      "linear": lambda: slices(({"x": x}, total)).repeat().batch(12),
      "autoencoder": lambda: slices({"x": x}).repeat().batch(12),
      "trainer": lambda: slices(({"x": x}, signs)).repeat().batch(12),
      "ranker": lambda: slices(({"x": x}, total)).repeat().batch(12),
  }
  linear = LinearRegressor(0.01, 0.1, directory + "/linear", config)
  estimators = {
      "deep": DeepClassifier([6, 5], model_dir=directory + "/deep", config=config),
      "linear": linear,
      "autoencoder": Autoencoder(2, 1.0, directory + "/autoencoder", config),
      "trainer": Trainer(5, directory + "/trainer").estimator(config),
      "ranker": Ranker(directory + "/ranker", config).ranker,
  }
  results = {}
  for name, estimator in sorted(estimators.items()):
    if tf.train.latest_checkpoint(directory + "/" + name) is None:
      estimator.train(inputs[name], steps=5)
    estimator.train(inputs[name], max_steps=25)
    results[name + "/losses"] = losses(directory + "/" + name)[-20:]
    for key, value in estimator.evaluate(inputs[name], steps=5).items():
      results[name + "/eval/" + key] = value
    predicted = [p for p, _ in zip(estimator.predict(inputs[name]), range(24))]
    for key in sorted(predicted[0]):
      results[name + "/predicted/" + key] = [one[key] for one in predicted]
    for key in estimator.get_variable_names():
      results[name + "/after/" + key] = estimator.get_variable_value(key)
  results["values"] = linear.value_of(x[:7])
  return results
