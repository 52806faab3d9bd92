"""A tape in a graph of TensorFlow 1 gives the migrated program the same gradients."""

from __future__ import annotations

import json
import pathlib
import sys

from migrate.beside import files as beside
from migrate.compiler import migrate_text
from migrate.findings import Outcome
from reference import processes

# A penalty on the slope by the inputs, as some losses have, and one on the slope by a variable.
PROGRAM = """\
import json

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(1)
xs = rng.rand(8, 3).astype(np.float32)
x = tf.placeholder(tf.float32, [None, 3])
start = np.linspace(-0.5, 0.7, 12, dtype=np.float32).reshape([3, 4])
w = tf.get_variable("w", initializer=start, use_resource=True)
v = tf.get_variable("v", initializer=start[:1].T.repeat(4, 0)[:4], use_resource=True)
with tf.GradientTape() as inner:
    inner.watch(x)
    y = tf.matmul(tf.tanh(tf.matmul(x, w)), v)
slope = inner.gradient(y, x)
with tf.GradientTape() as second:
    error = tf.reduce_mean(tf.square(tf.matmul(tf.tanh(tf.matmul(x, w)), v) - 1.0))
steep = second.gradient(error, [w])[0]
penalty = tf.reduce_mean(tf.square(tf.reduce_sum(tf.square(slope), 1) - 1.0))
loss = error + penalty + tf.reduce_sum(tf.square(steep))
train = tf.train.GradientDescentOptimizer(0.02).minimize(loss)
told = []
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(6):
        told.append(float(sess.run(loss, {x: xs})))
        sess.run(train, {x: xs})
    told += [float(t) for t in sess.run(slope, {x: xs}).ravel()]
with open("told.json", "w") as file:
    json.dump(told, file)
"""
# Float32 numbers of order 1, after six steps.
TOLERANCE = 1e-5


def _run(python: str, text: str, directory: pathlib.Path) -> list[float]:
    directory.mkdir()
    (directory / "main.py").write_text(text, "utf-8")
    beside.write(directory, text)
    processes.run_program([python, directory / "main.py"], directory=directory)
    told: list[float] = json.loads((directory / "told.json").read_text("utf-8"))
    return told


def test_gradients_by_a_tape_are_those_of_tf1(tf1: str, tmp_path: pathlib.Path) -> None:
    done = migrate_text(PROGRAM)
    assert not [f for f in done.findings if f.outcome is Outcome.REFUSED]
    old = _run(tf1, PROGRAM, tmp_path / "old")
    new = _run(sys.executable, done.text, tmp_path / "new")
    assert len(old) == len(new) == 30
    assert max(abs(a - b) for a, b in zip(old, new)) < TOLERANCE
    # The program learns, and the penalty is a part of the loss.
    assert old[0] - old[5] > 0.01
    other = PROGRAM.replace("error + penalty", "error + 0.9 * penalty")
    fault = _run(sys.executable, migrate_text(other).text, tmp_path / "fault")
    assert max(abs(a - b) for a, b in zip(old, fault)) > 100 * TOLERANCE


def test_a_tape_is_not_watched_at_build_time() -> None:
    """The block and what the tape watches stay together, in every step that reads them."""
    done = migrate_text(PROGRAM)
    assert not [f for f in done.findings if f.code == "S114"]
    for step in done.text.split("@")[1:]:
        if "inner.gradient" in step:
            assert "inner.watch(x)" in step


def test_a_tape_with_the_name_of_the_written_tape_is_refused() -> None:
    done = migrate_text(PROGRAM.replace("inner", "tape"))
    assert [f for f in done.findings if f.code == "N111" and "`tape`" in f.reason]
