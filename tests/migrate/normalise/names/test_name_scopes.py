"""Checks that code which a name scope does not name in TensorFlow 1 moves out."""

from __future__ import annotations

import pytest

from migrate.normalise.names import name_scopes
from migrate.normalise.text import Text

HEAD = """\
import tensorflow as tf


def layer(v):
    w = tf.get_variable("w", [3, 1])
    return tf.matmul(v, w)


def told(v):
    tf.summary.histogram("v", v)
    return layer(v)


"""
MOVED = {
    "all of it": (
        'with tf.name_scope("net"):\n    # First.\n    h = tf.layers.dense(\n'
        "        x, 3)\n    h = layer(h)\n",
        "# First.\nh = tf.layers.dense(\n    x, 3)\nh = layer(h)\n",
    ),
    "a part": (
        'with tf.name_scope("net"):\n    b = tf.Variable(0.0)\n    h = layer(x)\n'
        '    tf.summary.scalar("b", b)\n',
        'with tf.name_scope("net"):\n    b = tf.Variable(0.0)\nh = layer(x)\n'
        'with tf.name_scope("net"):\n    tf.summary.scalar("b", b)\n',
    ),
    "a scope within": (
        'with tf.name_scope("net"):\n    with tf.name_scope("in"):\n        h = layer(x)\n',
        "h = layer(x)\n",
    ),
    "beside a variable scope": (
        'with tf.variable_scope("net"), tf.name_scope("in"):\n    h = layer(x)\n',
        'with tf.variable_scope("net"):\n    h = layer(x)\n',
    ),
    "a layer that is called": (
        'dense = tf.layers.Dense(3)\nwith tf.name_scope("net"):\n    h = dense(x)\n',
        "dense = tf.layers.Dense(3)\nh = dense(x)\n",
    ),
}
KEPT = {
    "nothing of the kind": (
        'with tf.name_scope("net"):\n    b = tf.Variable(0.0)\n    h = tf.nn.relu(x)\n',
        False,
    ),
    "no weights": (
        'with tf.name_scope("net"):\n    h = tf.layers.flatten(x)\n',
        False,
    ),
    "both in a function": ('with tf.name_scope("net"):\n    h = told(x)\n', True),
    "by the scope's name": (
        'with tf.name_scope("net") as scope:\n    h = tf.layers.dense(x, 3, name=scope)\n',
        True,
    ),
    "in one line": ('with tf.name_scope("net"): h = layer(x)\n', True),
    "towers": (
        'for i in range(2):\n    with tf.device("/gpu:%d" % i), tf.name_scope("t"):\n'
        "        h = layer(x)\n",
        False,
    ),
    "tensors by name": (
        'with tf.name_scope("net"):\n    h = layer(x)\n'
        'graph.get_tensor_by_name("net/MatMul:0")\n',
        False,
    ),
}


@pytest.mark.parametrize("case", MOVED)
def test_it_moves_out(case: str) -> None:
    old, new = MOVED[case]
    text, told = name_scopes.move_out_of_scopes(Text.read_source(HEAD + old))
    assert text.source == HEAD + new and not told
    assert len(text.lines) == len(text.origins)


@pytest.mark.parametrize("case", KEPT)
def test_it_stays(case: str) -> None:
    old, told = KEPT[case]
    text, findings = name_scopes.move_out_of_scopes(Text.read_source(HEAD + old))
    assert text.source == HEAD + old
    assert [f.code for f in findings] == ["N141"] * told
