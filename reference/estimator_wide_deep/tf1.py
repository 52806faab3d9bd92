"""Wide and deep: a linear model and a network, trained together, their embeddings in parts.

The embedding of a large vocabulary is partitioned, as it is where parameter servers hold
it; with TF_CONFIG the same program trains on a cluster.
"""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import numpy as np
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_string("checkpoint_dir", None, "The Estimator's model_dir")
flags.DEFINE_string("trace", None, "Prefix of the file that gets the values")
flags.DEFINE_string("dtype", "float32", "float32")
flags.DEFINE_integer("train_steps", 100, "Number of training steps")
flags.DEFINE_string("optimizer", "default", "sgd, or default: Ftrl and Adagrad")
flags.DEFINE_integer("parts", 3, "Parts of a large variable")

FLAGS = flags.FLAGS

BATCH = 16
KINDS = ["book", "film", "song"]


def rows(seed, count):
  """What was shown to whom, and whether it was wanted."""
  rng = np.random.RandomState(seed)
  person = rng.randint(40, size=count)
  kind = rng.choice(KINDS, count)
  price = rng.gamma(2.0, 5.0, size=count)
  wanted = (person % 3 == 0) + (kind == "film") - price / 20.0
  label = wanted + 0.3 * rng.randn(count) > 0.5
  features = {"person": person, "kind": kind, "price": price.astype(np.float32)}
  return features, label.astype(np.int32)


def build_columns():
  person = tf.feature_column.categorical_column_with_identity("person", 40)
  kind = tf.feature_column.categorical_column_with_vocabulary_list("kind", KINDS)
  price = tf.feature_column.numeric_column("price")
  prices = tf.feature_column.bucketized_column(price, [2.0, 5.0, 10.0, 20.0])
  taste = tf.feature_column.crossed_column(["person", "kind"], 50)
  wide = [person, kind, prices, taste]
  deep = [
      price,
      tf.feature_column.indicator_column(kind),
      tf.feature_column.embedding_column(person, 4),
      tf.feature_column.embedding_column(taste, 3),
  ]
  return wide, deep


def split(shape, dtype, **kwargs):
  """Large variables in parts by rows, small ones whole."""
  large = shape.as_list()[0] >= 40
  return [FLAGS.parts if large else 1] + [1] * (len(shape) - 1)


class Losses(tf.train.SessionRunHook):
  """Keeps the loss of every step."""

  def __init__(self):
    self.values = []

  def begin(self):
    self._loss = tf.get_collection(tf.GraphKeys.LOSSES)[-1]

  def before_run(self, run_context):
    return tf.train.SessionRunArgs(self._loss)

  def after_run(self, run_context, run_values):
    self.values.append(run_values.results)


def main(_):
  wide, deep = build_columns()
  sgd = FLAGS.optimizer == "sgd"
  estimator = tf.estimator.DNNLinearCombinedClassifier(
      model_dir=FLAGS.checkpoint_dir,
      linear_feature_columns=wide,
      linear_optimizer=tf.train.GradientDescentOptimizer(0.01) if sgd else "Ftrl",
      dnn_feature_columns=deep,
      dnn_optimizer=tf.train.GradientDescentOptimizer(0.003) if sgd else "Adagrad",
      dnn_hidden_units=[8, 4],
      input_layer_partitioner=split,
      config=tf.estimator.RunConfig(save_summary_steps=50))

  train, train_label = rows(1, 8 * BATCH)
  test, test_label = rows(2, 50)
  train_input_fn = tf.estimator.inputs.numpy_input_fn(
      train, train_label, batch_size=BATCH, num_epochs=None, shuffle=False)
  eval_input_fn = tf.estimator.inputs.numpy_input_fn(
      test, test_label, batch_size=BATCH, num_epochs=1, shuffle=False)
  losses = Losses()
  evaluation = tf.estimator.train_and_evaluate(
      estimator,
      tf.estimator.TrainSpec(
          train_input_fn, max_steps=FLAGS.train_steps, hooks=[losses]),
      tf.estimator.EvalSpec(
          eval_input_fn, steps=None, start_delay_secs=0, throttle_secs=0))

  if FLAGS.trace:
    trace = {"loss": losses.values}
    if evaluation:  # Of this process.
      metrics, _ = evaluation
      trace.update({"eval/" + name: [value] for name, value in metrics.items()})
    predictions = list(estimator.predict(eval_input_fn))
    for name in ("logits", "probabilities", "class_ids"):
      trace[name] = [p[name] for p in predictions]
    np.savez(FLAGS.trace + ".0.npz", **trace)


if __name__ == "__main__":
  tf.app.run()
