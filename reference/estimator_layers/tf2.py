"""An Estimator of layers: two inputs that meet, hidden layers by number, a binary head.

Its model_fn is what most are: layers, predictions, a loss, metrics, and an optimizer
whose rate decays. train_and_evaluate saves every so many steps and evaluates rows that
training has not seen. With TF_CONFIG the same program trains on a cluster.
"""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import json
import os
import tempfile

import numpy as np
import tensorflow as tf
import tf_keras
import estimator_exports
import fit_callbacks
import keras_estimator

flags = tf.compat.v1.app.flags
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
        return tf.compat.v1.train.GradientDescentOptimizer(rate)
    if name == "momentum":
        return tf.compat.v1.train.MomentumOptimizer(rate, 0.9)
    if name == "rmsprop":
        return tf.compat.v1.train.RMSPropOptimizer(rate, momentum=0.5)
    if name == "adam":
        return tf.compat.v1.train.AdamOptimizer(rate)
    return tf.compat.v1.train.AdagradOptimizer(rate)


class EstimatorModel(tf_keras.Model):
    """Two towers and what they have to say to each other.

    Args:
        features: "user" and "item", a row of numbers each.
        params: "hidden", the units of each hidden layer, and "learning_rate".
    """

    def __init__(self, features, params):
        # The towers.
        user = tf_keras.layers.Dense(
            units=4,
            activation=tf.nn.relu,
            name="user")(features["user"])
        item = tf_keras.layers.Dense(
            units=4,
            activation=tf.nn.relu,
            name="item")(features["item"])

        # What they have in common, and both.
        net = tf.concat([user, item, user * item], axis=1)
        for units in params["hidden"]:
            net = tf_keras.layers.Dense(units=units, activation=tf.nn.tanh)(net)
        logits = tf_keras.layers.Dense(units=1)(net)  # No activation.

        super().__init__(inputs=features, outputs=logits)
        self.params = params

        # A rate that falls in two steps.
        global_step = tf.compat.v1.train.get_or_create_global_step()
        rate = tf.compat.v1.train.piecewise_constant(
            global_step, [40, 80], [params["learning_rate"] * x for x in (1.0, 0.5, 0.1)])
        optimizer = make_optimizer(FLAGS.optimizer, rate)
        self.rate = rate
        self.compile(optimizer=optimizer)
        self.optimizer.iterations = global_step

        self.mean_loss = tf_keras.metrics.Mean(name="loss")
        # What evaluation tells.
        self.accuracy = tf_keras.metrics.Accuracy(name="accuracy")
        self.precision = tf_keras.metrics.Precision(name="precision")
        self.auc = keras_estimator.AUC(name="auc")
        self.rmse = tf_keras.metrics.RootMeanSquaredError(name="rmse")

    def predictions_from(self, logits):
        probability = tf.sigmoid(logits)
        return {
            "probability": probability,
            "liked": tf.cast(probability > 0.5, tf.int32),
        }

    def loss_from(self, labels, logits):
        params = self.params

        # The mean over the batch, and a small penalty.
        cross_entropy = tf.compat.v1.losses.sigmoid_cross_entropy(labels, logits)
        penalty = tf.add_n([tf.nn.l2_loss(v) for v in self.trainable_variables])
        return cross_entropy + params["penalty"] * penalty

    def train_step(self, data):
        features, labels = data
        with tf.GradientTape() as tape:
            logits = self(features, training=True)
            loss = self.loss_from(labels, logits)
            # Strategies add up the gradients of their replicas.
            scaled_loss = loss / self.distribute_strategy.num_replicas_in_sync
        rate = self.rate()
        variables = self.trainable_variables
        gradients = tape.gradient(scaled_loss, variables)
        self.optimizer.apply_gradients(zip(gradients, variables))
        return {"loss": scaled_loss, "rate": rate / self.distribute_strategy.num_replicas_in_sync}

    def test_step(self, data):
        features, labels = data
        logits = self(features, training=False)

        probability = tf.sigmoid(logits)
        predictions = self.predictions_from(logits)
        loss = self.loss_from(labels, logits)
        self.mean_loss.update_state(loss)
        self.accuracy.update_state(labels, predictions["liked"])
        self.precision.update_state(
            tf.cast(labels, tf.bool),
            tf.cast(predictions["liked"], tf.bool))
        self.auc.update_state(labels, probability)
        self.rmse.update_state(tf.cast(labels, probability.dtype), probability)
        return {m.name: m.result() for m in self.metrics}

    def predict_step(self, data):
        features, _, _ = tf_keras.utils.unpack_x_y_sample_weight(data)
        logits = self(features, training=False)
        return self.predictions_from(logits)

    def export_outputs(self, predictions):
        return {
            "predict": estimator_exports.PredictOutput(predictions),
        }


