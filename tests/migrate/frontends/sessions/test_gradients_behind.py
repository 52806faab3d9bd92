"""Gradients behind an update of the same variables: TF1 mixed new variables with old values."""

from __future__ import annotations

import pathlib

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Finding, Outcome
from reference import processes

GRAPH = """\
noise = tf.constant([[0.5, -0.2], [0.1, 0.9]])
true = tf.constant([[1.0, 1.0, 1.0], [2.0, 0.0, 1.0]])
made = tf.layers.dense(noise, 3, kernel_initializer=tf.constant_initializer(0.3), name="g")
with tf.variable_scope("d"):
    real = tf.layers.dense(true, 1, kernel_initializer=tf.constant_initializer(0.1), name="x")
with tf.variable_scope("d", reuse=True):
    fake = tf.layers.dense(made, 1, name="x")
loss_d = tf.reduce_mean(tf.nn.softplus(-real) + tf.nn.softplus(fake))
loss_g = tf.reduce_mean(tf.nn.softplus(-fake))
of_d = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, "d")
of_g = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, "g")
"""
BEHIND = """\
train_d = tf.train.GradientDescentOptimizer(0.1).minimize(loss_d, var_list=of_d)
with tf.control_dependencies([train_d]):
    train_g = tf.train.AdamOptimizer(0.05).minimize(loss_g, var_list=of_g)
"""
BY_HAND = """\
train_d = tf.train.GradientDescentOptimizer(0.1).minimize(loss_d, var_list=of_d)
adam = tf.train.AdamOptimizer(0.05)
with tf.control_dependencies([tf.group(train_d)]):
    pairs = adam.compute_gradients(loss_g, of_g)
    train_g = adam.apply_gradients(pairs)
"""
SESSION = """\
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(7):
        sess.run(train_g)
    print(sess.run([loss_d, loss_g]))
"""
APART = """\
train_d = tf.train.GradientDescentOptimizer(0.1).minimize(loss_d, var_list=of_d)
adam = tf.train.AdamOptimizer(0.05)
pairs = adam.compute_gradients(loss_g, of_g)
with tf.control_dependencies([train_d]):
    train_g = adam.apply_gradients(pairs)
"""
NOTHING_IN_COMMON = """\
x = tf.placeholder(tf.float32, [None, 1])
a = tf.get_variable("a", [1, 1], initializer=tf.ones_initializer())
b = tf.get_variable("b", [1, 1], initializer=tf.ones_initializer())
of_a = tf.reduce_mean(tf.square(tf.matmul(x, a)))
of_b = tf.reduce_mean(tf.square(tf.matmul(x, b) - 1.0))
train_a = tf.train.GradientDescentOptimizer(0.1).minimize(of_a)
with tf.control_dependencies([train_a]):
    train_b = tf.train.GradientDescentOptimizer(0.1).minimize(of_b)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([train_b, of_b], {x: [[1.0]]})[1])
"""
ESTIMATOR = """\
import tensorflow as tf
def model_fn(features, labels, mode):
    graph = tf.train.get_global_step()
GRAPH
    return tf.estimator.EstimatorSpec(mode, loss=loss_g, train_op=train_g)
estimator = tf.estimator.Estimator(model_fn, "there"CONFIG)
estimator.train(lambda: tf.data.Dataset.from_tensors((1.0, 2.0)).repeat(4))
"""
MIRRORED = ", tf.estimator.RunConfig(train_distribute=tf.distribute.MirroredStrategy())"


def _refused(text: str) -> list[Finding]:
    found = migrate_text(text).findings
    return [f for f in found if f.outcome is Outcome.REFUSED and f.code != "N100"]


def _write(graph: str, first: str = "") -> str:
    return f"import tensorflow as tf\n{first}{graph}"


def _write_estimator(updates: str, config: str = "") -> str:
    graph = "".join(f"    {line}\n" for line in (GRAPH + updates).splitlines())
    return ESTIMATOR.replace("GRAPH\n", graph).replace("CONFIG", config)


@pytest.mark.parametrize("updates", [BEHIND, BY_HAND])
def test_they_are_refused(updates: str) -> None:
    for text in (_write(GRAPH + updates + SESSION), _write_estimator(updates)):
        found = [f for f in _refused(text) if f.code == "S136"]
        assert len(found) == 1 and "after `train_d`" in found[0].reason


@pytest.mark.parametrize(
    "text",
    [
        _write(GRAPH + APART + SESSION),
        _write(NOTHING_IN_COMMON),
        _write(GRAPH + BEHIND + SESSION, "tf.enable_resource_variables()\n"),
        _write_estimator(APART),
        _write_estimator(BEHIND, MIRRORED),
    ],
)
def test_others_are_migrated(text: str) -> None:
    assert "S136" not in {f.code for f in _refused(text)}


def test_tf1_mixed_new_and_old(tf1: str, tmp_path: pathlib.Path) -> None:
    """A variable that is read again, which TensorFlow 2 has, gives other numbers."""
    printed = []
    for first in ("", "tf.enable_resource_variables()\n"):
        text = _write(GRAPH + BEHIND + SESSION, first)
        (tmp_path / "main.py").write_text(text, "utf-8")
        out = processes.run_program([tf1, tmp_path / "main.py"], directory=tmp_path)
        printed.append(out.stdout.strip())
    assert all(text.startswith("[1.3") for text in printed)
    assert printed[0] != printed[1]
