"""Feeds by comprehensions and zip: written out where their keys are seen, refused elsewhere."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome

PROGRAM = """\
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
y = tf.placeholder(tf.float32, [None])
inputs = [x, y]
w = tf.get_variable("w", [3], initializer=tf.zeros_initializer())
loss = tf.reduce_mean(tf.square(tf.reduce_sum(x * w, 1) - y))
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for batch in batches():
        _, value = sess.run([train_op, loss], feed_dict=FEED)
        print(value)
"""


@pytest.mark.parametrize(
    ("feed", "written"),
    [
        ("dict(zip(inputs, batch))", "train_step(x_value, y_value)"),
        ("{p: v for p, v in zip(inputs, batch)}", "train_step(x_value, y_value)"),
        ("dict(zip((x, y), batch()))", "train_step(x_value, y_value)"),
        ("{inputs[i]: batch[i] for i in range(2)}", "train_step(batch[0], batch[1])"),
        (
            "{p: batch[i + 1] for i, p in enumerate(inputs)}",
            "train_step(batch[0 + 1], batch[1 + 1])",
        ),
        ("dict([(x, batch[0]), (y, batch[1])])", "train_step(batch[0], batch[1])"),
        (
            "{{'a': x, 'b': y}[k]: batch[k] for k in ('a', 'b')}",
            "train_step(batch['a'], batch['b'])",
        ),
    ],
)
def test_keys_that_are_seen(feed: str, written: str) -> None:
    migration = migrate_text(PROGRAM.replace("FEED", feed))
    assert not [f for f in migration.findings if f.outcome is Outcome.REFUSED]
    assert written in migration.text
    assert ("x_value, y_value, *_ = batch" in migration.text) == ("_value" in written)


@pytest.mark.parametrize(
    ("old", "new", "feed"),
    [
        (
            "inputs = [x, y]\n",
            "inputs = [x]\ninputs.append(y)\n",
            "dict(zip(inputs, batch))",
        ),
        (
            "inputs = [x, y]\n",
            "inputs = [x, y]\ninputs[0] = y\n",
            "dict(zip(inputs, batch))",
        ),
        ("inputs = [x, y]\n", "inputs = given(x, y)\n", "dict(zip(inputs, batch))"),
        (
            "inputs = [x, y]\n",
            "inputs = [x, y]\nif flag:\n    y = z\n",
            "dict(zip(inputs, batch))",
        ),
        ("", "", "{p: v for p, v in zip(inputs, batch) if v}"),
        ("", "", "{p: v for q in batch for p, v in zip(inputs, q)}"),
        ("", "", "{p: v for p, v in batch.items()}"),
        ("", "", "dict(zip(batch, inputs))"),
        ("", "", "dict(zip(inputs, [1.0]))"),
        ("", "", "{inputs[i]: batch[i] for i in range(count)}"),
        ("", "", "{inputs[0]: v for v in (batch, batch)}"),
    ],
)
def test_keys_that_are_not_seen(old: str, new: str, feed: str) -> None:
    text = PROGRAM.replace(old, new) if old else PROGRAM
    migration = migrate_text(text.replace("FEED", feed))
    assert "S104" in {
        f.code for f in migration.findings if f.outcome is Outcome.REFUSED
    }
