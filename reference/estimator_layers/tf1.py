"""An Estimator of layers: two inputs that meet, hidden layers by number, a binary head.

Its model_fn is what most are: layers, predictions, a loss, metrics, and an optimizer
whose rate decays. train_and_evaluate saves every so many steps and evaluates rows that
training has not seen. With TF_CONFIG the same program trains on a cluster.
"""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import numpy as np
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_string("checkpoint_dir", None, "The Estimator's model_dir")
flags.DEFINE_string("trace", None, "Prefix of the file that gets each step's values")
flags.DEFINE_string("dtype", "float32", "float32 or float64")
flags.DEFINE_string("optimizer", "adagrad", "adagrad, sgd, momentum, rmsprop or adam")
flags.DEFINE_integer("train_steps", 120, "Number of training steps")

FLAGS = flags.FLAGS


def rows(seed, count):
    """Users and items, and whether the one likes the other."""
    rng = np.random.RandomState(seed)
    user, item = rng.randn(count, 3), rng.randn(count, 2)
    liked = (user[:, :2] * item).sum(axis=1, keepdims=True) + 0.3 * rng.randn(count, 1)
    dtype = np.dtype(FLAGS.dtype)
    features = {"user": user.astype(dtype), "item": item.astype(dtype)}
    return tf.data.Dataset.from_tensor_slices((features, (liked > 0).astype(np.int32)))


def train_input_fn():
    """The same batches in every worker, in order, for ever."""
    return rows(1, 80).repeat().batch(16)


def eval_input_fn():
    return rows(2, 50).batch(20)


def make_optimizer(name, rate):
    if name == "sgd":
        return tf.train.GradientDescentOptimizer(rate)
    if name == "momentum":
        return tf.train.MomentumOptimizer(rate, 0.9)
    if name == "rmsprop":
        return tf.train.RMSPropOptimizer(rate, momentum=0.5)
    if name == "adam":
        return tf.train.AdamOptimizer(rate)
    return tf.train.AdagradOptimizer(rate)


def model_fn(features, labels, mode, params):
    """Two towers and what they have to say to each other.

    Args:
        features: "user" and "item", a row of numbers each.
        labels: [batch, 1], 0 or 1.
        mode: one of tf.estimator.ModeKeys.
        params: "hidden", the units of each hidden layer, and "learning_rate".

    Returns:
        An EstimatorSpec for the mode.
    """
    # The towers.
    user = tf.layers.dense(features["user"], 4, activation=tf.nn.relu, name="user")
    item = tf.layers.dense(features["item"], 4, activation=tf.nn.relu, name="item")

    # What they have in common, and both.
    net = tf.concat([user, item, user * item], axis=1)
    for units in params["hidden"]:
        net = tf.layers.dense(net, units, activation=tf.nn.tanh)
    logits = tf.layers.dense(net, 1)  # No activation.

    probability = tf.sigmoid(logits)
    predictions = {
        "probability": probability,
        "liked": tf.cast(probability > 0.5, tf.int32),
    }
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(
            mode=mode,
            predictions=predictions,
            export_outputs={
                "predict": tf.estimator.export.PredictOutput(predictions),
            })

    # The mean over the batch, and a small penalty.
    cross_entropy = tf.losses.sigmoid_cross_entropy(labels, logits)
    penalty = tf.add_n([tf.nn.l2_loss(v) for v in tf.trainable_variables()])
    loss = cross_entropy + params["penalty"] * penalty

    if mode == tf.estimator.ModeKeys.EVAL:
        # What evaluation tells.
        metrics = {
            "accuracy": tf.metrics.accuracy(labels, predictions["liked"]),
            "precision": tf.metrics.precision(labels, predictions["liked"]),
            "auc": tf.metrics.auc(labels, probability),
            "rmse": tf.metrics.root_mean_squared_error(
                tf.cast(labels, probability.dtype), probability),
        }
        return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops=metrics)

    # A rate that falls in two steps.
    global_step = tf.train.get_or_create_global_step()
    rate = tf.train.piecewise_constant(
        global_step, [40, 80], [params["learning_rate"] * x for x in (1.0, 0.5, 0.1)])
    tf.summary.scalar("rate", rate)
    optimizer = make_optimizer(FLAGS.optimizer, rate)
    train_op = optimizer.minimize(loss, global_step=global_step)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


class LossHook(tf.train.SessionRunHook):
    """Keeps the loss of every step."""

    def __init__(self):
        self.losses = []

    def begin(self):
        self._loss = tf.get_collection(tf.GraphKeys.LOSSES)[-1]

    def before_run(self, run_context):
        return tf.train.SessionRunArgs({"loss": self._loss})

    def after_run(self, run_context, run_values):
        self.losses.append(run_values.results["loss"])


class Evaluations(tf.estimator.Exporter):
    """Keeps the metrics of every evaluation."""

    def __init__(self):
        self.results = []

    @property
    def name(self):
        return "evaluations"

    def export(self, estimator, export_path, checkpoint_path, eval_result,
               is_the_final_export):
        self.results.append(eval_result)


def serving_input_receiver_fn():
    dtype = tf.as_dtype(FLAGS.dtype)
    user = tf.placeholder(dtype, [None, 3], name="user_input")
    item = tf.placeholder(dtype, [None, 2], name="item_input")
    features = {"user": user, "item": item}
    return tf.estimator.export.ServingInputReceiver(features, features)


def main(_):
    tf.logging.set_verbosity(tf.logging.WARN)
    config = tf.estimator.RunConfig(
        model_dir=FLAGS.checkpoint_dir, save_checkpoints_steps=25, tf_random_seed=1)
    estimator = tf.estimator.Estimator(
        model_fn=model_fn,
        config=config,
        params={"hidden": [6, 5], "learning_rate": 0.05, "penalty": 1e-3})
    losses, evaluations = LossHook(), Evaluations()
    train_spec = tf.estimator.TrainSpec(
        train_input_fn, max_steps=FLAGS.train_steps, hooks=[losses])
    eval_spec = tf.estimator.EvalSpec(
        eval_input_fn,
        steps=None,
        exporters=[
            evaluations,
            tf.estimator.FinalExporter("final", serving_input_receiver_fn),
        ],
        start_delay_secs=0,
        throttle_secs=0)
    tf.estimator.train_and_evaluate(estimator, train_spec, eval_spec)

    if FLAGS.trace:
        predictions = list(estimator.predict(eval_input_fn))
        trace = {"loss": np.array(losses.losses, FLAGS.dtype)}
        for name in ("probability", "liked"):
            trace[name] = [p[name] for p in predictions]
        for name in ("loss", "accuracy", "precision", "auc", "rmse", "global_step"):
            trace["eval/" + name] = [result[name] for result in evaluations.results]
        np.savez(FLAGS.trace + ".0.npz", **trace)


if __name__ == "__main__":
    tf.app.run()
