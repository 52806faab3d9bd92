"""A residual network: a Model class, L2 of chosen variables, warm-up, scaled losses, training in cycles."""

import numpy as np
import tensorflow as tf

_BATCH_NORM_DECAY = 0.9
_BATCH_NORM_EPSILON = 1e-5


def batch_norm(inputs, training, data_format):
  return tf.layers.batch_normalization(
    inputs=inputs,
    axis=1 if data_format == "channels_first" else 3,
    momentum=_BATCH_NORM_DECAY,
    epsilon=_BATCH_NORM_EPSILON,
    center=True,
    scale=True,
    training=training,
    fused=True,
  )


def fixed_padding(inputs, kernel_size, data_format):
  pad_total = kernel_size - 1
  pad_beg = pad_total // 2
  pad_end = pad_total - pad_beg
  return tf.pad(inputs, [[0, 0], [pad_beg, pad_end], [pad_beg, pad_end], [0, 0]])


def conv2d_fixed_padding(inputs, filters, kernel_size, strides, data_format):
  if strides > 1:
    inputs = fixed_padding(inputs, kernel_size, data_format)
  return tf.layers.conv2d(
    inputs=inputs,
    filters=filters,
    kernel_size=kernel_size,
    strides=strides,
    padding=("SAME" if strides == 1 else "VALID"),
    use_bias=False,
    kernel_initializer=tf.variance_scaling_initializer(seed=filters),
    data_format=data_format,
  )


class Model(object):
  def __init__(self, num_classes, filters=4, data_format=None, dtype=tf.float32):
    self.num_classes = num_classes
    self.filters = filters
    self.data_format = data_format or (
      "channels_first"
      if tf.test.is_built_with_cuda() and False
      else "channels_last"
    )
    self.dtype = dtype

  def _custom_dtype_getter(
    self, getter, name, shape=None, dtype=None, *args, **kwargs
  ):
    return getter(name, shape, dtype, *args, **kwargs)

  def _model_variable_scope(self):
    return tf.variable_scope(
      "resnet_model", custom_getter=self._custom_dtype_getter
    )

  def __call__(self, inputs, training):
    with self._model_variable_scope():
      inputs = conv2d_fixed_padding(inputs, self.filters, 3, 1, self.data_format)
      inputs = tf.identity(inputs, "initial_conv")
      for i in range(2):
        shortcut = inputs
        inputs = batch_norm(inputs, training, self.data_format)
        inputs = tf.nn.relu(inputs)
        if i == 1:
          shortcut = conv2d_fixed_padding(
            inputs, self.filters * 2, 1, 2, self.data_format
          )
        inputs = conv2d_fixed_padding(
          inputs, self.filters * (i + 1), 3, i + 1, self.data_format
        )
        inputs += shortcut
      inputs = batch_norm(inputs, training, self.data_format)
      inputs = tf.nn.relu(inputs)
      inputs = tf.reduce_mean(inputs, [1, 2], keepdims=True)
      inputs = tf.identity(inputs, "final_reduce_mean")
      inputs = tf.squeeze(inputs, [1, 2])
      inputs = tf.layers.dense(
        inputs=inputs,
        units=self.num_classes,
        kernel_initializer=tf.random_normal_initializer(stddev=0.1, seed=1),
      )
      return tf.identity(inputs, "final_dense")


def learning_rate_with_decay(
  batch_size, batch_denom, num_images, boundary_epochs, decay_rates, warmup=True
):
  initial_learning_rate = 0.1 * batch_size / batch_denom
  batches_per_epoch = num_images / batch_size
  boundaries = [int(batches_per_epoch * epoch) for epoch in boundary_epochs]
  vals = [initial_learning_rate * decay for decay in decay_rates]

  def learning_rate_fn(global_step):
    lr = tf.train.piecewise_constant(global_step, boundaries, vals)
    if warmup:
      warmup_steps = int(batches_per_epoch * 1)
      warmup_lr = (
        initial_learning_rate
        * tf.cast(global_step, tf.float32)
        / tf.cast(warmup_steps, tf.float32)
      )
      return tf.cond(global_step < warmup_steps, lambda: warmup_lr, lambda: lr)
    return lr

  return learning_rate_fn


