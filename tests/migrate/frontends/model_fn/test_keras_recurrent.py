"""Recurrent cells of Keras models, and where they keep a model_fn."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome
from migrate.migration import Migration

_MODEL = """\
import tensorflow as tf


def model_fn(features, labels, mode):
    cell = tf.nn.rnn_cell.LSTMCell(8)
    outputs, state = tf.nn.dynamic_rnn(cell, features["x"], dtype=tf.float32)
    y = tf.layers.dense(outputs[:, -1], 1)
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={"y": y})
    loss = tf.losses.mean_squared_error(labels, y)
    train_op = tf.train.AdamOptimizer(0.01).minimize(
        loss, global_step=tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


estimator = tf.estimator.Estimator(model_fn, "/tmp/model")
"""
_CELL = "    cell = tf.nn.rnn_cell.LSTMCell(8)\n"
_RUN = '    outputs, state = tf.nn.dynamic_rnn(cell, features["x"], dtype=tf.float32)\n'


def _migrated(*changes: tuple[str, str]) -> Migration:
    text = _MODEL
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    migration = migrate_text(text)
    assert not [f for f in migration.findings if f.outcome is Outcome.FAILED]
    assert migrate_text(migration.text).text == migration.text
    return migration


def test_a_cell_is_made_once_and_run_in_every_step() -> None:
    migration = _migrated()
    assert not any(f.code == "K110" for f in migration.findings)
    assert "        self.cell = recurrent_cells.LSTMCell(8)\n" in migration.text
    assert (
        "        outputs, state = recurrent_cells.dynamic_rnn("
        'self.cell, features["x"], dtype=tf.float32)\n'
    ) in migration.text
    assert "recurrent_cells.py" in migration.support


def test_a_variable_scope_is_in_the_names_of_the_cells_variables() -> None:
    scoped = '    with tf.variable_scope("deep"):\n    ' + _RUN
    migration = _migrated((_RUN, scoped))
    assert not any(f.code == "K110" for f in migration.findings)
    assert 'scope="deep/rnn")\n' in migration.text


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (
            (_RUN, "    with tf.variable_scope(mode):\n    " + _RUN),
            "a recurrent network is in a scope that does more than to give a name",
        ),
        (
            (_CELL, _CELL.replace("LSTMCell(8)", "LSTMCell(8, num_proj_shards=1)")),
            "LSTMCell(num_proj_shards=...)",
        ),
        (
            (
                _CELL,
                _CELL + "    cell = tf.nn.rnn_cell.DropoutWrapper(\n"
                "        cell, 0.5 if mode == tf.estimator.ModeKeys.TRAIN else 1.0)\n",
            ),
            "a step of Keras cannot contain tf.nn.rnn_cell.LSTMCell",
        ),
        (
            (_CELL, "    cell = tf.nn.rnn_cell.LSTMCell(features['x'].shape[2])\n"),
            "",
        ),
        (
            ("tf.float32)", "tf.float32, scope=mode)"),
            "",
        ),
        (
            (_CELL, "    cell = tf.contrib.rnn.LSTMBlockCell(8)\n"),
            "",
        ),
    ],
)
def test_what_stays_and_why(change: tuple[str, str], reason: str) -> None:
    migration = _migrated(change)
    found = [f.reason for f in migration.findings if f.code == "K110"]
    refused = [f for f in migration.findings if f.outcome is Outcome.REFUSED]
    assert (found and reason in found[0]) or (not reason and refused)


def test_a_function_that_makes_cells_keeps_the_model_fn() -> None:
    made = "def cell_of(units):\n    return tf.nn.rnn_cell.LSTMCell(units)\n\n\n"
    migration = _migrated(
        ("def model_fn", made + "def model_fn"), (_CELL, "    cell = cell_of(8)\n")
    )
    found = [f.reason for f in migration.findings if f.code == "K110"]
    assert found and "cell_of() makes recurrent cells" in found[0]
