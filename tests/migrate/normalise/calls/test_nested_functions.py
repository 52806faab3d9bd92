"""Functions within the function that opens the session, and the values they see."""

from __future__ import annotations

import pathlib
import sys

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome
from reference import processes, runner
from tests import ledger

PROGRAM = """\
import functools
import tensorflow as tf


def log(function):
    @functools.wraps(function)
    def logged(*arguments):
        print("begin")
        return function(*arguments)
    return logged


@log
def main():
    x = tf.placeholder(tf.float32, [None, 3])
    rate = 0.3
    w = tf.get_variable("w", [3, 1], initializer=tf.constant_initializer(0.2))
    w2 = 7.0

    def train(loss, DEFAULT):
        w2 = scale * rate
        print("rate %.4f" % w2)
        return tf.train.GradientDescentOptimizer(w2).minimize(loss)

    rate = 0.01
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))
    op = train(loss)
    print("w2", w2)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for i in range(3):
            value = sess.run([op, loss], {x: [[1.0, 2.0, 3.0]]})[1]
            print("%.4f" % value)


main()
"""
# Default values that are the same at the call, and others.
KEPT = ["scale=0.5", "scale=(1 - 0.5)"]
OTHER = ["scale=rate", "scale=rate * 2.0", "scale=len('abc')", "scale=log.rate"]


def _migrate(default: str) -> tuple[str, set[str]]:
    text = PROGRAM.replace("DEFAULT", default)
    if "log.rate" in default:
        text = text.replace("@log", "log.rate = 0.5\n@log")
        text = text.replace("    rate = 0.01", "    log.rate = 0.1")
    done = migrate_text(text)
    refused = {f.code for f in done.findings if f.outcome is Outcome.REFUSED}
    return done.text, refused


@pytest.mark.parametrize("default", KEPT)
def test_a_nested_function_comes_to_its_driver(default: str) -> None:
    text, refused = _migrate(default)
    assert not refused
    assert "def main():" in text and "def train(" not in text
    assert text.index("rate = 0.01") < text.index("* rate")


@pytest.mark.parametrize("default", OTHER)
def test_a_default_value_is_computed_where_the_function_is_defined(
    default: str,
) -> None:
    _, refused = _migrate(default)
    assert "N107" in refused


def test_a_nested_function_reads_its_names_when_it_is_called(
    tmp_path: pathlib.Path, tf1: str
) -> None:
    ledger.rests_on(ledger.COMPILER)
    text, _ = _migrate("scale=0.5")
    printed = []
    for python, program in (
        (tf1, PROGRAM.replace("DEFAULT", "scale=0.5")),
        (sys.executable, text),
    ):
        path = tmp_path / f"program{len(printed)}.py"
        path.write_text(program, "utf-8")
        done = processes.run_program([python, path], environment=runner.ENVIRONMENT)
        printed.append(done.stdout)
    assert printed[0] == printed[1] and "rate 0.0050" in printed[0]
