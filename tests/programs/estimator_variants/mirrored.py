"""Several devices in one process: RunConfig(train_distribute=MirroredStrategy)."""

import numpy as np
import tensorflow as tf


def batches(count, size, seed=0):
  rng = np.random.RandomState(seed)
  x = rng.randn(count, 4).astype(np.float32)
  y = (x[:, :1] * 2 - x[:, 1:2] + 0.1 * rng.randn(count, 1)).astype(np.float32)
  return tf.data.Dataset.from_tensor_slices((x, y)).batch(size)


seen = []


class Watch(tf.train.SessionRunHook):
  def __init__(self, tensor):
    self._tensor = tensor

  def before_run(self, run_context):
    return tf.train.SessionRunArgs([self._tensor, tf.train.get_global_step()])

  def after_run(self, run_context, run_values):
    seen.append([float(v) for v in run_values.results])


def model_fn(features, labels, mode, params):
  training = mode == tf.estimator.ModeKeys.TRAIN
  net = tf.layers.dense(
    features,
    5,
    name="hidden",
    use_bias=False,
    kernel_initializer=tf.random_uniform_initializer(-1, 1, seed=1),
    kernel_regularizer=params.get("regularizer"),
  )
  net = tf.layers.batch_normalization(net, training=training, momentum=0.8)
  net = tf.nn.relu(net)
  out = tf.layers.dense(
    net,
    1,
    name="out",
    kernel_initializer=tf.random_uniform_initializer(-1, 1, seed=2),
  )
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions={"y": out})
  loss = tf.losses.mean_squared_error(
    labels,
    out,
    reduction=params.get("reduction", "weighted_sum_by_nonzero_weights"),
  )
  if params.get("regularizer"):
    loss += tf.losses.get_regularization_loss()
  metrics = {
    "mae": tf.metrics.mean_absolute_error(labels, out),
    "rmse": tf.metrics.root_mean_squared_error(labels, out),
  }
  if mode == tf.estimator.ModeKeys.EVAL:
    return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops=metrics)
  rate = tf.train.exponential_decay(0.1, tf.train.get_global_step(), 5, 0.9)
  optimizer = params["optimizer"](rate)
  with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
    train_op = optimizer.minimize(loss, tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(
    mode, loss=loss, train_op=train_op, training_hooks=[Watch(loss)]
  )


def run(directory):
  results = {}
  strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])
  config = tf.estimator.RunConfig(
    train_distribute=strategy,
    save_checkpoints_steps=3,
    session_config=tf.ConfigProto(device_count={"CPU": 2}),
  )
  for name, params in (
    ("mean", {"optimizer": lambda r: tf.train.MomentumOptimizer(r, 0.9)}),
    ("sum", {"optimizer": tf.train.AdagradOptimizer, "reduction": "weighted_sum"}),
    (
      "penalised",
      {
        "optimizer": tf.train.AdamOptimizer,
        "regularizer": lambda w: 0.1 * tf.nn.l2_loss(w),
      },
    ),
  ):
    del seen[:]
    estimator = tf.estimator.Estimator(
      model_fn, directory + "/" + name, config, params
    )
    # Batches are each replica's: 5 batches of 6, and one of 2.
    estimator.train(lambda: batches(32, 6).repeat(2))
    results[name + "/seen"] = np.array(seen)
    for key, value in estimator.evaluate(lambda: batches(30, 7, 1)).items():
      results[name + "/eval/" + key] = value
    results[name + "/predictions"] = [
      p["y"] for p in estimator.predict(lambda: batches(10, 4, 2))
    ]
    for variable in estimator.get_variable_names():
      results[name + "/" + variable] = estimator.get_variable_value(variable)
  return results
