"""A model_fn that is given the class of its network, with a getter of its own for variables."""

import numpy as np
import tensorflow as tf

HALVES = (tf.float16,)
seen = []


class Network(object):
  """Blocks of convolutions that are added to what they get."""

  def __init__(self, sizes, block_fn, dtype=tf.float32):
    self.sizes, self.block_fn, self.dtype = sizes, block_fn, dtype

  def _dtype_getter(self, getter, name, shape=None, dtype=tf.float32, *args, **kwargs):
    """Variables are float32, whatever the network computes in."""
    if dtype in HALVES:
      variable = getter(name, shape, tf.float32, *args, **kwargs)
      return tf.cast(variable, dtype=dtype, name=name + "_cast")
    return getter(name, shape, dtype, *args, **kwargs)

  def _scope(self):
    return tf.variable_scope("network", custom_getter=self._dtype_getter)

  def __call__(self, inputs, training):
    with self._scope():
      inputs = tf.identity(conv(inputs, 4, 1), "initial_conv")
      for i, size in enumerate(self.sizes):
        inputs = block_layer(
            inputs, size, self.block_fn, 1 + i, training, "block_layer%d" % (i + 1))
      inputs = tf.reduce_mean(inputs, [1, 2])
      inputs = tf.layers.dense(
          inputs, 3, kernel_initializer=tf.glorot_uniform_initializer(seed=3))
      return tf.identity(inputs, "final_dense")


def conv(inputs, filters, strides):
  return tf.layers.conv2d(
      inputs, filters, 3, strides, padding="SAME", use_bias=False,
      kernel_initializer=tf.variance_scaling_initializer(seed=filters + strides))


def batch_norm(inputs, training):
  return tf.layers.batch_normalization(inputs, momentum=0.8, training=training, fused=True)


def block(inputs, filters, training, projection, strides):
  shortcut = inputs
  inputs = tf.nn.relu(batch_norm(inputs, training))
  if projection is not None:
    shortcut = projection(inputs)
  return shortcut + conv(inputs, filters, strides)


def block_layer(inputs, filters, block_fn, strides, training, name):

  def projection(inputs):
    return conv(inputs, filters, strides)

  inputs = block_fn(inputs, filters, training, projection, strides)
  inputs = block_fn(inputs, filters, training, None, 1)
  return tf.identity(inputs, name)


class SmallNetwork(Network):
  """What fits images of digits."""

  def __init__(self, size, dtype=tf.float32):
    if size % 2:
      raise ValueError("size must be even: %d" % size)
    super(SmallNetwork, self).__init__(
        sizes=[size, 2 * size], block_fn=block, dtype=dtype)


def rate_with_decay(rate, boundaries):
  rates = [rate, 0.1 * rate, 0.01 * rate]

  def rate_fn(global_step):
    return tf.train.piecewise_constant(tf.cast(global_step, tf.int32), boundaries, rates)

  return rate_fn


def shared_model_fn(
    features, labels, mode, model_class, size, weight_decay, rate_fn, loss_scale,
    loss_filter_fn=None, dtype=tf.float32):
  tf.summary.image("images", features, max_outputs=2)
  features = tf.cast(features, dtype)
  model = model_class(size, dtype=dtype)
  logits = tf.cast(model(features, mode == tf.estimator.ModeKeys.TRAIN), tf.float32)
  predictions = {
      "classes": tf.argmax(logits, axis=1),
      "probabilities": tf.nn.softmax(logits, name="softmax_tensor"),
  }
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(
        mode=mode, predictions=predictions, export_outputs={
            "predict": tf.estimator.export.PredictOutput(predictions)})

  cross_entropy = tf.losses.sparse_softmax_cross_entropy(logits=logits, labels=labels)
  tf.identity(cross_entropy, name="cross_entropy")

  def exclude_batch_norm(name):
    return "batch_normalization" not in name
  loss_filter_fn = loss_filter_fn or exclude_batch_norm
  l2_loss = weight_decay * tf.add_n(
      [tf.nn.l2_loss(tf.cast(v, tf.float32)) for v in tf.trainable_variables()
       if loss_filter_fn(v.name)])
  tf.summary.scalar("l2_loss", l2_loss)
  loss = cross_entropy + l2_loss

  if mode == tf.estimator.ModeKeys.TRAIN:
    global_step = tf.train.get_or_create_global_step()
    rate = rate_fn(global_step)
    tf.identity(rate, name="learning_rate")
    tf.summary.scalar("learning_rate", rate)
    optimizer = tf.train.MomentumOptimizer(learning_rate=rate, momentum=0.9)
    if loss_scale != 1:
      scaled = optimizer.compute_gradients(loss * loss_scale)
      unscaled = [(grad / loss_scale, var) for grad, var in scaled]
      minimize_op = optimizer.apply_gradients(unscaled, global_step)
    else:
      minimize_op = optimizer.minimize(loss, global_step)
    update_ops = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
    train_op = tf.group(minimize_op, update_ops)
  else:
    train_op = None

  accuracy = tf.metrics.accuracy(labels, predictions["classes"])
  tf.identity(accuracy[1], name="train_accuracy")
  return tf.estimator.EstimatorSpec(
      mode=mode, predictions=predictions, loss=loss, train_op=train_op,
      eval_metric_ops={"accuracy": accuracy})


