"""Ready-made Estimators on feature columns: a linear model and networks of survey answers.

Serialized examples are parsed by the columns' own specification. Each model is trained,
evaluated, exported for serving, and asked for its predictions.
"""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import argparse
import os
import sys

import numpy as np
import tensorflow as tf
import canned_estimators
import estimator_loop

BATCH = 16
JOBS = ["clerk", "farmer", "teacher", "nurse"]
HOBBIES = ["chess", "music", "rowing", "books", "maps"]
INCOMES = ["low", "middle", "high"]


def parsed(argv):
  parser = argparse.ArgumentParser()
  parser.add_argument("--checkpoint_dir", help="The Estimator's model_dir")
  parser.add_argument("--trace", help="Prefix of the file that gets the values")
  parser.add_argument("--dtype", default="float32", choices=["float32"])
  parser.add_argument("--train_steps", type=int, default=100)
  parser.add_argument("--model", default="linear",
                      choices=["linear", "dnn", "regressor"])
  parser.add_argument("--optimizer", default="default",
                      choices=["default", "sgd", "adam"])
  return parser.parse_args(argv)


def survey(seed, count, model):
  """Serialized tf.train.Examples; some answers are missing, some unheard of."""
  rng = np.random.RandomState(seed)
  examples = []
  for _ in range(count):
    age = rng.uniform(15, 70)
    job = rng.choice(JOBS + ["astronaut"])
    hobbies = list(rng.choice(HOBBIES, rng.randint(3), replace=False))
    score = (age / 40.0 + (job == "nurse") - ("chess" in hobbies)
             + 0.3 * rng.randn())
    example = tf.train.Example()
    features = example.features.feature
    features["age"].float_list.value.append(age)
    features["region"].int64_list.value.append(rng.randint(6))
    features["town"].bytes_list.value.append(b"town %d" % rng.randint(12))
    features["weight"].float_list.value.append(rng.choice([0.5, 1.0, 2.0]))
    if rng.rand() < 0.9:
      features["job"].bytes_list.value.append(job.encode())
    features["hobby"].bytes_list.value.extend(h.encode() for h in hobbies)
    features["hours"].float_list.value.extend(rng.uniform(1, 5, len(hobbies)))
    if model == "regressor":
      features["label"].float_list.value.extend([score, -0.5 * score])
    elif model == "dnn":
      income = INCOMES[int(np.digitize(score, [0.6, 1.4]))]
      features["label"].bytes_list.value.append(income.encode())
    else:
      features["label"].int64_list.value.append(int(score > 1))
    examples.append(example.SerializeToString())
  return examples


def make_columns(vocabulary_file):
  """(columns of a linear model, columns of a network)."""
  age = tf.feature_column.numeric_column("age")
  log_age = tf.feature_column.numeric_column(
      "age", normalizer_fn=lambda value: tf.math.log(value) - 3.0)
  decades = tf.feature_column.bucketized_column(age, [20.0, 30.0, 45.0, 60.0])
  job = tf.feature_column.categorical_column_with_vocabulary_list("job", JOBS)
  region = tf.feature_column.categorical_column_with_identity("region", 6)
  hobby = tf.compat.v1.feature_column.categorical_column_with_vocabulary_file(
      "hobby", vocabulary_file, len(HOBBIES) - 1, num_oov_buckets=2)
  hobby_hours = tf.feature_column.weighted_categorical_column(hobby, "hours")
  town = tf.feature_column.categorical_column_with_hash_bucket("town", 7)
  job_by_age = tf.feature_column.crossed_column([decades, "job"], 20)
  wide = [decades, job, region, hobby_hours, town, job_by_age]
  deep = [
      log_age,
      decades,
      tf.feature_column.indicator_column(job),
      tf.feature_column.embedding_column(region, 3),
      tf.feature_column.embedding_column(hobby_hours, 2, combiner="sqrtn"),
      tf.feature_column.embedding_column(job_by_age, 2, max_norm=1.5),
  ]
  return wide, deep


