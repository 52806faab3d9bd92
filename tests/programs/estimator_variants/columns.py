"""Feature columns in a model_fn: linear_model, shared embeddings, csv lines."""

import numpy as np
import tensorflow as tf

fc = tf.feature_column


def model_fn(features, labels, mode, params):
  seen = fc.categorical_column_with_identity("seen", 20)
  bought = fc.categorical_column_with_identity("bought", 20, default_value=0)
  shared = fc.shared_embedding_columns(
      [seen, bought], 3, initializer=tf.random_uniform_initializer(-0.5, 0.5, seed=1))
  price = fc.numeric_column("price", default_value=0.0)
  net = fc.input_layer(features, shared + [price])
  deep = tf.layers.dense(
      net, 1, kernel_initializer=tf.random_uniform_initializer(-0.5, 0.5, seed=2))
  wide = fc.linear_model(features, [seen, bought, fc.bucketized_column(price, [0.5])])
  logits = deep + wide
  loss = tf.losses.sigmoid_cross_entropy(labels, logits)
  loss += params["l2"] * tf.add_n(
      [tf.nn.l2_loss(v) for v in tf.trainable_variables("input_layer")])
  train_op = tf.train.FtrlOptimizer(0.2, l1_regularization_strength=0.001).minimize(
      loss, tf.train.get_global_step())
  auc = tf.metrics.auc(labels, tf.sigmoid(logits))
  return tf.estimator.EstimatorSpec(
      mode, loss=loss, train_op=train_op, eval_metric_ops={"auc": auc})


def run(directory):
  rng = np.random.RandomState(10)
  count = 90
  lines = []
  for _ in range(count):
    lines.append("%d,%s,%s,%s" % (
        rng.randint(20), rng.choice(["book", "film", "song", "game", "play"]),
        "%.3f" % rng.rand() if rng.rand() < .8 else "", rng.choice(["no", "yes"])))

  def parse(line):
    seen, bought, price, label = tf.decode_csv(line, [[0], ["book"], [0.25], ["no"]])
    return {"seen": seen, "bought": bought, "price": price}, tf.expand_dims(label, 0)

  def input_fn(epochs=1):
    dataset = tf.data.Dataset.from_tensor_slices(lines).map(parse, 2)
    iterator = dataset.repeat(epochs).batch(15).make_one_shot_iterator()
    features, label = iterator.get_next()
    goods = tf.contrib.lookup.index_table_from_tensor(
        ["film", "book"], num_oov_buckets=17)
    features["bought"] = goods.lookup(features["bought"])
    answers = tf.contrib.lookup.index_table_from_tensor(tf.constant(["no", "yes"]))
    return features, tf.to_float(answers.lookup(label))

  estimator = tf.estimator.Estimator(model_fn, directory, params={"l2": 0.01})
  estimator.train(lambda: input_fn(5))
  results = {"eval/" + k: v for k, v in estimator.evaluate(input_fn).items()}
  for name in estimator.get_variable_names():
    results["variable/" + name] = estimator.get_variable_value(name)
  return results
