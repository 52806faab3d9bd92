"""Networks that are objects: told once whether they train, with methods for their parts."""

import glob

import numpy as np
import tensorflow as tf


class Network(object):
  """A tower of normalised layers, and a head."""

  def __init__(self, units, is_training):
    super(Network, self).__init__()
    if not units:
      raise ValueError("a network has layers")
    self.units = units
    # Whether averages are moved.
    self.is_training = is_training

  def _normalized(self, net, name):
    with tf.variable_scope(name):
      net = tf.layers.dense(net, self.units, use_bias=False)
      net = tf.layers.batch_normalization(
          net, momentum=0.9, training=self.is_training)
    return tf.nn.relu(net)

  def build(self, x):
    """Returns what the head sees."""
    net = tf.layers.dense(x, self.units, name="project")
    net = self._normalized(net, "first")
    net = self._normalized(net, "second")
    net = tf.nn.tanh(net)
    net = tf.layers.dropout(net, 0.3, seed=11, training=self.is_training)
    return net

  def logits(self, net, classes):
    return tf.layers.dense(net, classes, name="head")


def model_fn(features, labels, mode, params):
  is_training = mode == tf.estimator.ModeKeys.TRAIN
  with tf.variable_scope("network"):
    network = Network(params["units"], is_training=is_training)
    net = network.build(features["x"])
    logits = network.logits(net, 4)
  predictions = {"classes": tf.argmax(logits, 1), "logits": logits}
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions=predictions)
  loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
  if mode == tf.estimator.ModeKeys.EVAL:
    return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops={
        "accuracy": tf.metrics.accuracy(labels, predictions["classes"])})
  update_ops = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
  with tf.control_dependencies(update_ops):
    train_op = tf.train.MomentumOptimizer(0.05, 0.9).minimize(
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


def input_fn():
  rng = np.random.RandomState(8)
  label = rng.randint(4, size=60).astype(np.int32)
  x = (rng.randn(60, 5) + label[:, None]).astype(np.float32)
  return tf.data.Dataset.from_tensor_slices(({"x": x}, label)).repeat().batch(12)


def run(directory):
  model_dir = directory + "/classifier"
  classifier = tf.estimator.Estimator(
      model_fn, model_dir, tf.estimator.RunConfig(save_summary_steps=1), {"units": 6})
  if tf.train.latest_checkpoint(model_dir) is None:
    classifier.train(input_fn, steps=5)
  classifier.train(input_fn, max_steps=25)
  results = {"losses": losses(model_dir)[-20:]}
  for key, value in classifier.evaluate(input_fn, steps=5).items():
    results["eval/" + key] = value
  for name in ("classes", "logits"):
    results[name] = [
        p[name] for p, _ in zip(classifier.predict(input_fn), range(24))]
  for key in classifier.get_variable_names():
    results["after/" + key] = classifier.get_variable_value(key)
  return results
