"""A small transformer whose functions make their variables by themselves."""

import numpy as np
import tensorflow as tf


def shape_list(x):
  """Deal with dynamic shape in tensorflow cleanly."""
  static = x.shape.as_list()
  dynamic = tf.shape(x)
  return [dynamic[i] if s is None else s for i, s in enumerate(static)]


def norm(x, scope, *, axis=-1, epsilon=1e-5):
  """Normalize to mean = 0, std = 1, then do a diagonal affine transform."""
  with tf.variable_scope(scope):
    n_state = x.shape[-1].value
    g = tf.get_variable("g", [n_state], initializer=tf.constant_initializer(1))
    b = tf.get_variable("b", [n_state], initializer=tf.constant_initializer(0))
    u = tf.reduce_mean(x, axis=axis, keepdims=True)
    s = tf.reduce_mean(tf.square(x - u), axis=axis, keepdims=True)
    x = (x - u) * tf.rsqrt(s + epsilon)
    x = x * g + b
    return x


def dense(x, scope, nf, seed):
  with tf.variable_scope(scope):
    nx = x.shape.as_list()[-1]
    w = tf.get_variable(
        "w", [nx, nf],
        initializer=tf.random_normal_initializer(stddev=0.3, seed=seed))
    b = tf.get_variable("b", [nf], initializer=tf.constant_initializer(0))
    c = tf.matmul(tf.reshape(x, [-1, nx]), w) + b
    return tf.reshape(c, shape_list(x)[:-1] + [nf])


def split_heads(x, n_head):
  batch, length, size = shape_list(x)
  x = tf.reshape(x, [batch, length, n_head, size // n_head])
  return tf.transpose(x, [0, 2, 1, 3])


def attention(x, scope, n_state, n_head):
  with tf.variable_scope(scope):
    # Queries, keys and values are made by one product.
    c = dense(x, "c_attn", n_state * 3, seed=11)
    q, k, v = tf.split(c, 3, axis=2)
    q, k, v = (split_heads(part, n_head) for part in (q, k, v))
    w = tf.matmul(q, k, transpose_b=True) * (n_state // n_head) ** -0.5
    a = tf.matmul(tf.nn.softmax(w), v)
    a = tf.transpose(a, [0, 2, 1, 3])
    batch, length, heads, size = shape_list(a)
    a = tf.reshape(a, [batch, length, heads * size])
    return dense(a, "c_proj", n_state, seed=12)


def block(x, scope, n_head):
  with tf.variable_scope(scope):
    nx = x.shape[-1].value
    a = attention(norm(x, "ln_1"), "attn", nx, n_head)
    x = x + a
    h = tf.nn.relu(dense(norm(x, "ln_2"), "fc", nx * 2, seed=13))
    return x + dense(h, "proj", nx, seed=14)


def model_fn(features, labels, mode, params):
  tokens = features["tokens"]
  with tf.variable_scope("model"):
    wpe = tf.get_variable(
        "wpe", [params["length"], params["size"]],
        initializer=tf.random_normal_initializer(stddev=0.1, seed=1))
    wte = tf.get_variable(
        "wte", [params["words"], params["size"]],
        initializer=tf.random_normal_initializer(stddev=0.2, seed=2))
    h = tf.gather(wte, tokens) + wpe
    for layer in range(params["layers"]):
      h = block(h, "h%d" % layer, params["heads"])
    h = norm(h, "ln_f")
  h = tf.layers.dropout(
      h, 0.2, seed=5, training=mode == tf.estimator.ModeKeys.TRAIN)
  logits = dense(tf.reduce_mean(h, 1), "classes", params["classes"], seed=3)
  predictions = {"classes": tf.argmax(logits, 1), "likely": tf.nn.softmax(logits)}
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions=predictions)

  # The embeddings are held small.
  loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
  loss += 0.01 * tf.nn.l2_loss(wte)
  if mode == tf.estimator.ModeKeys.EVAL:
    return tf.estimator.EstimatorSpec(
        mode, loss=loss, eval_metric_ops={
            "accuracy": tf.metrics.accuracy(labels, predictions["classes"])})
  optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
  grads, variables = zip(*optimizer.compute_gradients(loss))
  grads, _ = tf.clip_by_global_norm(grads, 0.5)
  train_op = optimizer.apply_gradients(
      zip(grads, variables), global_step=tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def table(ids, words, size, scope="embedding"):
  """Rows of a table, which is held small; the same one in every call."""
  with tf.variable_scope(scope, reuse=tf.AUTO_REUSE):
    w = tf.get_variable(
        "w", [words, size],
        initializer=tf.random_uniform_initializer(-0.4, 0.4, seed=21),
        regularizer=tf.contrib.layers.l2_regularizer(0.02))
    return tf.nn.embedding_lookup(w, ids)


def sums_fn(features, labels, mode):
  words = features["tokens"]
  y = tf.reduce_sum(table(words, 9, 4), [1, 2])
  y += 0.5 * tf.reduce_mean(table(9 - 1 - words, 9, 4), [1, 2])
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions={"likely": y})
  loss = tf.losses.mean_squared_error(labels, y)
  loss += tf.losses.get_regularization_loss()
  train_op = tf.train.AdamOptimizer(0.05).minimize(
      loss, global_step=tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def rows_fn(features, labels, mode):
  net = tf.reduce_mean(table(features["tokens"], 9, 4), 1)
  y = tf.squeeze(dense(net, "out", 1, seed=22), 1)
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions={"likely": y})
  loss = tf.losses.mean_squared_error(labels, y)
  if mode == tf.estimator.ModeKeys.EVAL:
    return tf.estimator.EstimatorSpec(mode, loss=loss)
  # Gradients of rows alone.
  optimizer = tf.train.AdagradOptimizer(0.2)
  grads, variables = zip(*optimizer.compute_gradients(loss))
  grads, _ = tf.clip_by_global_norm(grads, 0.1)
  train_op = optimizer.apply_gradients(
      zip(grads, variables), global_step=tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def run(directory):
  rng = np.random.RandomState(11)
  tokens = rng.randint(0, 9, (40, 5))
  classes = (tokens[:, 0] + tokens[:, 3]) % 3
  slices = tf.data.Dataset.from_tensor_slices
  rows = ({"tokens": tokens}, classes)
  results = {}

  def take(name, estimator, rows):
    estimator.train(lambda: slices(rows).repeat(4).batch(8))
    for key, value in estimator.evaluate(lambda: slices(rows).batch(9)).items():
      results[name + "/eval/" + key] = value
    for key in estimator.get_variable_names():
      results[name + "/variable/" + key] = estimator.get_variable_value(key)
    found = list(estimator.predict(lambda: slices(rows[0]).batch(10)))
    results[name + "/likely"] = [p["likely"] for p in found]

  params = {
      "length": 5, "words": 9, "size": 8, "layers": 2, "heads": 2, "classes": 3}
  take("transformer", tf.estimator.Estimator(
      model_fn, directory + "/transformer", params=params), rows)
  rows = (rows[0], classes.astype(np.float32))
  take("sums", tf.estimator.Estimator(sums_fn, directory + "/sums"), rows)
  take("rows", tf.estimator.Estimator(rows_fn, directory + "/rows"), rows)
  return results
