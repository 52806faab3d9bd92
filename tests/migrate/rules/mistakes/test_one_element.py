"""Fetched arrays of one element that are used as numbers: with `.item()`, or told."""

from __future__ import annotations

import pathlib
import sys

import pytest

from migrate.beside import files as beside
from migrate.compiler import migrate_text
from migrate.findings import Finding, Outcome
from reference import processes, runner

PROGRAM = """import logging
import math
import numpy as np
import tensorflow as tf
x = tf.placeholder(tf.float32, [None])
free = tf.placeholder(tf.float32)
def error_of(given, wanted): return tf.square(given - wanted)
w = tf.Variable(tf.fill([1], 0.25), name="w")
b = tf.get_variable("b", [1, 1], initializer=tf.zeros_initializer())
rate = tf.Variable(0.5, trainable=False)
pair = tf.Variable([1.0, 2.0], trainable=False)
loss = tf.reduce_mean(tf.square(x * w + b))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(2):
        _, value, now = sess.run([train, loss, w], {x: np.ones([3])})
    found = sess.run([w, b, rate, pair])
"""


def told(use: str) -> tuple[str, list[Finding]]:
    done = migrate_text(f"{PROGRAM}    {use}\n")
    assert not [f for f in done.findings if f.outcome is Outcome.WARNED]
    return done.text, [f for f in done.findings if f.code == "D167"]


MENDED = {
    'print("%.3f %.3f" % (value, now))': '"%.3f %.3f" % (value, now.item())',
    'print("%f" % now)': '"%f" % now.item()',
    # An operand of any shape takes no dimension away.
    'one = sess.run(error_of(free, tf.multiply(free, w)), {free: [3.0]}); print("%f" % one)': (
        '"%f" % one.item()'
    ),
    "print(float(now), int(found[1]))": "float(now.item()), int(found[1].item())",
    'print("%d%% of %s" % (now, now))': '"%d%% of %s" % (now.item(), now)',
    "print(math.sqrt(now))": "math.sqrt(now.item())",
    'logging.info("w %f", found[0])': '"w %f", found[0].item()',
    'print("%f" % sess.run(w))': ".item())",
    "print(float(sess.run(b)))": ".item()))",
    'print("%s %f" % (w.name, sess.run(2.0 * w)))': ".item()))",
    'print("%f %f" % (sess.run(w), sess.run(b)))': ".item(), ",
    'print("%f %f" % tuple(found[:2]))': "tuple(value.item() for value in found[:2])",
    'print("%f" % sess.run({"w": w})["w"])': '["w"].item()',
    'held = {"w": sess.run(w)}; print("%f" % held["w"])': 'held["w"].item()',
    'seen = []; seen.append(now); print("%f" % seen[-1])': "seen[-1].item()",
    'seen = [sess.run(w) for _ in range(2)]; print("%f" % sum(seen))': "sum(seen).item()",
    'print("%f" % (2.0 * now))': "% (2.0 * now).item()",
    "print(float(2.0 * now))": "float((2.0 * now).item())",
    'show = lambda v: print("%f" % v); show(now)': "% v.item()",
    'for n, v in zip("wb", [now]): print("%s %f" % (n, v))': "(n, v.item())",
}


@pytest.mark.parametrize(("use", "new"), MENDED.items())
def test_item_stands_behind_the_value(use: str, new: str) -> None:
    text, found = told(use)
    assert new in text
    assert {f.outcome for f in found} == {Outcome.REWRITTEN}
    assert {f.line for f in found} == {PROGRAM.count("\n") + 1}


@pytest.mark.parametrize(
    "use",
    [
        'print("%f %f" % (value, found[2]))',
        'print("%s %r" % (now, now))',
        "print(now, str(now), now.sum())",
        'print("{}".format(now))',
        "print(float(found[3][0]), float(found[2]))",
        "print(bool(now), now * 2.0)",
    ],
)
def test_what_is_a_number_or_none_stays(use: str) -> None:
    text, found = told(use)
    assert not found and ".item()" not in text


def test_what_may_be_a_number_of_pythons_own_is_told() -> None:
    """A float has no `item`: it is left, with the way to do it."""
    _, found = told('print("%f" % (now if step else 1.5))')
    assert [f.outcome for f in found] == [Outcome.KEPT] and found[0].recipe


def test_it_prints_what_tf1_printed(tf1: str, tmp_path: pathlib.Path) -> None:
    text = "".join(
        [PROGRAM, *(f"    {use}\n" for use in MENDED if "logging" not in use)]
    )
    new = migrate_text(text).text
    program = tmp_path / "program.py"
    program.write_text(new)
    beside.write(tmp_path, new)
    without = tmp_path / "without.py"
    without.write_text(new.replace(".item()", ""))
    old = tmp_path / "old.py"
    old.write_text(text)
    printed = [
        processes.run_program([python, path], environment=runner.ENVIRONMENT).stdout
        for python, path in ((tf1, old), (sys.executable, program))
    ]
    assert printed[0] == printed[1] and len(printed[0].split("\n")) > 8
    fault = processes.run_program(
        [sys.executable, without], environment=runner.ENVIRONMENT, check=False
    )
    assert "TypeError: only 0-dimensional arrays" in fault.stderr
