"""Sessions beside an Estimator that look at its input: batches of input_fns and datasets, one, several, all of them."""

import functools

import numpy as np
import tensorflow as tf

XS = np.arange(24, dtype=np.float32).reshape(12, 2) / 8
WORDS = ["a", "b", "c", "b"] * 3


def dataset(batch):
  features = {"x": XS, "word": WORDS}
  return tf.data.Dataset.from_tensor_slices((features, XS[:, 1])).batch(batch)


def train_input_fn():
  features, labels = dataset(4).repeat().make_one_shot_iterator().get_next()
  table = tf.contrib.lookup.index_table_from_tensor(["a", "b"], num_oov_buckets=1)
  features["word"] = table.lookup(features["word"])
  return features, labels * 2


def make_input_fn(batch, scale=1.0):
  def input_fn():
    iterator = dataset(batch).make_one_shot_iterator()
    features, labels = iterator.get_next()
    return features, labels * scale

  return input_fn


def model_fn(features, labels, mode):
  y = tf.layers.dense(
    features["x"], 1, kernel_initializer=tf.ones_initializer(), name="d"
  )
  loss = tf.losses.mean_squared_error(labels, y[:, 0])
  train_op = tf.train.GradientDescentOptimizer(0.125).minimize(
    loss, tf.train.get_global_step()
  )
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def called_at_once(r):
  # What the model will be given.
  with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    # Tables have to be filled, but not before the input is there.
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    features, labels = sess.run(make_input_fn(5)())
    r["first/x"] = features["x"]
    r["first/words"] = [word.decode() for word in features["word"]]
    r["first/labels"] = labels
    for i in range(2):
      r["again/%d" % i] = sess.run(make_input_fn(3, scale=i)())[1]


def all_of_it(r):
  features, labels = make_input_fn(5)()
  rows = []
  with tf.Session() as sess:
    try:
      while True:
        x, y = sess.run([features, labels])
        x["x"][0] = 0  # The program's own from here on.
        rows.append(float(x["x"].sum() + y.sum()))
    except tf.errors.OutOfRangeError:
      rows.append(-1.0)
  r["all"] = rows


def parts(r):
  features, labels = functools.partial(train_input_fn)()
  with tf.Session() as session:
    session.run(tf.tables_initializer())
    r["part/labels"] = session.run(labels)
    r["part/x"] = session.run(features["x"])
    x, word = session.run([features["x"], features["word"]])
    r["part/both"] = np.concatenate([x, word[:, None]], 1)
    found = session.run({"word": features["word"], "y": labels})
    r["part/dict"] = found["word"] + found["y"]
    r["part/list"] = isinstance(session.run([features, labels]), list)


def of_datasets(r):
  squares = tf.data.Dataset.range(5).map(lambda i: i * i)
  iterator = squares.make_one_shot_iterator()
  square = iterator.get_next()
  batch = dataset(6).make_one_shot_iterator().get_next()
  with tf.Session() as sess:
    r["squares"] = [sess.run(square) for _ in range(4)]
    r["tuple"] = isinstance(sess.run(batch), tuple)
    r["second"] = sess.run(batch)[0]["x"]


def run(directory):
  r = {}
  called_at_once(r)
  all_of_it(r)
  parts(r)
  of_datasets(r)
  estimator = tf.estimator.Estimator(model_fn, directory)
  estimator.train(train_input_fn, steps=5)
  r["kernel"] = estimator.get_variable_value("d/kernel")
  r["loss"] = estimator.evaluate(make_input_fn(5))["loss"]
  return r