def make_optimizer(name, default):
  if name == "sgd":
    return tf.compat.v1.train.GradientDescentOptimizer(0.005)
  if name == "adam":
    return lambda: tf.compat.v1.train.AdamOptimizer(
        tf.compat.v1.train.exponential_decay(0.02, tf.compat.v1.train.get_global_step(), 20, 0.8))
  return default


def make_estimator(args, wide, deep):
  """The model, and the specification of its examples."""
  config = estimator_loop.RunConfig(
      model_dir=args.checkpoint_dir, save_checkpoints_steps=50,
      save_summary_steps=50)
  if args.model == "linear":
    spec = canned_estimators.classifier_parse_example_spec(
        wide, label_key="label", weight_column="weight")
    return spec, canned_estimators.LinearClassifier(
        wide, weight_column="weight", config=config, sparse_combiner="mean",
        optimizer=make_optimizer(args.optimizer, "Ftrl"))
  if args.model == "dnn":
    spec = canned_estimators.classifier_parse_example_spec(
        deep, label_key="label", label_dtype=tf.string)
    return spec, canned_estimators.DNNClassifier(
        [8, 5], deep, n_classes=3, label_vocabulary=INCOMES, config=config,
        optimizer=make_optimizer(args.optimizer, "Adagrad"))
  spec = canned_estimators.regressor_parse_example_spec(
      deep, label_key="label", label_dimension=2)
  return spec, canned_estimators.DNNRegressor(
      hidden_units=[6], feature_columns=deep, label_dimension=2, config=config,
      activation_fn=tf.tanh, batch_norm=True,
      optimizer=make_optimizer(args.optimizer, "Adagrad"))


class Losses(estimator_loop.SessionRunHook):
  """Keeps the loss of every step."""

  def __init__(self):
    self.values = []

  def begin(self):
    self._loss = tf.compat.v1.get_collection(tf.compat.v1.GraphKeys.LOSSES)[-1]

  def before_run(self, run_context):
    return estimator_loop.SessionRunArgs(self._loss)

  def after_run(self, run_context, run_values):
    self.values.append(run_values.results)


def main(argv):
  args = parsed(argv)
  if not os.path.isdir(args.checkpoint_dir):
    os.makedirs(args.checkpoint_dir)
  vocabulary_file = os.path.join(args.checkpoint_dir, "hobbies.txt")
  with open(vocabulary_file, "w") as file:
    file.write("\n".join(HOBBIES))
  wide, deep = make_columns(vocabulary_file)
  spec, estimator = make_estimator(args, wide, deep)

  def input_fn(seed, count, repeat):
    dataset = tf.data.Dataset.from_tensor_slices(survey(seed, count, args.model))
    dataset = dataset.repeat(repeat).batch(BATCH)

    def parse(examples):
      features = tf.io.parse_example(examples, spec)
      label = features.pop("label")
      return features, label

    return dataset.map(parse)

  losses = Losses()
  estimator.train(lambda: input_fn(1, 8 * BATCH, None), hooks=[losses],
                  max_steps=args.train_steps)
  trace = {"loss": losses.values}
  evaluation = estimator.evaluate(lambda: input_fn(2, 50, 1))
  trace.update({"eval/" + name: [value] for name, value in evaluation.items()})
  predictions = list(estimator.predict(lambda: input_fn(2, 50, 1)))
  for name in ("logits", "probabilities", "class_ids", "predictions"):
    if name in predictions[0]:
      trace[name] = [p[name] for p in predictions]
  features = tf.compat.v1.feature_column.make_parse_example_spec(
      wide if args.model == "linear" else deep)
  estimator.export_savedmodel(
      os.path.join(args.checkpoint_dir, "export"),
      estimator_loop.export.build_parsing_serving_input_receiver_fn(features))
  if args.trace:
    np.savez(args.trace + ".0.npz", **trace)


if __name__ == "__main__":
  main(sys.argv[1:])
