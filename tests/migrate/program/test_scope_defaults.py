"""A scope's initialiser: written out where it is seen, refused where it is not."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome

PROGRAM = """
import numpy as np
import tensorflow as tf

# MATRIX
x = tf.placeholder(tf.float32, [None, 2])
# OBJECTS
with tf.variable_scope("net", initializer=tf.ones_initializer()):
    out = VALUE
loss = tf.reduce_mean(out)
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(3):
        sess.run(train_op, {x: np.ones([1, 2])})
"""
MATRIX = """
def matrix():
    return tf.get_variable("w", [2, 1]FUNCTION)


"""
OBJECTS = """layer = tf.layers.Dense(1)
zeroed = tf.layers.Dense(1, kernel_initializer=tf.zeros_initializer())
cell = tf.nn.rnn_cell.BasicLSTMCell(2)
state = cell.zero_state(1, tf.float32)
"""
OWN = "tf.zeros_initializer()"


def _migrated(value: str, function: str = "") -> tuple[str, set[str]]:
    text = PROGRAM.replace("VALUE", value)
    if "matrix()" in value:
        text = text.replace("# MATRIX", MATRIX.replace("FUNCTION", function))
    if any(name in value for name in ("layer(", "zeroed(", "cell")):
        text = text.replace("# OBJECTS\n", OBJECTS)
    migration = migrate_text(text)
    refused = {f.code for f in migration.findings if f.outcome is Outcome.REFUSED}
    return migration.text, refused


ONES = "tf.compat.v1.ones_initializer()"


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("tf.matmul(x, matrix())", f"tf.Variable({ONES}([2, 1]"),
        ("tf.layers.dense(x, 1)", f"Dense(units=1, kernel_initializer={ONES}"),
        (
            "tf.layers.dense(x, 1, kernel_initializer=None)",
            f"Dense(units=1, kernel_initializer={ONES}",
        ),
        # These make their variables where they are applied, and not where they are made.
        (
            "tf.nn.static_rnn(cell, [x], dtype=tf.float32)[0][0]",
            f"BasicLSTMCell(2, kernel_initializer={ONES})",
        ),
        ("cell(x, state)[0]", f"BasicLSTMCell(2, kernel_initializer={ONES})"),
        ("layer(x)", f"Dense(1, kernel_initializer={ONES})"),
    ],
)
def test_an_initialiser_is_written_out_where_something_is_made(
    value: str, written: str
) -> None:
    text, refused = _migrated(value)
    assert not refused
    assert written in text


# Code before the scope, and what stands in the scope and behind it.
UNKNOWN = {
    "a function is called outside, too": (
        "def net(v):\n    return tf.layers.dense(v, 1)\n",
        "    out = net(x)\nout = net(out)",
    ),
    "a function is passed on": (
        "def one(v):\n    return tf.layers.dense(v[None], 1)[0]\n",
        "    out = tf.map_fn(one, x)",
    ),
    "a lambda": (
        "net = lambda v: tf.layers.dense(v, 1)\n",
        "    out = net(x)\nout = net(out)",
    ),
    "a cell that a parameter may be": (
        "def run(c, v):\n    return tf.nn.dynamic_rnn(c, v, dtype=tf.float32)[0]\n"
        "a = tf.nn.rnn_cell.GRUCell(2)\nb = tf.nn.rnn_cell.GRUCell(2)\n"
        "h = run(a, x[:, None, :])\n",
        "    out = run(b, h)",
    ),
    "one of two cells": (
        "cells = [tf.nn.rnn_cell.GRUCell(2), tf.nn.rnn_cell.GRUCell(2)]\n"
        "h, _ = tf.nn.dynamic_rnn(cells[0], x[:, None, :], dtype=tf.float32)\n",
        "    out, _ = tf.nn.dynamic_rnn(cells[1], h, dtype=tf.float32)",
    ),
    "a cell of contrib": (
        "c = tf.contrib.rnn.LayerNormBasicLSTMCell(2)\n",
        "    out, _ = tf.nn.static_rnn(c, [x], dtype=tf.float32)",
    ),
    "an argument by position": (
        "c = tf.nn.rnn_cell.LSTMCell(2, False, None, None)\n",
        "    out = tf.nn.static_rnn(c, [x], dtype=tf.float32)[0][0]",
    ),
    "an initialiser of another name by then": (
        "",
        "    first = tf.zeros_initializer()\n    out = tf.layers.dense(x, 1)",
    ),
    "an initialiser that is known later": (
        "c = tf.nn.rnn_cell.GRUCell(2)\nfirst = tf.ones_initializer()\n",
        "    out = tf.nn.static_rnn(c, [x], dtype=tf.float32)[0][0]",
    ),
}


@pytest.mark.parametrize("case", UNKNOWN)
def test_an_initialiser_that_reaches_what_is_not_seen_is_refused(case: str) -> None:
    before, inside = UNKNOWN[case]
    if "first = tf.ones" not in before:
        before = "first = tf.ones_initializer()\n" + before
    text = PROGRAM.replace("# OBJECTS\n", before).replace("    out = VALUE", inside)
    text = text.replace("initializer=tf.ones_initializer()", "initializer=first")
    migration = migrate_text(text)
    refused = {f.code for f in migration.findings if f.outcome is Outcome.REFUSED}
    assert "V103" in refused
    assert "@tf.function" not in migration.text


def test_the_innermost_initialiser_counts() -> None:
    inside = (
        '    with tf.variable_scope("deep", initializer=tf.zeros_initializer()):\n'
        '        with tf.variable_scope("deeper"):\n'
        "            h = tf.layers.dense(x, 1)\n"
        "    out = tf.layers.dense(h, 2)"
    )
    text = migrate_text(PROGRAM.replace("    out = VALUE", inside)).text
    zeros = ONES.replace("ones", "zeros")
    assert f"Dense(units=1, kernel_initializer={zeros}" in text
    assert f"Dense(units=2, kernel_initializer={ONES}" in text


@pytest.mark.parametrize(
    ("value", "function"),
    [
        ("tf.matmul(x, matrix())", f", initializer={OWN}"),
        (f"tf.layers.dense(x, 1, kernel_initializer={OWN})", ""),
        ('tf.matmul(x, tf.get_variable("w", [2, 1]))', ""),
        ("zeroed(x)", ""),
    ],
)
def test_initialisers_of_their_own_are_kept(value: str, function: str) -> None:
    text, refused = _migrated(value, function)
    assert not refused
    assert "@tf.function" in text or "step_function" in text
    assert "glorot" not in text


def test_integers_without_an_initialiser_are_zero() -> None:
    value = 'tf.matmul(x, tf.ones([2, 1])) * tf.get_variable("f", [])'
    count = 'tf.to_float(tf.get_variable("n", [], tf.int32))'
    text = PROGRAM.replace(", initializer=tf.ones_initializer()", "")
    migrated = migrate_text(text.replace("VALUE", f"{value} + {count}")).text
    assert "tf.compat.v1.zeros_initializer()([], dtype=tf.int32)" in migrated
    assert "tf.compat.v1.glorot_uniform_initializer()([], dtype=tf.float32)" in migrated


# Option -> (where `tf.variable_scope` of TensorFlow 1.15.5 has it, what is said).
OPTIONS = {
    "regularizer": (4, "Add the penalty of each variable to the loss yourself."),
    "caching_device": (5, "Leave caching_device out. It says where the variable is "),
    "custom_getter": (7, "Leave custom_getter out. Make each variable inside the "),
    "dtype": (9, "Pass dtype to each variable."),
    "constraint": (11, "Leave constraint out. After each training step run an "),
}


@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize("by_name", [True, False])
def test_an_option_that_reaches_each_variable_is_refused_with_what_to_write(
    option: str, by_name: bool
) -> None:
    """By position, too: none of them is lost without a finding."""
    position, recipe = OPTIONS[option]
    given = ["None"] * (position - 1) + ["given"]
    text = PROGRAM.replace(
        "initializer=tf.ones_initializer()",
        f"{option}=given" if by_name else ", ".join(given),
    ).replace("VALUE", 'tf.matmul(x, tf.get_variable("w", [2, 1]))')
    (found,) = [f for f in migrate_text(text).findings if f.code == "V103"]
    assert found.outcome is Outcome.REFUSED and found.recipe.startswith(recipe)
    assert f"({option}=...)" in found.reason
