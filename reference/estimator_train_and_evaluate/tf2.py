"""A small regression as an Estimator: trained, evaluated at every checkpoint, asked.

The model_fn has the three modes; train_and_evaluate saves every so many steps and
evaluates rows that training has not seen. With TF_CONFIG the same program trains on a
cluster.
"""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import json
import os
import tempfile

import numpy as np
import tensorflow as tf
import tf_keras
import estimator_exports
import estimator_inputs
import fit_callbacks
import keras_estimator

flags = tf.compat.v1.app.flags
flags.DEFINE_string("checkpoint_dir", None, "The Estimator's model_dir")
flags.DEFINE_string("trace", None, "Prefix of the file that gets each step's values")
flags.DEFINE_string("dtype", "float32", "float32 or float64")
flags.DEFINE_string("optimizer", "adagrad", "adagrad, sgd, momentum or adam")
flags.DEFINE_integer("train_steps", 60, "Number of training steps")

FLAGS = flags.FLAGS

TRAIN_X = [[1.0, 2.0], [-1.5, 0.5], [0.25, -1.0]]
TRAIN_Y = [[3.0], [-0.5], [0.75]]
EVAL_X = [[0.5, 0.5], [2.0, -1.0], [-1.0, -2.0], [1.5, 1.0]]
EVAL_Y = [[1.5], [1.0], [-2.5], [2.75]]


def as_dataset(x, y):
  dtype = np.dtype(FLAGS.dtype)
  features = {"x": np.array(x, dtype)}
  return tf.data.Dataset.from_tensor_slices((features, np.array(y, dtype)))


def train_input_fn():
  """One row per step, in order, for ever."""
  return as_dataset(TRAIN_X, TRAIN_Y).repeat().batch(1)


def eval_input_fn():
  dataset = as_dataset(EVAL_X, EVAL_Y).batch(3)
  features, labels = estimator_inputs.one_shot_iterator(dataset).get_next()
  return features, labels


def make_optimizer(name, rate):
  if name == "sgd":
    return tf.compat.v1.train.GradientDescentOptimizer(rate)
  if name == "momentum":
    return tf.compat.v1.train.MomentumOptimizer(rate, 0.9)
  if name == "adam":
    return tf.compat.v1.train.AdamOptimizer(rate)
  return tf.compat.v1.train.AdagradOptimizer(rate)


class EstimatorModel(tf_keras.Model):
  """A hidden layer and an output, by hand."""

  def __init__(self, features, params):
    x = features["x"]
    w = keras_estimator.Variable(
        shape=[2, params["hidden"]],
        dtype=x.dtype,
        name="hidden/w")(features)
    b = keras_estimator.Variable(
        shape=[params["hidden"]],
        dtype=x.dtype,
        initializer=tf.compat.v1.zeros_initializer(),
        name="hidden/b")(features)
    hidden = tf.nn.relu(tf.matmul(x, w) + b)
    w = keras_estimator.Variable(
        shape=[params["hidden"], 1],
        dtype=x.dtype,
        name="output/w")(features)
    predicted = tf.matmul(hidden, w)

    super().__init__(inputs=features, outputs=predicted)

    optimizer = make_optimizer(FLAGS.optimizer, params["learning_rate"])
    self.compile(optimizer=optimizer)

    self.mean_loss = tf_keras.metrics.Mean(name="loss")
    self.mae = keras_estimator.MeanAbsoluteError(name="mae")
    self.rmse = tf_keras.metrics.RootMeanSquaredError(name="rmse")

  def train_step(self, data):
    features, labels = data
    with tf.GradientTape() as tape:
      predicted = self(features, training=True)

      loss = tf.reduce_mean(tf.math.squared_difference(predicted, labels))
      # Strategies add up the gradients of their replicas.
      scaled_loss = loss / self.distribute_strategy.num_replicas_in_sync
    variables = self.trainable_variables
    gradients = tape.gradient(scaled_loss, variables)
    self.optimizer.apply_gradients(zip(gradients, variables))
    return {"loss": scaled_loss}

  def test_step(self, data):
    features, labels = data
    predicted = self(features, training=False)

    loss = tf.reduce_mean(tf.math.squared_difference(predicted, labels))
    self.mean_loss.update_state(loss)
    self.mae.update_state(labels, predicted)
    self.rmse.update_state(labels, predicted)
    return {m.name: m.result() for m in self.metrics}

  def predict_step(self, data):
    features, _, _ = tf_keras.utils.unpack_x_y_sample_weight(data)
    predicted = self(features, training=False)
    return {"y": predicted}


class LossHook(tf_keras.callbacks.Callback):
  """Keeps the loss of every step."""

  def __init__(self):
    super().__init__()
    self.losses = []

  def on_train_begin(self, logs=None):
    self._step = self.model.optimizer.iterations

  def on_train_batch_end(self, batch, logs=None):
    self.losses.append(logs["loss"])


class Evaluations(estimator_exports.Exporter):
  """Keeps the metrics of every evaluation."""

  def __init__(self):
    self.results = []

  @property
  def name(self):
    return "evaluations"

  def export(self, estimator, export_path, checkpoint_path, eval_result,
             is_the_final_export):
    self.results.append(eval_result)


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


def main(_):
  tf.compat.v1.logging.set_verbosity(tf.compat.v1.logging.WARN)
  strategy = make_strategy()
  model_dir = FLAGS.checkpoint_dir or tempfile.mkdtemp()
  losses, evaluations = LossHook(), Evaluations()
  tf.random.set_seed(1)

  def make_model():
    with fit_callbacks.as_in_tf1():
      return EstimatorModel(
          fit_callbacks.inputs_of(train_input_fn()),
          params={"hidden": 4, "learning_rate": 0.05})

  with strategy.scope():
    model = make_model()
  evaluated = make_model()
  evaluation = fit_callbacks.EvaluationAndExport(
      evaluated,
      model_dir,
      lambda: estimator_inputs.dataset_of(eval_input_fn),
      steps=None,
      throttle_secs=0,
      exporters=[evaluations],
      max_steps=FLAGS.train_steps)
  steps = fit_callbacks.steps_left(model_dir, FLAGS.train_steps)
  if steps != 0:
    model.fit(
        tf_keras.utils.experimental.DatasetCreator(lambda context: train_input_fn()),
        steps_per_epoch=steps,
        verbose=0,
        callbacks=[
            fit_callbacks.Training(
                model_dir,
                evaluation=evaluation,
                every_steps=25),
            fit_callbacks.EachStep(losses)])

  if FLAGS.trace:
    predictions = fit_callbacks.predictions(
        fit_callbacks.restore(evaluated, model_dir),
        as_dataset(EVAL_X, EVAL_Y).batch(2))
    trace = {
        "loss": np.array(losses.losses, FLAGS.dtype),
        "predictions": [p["y"] for p in predictions],
    }
    for name in ("loss", "mae", "rmse", "global_step"):
      trace["eval/" + name] = [result[name] for result in evaluations.results]
    np.savez(FLAGS.trace + ".0.npz", **trace)


if __name__ == "__main__":
  tf.compat.v1.app.run()
