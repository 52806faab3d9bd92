# %% [markdown]
# # A regression as an Estimator
#
# `train_and_evaluate` reads `TF_CONFIG` itself: with a chief and a `ps` it trains on a
# parameter server, an `evaluator` beside them evaluates every checkpoint.

# %%
import json
import os

import numpy as np
import tensorflow as tf

# %% [markdown]
# The data.

# %%
rng = np.random.RandomState(0)
TRUE = np.array([[1.0], [-2.0], [0.5], [3.0]])
TRAIN_X = rng.randn(96, 4).astype("float32")
TRAIN_Y = TRAIN_X.dot(TRUE).astype("float32") + 1
EVAL_X = rng.randn(32, 4).astype("float32")
EVAL_Y = EVAL_X.dot(TRUE).astype("float32") + 1


def train_input_fn():
    dataset = tf.data.Dataset.from_tensor_slices(({"x": TRAIN_X}, TRAIN_Y))
    return dataset.repeat().batch(8)


def eval_input_fn():
    return tf.data.Dataset.from_tensor_slices(({"x": EVAL_X}, EVAL_Y)).batch(8)


# %% [markdown]
# The model, in its three modes.

# %%
def model_fn(features, labels, mode, params):
    x = features["x"]
    w = tf.get_variable("w", [4, 1], initializer=tf.zeros_initializer())
    b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
    predicted = tf.matmul(x, w) + b
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={"y": predicted})
    loss = tf.reduce_mean(tf.squared_difference(predicted, labels))
    if mode == tf.estimator.ModeKeys.EVAL:
        error = tf.metrics.mean_absolute_error(labels, predicted)
        return tf.estimator.EstimatorSpec(
            mode, loss=loss, eval_metric_ops={"error": error})
    optimizer = tf.train.MomentumOptimizer(params["rate"], 0.9)
    train_op = optimizer.minimize(loss, global_step=tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


# %% [markdown]
# What is kept for the comparison: the loss of every step, and every evaluation.

# %%
class Losses(tf.train.SessionRunHook):
    def __init__(self):
        self.values = []

    def begin(self):
        self.loss = tf.get_collection(tf.GraphKeys.LOSSES)[-1]

    def before_run(self, run_context):
        return tf.train.SessionRunArgs(self.loss)

    def after_run(self, run_context, run_values):
        self.values.append(run_values.results)


class Evaluations(tf.estimator.Exporter):
    def __init__(self):
        self.results = []

    @property
    def name(self):
        return "evaluations"

    def export(self, estimator, export_path, checkpoint_path, eval_result,
               is_the_final_export):
        self.results.append(eval_result["error"])


# %%
losses, evaluations = Losses(), Evaluations()
steps = int(os.environ["TRAIN_STEPS"])
estimator = tf.estimator.Estimator(
    model_fn,
    model_dir=os.environ["CHECKPOINTS"],
    config=tf.estimator.RunConfig(save_checkpoints_steps=steps // 2),
    params={"rate": 0.02})
tf.estimator.train_and_evaluate(
    estimator,
    tf.estimator.TrainSpec(train_input_fn, max_steps=steps, hooks=[losses]),
    tf.estimator.EvalSpec(
        eval_input_fn, exporters=[evaluations], start_delay_secs=0, throttle_secs=1))

# %%
job = json.loads(os.environ["TF_CONFIG"])["task"]["type"]
if job == "chief":
    np.savez("%s-0.npz" % os.environ["TRACE"], loss=losses.values)
if job == "evaluator":
    np.savez("%s-1.npz" % os.environ["TRACE"], error=evaluations.results[-1:])
