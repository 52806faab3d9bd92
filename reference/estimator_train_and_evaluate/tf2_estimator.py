"""A small regression as an Estimator: trained, evaluated at every checkpoint, asked.

The model_fn has the three modes; train_and_evaluate saves every so many steps and
evaluates rows that training has not seen. With TF_CONFIG the same program trains on a
cluster.
"""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import numpy as np
import tensorflow as tf
import tf_keras
import estimator_loop
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
  features, labels = estimator_loop.one_shot_iterator(dataset).get_next()
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
    self.optimizer.iterations = tf.compat.v1.train.get_or_create_global_step()

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
    return {"loss": loss}

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


class Evaluations(estimator_loop.Exporter):
  """Keeps the metrics of every evaluation."""

  def __init__(self):
    self.results = []

  @property
  def name(self):
    return "evaluations"

  def export(self, estimator, export_path, checkpoint_path, eval_result,
             is_the_final_export):
    self.results.append(eval_result)


def main(_):
  tf.compat.v1.logging.set_verbosity(tf.compat.v1.logging.WARN)
  config = estimator_loop.RunConfig(
      model_dir=FLAGS.checkpoint_dir, save_checkpoints_steps=25, tf_random_seed=1)
  estimator = keras_estimator.Estimator(
      EstimatorModel,
      config=config,
      params={"hidden": 4, "learning_rate": 0.05})
  losses, evaluations = LossHook(), Evaluations()
  train_spec = estimator_loop.TrainSpec(
      train_input_fn, max_steps=FLAGS.train_steps, hooks=[losses])
  eval_spec = estimator_loop.EvalSpec(
      eval_input_fn, steps=None, exporters=[evaluations], start_delay_secs=0,
      throttle_secs=0)
  estimator_loop.train_and_evaluate(estimator, train_spec, eval_spec)

  if FLAGS.trace:
    predictions = estimator.predict(
        lambda: as_dataset(EVAL_X, EVAL_Y).batch(2))
    trace = {
        "loss": np.array(losses.losses, FLAGS.dtype),
        "predictions": [p["y"] for p in predictions],
    }
    for name in ("loss", "mae", "rmse", "global_step"):
      trace["eval/" + name] = [result[name] for result in evaluations.results]
    np.savez(FLAGS.trace + ".0.npz", **trace)


if __name__ == "__main__":
  tf.compat.v1.app.run()
