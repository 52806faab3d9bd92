"""Optimizers of the program's own: their own update, or TensorFlow's with other gradients."""

import re

import numpy as np
import tensorflow as tf


class AdamWeightDecayOptimizer(tf.train.Optimizer):
  """Adam without correction of the first steps, and weights that decay."""

  def __init__(self, learning_rate, decay=0.0, exclude=None, name="AdamWeightDecay"):
    super(AdamWeightDecayOptimizer, self).__init__(False, name)
    self.learning_rate, self.decay, self.exclude = learning_rate, decay, exclude

  def apply_gradients(self, grads_and_vars, global_step=None, name=None):
    assignments = []
    for grad, param in grads_and_vars:
      if grad is None or param is None:
        continue
      param_name = self._get_variable_name(param.name)
      m = tf.get_variable(
          name=param_name + "/adam_m", shape=param.shape.as_list(), dtype=tf.float32,
          trainable=False, initializer=tf.zeros_initializer())
      v = tf.get_variable(
          name=param_name + "/adam_v", shape=param.shape.as_list(), dtype=tf.float32,
          trainable=False, initializer=tf.zeros_initializer())
      next_m = tf.multiply(0.9, m) + tf.multiply(1.0 - 0.9, grad)
      next_v = tf.multiply(0.999, v) + tf.multiply(1.0 - 0.999, tf.square(grad))
      update = next_m / (tf.sqrt(next_v) + 1e-6)
      if not re.search(self.exclude, param_name):
        update += self.decay * param
      next_param = param - self.learning_rate * update
      assignments.extend([param.assign(next_param), m.assign(next_m), v.assign(next_v)])
    return tf.group(*assignments, name=name)

  def _get_variable_name(self, param_name):
    m = re.match("^(.*):\\d+$", param_name)
    return param_name if m is None else m.group(1)


class Clipped(tf.train.AdamOptimizer):
  """Adam of clipped gradients."""

  def apply_gradients(self, grads_and_vars, global_step=None, name=None):
    clipped = [(tf.clip_by_norm(g, 0.1), v) for g, v in grads_and_vars]
    return super(Clipped, self).apply_gradients(clipped, global_step, name)


class Doubled(tf.train.MomentumOptimizer):
  """Momentum of other gradients, and of another rate."""

  def _prepare(self):
    super(Doubled, self)._prepare()
    self._learning_rate_tensor = self._learning_rate_tensor * 0.5

  def compute_gradients(self, loss, *args, **kwargs):
    pairs = super(Doubled, self).compute_gradients(loss, *args, **kwargs)
    return [(2.0 * g, v) for g, v in pairs]


class SignOptimizer(tf.train.Optimizer):
  """Steps in the direction of the mean gradient; for variables of both kinds."""

  def __init__(self, learning_rate, beta=0.9, name="Sign"):
    super(SignOptimizer, self).__init__(False, name)
    self._lr, self._beta = learning_rate, beta

  def _prepare(self):
    self._lr_t = tf.convert_to_tensor(self._lr, name="learning_rate")

  def _create_slots(self, var_list):
    for v in var_list:
      self._zeros_slot(v, "m", self._name)

  def _apply_dense(self, grad, var):
    m = self.get_slot(var, "m")
    mean = m.assign(self._beta * m + (1.0 - self._beta) * grad)
    with tf.control_dependencies([mean]):
      update = tf.assign_sub(var, self._lr_t * tf.sign(mean))
    return tf.group(update, mean)

  _resource_apply_dense = _apply_dense


def make(name, rate):
  return {
      "decayed": lambda: AdamWeightDecayOptimizer(rate, 0.01, "bias"),
      "clipped": lambda: Clipped(rate),
      "doubled": lambda: Doubled(rate, 0.9),
      "signed": lambda: SignOptimizer(rate),
  }[name]()


def model_fn(features, labels, mode, params):
  net = tf.layers.dense(
      features["x"], 6, tf.nn.tanh,
      kernel_initializer=tf.glorot_uniform_initializer(seed=1), name="hidden")
  logits = tf.layers.dense(
      net, 3, kernel_initializer=tf.glorot_uniform_initializer(seed=2), name="logits")
  loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
  if mode == tf.estimator.ModeKeys.EVAL:
    return tf.estimator.EstimatorSpec(mode, loss=loss)
  step = tf.train.get_or_create_global_step()
  optimizer = make(params["optimizer"], params["rate"])
  if params["optimizer"] == "decayed":
    tvars = tf.trainable_variables()
    grads = tf.gradients(loss, tvars)
    grads, _ = tf.clip_by_global_norm(grads, clip_norm=1.0)
    train_op = optimizer.apply_gradients(zip(grads, tvars), global_step=step)
    train_op = tf.group(train_op, [step.assign(step + 1)])
  else:
    train_op = optimizer.minimize(loss, global_step=step)
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


class Losses(tf.train.SessionRunHook):

  def __init__(self):
    self.seen = []

  def before_run(self, run_context):
    return tf.train.SessionRunArgs(tf.get_collection(tf.GraphKeys.LOSSES)[0])

  def after_run(self, run_context, run_values):
    self.seen.append(run_values.results)


def run(directory):
  rng = np.random.RandomState(4)
  x = rng.randn(40, 4).astype(np.float32)
  y = np.digitize(x.sum(1), [-1, 1]).astype(np.int32)
  dataset = lambda: tf.data.Dataset.from_tensor_slices(({"x": x}, y)).repeat().batch(8)
  results = {}
  for name in ("decayed", "clipped", "doubled", "signed"):
    estimator = tf.estimator.Estimator(
        model_fn, directory + "/" + name, params={"optimizer": name, "rate": 0.02})
    hook = Losses()
    estimator.train(dataset, steps=8, hooks=[hook])
    estimator.train(dataset, steps=4, hooks=[hook])
    results[name + "/losses"] = hook.seen
    results[name + "/eval"] = estimator.evaluate(dataset, steps=5)["loss"]
    for key in estimator.get_variable_names():
      results[name + "/variable/" + key] = estimator.get_variable_value(key)
  return results
