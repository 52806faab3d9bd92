"""Rows of a list of tables are found as TF1 dealt them, not as TF2 does."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome

PROGRAM = """import numpy as np
import tensorflow as tf
ids = tf.placeholder(tf.int64, [None])
MADE
loss = tf.reduce_mean(tf.square(LOOKUP))
train_op = tf.train.AdagradOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([train_op, loss], {ids: [0, 1]})[1])
"""
TABLES = "tables = [tf.get_variable('e%d' % k, [3, 2]) for k in range(2)]"
TABLE = "table = tf.get_variable('e', [3, 2])"
HELPER = "\ndef look(given, rows):\n    return tf.nn.embedding_lookup(given, rows)"
OLD = "tf.compat.v1.nn.embedding_lookup"


def _migrated(made: str, lookup: str) -> str:
    done = migrate_text(PROGRAM.replace("MADE", made).replace("LOOKUP", lookup))
    assert not [f for f in done.findings if f.outcome is Outcome.REFUSED]
    return done.text


@pytest.mark.parametrize(
    ("lookup", "emitted"),
    [
        ("tf.nn.embedding_lookup(tables, ids)", f"{OLD}(tables, ids)"),
        (
            'tf.nn.embedding_lookup(tables, ids, partition_strategy="mod")',
            f'{OLD}(tables, ids, partition_strategy="mod")',
        ),
        (
            "tf.nn.embedding_lookup(params=tables, ids=ids, max_norm=0.5)",
            f"{OLD}(params=tables, ids=ids, max_norm=0.5)",
        ),
    ],
)
def test_a_list_of_tables_keeps_its_strategy(lookup: str, emitted: str) -> None:
    assert emitted in _migrated(TABLES, lookup)


def test_so_does_a_list_that_a_function_is_given() -> None:
    assert f"{OLD}(given, rows)" in _migrated(TABLES + HELPER, "look(tables, ids)")


@pytest.mark.parametrize(
    ("made", "lookup"),
    [
        (TABLE, "tf.nn.embedding_lookup(table, ids)"),
        (TABLE, "tf.nn.embedding_lookup(table * 2.0, ids)"),
        (TABLE + HELPER, "look(table, ids)"),
    ],
)
def test_one_table_has_the_new_lookup(made: str, lookup: str) -> None:
    text = _migrated(made, lookup)
    assert "tf.nn.embedding_lookup" in text
    assert OLD not in text
