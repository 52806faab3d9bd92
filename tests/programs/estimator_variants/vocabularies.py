"""A warm start with a vocabulary that has changed, of ready-made Estimators and of a model_fn."""

import numpy as np
import tensorflow as tf


def write(path, words):
  with open(path, "w") as lines:
    lines.write("".join(word + "\n" for word in words))
  return path


def model_fn(features, labels, mode, params):
  column = tf.feature_column.categorical_column_with_vocabulary_file(
    "word", params["words"], num_oov_buckets=2)
  embedded = tf.feature_column.embedding_column(
    column, 3, initializer=tf.random_uniform_initializer(-1, 1, seed=1))
  net = tf.feature_column.input_layer(features, [embedded])
  out = tf.layers.dense(
    net, len(params["classes"]), name="out",
    kernel_initializer=tf.random_uniform_initializer(-1, 1, seed=2))
  loss = tf.losses.sparse_softmax_cross_entropy(labels, out)
  train_op = tf.train.GradientDescentOptimizer(0.1).minimize(
    loss, tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def batches(words):
  rng = np.random.RandomState(0)
  return tf.data.Dataset.from_tensor_slices((
    {"word": rng.choice(words, 40)}, rng.randint(0, 2, 40))).repeat().batch(10)


def run(directory):
  old = write(directory + ".old", ["a", "b", "c", "d"])
  new = write(directory + ".new", ["e", "c", "a", "f", "b"])
  classes = write(directory + ".classes", ["x", "y"])
  more = write(directory + ".more", ["y", "z", "x"])
  r = {}
  first = tf.estimator.Estimator(
    model_fn, directory + "/first", params={"words": old, "classes": "xy"})
  first.train(lambda: batches(list("abcd")), steps=5)
  table = "input_layer/word_embedding/embedding_weights"
  for name, wanted, backup in (
      ("all", ".*", tf.ones_initializer()), ("tables", None, None)):
    settings = tf.estimator.WarmStartSettings(
      first.model_dir, vars_to_warm_start=wanted and "(in.*|out/kernel)",
      var_name_to_vocab_info={
        table: tf.estimator.VocabInfo(new, 5, 2, old, 3, backup_initializer=backup),
        "out/kernel": tf.estimator.VocabInfo(more, 3, 0, classes, axis=1),
      })
    second = tf.estimator.Estimator(
      model_fn, directory + "/" + name, warm_start_from=settings,
      params={"words": new, "classes": "yzx"})
    second.train(lambda: batches(list("eczq")), steps=1)
    for variable in second.get_variable_names():
      r[name + "/" + variable] = second.get_variable_value(variable)
  wrong = tf.estimator.WarmStartSettings(
    first.model_dir, var_name_to_vocab_info={
      "nowhere": tf.estimator.VocabInfo(new, 5, 2, old)})
  try:
    tf.estimator.Estimator(
      model_fn, directory + "/wrong", warm_start_from=wrong,
      params={"words": old, "classes": "xy"}).train(lambda: batches(["a"]), steps=1)
  except ValueError:
    r["wrong"] = "refused"
  return r
