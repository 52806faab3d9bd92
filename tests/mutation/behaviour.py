"""Observes what both TensorFlows do in a process, beside the results of calls.

    python -m tests.mutation.behaviour PYTHON_WITH_TF1

asks TensorFlow 1.15.5 and 2.21, and writes `observed_behaviour.json`. `of_behaviour.py`
compares the tables with it.
"""

from __future__ import annotations

import functools
import json
import pathlib
import subprocess
import sys
from typing import Any

RECORDED = pathlib.Path(__file__).with_name("observed_behaviour.json")

_HEAD = """
import ast, inspect, json, os, sys
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
found = {}
"""
# Which calls make variables, by what they are called in the tables.
MAKING = {
    "tf.Variable": "tf.Variable(1.0)",
    "tf.get_variable": "tf.get_variable('v', [1])",
    "tf.layers.dense": "tf.layers.dense(x, 1)",
    "tf.contrib.layers.fully_connected": "tf.contrib.layers.fully_connected(x, 1)",
    "tf.keras.layers.Dense": "tf.keras.layers.Dense(1)(x)",
    "tf.nn.rnn_cell.BasicRNNCell": "tf.nn.rnn_cell.BasicRNNCell(1)(x, x[:, :1])",
    "tf.nn.dynamic_rnn": "tf.nn.dynamic_rnn(cell(), x[None], dtype=tf.float32)",
    "tf.nn.bidirectional_dynamic_rnn": (
        "tf.nn.bidirectional_dynamic_rnn(cell(), cell(), x[None], dtype=tf.float32)"
    ),
    "tf.nn.static_rnn": "tf.nn.static_rnn(cell(), [x], dtype=tf.float32)",
    "tf.metrics.mean": "tf.metrics.mean(x)",
    "tf.train.create_global_step": "tf.train.create_global_step()",
    "tf.TensorSpec": "tf.TensorSpec([1], tf.float32)",
    "tf.random_normal": "tf.random_normal([1])",
    "tf.random_uniform": "tf.random_uniform([1])",
    "tf.truncated_normal": "tf.truncated_normal([1])",
    "tf.random.normal": "tf.random.normal([1])",
    "tf.random.uniform": "tf.random.uniform([1])",
    "tf.random.truncated_normal": "tf.random.truncated_normal([1])",
    "tf.convert_to_tensor": "tf.convert_to_tensor(1.0)",
    "tf.nn.relu": "tf.nn.relu(x)",
    "tf.train.checkpoint_exists": "tf.train.checkpoint_exists('none')",
    "tf.train.get_checkpoint_state": "tf.train.get_checkpoint_state('none')",
    "tf.train.latest_checkpoint": "tf.train.latest_checkpoint('none')",
    "tf.train.exponential_decay": "tf.train.exponential_decay(0.1, 1, 2, 0.5)",
    "tf.train.inverse_time_decay": "tf.train.inverse_time_decay(0.1, 1, 2, 0.5)",
    "tf.train.natural_exp_decay": "tf.train.natural_exp_decay(0.1, 1, 2, 0.5)",
    "tf.train.piecewise_constant": "tf.train.piecewise_constant(1, [1], [0.1, 0.2])",
    "tf.train.polynomial_decay": "tf.train.polynomial_decay(0.1, 1, 2)",
    "tf.train.cosine_decay": "tf.train.cosine_decay(0.1, 1, 2)",
}
# Layers of tf.layers and of contrib, with what they are given after the inputs.
LAYERS = {
    **{
        f"tf.layers.{name}": given
        for name, given in {
            **{f"conv{n}d": f"x{n}, 2, 1" for n in (1, 2, 3)},
            **{f"conv{n}d_transpose": f"x{n}, 2, 1" for n in (2, 3)},
            **{f"max_pooling{n}d": f"x{n}, 1, 1" for n in (1, 2, 3)},
            **{f"average_pooling{n}d": f"x{n}, 1, 1" for n in (1, 2, 3)},
            "dense": "x, 1",
            "dropout": "x",
            "flatten": "x2",
            "batch_normalization": "x",
            "separable_conv2d": "x2, 2, 1",
        }.items()
    },
    **{
        f"tf.contrib.layers.{name}": given
        for name, given in {
            **dict.fromkeys(
                ("fully_connected", "elu", "linear", "relu", "relu6"), "x, 1"
            ),
            **dict.fromkeys(
                (
                    *("conv2d", "convolution2d", "conv2d_transpose"),
                    *("convolution2d_transpose", "avg_pool2d", "max_pool2d"),
                ),
                "x2, 2, 1",
            ),
            "separable_conv2d": "x2, 2, 1, 1",
            "separable_convolution2d": "x2, 2, 1, 1",
            "batch_norm": "x",
            "dropout": "x",
            "flatten": "x2",
            "layer_norm": "x",
            "one_hot_encoding": "[1], 3",
            "embed_sequence": "[[1]], 3, 2",
        }.items()
    },
    "tf.feature_column.input_layer": (
        "{'a': x[:, :1]}, [tf.feature_column.numeric_column('a')]"
    ),
}
_OPTIMIZERS = "GradientDescent Momentum Adagrad Adadelta Adam RMSProp Ftrl"
# Asked of TensorFlow 1.15.5.
_OF_1 = (
    _HEAD
    + f"""
import tensorflow as tf
MAKING, LAYERS = {MAKING!r}, {LAYERS!r}

def names():
    cell = lambda: tf.nn.rnn_cell.BasicRNNCell(2)
    shapes = {{f"x{{n}}": tf.ones([1] + [4] * n + [2]) for n in (1, 2, 3)}}
    return dict(tf=tf, cell=cell, x=tf.ones([2, 2]), **shapes)

def variables():
    return tf.global_variables() + tf.local_variables()

found["makes"] = {{}}
for name, text in MAKING.items():
    with tf.Graph().as_default():
        eval(text, names())
        found["makes"][name] = bool(variables())
found["layers"] = {{}}
for name, given in LAYERS.items():
    with tf.Graph().as_default():
        here = names()
        before = len(tf.get_default_graph().get_operations())
        eval(name + "(" + given + ")", here)
        made = tf.get_default_graph().get_operations()[before:]
        tops = [op.name.split("/")[0] for op in made if "/" in op.name]
        of = sorted({{v.op.name.rpartition("/")[2] for v in tf.trainable_variables()}})
        found["layers"][name] = [max(sorted(set(tops)), key=tops.count), of]
found["slots"] = {{}}
for name in {_OPTIMIZERS!r}.split():
    with tf.Graph().as_default():
        one = getattr(tf.train, name + "Optimizer")
        one = one(0.1, 0.9) if name == "Momentum" else one(0.1)
        w = tf.Variable(1.0)
        one.minimize(w * w)
        found["slots"]["tf.train." + name + "Optimizer"] = bool(one.variables())
found["saved"] = []
for name, value in dict(
    initial_value=1.0, trainable=False, collections=["mine"], validate_shape=False,
    caching_device="/cpu:0", name="v", dtype=tf.float64, constraint=lambda v: v,
).items():
    with tf.Graph().as_default():
        tf.Variable(**{{"initial_value": 1.0, name: value}})
        if len(tf.train.Saver(tf.global_variables() or [tf.Variable(1.0)])._var_list) and (
            tf.global_variables()[0].op.name in (name, "v", "Variable")
            and "mine" not in tf.get_default_graph().get_all_collection_keys()
        ):
            found["saved"].append(name)
# contrib's streaming metrics that are one call of tf.metrics'.
from tensorflow.contrib.metrics.python.ops import metric_ops
found["core"] = {{}}
for node in ast.parse(inspect.getsource(metric_ops)).body:
    if isinstance(node, ast.FunctionDef) and node.name.startswith("streaming_"):
        body = [s for s in node.body if not isinstance(s, ast.Expr)]
        if len(body) == 1 and isinstance(body[0], ast.Return):
            call = body[0].value
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
                if getattr(call.func.value, "id", "") == "metrics":
                    own = [a.arg for a in node.args.args]
                    found["core"][node.name[len("streaming_"):]] = [call.func.attr, own]
def parameters(function):
    return [n for n in inspect.signature(function).parameters if n != "self"]
found["parameters"] = {{
    "tf.estimator.Estimator." + n: parameters(getattr(tf.estimator.Estimator, n))
    for n in dir(tf.estimator.Estimator)
    if not n.startswith("_") and callable(getattr(tf.estimator.Estimator, n))
}}
found["parameters"]["tf.train.SessionManager"] = parameters(tf.train.SessionManager.__init__)
found["keys"] = {{
    k: getattr(tf.GraphKeys, k)
    for k in ("UPDATE_OPS", "REGULARIZATION_LOSSES", "TRAINABLE_VARIABLES")
}}
found["modes"] = sorted(
    n for c in (tf.estimator.ModeKeys, tf.contrib.learn.ModeKeys) for n in vars(c) if n.isupper()
)
found["hooks"] = {{
    n: sorted(k for k in dir(getattr(tf.train, n)) if not k.startswith("__"))
    for n in dir(tf.train) if n.endswith("Hook")
}}
found["rate_optimizers"] = {{}}
for name, made in tf.contrib.layers.OPTIMIZER_CLS_NAMES.items():
    one = made(0.1)
    of = type(one).__name__
    found["rate_optimizers"][name] = [of, getattr(one, "_momentum", None)]
with tf.Graph().as_default():
    tf.train.create_global_step()
    w = tf.Variable(1.0)
    op = tf.contrib.layers.optimize_loss(
        w * w, None, 0.1, "SGD", learning_rate_decay_fn=lambda rate, step: 0.5 * rate)
    found["step"] = tf.train.get_global_step().name
    found["optimize_loss"] = [
        op.name.split("/")[0],
        sorted({{
            o.inputs[0].op.get_attr("value").string_val[0].decode()
            for o in tf.get_default_graph().get_operations() if o.type == "ScalarSummary"
        }}),
    ]
# Hooks, and in which mode of an Estimator they run.
import tempfile
seen = []
class Hook(tf.train.SessionRunHook):
    def __init__(self, name):
        self.name = name
    def before_run(self, context):
        graph = context.session.graph
        entry = [self.name, graph.get_collection("mode")[0]]
        if entry not in seen:
            seen.append(entry)
def model_fn(features, mode):
    tf.add_to_collection("mode", mode)
    w = tf.get_variable("w", [])
    loss = tf.reduce_mean(tf.square(w - features))
    op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    own = {{n: [Hook("EstimatorSpec " + n)] for n in (
        "training_hooks", "training_chief_hooks", "evaluation_hooks", "prediction_hooks")}}
    return tf.estimator.EstimatorSpec(
        mode, loss=loss, train_op=op, predictions={{"w": features + w}}, **own)
def input_fn():
    return tf.data.Dataset.from_tensors(tf.ones([1]))
one = tf.estimator.Estimator(model_fn, tempfile.mkdtemp())
one.train(input_fn, hooks=[Hook("train hooks")])
one.evaluate(input_fn, hooks=[Hook("evaluate hooks")])
list(one.predict(input_fn, hooks=[Hook("predict hooks")]))
tf.estimator.train_and_evaluate(
    one,
    tf.estimator.TrainSpec(lambda: input_fn().repeat(), 3, [Hook("TrainSpec hooks")]),
    tf.estimator.EvalSpec(input_fn, hooks=[Hook("EvalSpec hooks")]),
)
found["given"] = sorted(seen)
print(json.dumps(found))
"""
)
# Asked of TensorFlow 2.21.
_OF_2 = (
    _HEAD
    + """
import tensorflow as tf
import tf_keras
v1 = tf.compat.v1

found["compiled"] = {}
for kind in ("optimizers", "losses", "metrics"):
    module = getattr(tf_keras, kind)
    found["compiled"][kind] = {}
    names = {n for n in dir(module) if not n.startswith("_")} | {"mse", "mae"}
    for name in sorted(names | {n.lower() for n in names}):
        try:
            got = module.get(name)
        except Exception:
            continue
        of = getattr(got, "__name__", type(got).__name__)
        if not inspect.isclass(got) and not inspect.ismodule(got):
            found["compiled"][kind][name] = of
found["loss_classes"] = sorted(
    n for n, c in vars(tf_keras.losses).items()
    if inspect.isclass(c) and issubclass(c, tf_keras.losses.Loss)
)
found["schedules"] = {}
for name in dir(v1.train):
    if name.endswith("Optimizer") and name not in ("Optimizer", "SyncReplicasOptimizer"):
        make = getattr(v1.train, name)
        w = tf.Variable([1.0])
        more = {"momentum": 0.9} if name == "MomentumOptimizer" else {}
        if name == "AdagradDAOptimizer":
            more = {"global_step": tf.Variable(0, dtype=tf.int64)}
        try:
            make(lambda: tf.constant(0.1), **more).apply_gradients([(tf.ones([1]), w)])
            found["schedules"]["tf.train." + name] = True
        except (TypeError, ValueError):
            found["schedules"]["tf.train." + name] = False
found["int_dtypes"] = {
    "tf.constant": tf.constant(1).dtype.name,
    "tf.zeros": tf.zeros([1]).dtype.name,
    "tf.ones": tf.ones([1]).dtype.name,
    "tf.truncated_normal": v1.truncated_normal([1], 1, 2).dtype.name,
    "tf.random_normal": v1.random_normal([1], 1, 2).dtype.name,
    "tf.random_uniform": v1.random_uniform([1], 1, 2).dtype.name,
}
found["add_weight"] = list(inspect.signature(tf_keras.layers.Layer.add_weight).parameters)
print(json.dumps(found))
"""
)


def ask(python: str) -> dict[str, Any]:
    """Observes both TensorFlows.

    Args:
      python: of TensorFlow 1.15.5.
    """
    found: dict[str, Any] = {}
    for one, text in ((python, _OF_1), (sys.executable, _OF_2)):
        done = subprocess.run(
            [one, "-c", text], stdout=subprocess.PIPE, text=True, check=True
        )
        found.update(json.loads(done.stdout.splitlines()[-1]))
    return found


@functools.cache
def recorded() -> dict[str, Any]:
    """Reads the recorded observations."""
    found: dict[str, Any] = json.loads(RECORDED.read_text("utf-8"))
    return found


def main(python: str) -> None:
    text = json.dumps(ask(python), indent=1, sort_keys=True)
    RECORDED.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
