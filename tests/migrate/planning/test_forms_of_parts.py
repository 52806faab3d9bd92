"""A function gives several tensors, and runs compute one of them alone."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text

PROGRAM = """\
import numpy as np
import tensorflow as tf


def build(x, y):
    w = tf.get_variable("w", [4, 1], initializer=tf.zeros_initializer())
    v = tf.get_variable("v", [4, 1], initializer=tf.zeros_initializer())
    first = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0))
    second = tf.reduce_mean(tf.square(tf.matmul(x, w + v) - y))
    return w, v, first, second


def main():
    x = tf.placeholder(tf.float32, [None, 4])
    y = tf.placeholder(tf.float32, [None, 1])
    w, v, first, second = build(x, y)
    variables = [w]
    one = tf.train.GradientDescentOptimizer(0.1).minimize(first, var_list=variables)
    # BETWEEN
    other = tf.train.GradientDescentOptimizer(0.2).minimize(second, var_list=[v])
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(3):
            print(sess.run([first, one], {x: np.ones([2, 4])})[0])
        for _ in range(3):
            print(sess.run([second, other], {x: np.ones([2, 4]), y: np.ones([2, 1])})[0])


main()
"""


def _find_refusals(text: str) -> set[str]:
    return {f.code for f in migrate_text(text).findings if f.blocks}


def test_each_run_computes_what_it_needs() -> None:
    done = migrate_text(PROGRAM)
    assert not [f for f in done.findings if f.blocks]
    first, second = done.text.split("@tf.function")[1:3]
    assert "first = " in first and "second = " not in first
    assert "second = " in second and "first = " not in second
    assert "tape.gradient(first, variables)" in first
    assert "variables = [v]" in second


def test_a_name_that_the_step_has_too_is_the_list_of_its_time() -> None:
    again = PROGRAM.replace("# BETWEEN", "variables = [v]")
    done = migrate_text(again.replace("var_list=[v]", "var_list=variables"))
    assert not [f for f in done.findings if f.blocks]
    assert "tape.gradient(first, variables)" in done.text
    assert "tape.gradient(second, variables_2)" in done.text
    assert ".apply_gradients(zip(gradients, variables_2))" in done.text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    # BETWEEN\n", "    variables.append(v)\n"),
        # One step makes both updates: it has one name for the variables of both.
        ("[second, other]", "[second, other, one]"),
        (
            "    return w",
            "    if len(seen) > 1:\n        return w, v, second, first\n    return w",
        ),
        ("build(x, y):", "build(x, y, seen=[]):\n    seen.append(1)"),
    ],
)
def test_what_would_be_another_value_is_refused(old: str, new: str) -> None:
    changed = PROGRAM.replace(old, new).replace(
        "\n\n\ndef", "\n\nseen = []\n\n\ndef", 1
    )
    assert changed.count(new) == 1
    assert _find_refusals(changed)
