"""compat.v1: feature columns, serialized examples, train_and_evaluate with an exporter."""

import os
import sys

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

KINDS = ["red", "green", "blue"]


def columns():
  size = tf.feature_column.numeric_column("size", normalizer_fn=lambda x: x / 2.0)
  kind = tf.feature_column.categorical_column_with_vocabulary_list("kind", KINDS)
  bucket = tf.feature_column.bucketized_column(
      tf.feature_column.numeric_column("age"), [1.0, 2.0, 3.0])
  crossed = tf.feature_column.crossed_column([kind, bucket], hash_bucket_size=20)
  return [
      size,
      tf.feature_column.embedding_column(kind, dimension=2),
      tf.feature_column.indicator_column(bucket),
      tf.feature_column.indicator_column(crossed),
  ]


def serialized(rows, seed):
  rng = np.random.RandomState(seed)
  out = []
  for _ in range(rows):
    size, age, kind = rng.rand() * 4, rng.rand() * 4, rng.randint(3)
    label = float(size + kind > age + 1)
    feature = {
        "size": tf.train.Feature(float_list=tf.train.FloatList(value=[size])),
        "age": tf.train.Feature(float_list=tf.train.FloatList(value=[age])),
        "kind": tf.train.Feature(
            bytes_list=tf.train.BytesList(value=[KINDS[kind].encode()])),
        "label": tf.train.Feature(float_list=tf.train.FloatList(value=[label])),
    }
    example = tf.train.Example(features=tf.train.Features(feature=feature))
    out.append(example.SerializeToString())
  return out


def parse(examples):
  spec = tf.feature_column.make_parse_example_spec(columns())
  spec["label"] = tf.FixedLenFeature([1], tf.float32)
  features = tf.parse_example(examples, spec)
  labels = features.pop("label")
  return features, labels


def make_input_fn(rows, seed, training):
  def _input_fn():
    dataset = tf.data.Dataset.from_tensor_slices(serialized(rows, seed))
    if training:
      dataset = dataset.repeat(None)
    return dataset.batch(12).map(parse)
  return _input_fn


def model_fn(features, labels, mode, params, config):
  net = tf.feature_column.input_layer(features, params.get("columns"))
  for units in params["hidden"]:
    net = tf.layers.dense(
        net, units=units, activation=tf.nn.relu,
        kernel_initializer=tf.glorot_uniform_initializer(seed=4))
  net = tf.layers.dropout(
      net, rate=0.2, seed=2, training=mode == tf.estimator.ModeKeys.TRAIN)
  with tf.variable_scope("head", reuse=tf.AUTO_REUSE):
    logits = tf.layers.dense(net, 1, activation=None, name="logits")
  probability = tf.sigmoid(logits)
  if mode == tf.estimator.ModeKeys.PREDICT:
    predictions = {"probability": probability, "logits": logits}
    export_outputs = {
        "predict": tf.estimator.export.PredictOutput(outputs=predictions)}
    return tf.estimator.EstimatorSpec(
        mode, predictions=predictions, export_outputs=export_outputs)
  loss = tf.losses.sigmoid_cross_entropy(
      multi_class_labels=labels, logits=logits,
      reduction=tf.losses.Reduction.SUM_OVER_BATCH_SIZE)
  if mode == tf.estimator.ModeKeys.EVAL:
    metrics = {
        "auc": tf.metrics.auc(labels, probability),
        "precision": tf.metrics.precision(labels, tf.round(probability)),
        "label/mean": tf.metrics.mean(labels),
    }
    return tf.estimator.EstimatorSpec(mode=mode, loss=loss, eval_metric_ops=metrics)
  assert mode == tf.estimator.ModeKeys.TRAIN
  rate = tf.train.piecewise_constant(tf.train.get_global_step(), [10, 20], [0.2, 0.1, 0.05])
  optimizer = tf.train.ProximalAdagradOptimizer(
      rate, l1_regularization_strength=0.0001)
  train_op = optimizer.minimize(loss, global_step=tf.train.get_or_create_global_step())
  return tf.estimator.EstimatorSpec(mode=mode, loss=loss, train_op=train_op)


def main(argv):
  directory = [a.split("=")[1] for a in argv if a.startswith("--dir=")][0]
  feature_spec = tf.feature_column.make_parse_example_spec(columns())
  receiver_fn = tf.estimator.export.build_parsing_serving_input_receiver_fn(feature_spec)
  config = tf.estimator.RunConfig(
      model_dir=os.path.join(directory, "model"), save_checkpoints_steps=15,
      tf_random_seed=3, session_config=tf.ConfigProto(allow_soft_placement=True))
  estimator = tf.estimator.Estimator(
      model_fn=model_fn, config=config,
      params={"columns": columns(), "hidden": [6, 4]})
  train_spec = tf.estimator.TrainSpec(
      input_fn=make_input_fn(96, 1, True), max_steps=30)
  exporter = tf.estimator.LatestExporter("exporter", receiver_fn, exports_to_keep=1)
  eval_spec = tf.estimator.EvalSpec(
      input_fn=make_input_fn(40, 2, False), steps=None, exporters=exporter,
      name="held-out", start_delay_secs=0, throttle_secs=0)
  metrics, exports = tf.estimator.train_and_evaluate(estimator, train_spec, eval_spec)
  assert len(exports) == 1
  results = {"eval/" + name: value for name, value in metrics.items()}
  results["probability"] = [
      p["probability"] for p in estimator.predict(
          make_input_fn(40, 2, False), predict_keys=["probability"])]
  for name in estimator.get_variable_names():
    results["variable/" + name] = estimator.get_variable_value(name)
  np.savez(os.path.join(directory, "results.npz"), **results)


if __name__ == "__main__":
  main(sys.argv)