def resnet_model_fn(
  features,
  labels,
  mode,
  model_class,
  weight_decay,
  learning_rate_fn,
  momentum,
  loss_scale,
  loss_filter_fn=None,
):
  tf.summary.image("images", features, max_outputs=2)
  model = model_class(4)
  logits = model(features, mode == tf.estimator.ModeKeys.TRAIN)
  logits = tf.cast(logits, tf.float32)
  predictions = {
    "classes": tf.argmax(logits, axis=1),
    "probabilities": tf.nn.softmax(logits, name="softmax_tensor"),
  }
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(
      mode=mode,
      predictions=predictions,
      export_outputs={"predict": tf.estimator.export.PredictOutput(predictions)},
    )
  cross_entropy = tf.losses.sparse_softmax_cross_entropy(
    logits=logits, labels=labels
  )
  tf.identity(cross_entropy, name="cross_entropy")
  tf.summary.scalar("cross_entropy", cross_entropy)

  def exclude_batch_norm(name):
    return "batch_normalization" not in name

  loss_filter_fn = loss_filter_fn or exclude_batch_norm
  l2_loss = weight_decay * tf.add_n(
    [
      tf.nn.l2_loss(tf.cast(v, tf.float32))
      for v in tf.trainable_variables()
      if loss_filter_fn(v.name)
    ]
  )
  tf.summary.scalar("l2_loss", l2_loss)
  loss = cross_entropy + l2_loss

  if mode == tf.estimator.ModeKeys.TRAIN:
    global_step = tf.train.get_or_create_global_step()
    learning_rate = learning_rate_fn(global_step)
    tf.identity(learning_rate, name="learning_rate")
    tf.summary.scalar("learning_rate", learning_rate)
    optimizer = tf.train.MomentumOptimizer(
      learning_rate=learning_rate, momentum=momentum
    )

    def _dense_grad_filter(gvs):
      return [(g, v) for g, v in gvs if "dense" in v.name]

    if loss_scale != 1:
      scaled_grad_vars = optimizer.compute_gradients(loss * loss_scale)
      unscaled_grad_vars = [
        (grad / loss_scale, var) for grad, var in scaled_grad_vars
      ]
      minimize_op = optimizer.apply_gradients(unscaled_grad_vars, global_step)
    else:
      grad_vars = optimizer.compute_gradients(loss)
      minimize_op = optimizer.apply_gradients(grad_vars, global_step)
    update_ops = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
    train_op = tf.group(minimize_op, update_ops)
  else:
    train_op = None

  accuracy = tf.metrics.accuracy(labels, predictions["classes"])
  accuracy_top_5 = tf.metrics.mean(
    tf.nn.in_top_k(predictions=logits, targets=labels, k=2, name="top_5_op")
  )
  metrics = {"accuracy": accuracy, "accuracy_top_5": accuracy_top_5}
  tf.identity(accuracy[1], name="train_accuracy")
  tf.identity(accuracy_top_5[1], name="train_accuracy_top_5")
  tf.summary.scalar("train_accuracy", accuracy[1])
  return tf.estimator.EstimatorSpec(
    mode=mode,
    predictions=predictions,
    loss=loss,
    train_op=train_op,
    eval_metric_ops=metrics,
  )


def cifar_model_fn(features, labels, mode, params):
  features = tf.reshape(features, [-1, 8, 8, 3])
  learning_rate_fn = learning_rate_with_decay(8, 8, 40, [2, 3], [1, 0.1, 0.01])
  return resnet_model_fn(
    features=features,
    labels=labels,
    mode=mode,
    model_class=Model,
    weight_decay=2e-4,
    learning_rate_fn=learning_rate_fn,
    momentum=0.9,
    loss_scale=params["loss_scale"],
  )


def input_fn(is_training, num_epochs=1):
  rng = np.random.RandomState(int(is_training))
  x = rng.randn(40, 8, 8, 3).astype(np.float32)
  y = rng.randint(0, 4, 40).astype(np.int32)
  x[:, 0, 0, 0] += y
  dataset = tf.data.Dataset.from_tensor_slices((x, y)).repeat(num_epochs)
  dataset = dataset.apply(
    tf.contrib.data.map_and_batch(
      lambda image, label: (tf.image.per_image_standardization(image), label),
      batch_size=8,
      num_parallel_batches=1,
      drop_remainder=False,
    )
  )
  return dataset.prefetch(buffer_size=tf.contrib.data.AUTOTUNE)


def run(directory):
  session_config = tf.ConfigProto(
    inter_op_parallelism_threads=2, allow_soft_placement=True
  )
  run_config = tf.estimator.RunConfig(
    session_config=session_config, save_checkpoints_secs=60 * 60 * 24
  )
  classifier = tf.estimator.Estimator(
    model_fn=cifar_model_fn,
    model_dir=directory,
    config=run_config,
    params={"loss_scale": 4, "batch_size": 8},
  )
  tensors_to_log = dict(
    (x, x) for x in ["learning_rate", "cross_entropy", "train_accuracy"]
  )
  r = {}
  for cycle in range(2):
    hooks = [tf.train.LoggingTensorHook(tensors=tensors_to_log, every_n_iter=2)]
    classifier.train(input_fn=lambda: input_fn(True, 2), hooks=hooks, max_steps=100)
    eval_results = classifier.evaluate(input_fn=lambda: input_fn(False), steps=3)
    for k, v in eval_results.items():
      r["%d/%s" % (cycle, k)] = v
  for n in classifier.get_variable_names():
    r["v/" + n] = classifier.get_variable_value(n)
  return r
