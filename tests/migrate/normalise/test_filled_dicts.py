"""A dict that a function fills key by key is taken apart where the function is called."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome

PROGRAM = """\
import numpy as np
import tensorflow as tf


def build_model(rate):
    model = {}
    model["x"] = tf.placeholder(tf.float32, [None, 3])
    model["w"] = tf.get_variable("w", [3, 1])
    model["b"] = tf.get_variable("b", [1])
    predicted = tf.matmul(model["x"], model["w"]) + model["b"]
    model["loss"] = tf.reduce_mean(tf.square(predicted))
    model["train_op"] = tf.train.GradientDescentOptimizer(rate).minimize(model["loss"])
    return model


model = build_model(0.1)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(3):
        feed = {model["x"]: np.ones([2, 3])}
        value, _ = sess.run([model["loss"], model["train_op"]], feed_dict=feed)
        print(value)
    for name in ("w", "b"):
        print(sess.run(model[name]).sum())
"""


def _list_refused(text: str) -> set[str]:
    refused = (Outcome.REFUSED, Outcome.FAILED)
    return {f.code for f in migrate_text(text).findings if f.outcome in refused}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("model = {}", "model = {}"),
        ("model = {}", "model = dict()"),
        (
            "build_model(0.1)\n",
            'build_model(0.1)\nmodel["norm"] = tf.reduce_sum(model["w"])\n',
        ),
        ("print(value)", 'print(value, sess.run(model["b"]))'),
        # A name of the program like a key.
        ("build_model(0.1)\n", "build_model(0.1)\nloss = 3\n"),
    ],
)
def test_its_entries_have_names(old: str, new: str) -> None:
    text = PROGRAM.replace(old, new)
    assert not _list_refused(text)
    assert 'model["loss"]' not in migrate_text(text).text


@pytest.mark.parametrize(
    "change",
    [
        'model["loss"] = model["loss"] * 2.0',
        'if rate > 1.0:\n        model["w"] = model["b"]',
        'other = model\n    other["loss"] = 2.0 * other["loss"]',
        "model.update(extra=predicted)",
        "print(sorted(model))",
        'del model["loss"]',
    ],
)
def test_another_use_of_the_dict(change: str) -> None:
    text = PROGRAM.replace("    return model", f"    {change}\n    return model")
    assert _list_refused(text)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('in ("w", "b"):', 'in ("w", "b"):\n        print(name)'),
        ('in ("w", "b"):', 'in sorted(["w", "b"]):'),
        (".sum())", '.sum())\n        model["b"] = model["w"]'),
    ],
)
def test_another_loop_over_keys(old: str, new: str) -> None:
    assert old in PROGRAM
    assert _list_refused(PROGRAM.replace(old, new))
