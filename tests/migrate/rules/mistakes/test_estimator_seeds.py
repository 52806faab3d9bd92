"""An Estimator's seed chooses other first values: the report says so, unless none are drawn."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text

PROGRAM = """\
import tensorflow as tf
def model_fn(features, labels, mode):
    y = tf.layers.dense(features, 1MORE)
    loss = tf.losses.mean_squared_error(labels, y)
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    train_op = optimizer.minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)
config = tf.estimator.RunConfig(GIVEN)
estimator = tf.estimator.Estimator(model_fn, "there", config)
data = lambda: tf.data.Dataset.from_tensors(([[1.0]], [[2.0]])).repeat(3)
estimator.train(data)
"""
CANNED = """\
import tensorflow as tf
columns = [tf.feature_column.numeric_column("x")]
config = tf.estimator.RunConfig(tf_random_seed=7)
estimator = tf.estimator.MODEL
data = lambda: tf.data.Dataset.from_tensors(({"x": [[1.0]]}, [[2.0]])).repeat(3)
estimator.train(data)
"""
IMPORTED = """\
import tensorflow as tf
from network import model_fn
config = tf.estimator.RunConfig().replace(tf_random_seed=7)
"""


def _find(text: str) -> list[int]:
    return [f.line for f in migrate_text(text).findings if f.code == "I112"]


@pytest.mark.parametrize(
    ("given", "more", "lines"),
    [
        ("tf_random_seed=7", "", [8]),
        ("'there', 7", "", [8]),
        ("tf_random_seed=None", "", []),
        ("", "", []),
        ("tf_random_seed=7", ", kernel_initializer=tf.zeros_initializer()", []),
    ],
)
def test_a_model_of_the_program(given: str, more: str, lines: list[int]) -> None:
    assert _find(PROGRAM.replace("GIVEN", given).replace("MORE", more)) == lines


@pytest.mark.parametrize(
    ("model", "lines"),
    [
        ("DNNRegressor([3], columns, 'there', config=config)", [3]),
        ("LinearRegressor(columns, 'there', config=config)", []),
    ],
)
def test_a_ready_made_model(model: str, lines: list[int]) -> None:
    assert _find(CANNED.replace("MODEL", model)) == lines


def test_a_model_of_another_file() -> None:
    assert _find(IMPORTED) == [3]
