"""A convolutional classifier as an Estimator: layers, batch normalisation, dropout.

Trained with a decaying rate, evaluated with streaming metrics, exported for serving, and
asked for classes. Dropout has a seed, so that two runs drop the same units.
"""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import argparse
import json
import os
import sys
import tempfile

import numpy as np
import tensorflow as tf
import tf_keras
import estimator_exports
import estimator_inputs
import fit_callbacks
import keras_estimator

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


class Losses(tf_keras.callbacks.Callback):
  """Keeps the loss of every step."""

  values = []

  def __init__(self, loss):
    super().__init__()
    self._loss = loss

  def on_train_batch_end(self, batch, logs=None):
    self.values.append(logs[self._loss])


def conv_block(net, filters, name):
  net = tf_keras.layers.Conv2D(
      filters=filters,
      kernel_size=3,
      padding="same",
      use_bias=False,
      name=name + "/conv2d")(net)
  fused = None if net.dtype == tf.float32 else False
  net = tf_keras.layers.BatchNormalization(
      momentum=0.9,
      fused=fused,
      name=name + "/batch_normalization")(net)
  net = tf.nn.relu(net)
  return tf_keras.layers.MaxPooling2D(pool_size=2, strides=2)(net)


def network(image, params):
  net = conv_block(image, 4, "first")
  net = conv_block(net, 8, "second")
  net = tf_keras.layers.Flatten()(net)
  net = tf_keras.layers.Dense(
      units=10,
      activation=tf.nn.relu,
      kernel_regularizer=tf_keras.regularizers.L2(l2=0.5 * 1e-3),
      name="dense")(net)
  net = keras_estimator.Dropout(rate=params["dropout"], seed=7)(net)
  return tf_keras.layers.Dense(units=CLASSES, name="logits")(net)


class EstimatorModel(tf_keras.Model):
  """Training, evaluation and prediction of the network."""

  def __init__(self, features, params):
    logits = network(features["image"], params)

    super().__init__(inputs=features, outputs=logits)
    step = tf.compat.v1.train.get_or_create_global_step()
    rate = tf.compat.v1.train.exponential_decay(0.05, step, 20, 0.9, staircase=True)
    optimizer = {
        "sgd": tf.compat.v1.train.GradientDescentOptimizer,
        "momentum": lambda r: tf.compat.v1.train.MomentumOptimizer(r, 0.9),
        "adam": tf.compat.v1.train.AdamOptimizer,
    }[params["optimizer"]](rate)
    self.rate = rate
    self.compile(optimizer=optimizer)
    self.optimizer.iterations = step

    self.mean_loss = tf_keras.metrics.Mean(name="loss")
    self.accuracy = tf_keras.metrics.Accuracy(name="accuracy")
    self.recall_0 = tf_keras.metrics.Recall(name="recall_0")
    self.per_class = keras_estimator.MeanPerClassAccuracy(
        num_classes=CLASSES,
        name="per_class")
    self.cross_entropy = tf_keras.metrics.Mean(name="cross_entropy")

  def predictions_from(self, logits):
    classes = tf.argmax(logits, axis=1)
    return {
        "classes": classes,
        "probabilities": tf.nn.softmax(logits, name="softmax_tensor"),
    }

  def train_step(self, data):
    features, labels = data
    with tf.GradientTape() as tape:
      logits = self(features, training=True)

      cross_entropy = tf.compat.v1.losses.sparse_softmax_cross_entropy(labels, logits)
      loss = tf.add_n([cross_entropy, *self.losses])
      # Strategies add up the gradients of their replicas.
      scaled_loss = loss / self.distribute_strategy.num_replicas_in_sync
    classes = tf.argmax(logits, axis=1)
    self.accuracy.update_state(labels, classes)
    accuracy = self.accuracy.result()
    rate = self.rate()
    # Hooks ask for its tensors by their names.
    predictions = self.predictions_from(logits)
    variables = self.trainable_variables
    gradients = tape.gradient(scaled_loss, variables)
    gradients, _ = tf.clip_by_global_norm(gradients, 5.0)
    self.optimizer.apply_gradients(zip(gradients, variables))
    return {"loss": scaled_loss, "accuracy": accuracy / self.distribute_strategy.num_replicas_in_sync, "rate": rate / self.distribute_strategy.num_replicas_in_sync, "softmax_tensor": predictions["probabilities"]}

  def test_step(self, data):
    features, labels = data
    logits = self(features, training=False)
    classes = tf.argmax(logits, axis=1)

    cross_entropy = tf.compat.v1.losses.sparse_softmax_cross_entropy(labels, logits)
    loss = tf.add_n([cross_entropy, *self.losses])
    self.mean_loss.update_state(loss)
    self.accuracy.update_state(labels, classes)
    self.recall_0.update_state(tf.equal(labels, 0), tf.equal(classes, 0))
    self.per_class.update_state(labels, classes)
    self.cross_entropy.update_state(cross_entropy)
    return {m.name: m.result() for m in self.metrics}

  def predict_step(self, data):
    features, _, _ = tf_keras.utils.unpack_x_y_sample_weight(data)
    logits = self(features, training=False)
    return self.predictions_from(logits)

  def export_outputs(self, predictions):
    return {
        "serving_default": estimator_exports.PredictOutput(predictions)}

  def training_hooks(self):
    return [Losses("loss")]


