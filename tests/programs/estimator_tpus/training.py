"""A TPUEstimator's training: on one device with whole batches, or on replicas of a strategy."""

from __future__ import print_function

import os
import sys

import numpy as np
import tensorflow as tf
# Updates of others are not read, as on a TPU.
tf.enable_resource_variables()

WAYS = {
    "shard": tf.contrib.tpu.InputPipelineConfig.PER_SHARD_V1,
    "host": tf.contrib.tpu.InputPipelineConfig.PER_HOST_V1,
    "host2": tf.contrib.tpu.InputPipelineConfig.PER_HOST_V2,
}


class OwnMomentum(tf.train.Optimizer):
  """Applies gradients by itself, as public BERT code does."""

  def __init__(self, rate):
    super(OwnMomentum, self).__init__(False, "OwnMomentum")
    self.rate = rate

  def apply_gradients(self, grads_and_vars, global_step=None, name=None):
    assignments = []
    for gradient, variable in grads_and_vars:
      momentum = tf.get_variable(
          variable.name[:-2] + "/momentum", variable.shape, trainable=False,
          initializer=tf.zeros_initializer())
      moved = 0.5 * momentum + gradient
      assignments += [momentum.assign(moved), variable.assign(variable - self.rate * moved)]
    return tf.group(*assignments)


def model_fn_builder(use_tpu, kind, replicas):
  def model_fn(features, labels, mode, params):
    if mode == tf.estimator.ModeKeys.TRAIN:
      assert params["batch_size"] * replicas == 12
      assert features["x"].shape[0] == params["batch_size"]
    rows = tf.get_variable(
        "rows", [10, 3], initializer=tf.random_normal_initializer(stddev=0.1))
    # On a TPU gradients of rows become dense ones; elsewhere momentum sees the rows alone.
    if use_tpu:
      row = tf.nn.embedding_lookup(rows, features["word"])
    else:
      row = tf.matmul(tf.one_hot(features["word"], 10), rows)
    net = features["x"] + row
    net = tf.layers.dense(net, 7, activation=tf.nn.relu, name="hidden")
    tf.summary.histogram("net", net)
    predicted = tf.layers.dense(net, 1, name="output")
    if mode == tf.estimator.ModeKeys.PREDICT:
      return tf.contrib.tpu.TPUEstimatorSpec(mode=mode, predictions={"y": predicted})
    total_loss = tf.losses.mean_squared_error(labels, predicted)
    if mode == tf.estimator.ModeKeys.TRAIN:
      step = tf.train.get_or_create_global_step()
      if kind == "own":
        optimizer = OwnMomentum(0.02)
      else:
        optimizer = tf.train.MomentumOptimizer(
            tf.train.exponential_decay(0.02, step, 10, 0.5), 0.9)
      if use_tpu and kind != "bare":
        optimizer = tf.contrib.tpu.CrossShardOptimizer(optimizer)
      if kind == "own":
        variables = tf.trainable_variables()
        # The program's own gradients are added up, not averaged.
        gradients = tf.gradients(total_loss / replicas, variables)
        updated = optimizer.apply_gradients(zip(gradients, variables), global_step=step)
        train_op = tf.group(updated, [step.assign(step + 1)])
      else:
        train_op = optimizer.minimize(total_loss, global_step=step)
      return tf.contrib.tpu.TPUEstimatorSpec(mode=mode, loss=total_loss, train_op=train_op)

    def metric_fn(labels, predicted):
      return {"mae": tf.metrics.mean_absolute_error(labels, predicted)}

    return tf.contrib.tpu.TPUEstimatorSpec(
        mode=mode, loss=total_loss, eval_metrics=(metric_fn, [labels, predicted]))

  return model_fn


def input_fn_builder(training, way, replicas, ragged=False):
  def input_fn(params):
    size = params["batch_size"]
    rng = np.random.RandomState(3)
    x = rng.randn(60, 3).astype(np.float32)
    word = rng.randint(0, 10, size=60)
    y = x.sum(axis=1, keepdims=True) + 0.1 * word[:, np.newaxis].astype(np.float32)
    if training and way == "shard" and replicas > 1:
      # Each call reads its own rows: of twelve, the first six or the last.
      _, call, calls, _ = params["context"].current_input_fn_deployment()
      assert calls == replicas and size == 12 // replicas
      mine = np.arange(60) % 12 // size == call
      x, word, y = x[mine], word[mine], y[mine]
    d = tf.data.Dataset.from_tensor_slices(({"x": x, "word": word}, y))
    if training:
      d = d.repeat()
    return d.batch(size, drop_remainder=training and not ragged)
  return input_fn


def main(directory, strategy=None, way="host", kind="plain"):
  use_tpu = strategy is not None
  replicas = strategy.num_replicas_in_sync if use_tpu else 1
  run_config = tf.contrib.tpu.RunConfig(
      model_dir=os.path.join(directory, "model"),
      save_checkpoints_steps=5,
      tf_random_seed=1,
      train_distribute=strategy,
      tpu_config=tf.contrib.tpu.TPUConfig(
          iterations_per_loop=5, per_host_input_for_training=WAYS[way]))
  estimator = tf.contrib.tpu.TPUEstimator(
      use_tpu=use_tpu, model_fn=model_fn_builder(use_tpu, kind, replicas),
      config=run_config, train_batch_size=12, eval_batch_size=12, predict_batch_size=4)
  estimator.train(
      input_fn=input_fn_builder(True, way, replicas, kind == "ragged"), max_steps=20)
  evaluation = estimator.evaluate(input_fn=input_fn_builder(False, way, replicas), steps=3)
  results = {"eval/" + name: value for name, value in evaluation.items()}
  results["y"] = np.array([
      p["y"] for p in estimator.predict(input_fn=input_fn_builder(False, way, replicas))])
  for name in estimator.get_variable_names():
    results["variable/" + name] = estimator.get_variable_value(name)
  np.savez(os.path.join(directory, "results.npz"), **results)


if __name__ == "__main__":
  options = dict(a[2:].split("=") for a in sys.argv[1:])
  main(options["dir"], kind=options.get("kind", "plain"))
