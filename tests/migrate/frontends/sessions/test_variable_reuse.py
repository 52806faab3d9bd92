"""`reuse_variables()`: where a scope says itself that it reuses variables, and where not."""

from __future__ import annotations

import textwrap

import pytest

from migrate.frontends.sessions.variable_reuse import write_reuse
from migrate.normalise.text import Text

HEAD = "import tensorflow as tf\n"


def write(text: str) -> str:
    source = write_reuse(Text.read_source(HEAD + textwrap.dedent(text))).source
    assert source.startswith(HEAD)
    return source[len(HEAD) :]


CHANGED = {
    "cells that reuse their own variables": (
        """
        cell = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.GRUCell(3) for _ in "ab"])
        with tf.variable_scope("RNN"):
            for step in range(4):
                if step > 0: tf.get_variable_scope().reuse_variables()
                output, state = cell(x[:, step], state)
                outputs.append(output)
        """,
        """
        cell = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.GRUCell(3) for _ in "ab"])
        with tf.variable_scope("RNN"):
            for step in range(4):
                output, state = cell(x[:, step], state)
                outputs.append(output)
        """,
    ),
    "the second half of a scope": (
        """
        with tf.variable_scope("D") as scope:
            real = judge(x)
            scope.reuse_variables()  # The same judge.
            fake = judge(g)
        """,
        """
        with tf.variable_scope("D"):
            real = judge(x)
        with tf.variable_scope("D", reuse=True):  # The same judge.
            fake = judge(g)
        """,
    ),
    "the second half of a scope in a function with tabs": (
        """
        def build(x, g):
        \twith tf.variable_scope("D") as scope:
        \t\treal = judge(x)
        \t\tscope.reuse_variables()
        \t\tfake = judge(g)
        """,
        """
        def build(x, g):
        \twith tf.variable_scope("D"):
        \t\treal = judge(x)
        \twith tf.variable_scope("D", reuse=True):
        \t\tfake = judge(g)
        """,
    ),
    "the second half of a scope without a name": (
        """
        with tf.variable_scope(name, initializer=init):
            real = judge(x)
            tf.get_variable_scope().reuse_variables()
            fake = judge(g)
        """,
        """
        with tf.variable_scope(name, initializer=init):
            real = judge(x)
        with tf.variable_scope(name, initializer=init, reuse=True):
            fake = judge(g)
        """,
    ),
}
KEPT = {
    "a scope that is asked for again, and then reuses": """
        with tf.variable_scope("D") as scope:
            real = judge(x)
            scope.reuse_variables()
            fake = judge(g)
        with tf.variable_scope(scope):
            other = judge(h)
        """,
    "a summary that the scope names": """
        with tf.variable_scope("D") as scope:
            real = judge(x)
            scope.reuse_variables()
            tf.summary.scalar("fake", judge(g))
        """,
    "a variable that the scope of operations names": """
        def judge(x):
            return x * tf.Variable(1.0)
        with tf.variable_scope("D") as scope:
            real = judge(x)
            scope.reuse_variables()
            fake = judge(g)
        """,
    "a function of another module": """
        from nets import judge
        with tf.variable_scope("D") as scope:
            real = judge(x)
            scope.reuse_variables()
            fake = judge(g)
        """,
    "a scope that chooses its name": """
        with tf.variable_scope(None, "D") as scope:
            real = judge(x)
            scope.reuse_variables()
            fake = judge(g)
        """,
    "a scope that makes a layer, too": """
        cell = tf.nn.rnn_cell.GRUCell(3)
        with tf.variable_scope("RNN"):
            for step in range(4):
                if step > 0:
                    tf.get_variable_scope().reuse_variables()
                output, state = cell(x[:, step], state)
                y = tf.layers.dense(output, 1, name="y")
        """,
    "a scope that makes a variable behind the loop": """
        cell = tf.nn.rnn_cell.GRUCell(3)
        with tf.variable_scope("RNN"):
            for step in range(4):
                if step > 0:
                    tf.get_variable_scope().reuse_variables()
                output, state = cell(x[:, step], state)
            w = tf.get_variable("w", [3, 1])
        """,
    "a cell that the first round may not apply": """
        cell = tf.nn.rnn_cell.GRUCell(3)
        with tf.variable_scope("RNN"):
            for step in range(4):
                if step > 0:
                    tf.get_variable_scope().reuse_variables()
                if choose(step):
                    output, state = cell(x[:, step], state)
        """,
    "a cell of the program's own": """
        cell = OwnCell(3)
        with tf.variable_scope("RNN"):
            for step in range(4):
                if step > 0:
                    tf.get_variable_scope().reuse_variables()
                output, state = cell(x[:, step], state)
        """,
    "no scope around the loop": """
        cell = tf.nn.rnn_cell.GRUCell(3)
        for step in range(4):
            if step > 0:
                tf.get_variable_scope().reuse_variables()
            output, state = cell(x[:, step], state)
        """,
    "every round but the second": """
        cell = tf.nn.rnn_cell.GRUCell(3)
        with tf.variable_scope("RNN"):
            for step in range(4):
                if step != 1:
                    tf.get_variable_scope().reuse_variables()
                output, state = cell(x[:, step], state)
        """,
    "rounds that do not begin at zero": """
        cell = tf.nn.rnn_cell.GRUCell(3)
        with tf.variable_scope("RNN"):
            for step in range(1, 4):
                if step > 0:
                    tf.get_variable_scope().reuse_variables()
                output, state = cell(x[:, step], state)
        """,
}


@pytest.mark.parametrize(("old", "new"), CHANGED.values(), ids=CHANGED)
def test_is_written_in_one_way(old: str, new: str) -> None:
    assert write(old) == textwrap.dedent(new)
    assert write(new) == textwrap.dedent(new)


@pytest.mark.parametrize("text", KEPT.values(), ids=KEPT)
def test_stays_as_it_is(text: str) -> None:
    assert write(text) == textwrap.dedent(text)