class LossHook(tf_keras.callbacks.Callback):
    """Keeps the loss of every step."""

    def __init__(self):
        super().__init__()
        self.losses = []

    def on_train_batch_end(self, batch, logs=None):
        self.losses.append(logs["loss"])


class Evaluations(estimator_exports.Exporter):
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
    user = tf.compat.v1.placeholder(dtype, [None, 3], name="user_input")
    item = tf.compat.v1.placeholder(dtype, [None, 2], name="item_input")
    features = {"user": user, "item": item}
    return estimator_exports.ServingInputReceiver(features, features)


def make_strategy():
    """The strategy that TF_CONFIG asks for; its other tasks serve the coordinator here."""
    config = json.loads(os.environ.get("TF_CONFIG") or "{}")
    cluster, task = config.get("cluster", {}), config.get("task", {})
    if task.get("type") == "evaluator":
        print("Nothing to do here: the process that trains evaluates, too.")
        raise SystemExit(0)
    if "ps" in cluster:
        resolver = fit_callbacks.join_cluster(cluster, task)
        return tf.distribute.ParameterServerStrategy(resolver)
    if sum(map(len, cluster.values())) > 1:
        return tf.distribute.MultiWorkerMirroredStrategy()
    return tf.distribute.get_strategy()


def main(_):
    tf.compat.v1.logging.set_verbosity(tf.compat.v1.logging.WARN)
    strategy = make_strategy()
    model_dir = FLAGS.checkpoint_dir or tempfile.mkdtemp()
    losses, evaluations = LossHook(), Evaluations()
    tf.random.set_seed(1)

    def make_model():
        with fit_callbacks.as_in_tf1():
            return EstimatorModel(
                fit_callbacks.inputs_of(train_input_fn()),
                params={"hidden": [6, 5], "learning_rate": 0.05, "penalty": 1e-3})

    with strategy.scope():
        model = make_model()
    evaluated = make_model()
    evaluation = fit_callbacks.EvaluationAndExport(
        evaluated,
        model_dir,
        eval_input_fn,
        steps=None,
        throttle_secs=0,
        exporters=[
            evaluations,
            estimator_exports.FinalExporter("final", serving_input_receiver_fn),
        ],
        max_steps=FLAGS.train_steps)
    steps = fit_callbacks.steps_left(model_dir, FLAGS.train_steps)
    if steps != 0:
        model.fit(
            tf_keras.utils.experimental.DatasetCreator(lambda context: train_input_fn()),
            steps_per_epoch=steps,
            verbose=0,
            callbacks=[
                fit_callbacks.Training(
                    model_dir,
                    evaluation=evaluation,
                    every_steps=25),
                fit_callbacks.EachStep(losses)])

    if FLAGS.trace:
        predictions = list(fit_callbacks.predictions(
            fit_callbacks.restore(evaluated, model_dir),
            eval_input_fn()))
        trace = {"loss": np.array(losses.losses, FLAGS.dtype)}
        for name in ("probability", "liked"):
            trace[name] = [p[name] for p in predictions]
        for name in ("loss", "accuracy", "precision", "auc", "rmse", "global_step"):
            trace["eval/" + name] = [result[name] for result in evaluations.results]
        np.savez(FLAGS.trace + ".0.npz", **trace)


if __name__ == "__main__":
    tf.compat.v1.app.run()
