"""Conditions and loops in a model_fn, Python functions, layers that share weights, metrics of its own."""

import numpy as np
import tensorflow as tf


def model_fn(features, labels, mode, params, config):
  x = features["x"]
  training = mode == tf.estimator.ModeKeys.TRAIN
  x = tf.cond(tf.reduce_mean(x) > 0, lambda: x * 1.0, lambda: -x)
  w = tf.get_variable("w", [3, 3], initializer=tf.orthogonal_initializer(seed=1))
  _, h = tf.while_loop(
    lambda i, h: i < 3,
    lambda i, h: (i + 1, tf.tanh(tf.matmul(h, w))),
    [tf.constant(0), x + 0.0],
  )
  z = h * 2
  m = tf.reduce_sum(h, 1)
  p = tf.py_func(
    lambda a: np.asarray(a * 2, np.float32), [tf.stop_gradient(h)], tf.float32
  )
  p.set_shape(h.shape)
  net = tf.concat([h, p, tf.expand_dims(m, 1), z], 1)
  net = tf.layers.batch_normalization(
    net, training=training, renorm=False, name="bn"
  )
  with tf.variable_scope("tower") as scope:
    a = tf.layers.dense(
      net,
      4,
      tf.nn.elu,
      kernel_initializer=tf.glorot_normal_initializer(seed=2),
      name="a",
    )
    scope.reuse_variables()
    b = tf.layers.dense(-net, 4, tf.nn.elu, name="a")
  out = tf.layers.Dense(
    1,
    kernel_initializer=tf.random_uniform_initializer(-1, 1, seed=5),
    name="out",
    use_bias=False,
  )
  y = out(a) + out.apply(b)
  spec = None
  if mode == tf.estimator.ModeKeys.PREDICT:
    spec = tf.estimator.EstimatorSpec(
      mode,
      predictions=dict(
        y=y, rank=tf.shape(y)[:1] * tf.ones([tf.shape(y)[0]], tf.int32)
      ),
    )
  else:
    loss = (
      tf.losses.log_loss(labels, tf.sigmoid(y))
      + tf.losses.hinge_loss(labels, y, weights=0.1)
      + tf.losses.sigmoid_cross_entropy(labels, y)
    )
    if training:
      update_ops = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
      with tf.control_dependencies(update_ops):
        opt = tf.train.AdagradOptimizer(params.lr, initial_accumulator_value=0.2)
        gvs = opt.compute_gradients(loss)
        gvs = [(tf.clip_by_norm(g, 0.1), v) for g, v in gvs if g is not None]
        train_op = opt.apply_gradients(gvs, tf.train.get_or_create_global_step())
      for g, v in gvs:
        tf.summary.histogram(v.op.name + "/grad", g)
      spec = tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)
    else:
      ops = {}
      ops["acc"] = tf.metrics.accuracy(labels > 0.5, y > 0)
      ops["precision"], ops["recall"] = (
        tf.metrics.precision(labels > 0.5, y > 0),
        tf.metrics.recall(labels > 0.5, y > 0),
      )
      p, pu = ops["precision"]
      r, ru = ops["recall"]
      ops["f1"] = (2 * p * r / (p + r + 1e-9), tf.group(pu, ru))
      ops["mt"] = tf.metrics.mean_tensor(tf.reduce_mean(y, 0))
      ops["cos"] = tf.metrics.mean_cosine_distance(
        tf.nn.l2_normalize(tf.concat([labels, labels], 1), 1),
        tf.nn.l2_normalize(a[:, :2], 1),
        1,
      )
      spec = tf.estimator.EstimatorSpec(mode=mode, loss=loss, eval_metric_ops=ops)
  return spec


def input_fn(seed):
  rng = np.random.RandomState(seed)
  x = rng.randn(48, 3).astype(np.float32)
  return (
    tf.data.Dataset.from_tensor_slices(
      ({"x": x}, (x[:, :1] > 0).astype(np.float32))
    )
    .repeat(2)
    .batch(12)
  )


def run(directory):
  hparams = tf.contrib.training.HParams(lr=0.05)
  est = tf.estimator.Estimator(model_fn, directory, params=hparams)
  est.train(lambda: input_fn(0), steps=6)
  r = {k: v for k, v in est.evaluate(lambda: input_fn(1)).items()}
  r["p"] = [p["y"] for p in est.predict(lambda: input_fn(1))]
  for b in est.predict(lambda: input_fn(1), yield_single_examples=False):
    r["rank"] = b["rank"]
  for n in est.get_variable_names():
    r["v/" + n] = est.get_variable_value(n)
  return r
