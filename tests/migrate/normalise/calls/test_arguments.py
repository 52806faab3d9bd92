"""Tensors that functions of the file are given by an expression, and asked for their shape."""

from __future__ import annotations

import pytest

from migrate.normalise.calls import arguments
from migrate.normalise.text import Text

HEAD = """\
import tensorflow as tf
def dense(x, units):
    w = tf.get_variable("w", [x.shape[1], units])
    return tf.matmul(x, w)
def model(images, units):
    return dense(images, units=units)
def scale(x):
    return x * 2
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("out = dense(a[0], 3)", "x = a[0]\nout = dense(x, 3)"),
        ("out = dense(units=3, x=a * 2)", "x = a * 2\nout = dense(units=3, x=x)"),
        # What a function passes on.
        ("out = model(tf.abs(a), 3)", "images = tf.abs(a)\nout = model(images, 3)"),
        # Two, from the outside in.
        (
            "out = dense(dense(a[0], 3), 2)",
            "dense_x = a[0]\nx = dense(dense_x, 3)\nout = dense(x, 2)",
        ),
        ("out = dense(a, 3)", None),
        ("out = scale(a[0])", None),
        # The draws keep their order.
        ("out = [rng.rand(), dense(scale(a), 3)]", None),
        (
            "out = [rng.rand(), dense(a[0], 3)]",
            "x = a[0]\nout = [rng.rand(), dense(x, 3)]",
        ),
        # It may not be evaluated, or several times.
        ("out = dense(a[0], 3) if flag else None", None),
        ("out = [dense(b[0], 3) for b in a]", None),
        ("out = lambda: dense(a[0], 3)", None),
        (
            "x = 1\nout = dense(a[0], x)",
            "x = 1\ndense_x = a[0]\nout = dense(dense_x, x)",
        ),
    ],
)
def test_named(old: str, new: str | None) -> None:
    found = arguments.name_arguments(Text.read_source(HEAD + old)).source
    assert found.startswith(HEAD)
    assert found[len(HEAD) :] == (old if new is None else new)
