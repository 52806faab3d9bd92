"""A wide and a deep part, each with an optimizer of its own; hooks of predictions."""

import numpy as np
import tensorflow as tf

COLORS = ["red", "green", "blue"]


def drawn(seed):
  return tf.random_uniform_initializer(-0.5, 0.5, seed=seed)


class Kept(tf.train.SessionRunHook):
  """Keeps a tensor's values, and which of a hook's methods were called."""

  def __init__(self, tensor, kept, called):
    self._tensor, self._kept, self._called = tensor, kept, called

  def begin(self):
    self._called.append("begin")

  def after_create_session(self, session, coord):
    self._called.append("after_create_session")

  def before_run(self, run_context):
    return tf.train.SessionRunArgs(self._tensor)

  def after_run(self, run_context, run_values):
    self._kept.append(run_values.results)

  def end(self, session):
    self._called.append("end")


def model_fn(features, labels, mode, params):
  fc = tf.feature_column
  color = fc.categorical_column_with_vocabulary_list("color", COLORS)
  with tf.variable_scope("linear"):
    linear_logits = fc.linear_model(
        features, [color, fc.numeric_column("x", shape=[4])], units=1)
  with tf.variable_scope("dnn"):
    net = features["x"]
    for i, units in enumerate(params["hidden"]):
      net = tf.layers.dense(
          net, units, activation=tf.nn.relu, name="hidden_%d" % i,
          kernel_initializer=drawn(i))
    dnn_logits = tf.layers.dense(net, 1, kernel_initializer=drawn(9), name="logits")
  logits = linear_logits + dnn_logits

  probabilities = tf.sigmoid(logits)
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(
        mode, predictions={"probabilities": probabilities},
        prediction_hooks=[Kept(dnn_logits, params["deep"], params["called"])])

  labels = tf.reshape(tf.cast(labels, tf.float32), [-1, 1])
  loss = tf.losses.sigmoid_cross_entropy(labels, logits)
  if mode == tf.estimator.ModeKeys.EVAL:
    return tf.estimator.EstimatorSpec(mode, loss=loss)

  global_step = tf.train.get_global_step()
  train_ops = []
  # The deep part.
  train_ops.append(tf.train.AdagradOptimizer(0.05).minimize(
      loss,
      var_list=tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope="dnn")))
  # The wide one.
  train_ops.append(tf.train.FtrlOptimizer(0.2, l1_regularization_strength=0.01).minimize(
      loss,
      var_list=tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope="linear")))
  train_op = tf.group(*train_ops)
  with tf.control_dependencies([train_op]):
    train_op = tf.assign_add(global_step, 1).op
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
  rng = np.random.RandomState(1)
  features = {
      "color": np.array(COLORS + ["pink"])[rng.randint(4, size=40)],
      "x": rng.rand(40, 4).astype(np.float32),
  }
  labels = rng.randint(2, size=40)
  return tf.data.Dataset.from_tensor_slices((features, labels)).batch(8)


class Params(dict):
  """Not copied: hooks put into it what they see."""

  def __deepcopy__(self, memo):
    return self


def run(directory):
  params = Params(hidden=[8, 4], deep=[], called=[])
  estimator = tf.estimator.Estimator(model_fn, directory, params=params)
  results = {}
  for step in (2, 5):
    estimator.train(input_fn, max_steps=step)
    results["loss_%d" % step] = estimator.evaluate(input_fn)["loss"]
  results["probabilities"] = np.stack(
      [row["probabilities"] for row in estimator.predict(input_fn)])
  results["deep"] = np.stack(params["deep"])
  results["called"] = np.array(params["called"])
  for name in estimator.get_variable_names():
    results[name] = estimator.get_variable_value(name)
  return results