def digits_model_fn(features, labels, mode, params):
  features = tf.reshape(features, [-1, 6, 6, 1])
  return shared_model_fn(
      features=features, labels=labels, mode=mode, model_class=SmallNetwork,
      size=params["size"], weight_decay=1e-3,
      rate_fn=rate_with_decay(0.1, [4, 8]), loss_scale=params["loss_scale"],
      loss_filter_fn=lambda _: True, dtype=params["dtype"])


class LoggingMetricHook(tf.train.LoggingTensorHook):
  """Gives what it logs to somebody else, with the step."""

  def __init__(self, tensors, log, every_n_iter=None, at_end=False):
    super(LoggingMetricHook, self).__init__(
        tensors=tensors, every_n_iter=every_n_iter, at_end=at_end)
    self._log = log

  def begin(self):
    super(LoggingMetricHook, self).begin()
    self._step_tensor = tf.train.get_global_step()
    if self._step_tensor.name not in self._current_tensors:
      self._current_tensors[self._step_tensor.name] = self._step_tensor

  def after_run(self, unused_run_context, run_values):
    if self._should_trigger:
      self._log_metric(run_values.results)
    self._iter_count += 1

  def end(self, session):
    if self._log_at_end:
      values = session.run(self._current_tensors)
      self._log_metric(values)

  def _log_metric(self, values):
    self._timer.update_last_triggered_step(self._iter_count)
    step = values[self._step_tensor.name]
    for tag in self._tag_order:
      self._log.append((step, values[tag]))


def get_distribution_strategy(num_gpus, all_reduce_alg=None):
  if num_gpus == 0:
    return tf.distribute.OneDeviceStrategy("device:CPU:0")
  if all_reduce_alg:
    return tf.contrib.distribute.MirroredStrategy(
        num_gpus=num_gpus,
        cross_device_ops=tf.contrib.distribute.AllReduceCrossDeviceOps(
            all_reduce_alg, num_packs=2))
  return tf.contrib.distribute.MirroredStrategy(num_gpus=num_gpus)


def run(directory):
  rng = np.random.RandomState(8)
  x = rng.rand(48, 36).astype(np.float32)
  y = np.digitize(x[:, :18].sum(1) - x[:, 18:].sum(1), [-1, 1]).astype(np.int32)
  dataset = lambda: tf.data.Dataset.from_tensor_slices((x, y)).repeat(2).batch(8)
  config = tf.estimator.RunConfig(train_distribute=get_distribution_strategy(0))
  results = {}
  for name, scale in (("plain", 1), ("scaled", 128)):
    estimator = tf.estimator.Estimator(
        digits_model_fn, directory + "/" + name, config,
        params={"size": 2, "loss_scale": scale, "dtype": tf.float32})
    log = []
    names = ["learning_rate", "cross_entropy"]
    hook = LoggingMetricHook(names, log, every_n_iter=1)
    for _ in range(2):
      estimator.train(dataset, hooks=[hook], steps=6)
      for key, value in estimator.evaluate(dataset, steps=4).items():
        results.setdefault(name + "/eval/" + key, []).append(value)
    results[name + "/steps"] = [step for step, _ in log]
    results[name + "/logged"] = [value for _, value in log]
    for key in estimator.get_variable_names():
      results[name + "/variable/" + key] = estimator.get_variable_value(key)
  return results
