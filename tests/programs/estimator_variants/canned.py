"""Ready-made Estimators with their less usual arguments."""

import numpy as np
import tensorflow as tf

fc = tf.feature_column


def data(n=60):
  rng = np.random.RandomState(0)
  x = rng.randn(n, 2).astype(np.float32)
  return {
    "x": x,
    "g": np.array(list("abc"))[rng.randint(0, 3, n)],
    "w": rng.choice([0.5, 2.0], n).astype(np.float32),
  }, x


def run(directory):
  f, x = data()
  y2 = (x[:, 0] > 0).astype(np.int64)
  y3 = np.array(["lo", "mid", "hi"])[np.digitize(x[:, 0], [-0.4, 0.4])]
  reg = np.stack([x[:, 0] * 2, x[:, 1] - 1], 1)
  num = fc.numeric_column("x", shape=2)
  cat = fc.categorical_column_with_vocabulary_list("g", list("abc"))
  w = fc.weighted_categorical_column(cat, "w")
  opt = lambda: tf.train.FtrlOptimizer(
    tf.train.exponential_decay(0.3, tf.train.get_global_step(), 5, 0.5)
  )
  E = tf.estimator
  cases = {
    "lin_reg": (
      E.LinearRegressor(
        [num, cat], label_dimension=2, optimizer="Adam", model_dir=directory + "/1"
      ),
      reg.astype(np.float32),
    ),
    "lin_weight": (
      E.LinearClassifier(
        [num, w],
        weight_column="w",
        sparse_combiner="mean",
        model_dir=directory + "/2",
      ),
      y2,
    ),
    "lin_3": (
      E.LinearClassifier(
        [num, cat],
        n_classes=3,
        label_vocabulary=["lo", "mid", "hi"],
        loss_reduction=tf.losses.Reduction.SUM_OVER_BATCH_SIZE,
        optimizer=opt,
        model_dir=directory + "/3",
      ),
      y3,
    ),
    "base": (
      E.BaselineClassifier(
        n_classes=3,
        label_vocabulary=["lo", "mid", "hi"],
        model_dir=directory + "/4",
      ),
      y3,
    ),
    "base_reg": (
      E.BaselineRegressor(
        label_dimension=2,
        weight_column="w",
        optimizer=tf.train.GradientDescentOptimizer(0.01),
        model_dir=directory + "/5",
      ),
      reg.astype(np.float32),
    ),
    "lin_part": (
      E.LinearClassifier(
        [num, cat],
        partitioner=tf.fixed_size_partitioner(2),
        model_dir=directory + "/6",
        config=E.RunConfig(save_checkpoints_steps=2),
      ),
      y2,
    ),
    "lin_est": (
      E.LinearEstimator(
        tf.contrib.estimator.poisson_regression_head(),
        [num, cat],
        model_dir=directory + "/7",
      ),
      np.abs(x[:, :1]),
    ),
    "comb": (
      E.DNNLinearCombinedClassifier(
        linear_feature_columns=[num, cat],
        model_dir=directory + "/8",
        linear_optimizer="Adagrad",
      ),
      y2,
    ),
  }
  r = {}
  for name in sorted(cases):
    est, y = cases[name]
    fn = tf.estimator.inputs.numpy_input_fn(
      f, y, batch_size=10, num_epochs=2, shuffle=False
    )
    est.train(fn, steps=12)
    for k, v in est.evaluate(fn).items():
      r["%s/e/%s" % (name, k)] = v
    p = list(est.predict(fn))
    r[name + "/keys"] = sorted(p[0])
    for k in ("predictions", "probabilities", "logits"):
      if k in p[0]:
        r["%s/%s" % (name, k)] = [q[k] for q in p]
    if name != "lin_part":
      for n in est.get_variable_names():
        r["%s/v/%s" % (name, n)] = est.get_variable_value(n)
  return r
