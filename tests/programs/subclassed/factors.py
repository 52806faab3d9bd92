"""A factorization machine with a deep part: variables of its own, penalties in the loss."""

import re

import numpy as np
import tensorflow as tf


def uniform(seed):
  return tf.random_uniform_initializer(-0.5, 0.5, seed=seed)


def model_fn(features, labels, mode, params):
  """DeepFM: factors of pairs, and a network above the embeddings."""
  field_size = params["field_size"]
  feature_size = params["feature_size"]
  embedding_size = params["embedding_size"]
  l2_reg = params["l2_reg"]

  # Build weights.
  FM_B = tf.get_variable(
      name="fm_bias", shape=[1], initializer=tf.constant_initializer(0.0))
  FM_W = tf.get_variable(
      name="fm_w", shape=[feature_size], initializer=uniform(1))
  FM_V = tf.get_variable(
      name="fm_v", shape=[feature_size, embedding_size], initializer=uniform(2))

  # Build features.
  feat_ids = tf.reshape(features["feat_ids"], shape=[-1, field_size])
  feat_vals = tf.reshape(features["feat_vals"], shape=[-1, field_size])

  with tf.variable_scope("First-order"):
    feat_wgts = tf.nn.embedding_lookup(FM_W, feat_ids)  # None * F
    y_w = tf.reduce_sum(tf.multiply(feat_wgts, feat_vals), 1)

  with tf.variable_scope("Second-order"):
    embeddings = tf.nn.embedding_lookup(FM_V, feat_ids)  # None * F * K
    feat_vals = tf.reshape(feat_vals, shape=[-1, field_size, 1])
    embeddings = tf.multiply(embeddings, feat_vals)  # vij * xi
    sum_square = tf.square(tf.reduce_sum(embeddings, 1))
    square_sum = tf.reduce_sum(tf.square(embeddings), 1)
    y_v = 0.5 * tf.reduce_sum(tf.subtract(sum_square, square_sum), 1)

  with tf.variable_scope("Deep-part"):
    deep = tf.reshape(embeddings, shape=[-1, field_size * embedding_size])
    hidden_w = tf.get_variable(
        "hidden/w", [field_size * embedding_size, 6], initializer=uniform(3),
        regularizer=tf.contrib.layers.l2_regularizer(0.01))
    deep = tf.nn.relu(tf.matmul(deep, hidden_w))
    if mode == tf.estimator.ModeKeys.TRAIN:
      # Seen in training only.
      deep = tf.nn.dropout(deep, keep_prob=params["keep"], seed=5)
    deep = tf.layers.dense(deep, 1, kernel_initializer=uniform(4), name="out")
    y_d = tf.reshape(deep, shape=[-1])

  with tf.variable_scope("DeepFM-out"):
    y_bias = FM_B * tf.ones_like(y_d, dtype=tf.float32)
    y = y_bias + y_w + y_v + y_d
    pred = tf.sigmoid(y)

  predictions = {"prob": pred}
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode=mode, predictions=predictions)

  loss = tf.reduce_mean(
      tf.nn.sigmoid_cross_entropy_with_logits(logits=y, labels=labels)) + \
      l2_reg * tf.nn.l2_loss(FM_W) + l2_reg * tf.nn.l2_loss(FM_V)
  loss += tf.losses.get_regularization_loss()

  eval_metric_ops = {"auc": tf.metrics.auc(labels, pred)}
  if mode == tf.estimator.ModeKeys.EVAL:
    return tf.estimator.EstimatorSpec(
        mode=mode,
        predictions=predictions,
        loss=loss,
        eval_metric_ops=eval_metric_ops)

  optimizer = tf.train.AdagradOptimizer(
      learning_rate=params["learning_rate"], initial_accumulator_value=1e-8)
  train_op = optimizer.minimize(loss, global_step=tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(
      mode=mode, predictions=predictions, loss=loss, train_op=train_op)


def input_fn(seed, epochs):
  rng = np.random.RandomState(seed)
  ids = rng.randint(20, size=[64, 4]).astype(np.int64)
  values = rng.rand(64, 4).astype(np.float32)
  label = ((ids % 3 == 0).sum(1) > 1).astype(np.float32)
  features = {"feat_ids": ids, "feat_vals": values}
  return tf.data.Dataset.from_tensor_slices((features, label)).repeat(epochs).batch(16)


def inputs(path):
  """What the exported signature takes: key and tensor."""
  with open(path + "/saved_model.pbtxt") as file:
    text = file.read().partition("signature_def")[2]
  return re.findall(r'inputs \{\s+key: "(\w+)"\s+value \{\s+name: "(\S+)"', text)


def run(directory):
  params = {
      "field_size": 4, "feature_size": 20, "embedding_size": 3, "l2_reg": 0.001,
      "keep": 0.8, "learning_rate": 0.05}
  estimator = tf.estimator.Estimator(model_fn, model_dir=directory, params=params)
  estimator.train(lambda: input_fn(1, 3))
  results = dict(estimator.evaluate(lambda: input_fn(2, 1)))
  results["prob"] = [p["prob"] for p in estimator.predict(lambda: input_fn(2, 1))]
  for name in estimator.get_variable_names():
    results["variable/" + name] = estimator.get_variable_value(name)
  feature_spec = {
      "feat_ids": tf.placeholder(dtype=tf.int64, shape=[None, 4], name="ids"),
      "feat_vals": tf.placeholder(dtype=tf.float32, shape=[None, 4], name="values")}
  receiver = tf.estimator.export.build_raw_serving_input_receiver_fn(feature_spec)
  path = estimator.export_savedmodel(directory + "/export", receiver, as_text=True)
  results["inputs"] = sorted(inputs(path.decode()))
  return results
