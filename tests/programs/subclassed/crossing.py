"""DeepFM with layers in a loop, dropout by the mode, and weights by number."""

import numpy as np
import tensorflow as tf


def uniform(seed):
  return tf.random_uniform_initializer(-0.5, 0.5, seed=seed)


def model_fn(features, labels, mode, params):
  """Build model function f(x) for Estimator."""
  # ------hyperparameters----
  field_size = params["field_size"]
  embedding_size = params["embedding_size"]
  l2_reg = params["l2_reg"]
  layers = list(map(int, params["deep_layers"].split(",")))
  dropout = list(map(float, params["dropout"].split(",")))

  # ------build weights------
  FM_B = tf.get_variable(
      name="fm_bias", shape=[1], initializer=tf.constant_initializer(0.0))
  FM_V = tf.get_variable(
      name="fm_v", shape=[params["feature_size"], embedding_size],
      initializer=uniform(2))

  # ------build feature------
  feat_ids = tf.reshape(features["feat_ids"], shape=[-1, field_size])

  # ------build f(x)------
  embeddings = tf.nn.embedding_lookup(FM_V, feat_ids)
  with tf.variable_scope("Deep-part"):
    deep_inputs = tf.reshape(embeddings, shape=[-1, field_size * embedding_size])
    for i in range(len(layers)):
      deep_inputs = tf.contrib.layers.fully_connected(
          inputs=deep_inputs, num_outputs=layers[i], weights_initializer=uniform(i + 3),
          weights_regularizer=tf.contrib.layers.l2_regularizer(l2_reg), scope="mlp%d" % i)
      if mode == tf.estimator.ModeKeys.TRAIN:
        # Dropout after all layers: 0.8 keeps four of five.
        deep_inputs = tf.nn.dropout(deep_inputs, keep_prob=dropout[i], seed=i)
    y_deep = tf.contrib.layers.fully_connected(
        inputs=deep_inputs, num_outputs=1, activation_fn=tf.identity,
        weights_initializer=uniform(6), scope="deep_out")
    y_d = tf.reshape(y_deep, shape=[-1])

  with tf.variable_scope("Cross-part"):
    cross = tf.reduce_sum(embeddings, 1)
    start = cross
    for i in range(params["cross_layers"]):
      cross_w = tf.get_variable("w_%d" % i, [embedding_size, 1], initializer=uniform(8))
      cross_b = tf.get_variable(
          "b_%d" % i, [embedding_size], initializer=tf.zeros_initializer())
      cross = start * tf.matmul(cross, cross_w) + cross_b + cross

  # Every pair of fields.
  products = []
  for i in range(field_size):
    for j in range(i + 1, field_size):
      products.append(tf.multiply(embeddings[:, i, :], embeddings[:, j, :]))
  pairs = tf.transpose(tf.stack(products), perm=[1, 0, 2])

  y = FM_B * tf.ones_like(y_d) + y_d + tf.reduce_sum(cross, 1)
  y += tf.reduce_sum(pairs, [1, 2])
  pred = tf.sigmoid(y)
  predictions = {"prob": pred}
  export_outputs = {
      tf.saved_model.signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY:
          tf.estimator.export.PredictOutput(predictions)}
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(
        mode=mode, predictions=predictions, export_outputs=export_outputs)

  # ------build loss------
  loss = tf.reduce_mean(
      tf.nn.sigmoid_cross_entropy_with_logits(logits=y, labels=labels)) + \
      l2_reg * tf.nn.l2_loss(FM_V)
  eval_metric_ops = {"auc": tf.metrics.auc(labels, pred)}
  if mode == tf.estimator.ModeKeys.EVAL:
    return tf.estimator.EstimatorSpec(
        mode=mode, predictions=predictions, loss=loss,
        eval_metric_ops=eval_metric_ops)

  # ------build optimizer------
  if params["optimizer"] == "Adam":
    optimizer = tf.train.AdamOptimizer(learning_rate=params["rate"], epsilon=1e-8)
  elif params["optimizer"] == "Adagrad":
    optimizer = tf.train.AdagradOptimizer(
        learning_rate=params["rate"], initial_accumulator_value=1e-8)
  train_op = optimizer.minimize(loss, global_step=tf.train.get_global_step())
  if mode == tf.estimator.ModeKeys.TRAIN:
    return tf.estimator.EstimatorSpec(
        mode=mode, predictions=predictions, loss=loss, train_op=train_op)


def input_fn(seed, epochs):
  rng = np.random.RandomState(seed)
  ids = rng.randint(20, size=[64, 4]).astype(np.int64)
  label = ((ids % 3 == 0).sum(1) > 1).astype(np.float32)
  dataset = tf.data.Dataset.from_tensor_slices(({"feat_ids": ids}, label))
  iterator = dataset.repeat(epochs).batch(16).make_one_shot_iterator()
  return iterator.get_next()


def run(directory):
  results = {}
  params = {
      "field_size": 4, "feature_size": 20, "embedding_size": 3, "l2_reg": 0.01,
      "deep_layers": "6,5", "dropout": "0.8,0.9", "cross_layers": 2, "rate": 0.05}
  for kind in ("Adam", "Adagrad"):
    estimator = tf.estimator.Estimator(
        model_fn, model_dir=directory + kind, params=dict(params, optimizer=kind))
    estimator.train(lambda: input_fn(1, 3))
    found = dict(estimator.evaluate(lambda: input_fn(2, 1)))
    found["prob"] = [p["prob"] for p in estimator.predict(lambda: input_fn(2, 1))]
    for name in estimator.get_variable_names():
      found["variable/" + name] = estimator.get_variable_value(name)
    results.update({kind + "/" + name: value for name, value in found.items()})
  return results
