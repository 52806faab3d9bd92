"""A builder of model_fns, as public code has it: one EstimatorSpec for all modes, contrib.layers, metrics."""

import functools
import numpy as np
import tensorflow as tf

slots = []


def model_fn_builder(hidden, use_dropout, rate):
  """A builder, as public code has it."""

  def model_fn(features, labels, mode, params):
    is_training = mode == tf.estimator.ModeKeys.TRAIN
    x = features["x"]
    for i, size in enumerate(hidden):
      x = tf.contrib.layers.fully_connected(
        x,
        size,
        activation_fn=tf.nn.tanh,
        weights_initializer=tf.random_uniform_initializer(-0.4, 0.4, seed=i),
        weights_regularizer=tf.contrib.layers.l2_regularizer(0.01),
        scope="fc%d" % i,
      )
    x = tf.nn.dropout(x, keep_prob=0.999999 if is_training and use_dropout else 1.0)
    logits = tf.contrib.layers.fully_connected(
      x,
      params["classes"],
      activation_fn=None,
      weights_initializer=tf.random_uniform_initializer(-0.4, 0.4, seed=9),
      scope="logits",
    )
    predictions = {
      "classes": tf.argmax(logits, 1),
      "probabilities": tf.nn.softmax(logits),
    }
    loss, train_op, metrics = None, None, {}
    if mode != tf.estimator.ModeKeys.PREDICT:
      onehot = tf.one_hot(labels, params["classes"])
      loss = tf.losses.softmax_cross_entropy(onehot, logits, label_smoothing=0.1)
      loss = loss + tf.add_n(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES))
    if is_training:
      step = tf.train.get_or_create_global_step()
      lr = tf.train.cosine_decay(rate, step, 20)
      opt = tf.train.AdamOptimizer(lr)
      grads, variables = zip(*opt.compute_gradients(loss, tf.trainable_variables()))
      grads, _ = tf.clip_by_global_norm(grads, 1.0)
      train_op = opt.apply_gradients(zip(grads, variables), global_step=step)
      tf.summary.scalar("lr", lr)
    elif mode == tf.estimator.ModeKeys.EVAL:
      metrics = {
        "accuracy": tf.metrics.accuracy(labels, predictions["classes"]),
        "per_class": tf.metrics.mean_per_class_accuracy(
          labels, predictions["classes"], params["classes"]
        ),
        "iou": tf.metrics.mean_iou(
          labels, predictions["classes"], params["classes"]
        ),
        "below": tf.metrics.percentage_below(
          tf.reduce_max(predictions["probabilities"], 1), 0.5
        ),
        "at2": tf.metrics.recall_at_k(tf.to_int64(labels), logits, 2),
        "precision2": tf.metrics.precision_at_k(tf.to_int64(labels), logits, 2),
        "rel": tf.metrics.mean_relative_error(
          tf.to_float(labels) + 1.0,
          tf.to_float(predictions["classes"]) + 1.0,
          tf.to_float(labels) + 1.0,
        ),
        "sens": tf.metrics.sensitivity_at_specificity(
          tf.equal(labels, 1), predictions["probabilities"][:, 1], 0.5
        ),
      }
    return tf.estimator.EstimatorSpec(
      mode,
      predictions,
      loss,
      train_op,
      metrics,
      {"serving_default": tf.estimator.export.PredictOutput(predictions)},
    )

  return model_fn


def input_fn(params, seed=0, epochs=1):
  rng = np.random.RandomState(seed)
  x = rng.randn(60, 5).astype(np.float32)
  y = np.digitize(x[:, 0] + x[:, 1], [-0.5, 0.5]).astype(np.int32)
  ds = (
    tf.data.Dataset.from_tensor_slices(({"x": x}, y))
    .repeat(epochs)
    .batch(params["batch"])
  )
  return ds.prefetch(1)


def run(directory):
  params = tf.contrib.training.HParams(classes=3, batch=10)
  config = tf.estimator.RunConfig(model_dir=directory, tf_random_seed=3)
  est = tf.estimator.Estimator(
    model_fn=model_fn_builder([7, 4], use_dropout=False, rate=0.05),
    config=config,
    params=params.values(),
  )
  est.train(functools.partial(input_fn, epochs=4))
  r = {
    k: v
    for k, v in est.evaluate(functools.partial(input_fn, seed=1), name="x").items()
  }
  r["p"] = [
    p["probabilities"] for p in est.predict(functools.partial(input_fn, seed=2))
  ]
  r["names"] = sorted(est.get_variable_names())
  for n in est.get_variable_names():
    r["v/" + n] = est.get_variable_value(n)
  return r
