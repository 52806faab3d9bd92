"""Hooks that watch the global step, and exports of tensors that are predictions."""

import numpy as np
import tensorflow as tf
from tensorflow.contrib import predictor

LOGGED = []


def note(values):
  LOGGED.append([float(values["at"]), float(values["loss"])])
  return "step %d: %.4f" % (values["at"], values["loss"])


def model_fn(features, labels, mode, params):
  uniform = tf.random_uniform_initializer(-0.5, 0.5, seed=5)
  net = tf.layers.dense(
      features["x"], params["units"], activation=tf.nn.relu, kernel_initializer=uniform)
  logits = tf.layers.dense(net, 3, kernel_initializer=uniform)
  probabilities = tf.nn.softmax(logits, name="probabilities")
  classes = tf.argmax(logits, axis=1)
  predictions = {"class": classes, "probabilities": probabilities}
  if mode == tf.estimator.ModeKeys.PREDICT:
    export_outputs = {
        tf.saved_model.signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY:
            tf.estimator.export.PredictOutput(predictions),
        # What clients of old ask for.
        "scores": tf.estimator.export.PredictOutput({"scores": probabilities}),
        "classify": tf.estimator.export.ClassificationOutput(scores=probabilities),
    }
    return tf.estimator.EstimatorSpec(
        mode, predictions=predictions, export_outputs=export_outputs)

  loss = tf.losses.sparse_softmax_cross_entropy(labels=labels, logits=logits)
  if mode == tf.estimator.ModeKeys.EVAL:
    return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops={
        "accuracy": tf.metrics.accuracy(labels, classes)})

  global_step = tf.train.get_global_step()
  logging_hook = tf.train.LoggingTensorHook(
      {"at": global_step, "loss": loss}, every_n_iter=3, formatter=note)
  optimizer = tf.train.MomentumOptimizer(0.05, 0.9)
  gradients = optimizer.compute_gradients(loss)
  train_op = optimizer.apply_gradients(gradients, global_step)
  return tf.estimator.EstimatorSpec(
      mode, loss=loss, train_op=train_op, training_hooks=[logging_hook])


def run(directory):
  rng = np.random.RandomState(11)
  x = rng.randn(24, 4).astype(np.float32)
  y = np.argmax(x[:, :3], axis=1)
  estimator = tf.estimator.Estimator(
      model_fn, directory, params={"units": 6},
      config=tf.estimator.RunConfig(log_step_count_steps=None))
  train_input = tf.estimator.inputs.numpy_input_fn(
      {"x": x}, y, batch_size=4, num_epochs=2, shuffle=False)
  estimator.train(train_input)
  results = {"logged": np.array(LOGGED)}
  evaluate_input = tf.estimator.inputs.numpy_input_fn(
      {"x": x}, y, batch_size=8, num_epochs=1, shuffle=False)
  for key, value in estimator.evaluate(evaluate_input).items():
    results["eval/" + key] = value

  def receiver():
    asked = tf.placeholder(tf.float32, [None, 4], name="asked")
    return tf.estimator.export.ServingInputReceiver({"x": asked}, {"x": asked})

  path = estimator.export_savedmodel(directory + "/export", receiver)
  if isinstance(path, bytes):
    path = path.decode()
  for name in ("serving_default", "scores"):
    answer = predictor.from_saved_model(path, signature_def_key=name)({"x": x[:5]})
    for key, value in answer.items():
      results[name + "/" + key] = value
  return results
