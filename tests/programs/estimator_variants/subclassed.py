"""A subclass of Estimator: a table, averages, two optimizers, weights, a scaffold."""

import numpy as np
import tensorflow as tf


class MyEstimator(tf.estimator.Estimator):
  """A subclass, as many libraries have."""

  def __init__(self, units, model_dir=None, config=None):
    def _model_fn(features, labels, mode, config):
      return self.build(features, labels, mode, units, config)

    super(MyEstimator, self).__init__(
      model_fn=_model_fn, model_dir=model_dir, config=config
    )

  def build(self, features, labels, mode, units, config):
    table = tf.contrib.lookup.index_table_from_tensor(
      ["a", "b", "c"], num_oov_buckets=1
    )
    ids = table.lookup(features["s"])
    emb = tf.get_variable(
      "emb", [4, units], initializer=tf.random_uniform_initializer(-1, 1, seed=3)
    )
    x = tf.nn.embedding_lookup(emb, ids)
    ema = tf.train.ExponentialMovingAverage(0.9)
    with tf.variable_scope(
      "net", reuse=tf.AUTO_REUSE, regularizer=tf.contrib.layers.l2_regularizer(0.1)
    ):
      w = tf.get_variable(
        "w", [units, 1], initializer=tf.random_uniform_initializer(-1, 1, seed=4)
      )
      b = tf.get_variable(
        "b", [1], initializer=tf.zeros_initializer(), regularizer=None
      )
      not_trained = tf.get_variable(
        "n", [], trainable=False, initializer=tf.constant_initializer(2.0)
      )
    y = not_trained * tf.tanh(tf.matmul(x, w) + b)
    if mode == tf.estimator.ModeKeys.PREDICT:
      return tf.estimator.EstimatorSpec(
        mode, predictions={"y": y, "id": ids, "s": features["s"]}
      )
    weights = features["w"] if "w" in features else 1.0
    tf.losses.mean_squared_error(labels, y, weights=weights)
    loss = tf.losses.get_total_loss()
    step = tf.train.get_global_step()
    if mode == tf.estimator.ModeKeys.EVAL:
      return tf.estimator.EstimatorSpec(
        mode,
        loss=loss,
        eval_metric_ops={
          "mae": tf.metrics.mean_absolute_error(labels, y, weights),
          "auc": tf.metrics.auc(
            labels > 0,
            tf.sigmoid(y),
            num_thresholds=50,
            curve="PR",
            summation_method="careful_interpolation",
          ),
          "fn": tf.metrics.false_negatives(labels > 0, y > 0),
          "mean_w": tf.metrics.mean(b),
        },
      )
    counter = tf.get_variable(
      "counter", [], tf.int64, trainable=False, initializer=tf.zeros_initializer()
    )
    opt1 = tf.train.GradientDescentOptimizer(
      tf.train.inverse_time_decay(0.1, step, 4, 0.5, staircase=True)
    )
    opt2 = tf.train.MomentumOptimizer(
      tf.train.polynomial_decay(0.1, step, 30, 0.01, power=2.0),
      0.9,
      use_nesterov=True,
    )
    g = tf.tuple(tf.gradients(loss, [w, b, emb]))
    t1 = opt1.apply_gradients(
      [(tf.clip_by_value(g[0], -1, 1), w), (tf.clip_by_norm(g[1], 0.5), b)]
    )
    t2 = opt2.apply_gradients([(g[2], emb)], global_step=step)
    with tf.control_dependencies([t1, t2]):
      train_op = tf.group(ema.apply([w, b]), tf.assign_add(counter, 2))
    saver = tf.train.Saver(max_to_keep=2, keep_checkpoint_every_n_hours=1)

    def init_fn(scaffold, session):
      tf.logging.info("from the beginning")

    scaffold = tf.train.Scaffold(saver=saver, init_fn=init_fn)
    return tf.estimator.EstimatorSpec(
      mode, loss=loss, train_op=train_op, scaffold=scaffold
    )


def input_fn():
  rng = np.random.RandomState(0)
  s = rng.choice(list("abcd"), 40)
  y = np.array([[ord(c) - 98.5] for c in s], np.float32)
  w = rng.choice([0.0, 1.0, 2.0], [40, 1]).astype(np.float32)
  return (
    tf.data.Dataset.from_tensor_slices(({"s": s, "w": w}, y)).repeat(2).batch(8)
  )


def run(directory):
  est = MyEstimator(5, directory, tf.estimator.RunConfig(save_checkpoints_steps=3))
  est.train(input_fn)
  r = dict(est.evaluate(input_fn))
  r["p"] = [p["y"] for p in est.predict(input_fn, predict_keys=["y", "id"])]
  r["keys"] = sorted(next(est.predict(input_fn, predict_keys=["y", "id"])))
  r["n"] = len(tf.train.get_checkpoint_state(directory).all_model_checkpoint_paths)
  for n in est.get_variable_names():
    r["v/" + n] = est.get_variable_value(n)
  warm = MyEstimator(5, directory + "2")
  r["first"] = warm.train(input_fn, max_steps=3).latest_checkpoint().split("/")[-1]
  return r
