"""Checks that values of the host are no part of a graph, and that their uses stay."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Finding, Outcome
from migrate.gates import effects
from migrate.rules.symbols import find_verdict
from migrate.tables import roles, symbols
from tests import ledger

PROGRAM = """\
import numpy as np
import tensorflow as tf
value = CALL
print("value", value)
np.save("value.npy", value)
x = tf.placeholder(tf.float32, [None, 3])
w = tf.get_variable("w", [3, 1])
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.))
train_op = tf.train.AdamOptimizer(0.01).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(train_op, feed_dict={x: [[1, 2, 3]]})
"""
_OF_EACH = 3


def list_symbols() -> list[str]:
    """Some symbols of each prefix, that are not refused wherever they stand."""
    found = []
    for prefix in roles.HOST_PREFIXES:
        below = [s for s in symbols.list_symbols() if roles.has_prefix(s, (prefix,))]
        works = [s for s in below if find_verdict(s).outcome is not Outcome.REFUSED]
        found += works[:_OF_EACH]
    return sorted({*found})


@pytest.mark.rests_on(ledger.COMPILER)
def test_what_is_done_with_a_value_of_the_host_stays() -> None:
    lost = []
    migrated = 0
    for symbol in list_symbols():
        migration = migrate_text(PROGRAM.replace("CALL", f"{symbol}(1)"))
        if not any(f.blocks for f in migration.findings):
            migrated += 1
            if 'print("value", value)' not in migration.text:
                lost.append(symbol)
    assert not lost
    assert migrated > 50


def test_a_file_that_is_written_never_only_told_something_of_the_graph() -> None:
    """Whatever the compiler takes for a tensor: a planted finding says that it was one."""
    program = PROGRAM.replace("CALL", "load(1)")
    result = program.replace('np.save("value.npy", value)\n', "")
    line = program[: program.index("np.save")].count("\n") + 1
    dropped = Finding(line, 1, "S114", Outcome.REWRITTEN, "", "dropped: it ran once")
    (lost,) = effects.find_differences(program, result, [dropped])
    assert (lost.line, lost.wrong) == (line, effects.Wrong.LOST)
