"""A convolutional classifier as an Estimator: layers, batch normalisation, dropout.

Trained with a decaying rate, evaluated with streaming metrics, exported for serving, and
asked for classes. Dropout has a seed, so that two runs drop the same units.
"""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import argparse
import sys

import numpy as np
import tensorflow as tf
import estimator_loop
import tf_keras

SIDE, CLASSES, BATCH = 8, 3, 16


def parsed(argv):
  parser = argparse.ArgumentParser()
  parser.add_argument("--checkpoint_dir", help="The Estimator's model_dir")
  parser.add_argument("--trace", help="Prefix of the file that gets the values")
  parser.add_argument("--dtype", default="float32", choices=["float32", "float64"])
  parser.add_argument("--train_steps", type=int, default=110)
  parser.add_argument("--dropout", type=float, default=0.25)
  parser.add_argument("--optimizer", default="momentum",
                      choices=["sgd", "momentum", "adam"])
  return parser.parse_args(argv)


def images(seed, count):
  """Noisy stripes: horizontal, vertical or diagonal."""
  rng = np.random.RandomState(seed)
  label = rng.randint(CLASSES, size=count)
  row, column = np.mgrid[:SIDE, :SIDE]
  waves = np.stack([np.sin(row), np.sin(column), np.sin(row + column)])
  image = waves[label] + 1.3 * rng.randn(count, SIDE, SIDE)
  return image[..., np.newaxis], label.astype(np.int32)


class Losses(estimator_loop.SessionRunHook):
  """Keeps the loss of every step."""

  values = []

  def __init__(self, loss):
    self._loss = loss

  def before_run(self, run_context):
    return estimator_loop.SessionRunArgs(self._loss)

  def after_run(self, run_context, run_values):
    self.values.append(run_values.results)


def conv_block(net, filters, training, name):
  with tf.compat.v1.variable_scope(name):
    net = estimator_loop.layers.conv2d(net, filters, 3, padding="same", use_bias=False)
    fused = None if net.dtype == tf.float32 else False
    net = estimator_loop.layers.batch_normalization(
        net, training=training, momentum=0.9, fused=fused)
    net = tf.nn.relu(net)
    return estimator_loop.layers.max_pooling2d(net, 2, 2)


def network(image, params, training):
  net = conv_block(image, 4, training, "first")
  net = conv_block(net, 8, training, "second")
  net = estimator_loop.layers.flatten(net)
  net = estimator_loop.layers.dense(
      net, 10, activation=tf.nn.relu,
      kernel_regularizer=tf_keras.regularizers.L2(l2=0.5 * 1e-3))
  net = estimator_loop.layers.dropout(net, params["dropout"], training=training, seed=7)
  return estimator_loop.layers.dense(net, CLASSES, name="logits")


def model_fn(features, labels, mode, params, config):
  """Training, evaluation and prediction of the network."""
  del config
  is_training = mode == estimator_loop.ModeKeys.TRAIN
  logits = network(features["image"], params, is_training)
  classes = tf.argmax(logits, axis=1)
  predictions = {
      "classes": classes,
      "probabilities": tf.nn.softmax(logits, name="softmax_tensor"),
  }
  export_outputs = {
      "serving_default": estimator_loop.export.PredictOutput(predictions)}
  if mode == estimator_loop.ModeKeys.PREDICT:
    return estimator_loop.EstimatorSpec(
        mode, predictions=predictions, export_outputs=export_outputs)

  cross_entropy = tf.compat.v1.losses.sparse_softmax_cross_entropy(labels, logits)
  loss = tf.compat.v1.losses.get_total_loss()
  accuracy = tf.compat.v1.metrics.accuracy(labels, classes, name="accuracy_op")
  metrics = {
      "accuracy": accuracy,
      "recall_0": tf.compat.v1.metrics.recall(tf.equal(labels, 0), tf.equal(classes, 0)),
      "per_class": tf.compat.v1.metrics.mean_per_class_accuracy(labels, classes, CLASSES),
      "cross_entropy": tf.compat.v1.metrics.mean(cross_entropy),
  }
  tf.compat.v1.summary.scalar("accuracy", accuracy[1])

  train_op = None
  if is_training:
    step = tf.compat.v1.train.get_or_create_global_step()
    rate = tf.compat.v1.train.exponential_decay(0.05, step, 20, 0.9, staircase=True)
    tf.compat.v1.summary.scalar("rate", rate)
    optimizer = {
        "sgd": tf.compat.v1.train.GradientDescentOptimizer,
        "momentum": lambda r: tf.compat.v1.train.MomentumOptimizer(r, 0.9),
        "adam": tf.compat.v1.train.AdamOptimizer,
    }[params["optimizer"]](rate)
    update_ops = tf.compat.v1.get_collection(tf.compat.v1.GraphKeys.UPDATE_OPS)
    with tf.control_dependencies(update_ops):
      gradients, variables = zip(*optimizer.compute_gradients(loss))
      gradients, _ = tf.clip_by_global_norm(gradients, 5.0)
      train_op = optimizer.apply_gradients(
          zip(gradients, variables), global_step=step)
  return estimator_loop.EstimatorSpec(
      mode=mode, predictions=predictions, loss=loss, train_op=train_op,
      eval_metric_ops=metrics, export_outputs=export_outputs,
      training_hooks=[Losses(loss)])


def serving_input_fn():
  image = tf.compat.v1.placeholder(tf.float32, [None, SIDE, SIDE, 1], name="image")
  return estimator_loop.export.ServingInputReceiver({"image": image},
                                                  {"image": image})


def main(argv):
  args = parsed(argv)
  dtype = np.dtype(args.dtype)

  def train_input_fn():
    image, label = images(1, 8 * BATCH)
    dataset = tf.data.Dataset.from_tensor_slices(
        ({"image": image.astype(dtype)}, label))
    return dataset.repeat().batch(BATCH)

  image, label = images(2, 50)
  eval_input_fn = estimator_loop.inputs.numpy_input_fn(
      {"image": image.astype(dtype)}, label, batch_size=BATCH, num_epochs=1,
      shuffle=False)

  config = estimator_loop.RunConfig(
      model_dir=args.checkpoint_dir, save_checkpoints_steps=50,
      save_summary_steps=25, log_step_count_steps=50, keep_checkpoint_max=10)
  estimator = estimator_loop.Estimator(
      model_fn=model_fn, config=config,
      params={"dropout": args.dropout, "optimizer": args.optimizer})
  logging_hook = estimator_loop.LoggingTensorHook(
      {"probabilities": "softmax_tensor"}, every_n_iter=50)
  estimator.train(train_input_fn, hooks=[logging_hook], steps=10)
  trace = {"loss": Losses.values}
  trace.update({"eval/" + name: [value]
                for name, value in estimator.evaluate(eval_input_fn).items()})
  estimator.train(train_input_fn, max_steps=args.train_steps)
  for name, value in estimator.evaluate(eval_input_fn, name="again").items():
    trace["eval/" + name].append(value)
  predictions = list(estimator.predict(eval_input_fn))
  for name in ("classes", "probabilities"):
    trace[name] = [p[name] for p in predictions]
  if dtype == np.float32:
    estimator.export_savedmodel(args.checkpoint_dir + "/export", serving_input_fn)
  if args.trace:
    np.savez(args.trace + ".0.npz", **trace)


if __name__ == "__main__":
  main(sys.argv[1:])
