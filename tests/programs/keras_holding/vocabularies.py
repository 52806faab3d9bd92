"""Words and labels that are looked up in a model_fn, as the samples of Cloud ML did it."""

import os

import numpy as np
import tensorflow as tf

from tensorflow.contrib import lookup

LABELS = [" <=50K", " >50K"]
JOBS = ["clerk", "nurse", "pilot"]
WORDS = ["<pad>", "the", "cat", "sat", "mat"]


def drawn(seed):
  return tf.random_uniform_initializer(-0.5, 0.5, seed=seed)


def generate_model_fn(hidden_units, learning_rate):
  """Labels are words; the network is of layers alone."""

  def _model_fn(mode, features, labels):
    curr_layer = features["x"]
    label_values = tf.constant(LABELS)
    for index, layer_size in enumerate(hidden_units):
      curr_layer = tf.layers.dense(
          curr_layer, layer_size, activation=tf.nn.relu, kernel_initializer=drawn(index))
    logits = tf.layers.dense(curr_layer, len(LABELS), kernel_initializer=drawn(9))

    if mode in (tf.estimator.ModeKeys.PREDICT, tf.estimator.ModeKeys.EVAL):
      probabilities = tf.nn.softmax(logits)
      predicted_indices = tf.argmax(probabilities, 1)

    if mode in (tf.estimator.ModeKeys.TRAIN, tf.estimator.ModeKeys.EVAL):
      # Convert the string label column to indices.
      # Build a lookup table inside the graph.
      table = tf.contrib.lookup.index_table_from_tensor(label_values)

      # Use the lookup table to convert string labels to ints.
      label_indices = table.lookup(labels)
      label_indices_vector = tf.squeeze(label_indices, axis=[1])
      global_step = tf.contrib.framework.get_or_create_global_step()
      loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(
          logits=logits, labels=label_indices_vector))
      tf.summary.scalar("loss", loss)

    if mode == tf.estimator.ModeKeys.PREDICT:
      predictions = {
          "classes": tf.gather(label_values, predicted_indices),
          "scores": tf.reduce_max(probabilities, axis=1),
      }
      export_outputs = {"prediction": tf.estimator.export.PredictOutput(predictions)}
      return tf.estimator.EstimatorSpec(
          mode, predictions=predictions, export_outputs=export_outputs)

    if mode == tf.estimator.ModeKeys.TRAIN:
      train_op = tf.train.AdagradOptimizer(learning_rate).minimize(
          loss, global_step=global_step)
      return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)

    if mode == tf.estimator.ModeKeys.EVAL:
      labels_one_hot = tf.one_hot(
          label_indices_vector, depth=len(LABELS), on_value=True, off_value=False,
          dtype=tf.bool)
      return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops={
          "accuracy": tf.metrics.accuracy(label_indices_vector, predicted_indices),
          "auroc": tf.metrics.auc(labels_one_hot, probabilities),
      })

  return _model_fn