def serving_input_fn():
  image = tf.compat.v1.placeholder(tf.float32, [None, SIDE, SIDE, 1], name="image")
  return estimator_exports.ServingInputReceiver({"image": image},
                                                {"image": image})


def make_strategy():
  """The strategy that TF_CONFIG asks for; its other tasks serve the coordinator here."""
  config = json.loads(os.environ.get("TF_CONFIG") or "{}")
  cluster, task = config.get("cluster", {}), config.get("task", {})
  if task.get("type") == "evaluator":
    print("Nothing to do here: the process that trains evaluates, too.")
    raise SystemExit(0)
  if "ps" in cluster:
    resolver = fit_callbacks.join_cluster(cluster, task)
    return tf.distribute.ParameterServerStrategy(resolver)
  if sum(map(len, cluster.values())) > 1:
    return tf.distribute.MultiWorkerMirroredStrategy()
  return tf.distribute.get_strategy()


def main(argv):
  args = parsed(argv)
  dtype = np.dtype(args.dtype)

  def train_input_fn():
    image, label = images(1, 8 * BATCH)
    dataset = tf.data.Dataset.from_tensor_slices(
        ({"image": image.astype(dtype)}, label))
    return dataset.repeat().batch(BATCH)

  image, label = images(2, 50)
  eval_input_fn = estimator_inputs.numpy_input_fn(
      {"image": image.astype(dtype)}, label, batch_size=BATCH, num_epochs=1,
      shuffle=False)
  strategy = make_strategy()
  model_dir = args.checkpoint_dir or tempfile.mkdtemp()
  logging_hook = fit_callbacks.Logging(
      {"probabilities": "softmax_tensor"}, every_n_iter=50)

  def make_model():
    with fit_callbacks.as_in_tf1():
      return EstimatorModel(
          fit_callbacks.inputs_of(train_input_fn()),
          params={"dropout": args.dropout, "optimizer": args.optimizer})

  with strategy.scope():
    model = make_model()
  evaluated = make_model()
  model.fit(
      tf_keras.utils.experimental.DatasetCreator(lambda context: train_input_fn()),
      steps_per_epoch=10,
      verbose=0,
      callbacks=[
          fit_callbacks.Training(
              model_dir,
              log_steps=25,
              keep=10,
              every_steps=50),
          fit_callbacks.EachStep(logging_hook, *model.training_hooks())])
  trace = {"loss": Losses.values}
  trace.update({"eval/" + name: [value]
                for name, value in fit_callbacks.with_step(evaluated, fit_callbacks.restore(evaluated, model_dir).evaluate(
                    estimator_inputs.dataset_of(eval_input_fn),
                    verbose=0,
                    return_dict=True,
                    callbacks=[fit_callbacks.Evaluated(model_dir)])).items()})
  # It goes on, and drops other units after an evaluation than before it.
  evaluation = fit_callbacks.Evaluation(
      evaluated,
      model_dir,
      lambda: estimator_inputs.dataset_of(eval_input_fn),
      steps=None,
      throttle_secs=0)
  # It goes on, and drops other units after an evaluation than before it.
  steps = fit_callbacks.steps_left(model_dir, args.train_steps)
  if steps != 0:
    dataset, steps = fit_callbacks.whole_input(strategy, train_input_fn, steps)
    model.fit(
        dataset,
        steps_per_epoch=steps,
        verbose=0,
        callbacks=[
            fit_callbacks.Training(
                model_dir,
                evaluation=evaluation,
                log_steps=25,
                keep=10,
                every_steps=50),
            fit_callbacks.EachStep(*model.training_hooks())])
  for name, value in fit_callbacks.with_step(evaluated, fit_callbacks.restore(evaluated, model_dir).evaluate(
      estimator_inputs.dataset_of(eval_input_fn),
      verbose=0,
      return_dict=True,
      callbacks=[fit_callbacks.Evaluated(model_dir, name="again")])).items():
    trace["eval/" + name].append(value)
  predictions = list(fit_callbacks.predictions(
      fit_callbacks.restore(evaluated, model_dir),
      estimator_inputs.dataset_of(eval_input_fn)))
  for name in ("classes", "probabilities"):
    trace[name] = [p[name] for p in predictions]
  if dtype == np.float32:
    fit_callbacks.export_saved_model(
        fit_callbacks.restore(evaluated, model_dir),
        args.checkpoint_dir + "/export",
        serving_input_fn)
  if args.trace:
    np.savez(args.trace + ".0.npz", **trace)


if __name__ == "__main__":
  main(sys.argv[1:])
