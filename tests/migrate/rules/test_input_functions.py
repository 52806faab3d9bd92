"""N150 in the input of an Estimator: a program does use the symbol."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text

PROGRAM = """\
import tensorflow as tf


def input_fn():
    with tf.variable_scope("input"):
        dataset = tf.data.Dataset.from_tensor_slices(([[1.0]], [[2.0]])).batch(1)
    return dataset


def model_fn(features, labels, mode):
    y = tf.layers.dense(features, 1)
    loss = tf.reduce_mean(tf.square(y - labels))
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(
        loss, global_step=tf.train.get_global_step()
    )
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


estimator = tf.estimator.Estimator(model_fn, "model")
estimator.train(input_fn, steps=3)
"""


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ("input_fn, steps=3", True),
        ("steps=3, input_fn=lambda: input_fn()", True),
        ("other_fn, steps=3", False),
    ],
)
def test_the_reason_names_the_function(given: str, named: bool) -> None:
    text = PROGRAM.replace("input_fn, steps=3", given)
    (finding,) = [f for f in migrate_text(text).findings if f.code == "N150"]
    assert ("`input_fn` gives an Estimator its input" in finding.reason) is named


def test_the_recipe_leads_to_a_program_that_is_migrated() -> None:
    text = PROGRAM.replace("tf.variable_scope", "tf.name_scope")
    assert not [f for f in migrate_text(text).findings if f.blocks]
