"""Every kind of input_fn: callables, methods, partials, generators, iterators, sparse features, no labels."""

import functools
import numpy as np
import tensorflow as tf


def model_fn(features, labels, mode, params=None):
  if isinstance(features, dict):
    x = tf.concat(
      [
        tf.to_float(tf.reshape(features[k], [-1, 1]))
        for k in sorted(features)
        if k != "s"
      ],
      1,
    )
    if "s" in features:
      x = x + tf.reshape(tf.sparse_reduce_sum(features["s"], 1), [-1, 1])
  elif isinstance(features, (tuple, list)):
    x = tf.concat([tf.to_float(f) for f in features], 1)
  else:
    x = tf.to_float(features)
  y = tf.layers.dense(x, 1, kernel_initializer=tf.ones_initializer(), name="d")
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode=mode, predictions=y)
  if labels is None:
    loss = tf.reduce_mean(tf.square(y))
  elif isinstance(labels, dict):
    loss = tf.add_n(
      [
        tf.reduce_mean(tf.square(y - tf.to_float(tf.reshape(labels[k], [-1, 1]))))
        for k in sorted(labels)
      ]
    )
  else:
    loss = tf.losses.mean_squared_error(tf.reshape(labels, [-1, 1]), y)
  train_op = tf.train.AdadeltaOptimizer(0.5).minimize(
    loss, tf.train.get_global_step()
  )
  return tf.estimator.EstimatorSpec(mode=mode, loss=loss, train_op=train_op)


X = np.arange(12, dtype=np.float32).reshape(6, 2) / 10
Y = np.arange(6, dtype=np.float32)


class Reader(object):
  def __init__(self, n):
    self.n = n

  def __call__(self):
    return tf.data.Dataset.from_tensor_slices((X, Y)).batch(self.n)

  def read(self):
    it = (
      tf.data.Dataset.from_tensor_slices((X, Y))
      .batch(self.n)
      .make_one_shot_iterator()
    )
    x, y = it.get_next()
    return {"a": x[:, 0], "b": x[:, 1]}, y


def gen():
  for i in range(5):
    yield {"a": i, "b": i + 1.0}, float(i)


def from_generator():
  return tf.data.Dataset.from_generator(
    gen, ({"a": tf.int32, "b": tf.float32}, tf.float32), ({"a": [], "b": []}, [])
  ).batch(2)


def constants():
  return tf.constant(X), tf.constant(Y)


def no_labels():
  return tf.data.Dataset.from_tensor_slices({"a": X[:, 0], "b": X[:, 1]}).batch(3)


def none_labels():
  it = tf.compat.v1.data.make_one_shot_iterator(
    tf.data.Dataset.from_tensor_slices(X).batch(3)
  )
  return it.get_next(), None


def many_labels():
  return tf.data.Dataset.from_tensor_slices(
    ({"a": X[:, 0]}, {"p": Y, "q": Y + 1})
  ).batch(4)


def pair():
  return tf.data.Dataset.from_tensor_slices(((X, X[:, :1]), Y)).batch(4)


def sparse():
  s = tf.SparseTensor(
    [[0, 0], [1, 2], [2, 1], [5, 0]], [1.0, 2.0, 3.0, 4.0], [6, 3]
  )
  ds = tf.data.Dataset.from_tensor_slices(({"a": X[:, 0], "s": s}, Y))
  return ds.batch(2)


def initializable():
  ds = tf.data.Dataset.from_tensor_slices((X, Y)).batch(2)
  it = ds.make_initializable_iterator()
  tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, it.initializer)
  return it.get_next()


def run(directory):
  r = {}
  fns = {
    "callable": Reader(2),
    "method": Reader(4).read,
    "partial": functools.partial(Reader.read, Reader(3)),
    "generator": from_generator,
    "no_labels": no_labels,
    "none_labels": none_labels,
    "many_labels": many_labels,
    "pair": pair,
    "sparse": sparse,
    "initializable": initializable,
    "numpy": tf.estimator.inputs.numpy_input_fn(X, Y, 4, 2, False),
    "numpy_dict": tf.estimator.inputs.numpy_input_fn(
      {"a": X[:, 0], "b": X[:, 1]},
      {"p": Y, "q": -Y},
      batch_size=4,
      num_epochs=2,
      shuffle=False,
    ),
    "numpy_unlabelled": tf.estimator.inputs.numpy_input_fn(
      x={"a": X[:, 0]}, batch_size=4, shuffle=False
    ),
    "lambda": lambda: tf.data.Dataset.from_tensors((X, Y)),
  }
  for name in sorted(fns):
    est = tf.estimator.Estimator(model_fn, directory + "/" + name)
    est.train(fns[name])
    r[name] = np.concatenate(
      [
        est.get_variable_value("d/kernel").ravel(),
        [est.get_variable_value("global_step")],
      ]
    )
    if name != "pair":
      r[name + "/p"] = list(est.predict(fns[name]))
    r[name + "/e"] = est.evaluate(fns[name])["loss"]
  est = tf.estimator.Estimator(model_fn, directory + "/constants")
  est.train(constants, steps=3)
  r["constants"] = est.get_variable_value("d/kernel")
  r["constants/e"] = est.evaluate(constants, steps=2)["loss"]
  p = est.predict(constants)
  r["constants/p"] = [next(p) for _ in range(8)]
  return r
