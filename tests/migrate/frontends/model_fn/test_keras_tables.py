"""Checks which lookup tables a Keras model may hold, and which keep the model_fn."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome

_PROGRAM = """\
import tensorflow as tf

WORDS = ["a", "b"]


def show(table):
    print(table)


def load(path):
    with open(path) as lines:
        return [line.strip() for line in lines]


def model_fn(features, labels, mode, params):
    logits = tf.layers.dense(features["x"], 3)
{made}
    targets = words.lookup(labels)
    loss = tf.losses.sparse_softmax_cross_entropy(targets, logits)
    train_op = tf.train.AdamOptimizer(params["rate"]).minimize(
        loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


tf.estimator.Estimator(model_fn, params={{}})
"""
_FROM = "    words = tf.contrib.lookup.index_table_from_tensor"


def _migrated(*made: str) -> tuple[str, str]:
    """The result, and why the model_fn stays one."""
    text = _PROGRAM.format(made="\n".join(made))
    migration = migrate_text(text)
    assert not [f for f in migration.findings if f.outcome is Outcome.FAILED]
    assert migrate_text(migration.text).text == migration.text
    stays = [f.reason for f in migration.findings if f.code == "K110"]
    told = [f.line for f in migration.findings if f.code == "K185"]
    assert bool(told) is not bool(stays)
    return migration.text, "; ".join(stays)


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        ([f"{_FROM}(WORDS)"], ["self.words = contrib_lookup.index_table_from_tensor(WORDS)"]),
        (
            [f'{_FROM}(load(params["words"]), 2)'],
            ['index_table_from_tensor(load(params["words"]), 2)'],
        ),
        (
            ['    values = ["a"]', "    given = tf.constant(values)", f"{_FROM}(given)"],
            ['values = ["a"]\n', "given = tf.constant(values)\n", "_tensor(given)\n"],
        ),
    ],
)  # fmt: skip
def test_made_once(made: list[str], expected: list[str]) -> None:
    text, stays = _migrated(*made)
    assert not stays and "class ModelModel" not in text
    making, _, steps = text[text.index("def __init__(") + 4 :].partition("    def ")
    for line in expected:
        assert line in making
    assert "targets = self.words.lookup(labels)" in steps
    assert "index_table" not in steps


def test_a_name_of_keras_gets_another() -> None:
    text = _PROGRAM.format(made=f"{_FROM}(WORDS)").replace("words", "layers")
    migrated = migrate_text(text).text
    assert "self.layers_value = contrib_lookup" in migrated
    assert "targets = self.layers_value.lookup(labels)" in migrated


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        ([f"{_FROM}(features['words'])"], "made from `features`"),
        ([f"{_FROM}(tf.get_collection('words'))"], "made with tf.get_collection"),
        (
            ["    given = ['a']", "    given.append('b')", f"{_FROM}(given)"],
            "made from `given`",
        ),
        (
            ["    given = ['a']", f"{_FROM}(given)", "    given = ['b']"],
            "made from `given`",
        ),
        ([f"{_FROM}(WORDS)", "    show(words)"], "`words` for more than lookups"),
        (
            [f"{_FROM}(WORDS)", f"{_FROM}(WORDS[::-1])"],
            "`words` is the name of several lookup tables",
        ),
        ([f"{_FROM}([str(mode)])"], "made from `mode`"),
        (
            ["    if params['two']:", f"    {_FROM}(WORDS)", "    else:",
             f"    {_FROM}(WORDS, 2)"],
            "a step of Keras cannot contain",
        ),
    ],
)  # fmt: skip
def test_what_it_is_made_of_is_not_known(made: list[str], reason: str) -> None:
    text, stays = _migrated(*made)
    assert reason in stays
    assert "tf_keras" not in text