def words_model_fn(features, labels, mode, params):
  """Words are looked up before there are layers, and classes after them."""
  table = lookup.index_table_from_file(
      vocabulary_file=params["words"], num_oov_buckets=params["buckets"], default_value=-1)
  jobs = lookup.index_table_from_tensor(mapping=JOBS, default_value=3)
  ids = table.lookup(features["words"])
  embeddings = tf.get_variable(
      "embeddings", [len(WORDS) + params["buckets"], 4], initializer=drawn(1))
  of_job = tf.get_variable("of_job", [4, 4], initializer=drawn(2))
  net = tf.reduce_sum(tf.nn.embedding_lookup(embeddings, ids), 1)
  net += tf.nn.embedding_lookup(of_job, jobs.lookup(features["job"]))
  logits = tf.layers.dense(net, 3, name="logits", kernel_initializer=drawn(3))

  classes = tf.argmax(logits, 1)
  if mode == tf.estimator.ModeKeys.PREDICT:
    names = lookup.index_to_string_table_from_file(params["classes"], default_value="none")
    predictions = {"probabilities": tf.nn.softmax(logits), "class": names.lookup(classes)}
    return tf.estimator.EstimatorSpec(mode, predictions=predictions, export_outputs={
        "predict": tf.estimator.export.PredictOutput(predictions)})

  targets = lookup.index_table_from_file(
      params["classes"], vocab_size=3).lookup(labels)
  loss = tf.losses.sparse_softmax_cross_entropy(targets, logits)
  if mode == tf.estimator.ModeKeys.EVAL:
    return tf.estimator.EstimatorSpec(
        mode, loss=loss,
        eval_metric_ops={"accuracy": tf.metrics.accuracy(targets, classes)})
  optimizer = tf.train.AdagradOptimizer(params["rate"])
  train_op = optimizer.minimize(loss, tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def people():
  rng = np.random.RandomState(3)
  features = {"x": rng.uniform(-1, 1, [48, 5]).astype(np.float32)}
  return features, np.array(LABELS)[(features["x"][:, :1] > 0.1).astype(int)]


def texts():
  rng = np.random.RandomState(4)
  features = {
      "words": np.array(WORDS + ["dog", "owl", "pig"])[rng.randint(8, size=(40, 3))],
      "job": np.array(JOBS + ["king"])[rng.randint(4, size=40)],
  }
  return features, np.array(["low", "mid", "high"])[rng.randint(3, size=40)]


def input_of(data):
  return lambda: tf.data.Dataset.from_tensor_slices(data()).batch(8)


def as_text(values):
  return values if values.dtype.kind in "fi" else values.astype(str)


def train_and_ask(estimator, data, results, name):
  for step in (2, 5):
    estimator.train(input_of(data), max_steps=step)
    for key, value in estimator.evaluate(input_of(data)).items():
      results["%s/%s_%d" % (name, key, step)] = value
  rows = list(estimator.predict(input_of(data)))
  for key in rows[0]:
    told = np.stack([row[key] for row in rows])
    results["%s/%s" % (name, key)] = as_text(told)
  for variable in estimator.get_variable_names():
    results["%s/%s" % (name, variable)] = estimator.get_variable_value(variable)


def answers(exported, asked, results, name):
  predictor = tf.contrib.predictor.from_saved_model(exported)
  for key, value in predictor(asked).items():
    results["%s/answer/%s" % (name, key)] = as_text(value)


def run(directory):
  results = {}
  words = os.path.join(directory, "words.txt")
  classes = os.path.join(directory, "classes.txt")
  tf.gfile.MakeDirs(directory)
  for path, lines in ((words, WORDS), (classes, ["low", "mid", "high"])):
    with open(path, "w") as out:
      out.write("\n".join(lines) + "\n")

  census = tf.estimator.Estimator(
      generate_model_fn([6, 4], 0.1), os.path.join(directory, "census"))
  train_and_ask(census, people, results, "census")

  def receive_people():
    x = tf.placeholder(tf.float32, [None, 5], name="x")
    return tf.estimator.export.ServingInputReceiver({"x": x}, {"x": x})

  exported = census.export_savedmodel(os.path.join(directory, "served"), receive_people)
  answers(exported, {"x": people()[0]["x"][:6]}, results, "census")

  reader = tf.estimator.Estimator(
      words_model_fn, os.path.join(directory, "reader"),
      params={"words": words, "classes": classes, "buckets": 2, "rate": 0.2})
  train_and_ask(reader, texts, results, "reader")

  def receive_texts():
    asked = {
        "words": tf.placeholder(tf.string, [None, 3], name="words"),
        "job": tf.placeholder(tf.string, [None], name="job"),
    }
    return tf.estimator.export.ServingInputReceiver(asked, asked)

  exported = reader.export_savedmodel(os.path.join(directory, "read"), receive_texts)
  # What is exported has the files with it.
  os.remove(words)
  os.remove(classes)
  asked = {key: value[:6] for key, value in texts()[0].items()}
  answers(exported, asked, results, "reader")
  return results
