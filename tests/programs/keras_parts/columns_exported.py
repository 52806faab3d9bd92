"""Feature columns of words, from a list and from a file, in a graph that is exported."""

import os

import numpy as np
import tensorflow as tf

from tensorflow.contrib import predictor

COLOURS = ["red", "green", "blue"]


def model_fn(features, labels, mode, params):
  colour = tf.feature_column.categorical_column_with_vocabulary_list(
      "colour", COLOURS, num_oov_buckets=2)
  shape = tf.feature_column.categorical_column_with_vocabulary_file(
      "shape", params["shapes"], 2, default_value=1)
  columns = [
      tf.feature_column.numeric_column("size"),
      tf.feature_column.indicator_column(shape),
      tf.feature_column.embedding_column(
          colour, 2, initializer=tf.random_uniform_initializer(-0.5, 0.5, seed=4)),
  ]
  net = tf.feature_column.input_layer(features, columns)
  net = tf.layers.dense(
      net, 1, kernel_initializer=tf.random_uniform_initializer(-0.5, 0.5, seed=5))
  predictions = {"y": net}
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(
        mode, predictions=predictions,
        export_outputs={
            tf.saved_model.signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY:
                tf.estimator.export.PredictOutput(predictions)})
  loss = tf.losses.mean_squared_error(labels, net)
  train_op = tf.train.GradientDescentOptimizer(0.1).minimize(
      loss, tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def run(directory):
  os.makedirs(directory)
  shapes = os.path.join(directory, "shapes.txt")
  with open(shapes, "w") as file:
    file.write("round\nflat\n")
  x = {
      "size": np.array([[1.0], [2.0], [-1.0], [0.5]], np.float32),
      "colour": np.array([["red"], ["blue"], ["pink"], ["green"]]),
      "shape": np.array([["flat"], ["round"], ["round"], ["long"]]),
  }
  y = np.array([[1.0], [0.0], [2.0], [1.0]], np.float32)
  estimator = tf.estimator.Estimator(
      model_fn, os.path.join(directory, "model"), params={"shapes": shapes})
  estimator.train(tf.estimator.inputs.numpy_input_fn(
      x, y, batch_size=2, num_epochs=3, shuffle=False))
  results = {"loss": estimator.evaluate(tf.estimator.inputs.numpy_input_fn(
      x, y, batch_size=4, num_epochs=1, shuffle=False))["loss"]}

  def receiver():
    asked = {
        "size": tf.placeholder(tf.float32, [None, 1]),
        "colour": tf.placeholder(tf.string, [None, 1]),
        "shape": tf.placeholder(tf.string, [None, 1]),
    }
    return tf.estimator.export.ServingInputReceiver(asked, asked)

  path = estimator.export_savedmodel(directory + "/export", receiver)
  if isinstance(path, bytes):
    path = path.decode()
  results["served"] = predictor.from_saved_model(path)(x)["y"]
  return results
