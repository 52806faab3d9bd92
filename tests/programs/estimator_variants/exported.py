"""A model that is exported with two signatures by a BestExporter, in train_and_evaluate."""

import os

import numpy as np
import tensorflow as tf

from tensorflow.python.estimator import estimator as estimator_lib


class Trainer(object):
  """Holds what its functions share."""

  def __init__(self, directory):
    self._directory = directory

  def model_fn(self, features, labels, mode):
    rate = tf.get_variable(
        "rate", [2], initializer=tf.random_uniform_initializer(0, 1, seed=1))
    total = tf.reduce_sum(features["pair"] * rate, 1)
    if mode == tf.estimator.ModeKeys.PREDICT:
      export_outputs = {
          tf.saved_model.signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY:
              tf.estimator.export.PredictOutput({"total": total}),
          "half": tf.estimator.export.PredictOutput(total / 2),
      }
      return tf.estimator.EstimatorSpec(
          mode, predictions={"total": total}, export_outputs=export_outputs)
    loss = tf.losses.absolute_difference(labels, total)
    if mode == tf.estimator.ModeKeys.EVAL:
      return tf.estimator.EstimatorSpec(mode, loss=loss)
    step = tf.train.get_global_step()
    rate = tf.train.cosine_decay(0.2, step, 30)
    train_op = tf.train.GradientDescentOptimizer(rate).minimize(loss, step)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)

  def input_fn(self):
    pair = np.random.RandomState(12).rand(40, 2).astype(np.float32)
    dataset = tf.data.Dataset.from_tensor_slices(
        ({"pair": pair}, (pair.sum(1) * 3).astype(np.float32)))
    return dataset.repeat().batch(8).prefetch(1)

  def serving_input_receiver_fn(self):
    pair = tf.placeholder(tf.float32, [None, 2], "pair")
    return tf.estimator.export.ServingInputReceiver({"pair": pair}, {"pair": pair})

  def train(self):
    estimator = estimator_lib.Estimator(
        self.model_fn, self._directory,
        tf.estimator.RunConfig(save_checkpoints_steps=10))
    exporter = tf.estimator.BestExporter(
        "best", self.serving_input_receiver_fn, exports_to_keep=1)
    tf.estimator.train_and_evaluate(
        estimator,
        tf.estimator.TrainSpec(input_fn=lambda: self.input_fn(), max_steps=30),
        tf.estimator.EvalSpec(
            input_fn=self.input_fn, steps=5, exporters=[exporter], throttle_secs=0,
            start_delay_secs=0))
    return estimator


def run(directory):
  estimator = Trainer(directory).train()
  exports = os.listdir(os.path.join(directory, "export", "best"))
  export = os.path.join(directory, "export", "best", exports[0])
  return {
      "rate": estimator.get_variable_value("rate"),
      "exports": len(exports),
      "files": len(os.listdir(export)),
      "loss": estimator.evaluate(estimator_input, steps=2)["loss"],
  }


def estimator_input():
  pair = np.eye(2, dtype=np.float32)
  return {"pair": tf.constant(pair)}, tf.constant([3.0, 3.0])
