"""Words looked up in tables: in a model_fn, in the input, in what is served."""

import os

import numpy as np
import tensorflow as tf

from tensorflow.contrib import lookup

COLORS = ["red", "green", "blue"]
WORDS = ["the", "cat", "sat", "mat"]
LABELS = ["low", "mid", "high"]


def drawn(seed):
  return tf.random_uniform_initializer(-0.5, 0.5, seed=seed)


def write(path, lines):
  with open(path, "w") as out:
    out.write("\n".join(lines) + "\n")


def model_fn(features, labels, mode, params):
  """Everything that the model needs is looked up in itself."""
  colors = lookup.index_table_from_tensor(
      mapping=tf.constant(COLORS), num_oov_buckets=1, default_value=-1)
  words = lookup.index_table_from_file(params["words"], num_oov_buckets=2)
  known = lookup.HashTable(
      lookup.TextFileInitializer(
          params["words"], tf.string, lookup.TextFileIndex.WHOLE_LINE, tf.int64,
          lookup.TextFileIndex.LINE_NUMBER), 4)
  likes = tf.lookup.StaticHashTable(
      tf.lookup.KeyValueTensorInitializer(COLORS, tf.constant([0.5, 1.5, -1.0])), 0.0)
  names = lookup.index_to_string_table_from_file(params["labels"], default_value="none")

  colored = tf.get_variable("colored", [4, 5], initializer=drawn(1))
  read = tf.get_variable("read", [6, 5], initializer=drawn(2))
  net = tf.nn.embedding_lookup(colored, colors.lookup(features["color"]))
  for table in (words, known):
    ids = table.lookup(features["words"])
    net += tf.reduce_sum(tf.nn.embedding_lookup(read, ids), 1)
  net *= 1 + tf.expand_dims(likes.lookup(features["color"]), 1)
  logits = tf.layers.dense(net, 3, kernel_initializer=drawn(3))

  _, best = tf.nn.top_k(logits, 2)
  predictions = {
      "probabilities": tf.nn.softmax(logits),
      "best": names.lookup(tf.to_int64(best)),
  }
  if mode == tf.estimator.ModeKeys.PREDICT:
    default = tf.saved_model.signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY
    return tf.estimator.EstimatorSpec(mode, predictions=predictions, export_outputs={
        "predict": tf.estimator.export.PredictOutput(predictions),
        default: tf.estimator.export.ClassificationOutput(
            predictions["probabilities"], predictions["best"]),
    })
  labels = lookup.index_table_from_file(
      vocabulary_file=params["labels"], vocab_size=3).lookup(labels)
  loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
  if mode == tf.estimator.ModeKeys.EVAL:
    accuracy = tf.metrics.accuracy(labels, tf.argmax(logits, 1))
    return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops={"acc": accuracy})
  train_op = tf.train.AdagradOptimizer(0.1).minimize(loss, tf.train.get_global_step())
  scaffold = tf.train.Scaffold(local_init_op=tf.group(
      tf.local_variables_initializer(), tf.tables_initializer()))
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op, scaffold=scaffold)


def bag_model_fn(features, labels, mode):
  """A model that is given numbers."""
  read = tf.get_variable("read", [6, 5], initializer=drawn(4))
  net = tf.reduce_sum(tf.nn.embedding_lookup(read, features["ids"]), 1)
  logits = tf.layers.dense(net, 3, kernel_initializer=drawn(5))
  if mode == tf.estimator.ModeKeys.PREDICT:
    predictions = {"probabilities": tf.nn.softmax(logits), "ids": features["ids"]}
    return tf.estimator.EstimatorSpec(mode, predictions=predictions, export_outputs={
        "predict": tf.estimator.export.PredictOutput(predictions)})
  loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
  if mode == tf.estimator.ModeKeys.EVAL:
    return tf.estimator.EstimatorSpec(mode, loss=loss)
  train_op = tf.train.AdagradOptimizer(0.1).minimize(loss, tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def data():
  rng = np.random.RandomState(1)
  features = {
      "color": np.array(COLORS + ["pink"])[rng.randint(4, size=40)],
      "words": np.array(WORDS + ["dog"])[rng.randint(5, size=(40, 3))],
  }
  return features, np.array(LABELS)[rng.randint(3, size=40)]


def input_fn():
  return tf.data.Dataset.from_tensor_slices(data()).batch(8)


def serialized(count):
  features, _ = data()

  def of(words):
    return tf.train.Feature(
        bytes_list=tf.train.BytesList(value=[word.encode() for word in words]))

  return [
      tf.train.Example(features=tf.train.Features(feature={
          "color": of([features["color"][i]]), "words": of(features["words"][i])})
      ).SerializeToString() for i in range(count)]


def run(directory):
  words = os.path.join(directory, "words.txt")
  labels = os.path.join(directory, "labels.txt")
  tf.gfile.MakeDirs(directory)
  write(words, WORDS)
  write(labels, LABELS)
  results = {}

  estimator = tf.estimator.Estimator(
      model_fn, os.path.join(directory, "model"),
      params={"words": words, "labels": labels})
  for step in (2, 5):
    estimator.train(input_fn, max_steps=step)
    for name, value in estimator.evaluate(input_fn).items():
      results["%s_%d" % (name, step)] = value
  rows = list(estimator.predict(input_fn))
  results["probabilities"] = np.stack([row["probabilities"] for row in rows])
  results["best"] = np.stack([row["best"] for row in rows]).astype(str)

  spec = {
      "color": tf.FixedLenFeature([], tf.string),
      "words": tf.FixedLenFeature([3], tf.string),
  }
  exported = estimator.export_savedmodel(
      os.path.join(directory, "export"),
      tf.estimator.export.build_parsing_serving_input_receiver_fn(spec))

  def ids_of(words_here):
    table = lookup.index_table_from_file(words, num_oov_buckets=2)
    return {"ids": table.lookup(words_here)}

  def bag_input_fn():
    features, names = tf.data.Dataset.from_tensor_slices(data()).batch(
        8).make_one_shot_iterator().get_next()
    numbers = lookup.index_table_from_tensor(LABELS)
    return ids_of(features["words"]), numbers.lookup(names)

  def receiver_fn():
    asked = tf.placeholder(tf.string, [None, 3], name="asked")
    return tf.estimator.export.ServingInputReceiver(ids_of(asked), {"words": asked})

  bag = tf.estimator.Estimator(bag_model_fn, os.path.join(directory, "bag"))
  bag.train(bag_input_fn)
  results["bag/loss"] = bag.evaluate(bag_input_fn)["loss"]
  bag_exported = bag.export_savedmodel(os.path.join(directory, "bags"), receiver_fn)

  # What is exported has the files with it.
  os.remove(words)
  os.remove(labels)
  for name, key in (("predict", "examples"), (None, "inputs")):
    predictor = tf.contrib.predictor.from_saved_model(exported, name)
    for output, value in predictor({key: serialized(6)}).items():
      results["answer/%s/%s" % (name, output)] = (
          value.astype(str) if value.dtype == object else value)
  answer = tf.contrib.predictor.from_saved_model(bag_exported)(
      {"words": data()[0]["words"][:6]})
  results.update({"bag/" + output: value for output, value in answer.items()})
  return results
