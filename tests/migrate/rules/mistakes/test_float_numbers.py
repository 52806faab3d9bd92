"""Fetched numbers of type float32 beside numbers of Python: NumPy 1 computed in float64."""

from __future__ import annotations

import pathlib

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome
from tests import ledger
from tests.migrate.backends import running

PROGRAM = """\
import tensorflow as tf
x = tf.placeholder(tf.float32, [None, 3])
w = tf.Variable(tf.ones([3, 1]))
cost = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0))
best = tf.losses.mean_squared_error(x, tf.zeros([1, 3]))
rows = tf.reduce_sum(x, axis=1)
count = tf.Variable(3)
train = tf.train.GradientDescentOptimizer(0.01).minimize(cost)
total, batches = 0.0, int(100 / 30)
costs = []
average = 0.
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(3):
        feed = {{x: [[0.37 + i, 0.2, 0.1]]}}
        c, b, r, n, _ = sess.run([cost, best, rows, count, train], feed)
        costs.append(c)
        {}
    print(average, costs, total)
"""
MENDED = {
    "a sum of parts": ("average += c / batches", "average += c.item() / batches"),
    "a sum": ("average += c", "average += c.item()"),
    "a loss": ("print(100.0 * b)", "print(100.0 * b.item())"),
    "a counter": ("print(c / (i + 1))", "print(c.item() / (i + 1))"),
    "a comparison": (
        "print(c < 0.7, 0.1 >= b)",
        "print(c.item() < 0.7, 0.1 >= b.item())",
    ),
    "two fetched": ("print((c + b) / 2)", "print((c + b).item() / 2)"),
    "all of a list": (
        "print(sum(costs) / len(costs))",
        "print(sum(value.item() for value in costs) / len(costs))",
    ),
    "a product of two": ("print(c * b / 2)", "print((c * b).item() / 2)"),
    "a run": (
        "print(sess.run(cost, feed) * (batches + 1))",
        ".item() * (batches + 1))",
    ),
    "brackets": ("print((1 - sess.run(cost, feed)) * 2)", "(1 - "),
}
KEPT = {
    "an array": "print(r / 3.0)",
    "an integer": "print(n / 2)",
    "both fetched": "print(c + b)",
    "what it is compared with is fetched": "print(c < b)",
    "it may be something else": "c = 0.0 if i else c\n        print(c / 2)",
    "a format": "print('%.3f' % c)",
    "another sum": "sum = max\n        print(sum(costs))",
}


@pytest.mark.parametrize(("line", "new"), MENDED.values(), ids=MENDED)
def test_it_becomes_a_number_of_python(line: str, new: str) -> None:
    done = migrate_text(PROGRAM.format(line))
    assert new in done.text
    told = {f.outcome for f in done.findings if f.code == "D167"}
    assert told == {Outcome.REWRITTEN}


@pytest.mark.parametrize("line", KEPT.values(), ids=KEPT)
def test_what_numpy_2_computes_alike_stays(line: str) -> None:
    done = migrate_text(PROGRAM.format(line))
    assert ".item()" not in done.text
    assert "D167" not in {f.code for f in done.findings}


def test_what_cannot_be_mended_is_told() -> None:
    done = migrate_text(PROGRAM.format("average += sess.run(cost, feed)"))
    assert "D167" in {f.code for f in done.findings if f.outcome is Outcome.KEPT}


@pytest.mark.parametrize("fault", [False, True])
def test_it_prints_what_tensorflow_1_prints(
    fault: bool, tmp_path: pathlib.Path, tf1: str
) -> None:
    ledger.rests_on(ledger.COMPILER)
    old = PROGRAM.format("\n        ".join(line for line, _ in MENDED.values()))
    old = old.replace("total)", "total)\n").replace("average, costs", "average")
    new = migrate_text(old).text
    if fault:
        new = new.replace("c.item() / batches", "c / batches")
    printed = running.print_both(tf1, old, new, tmp_path)
    assert printed[0] and (printed[0] == printed[1]) is not fault
