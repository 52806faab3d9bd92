"""Numbers that Python draws: once, where TensorFlow 1 built the graph.

That the numbers are the same is shown by the program `drawn_by_python`.
"""

from __future__ import annotations

import ast

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome

_PROGRAM = """\
import random

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(3)


def draw(n):
    return rng.uniform(-1, 1, [n, 1]).astype(np.float32)


def scaled(t):
    return t * random.random()


class Points:
    def __init__(self, seed):
        self.source = np.random.RandomState(seed)

    def take(self, n):
        return self.source.rand(n, 1).astype(np.float32)


points = Points(5)
x = tf.ones([8, 1])
w = tf.get_variable("w", [1, 1])
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - {target}))
train_op = {optimizer}.minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(4):
        print(sess.run([train_op, loss])[1])
"""
_OPTIMIZER = "tf.train.GradientDescentOptimizer(0.1)"


def _step(target: str, optimizer: str = _OPTIMIZER) -> tuple[str, str]:
    """The migrated text, and that of its step function."""
    text = _PROGRAM.replace("{target}", target).replace("{optimizer}", optimizer)
    migration = migrate_text(text)
    assert not [f for f in migration.findings if f.outcome is Outcome.REFUSED]
    step = next(
        node
        for node in ast.walk(ast.parse(migration.text))
        if isinstance(node, ast.FunctionDef) and node.name.startswith("train_step")
    )
    return migration.text, ast.unparse(step)


@pytest.mark.parametrize(
    "target",
    ["rng.rand()", "tf.constant(rng.randn(8, 1), tf.float32)", "draw(8)"]
    + ["tf.constant(draw(8)) * random.random()", "points.take(8)", "scaled(tf.exp(w))"]
    + ["next(iter([draw(8)]))"],
)
def test_the_step_does_not_draw(target: str) -> None:
    text, step = _step(target)
    graph = text.partition("points = Points(5)")[2]
    for call in ("rng.", "draw(", "random.random", "take("):
        assert call not in step
        assert graph.count(call) <= 1  # And nothing is drawn twice.
    assert "drawn" in step or "scaled_of" in step or "loss_of" in step


@pytest.mark.parametrize(
    "made",
    ["tf.layers.dense(x, 1, kernel_initializer=tf.constant_initializer({}))"]
    + ["tf.matmul(x, tf.Variable({}))", "tf.layers.Dense(1, bias_initializer={})(x)"],
)
@pytest.mark.parametrize("drawn", ["draw(1)", "rng.rand(1, 1)", "np.random.rand(1, 1)"])
def test_what_is_made_once_draws_by_itself(made: str, drawn: str) -> None:
    text, step = _step(made.format(drawn))
    assert text.partition("points = Points(5)")[2].count(drawn) == 1
    assert drawn not in step and "drawn" not in text


def test_what_only_computes_stays() -> None:
    _, step = _step("tf.constant(np.float32(2) * np.ones([8, 1], np.float32))")
    assert "np.ones" in step


def test_an_optimizer_is_given_what_is_drawn_once() -> None:
    text, _ = _step("1.0", "tf.train.GradientDescentOptimizer(rng.uniform(0.1, 0.2))")
    assert text.count("rng.uniform(0.1, 0.2)") == 1


@pytest.mark.parametrize("drawn", ["np.random.rand()", "draw()", "rng.rand()"])
def test_a_model_fn_is_called_once_for_each_graph(drawn: str) -> None:
    text = f"""\
import numpy as np
import tensorflow as tf

rng = np.random.RandomState(3)


def draw():
    return rng.rand()


def model_fn(features, labels, mode):
    out = tf.layers.dense(features["x"] * {drawn}, 1)
    loss = tf.losses.mean_squared_error(labels, out)
    train_op = tf.train.AdamOptimizer(0.1).minimize(
        loss, global_step=tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


estimator = tf.estimator.Estimator(model_fn)
"""
    migration = migrate_text(text)
    assert "estimator_loop.Estimator(model_fn)" in migration.text
    (reason,) = (f.reason for f in migration.findings if f.code == "K110")
    assert "draws random numbers in Python" in reason
    known = migrate_text(text.replace(f" * {drawn}", ""))
    assert "tf_keras.Model" in known.text  # The control: nothing else keeps it.
