"""Several labels, several heads, counts; heads of tf.contrib.estimator and of tf.estimator."""

import os

import numpy as np
import tensorflow as tf

COLORS = ["red", "green", "blue"]


def data(seed, count):
  rng = np.random.RandomState(seed)
  x = rng.randn(count, 4).astype(np.float32)
  weight = rng.choice([0.5, 1.0, 2.0], [count, 1]).astype(np.float32)
  return {"x": x, "weight": weight}


def binary(x):
  return (x[:, :1] + 0.2 * x[:, 1:2] > 0).astype(np.int32)


def count(x):
  return np.floor(np.exp(np.clip(x[:, :1] * 0.5, -1, 1.5))).astype(np.float32)


def several(x):
  return (x[:, :3] + x[:, 1:] > 0.3).astype(np.int64)


HEADS = {
  "labels": (
    lambda: tf.contrib.estimator.multi_label_head(
      3,
      weight_column="weight",
      thresholds=[0.3, 0.6],
      classes_for_class_based_metrics=[0, 2],
      name="tags",
    ),
    several,
  ),
  "labels_sum": (
    lambda: tf.contrib.estimator.multi_label_head(
      3, loss_reduction=tf.losses.Reduction.SUM
    ),
    several,
  ),
  "poisson": (lambda: tf.contrib.estimator.poisson_regression_head(), count),
  "logistic": (
    lambda: tf.contrib.estimator.logistic_regression_head(weight_column="weight"),
    lambda x: binary(x).astype(np.float32),
  ),
  "two": (
    lambda: tf.contrib.estimator.multi_head(
      [
        tf.contrib.estimator.multi_label_head(3, name="tags"),
        tf.contrib.estimator.regression_head(name="size"),
      ],
      head_weights=[1.0, 0.25],
    ),
    lambda x: {"tags": several(x), "size": count(x)},
  ),
  "BinaryClassHead": (
    lambda: tf.estimator.BinaryClassHead(
      weight_column="weight", thresholds=[0.25, 0.5]
    ),
    binary,
  ),
  "MultiClassHead": (
    lambda: tf.estimator.MultiClassHead(3, name="kind"),
    lambda x: np.digitize(x[:, :1], [-0.5, 0.5]),
  ),
  "MultiLabelHead": (
    lambda: tf.estimator.MultiLabelHead(
      3,
      thresholds=[0.4],
      weight_column="weight",
      classes_for_class_based_metrics=[1],
    ),
    several,
  ),
  "RegressionHead": (
    lambda: tf.estimator.RegressionHead(label_dimension=2, loss_reduction="sum"),
    lambda x: x[:, :2] * 2,
  ),
  "PoissonRegressionHead": (
    lambda: tf.estimator.PoissonRegressionHead(compute_full_loss=False),
    count,
  ),
  "LogisticRegressionHead": (
    lambda: tf.estimator.LogisticRegressionHead(),
    lambda x: binary(x).astype(np.float32),
  ),
  "MultiHead": (
    lambda: tf.estimator.MultiHead(
      [
        tf.estimator.BinaryClassHead(name="is"),
        tf.estimator.PoissonRegressionHead(name="size"),
      ]
    ),
    lambda x: {"is": binary(x), "size": count(x)},
  ),
}


def model_fn(features, labels, mode, params):
  head = HEADS[params["head"]][0]()
  logits = tf.layers.dense(
    features["x"],
    head.logits_dimension,
    kernel_initializer=tf.random_uniform_initializer(-0.5, 0.5, seed=1),
  )
  optimizer = tf.train.MomentumOptimizer(0.05, 0.9)
  return head.create_estimator_spec(
    features=features,
    mode=mode,
    logits=logits,
    labels=labels,
    train_op_fn=lambda loss: optimizer.minimize(
      loss, global_step=tf.train.get_global_step()
    ),
  )


def serving_input_fn():
  x = tf.placeholder(tf.float32, [None, 4])
  return tf.estimator.export.ServingInputReceiver({"x": x}, {"x": x})


def run(directory):
  results = {}
  features = data(0, 96)
  for name, (_, label) in sorted(HEADS.items()):
    labels = label(features["x"])
    estimator = tf.estimator.Estimator(
      model_fn, os.path.join(directory, name), params={"head": name}
    )
    estimator.train(
      tf.estimator.inputs.numpy_input_fn(
        features, labels, batch_size=12, num_epochs=2, shuffle=False
      )
    )
    input_fn = tf.estimator.inputs.numpy_input_fn(
      features, labels, batch_size=30, num_epochs=1, shuffle=False
    )
    for key, value in estimator.evaluate(input_fn).items():
      results["%s/%s" % (name, key)] = value
    found = list(estimator.predict(input_fn))
    for key in sorted(found[0], key=str):
      values = np.array([p[key] for p in found])
      if values.dtype.kind == "f":
        results["%s/predicted %s" % (name, key)] = values
    estimator.export_savedmodel(
      os.path.join(directory, "export", name), serving_input_fn
    )
  return results
