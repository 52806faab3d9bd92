"""Variables that a program lists, or reads in a tuple or behind another's update.

And a float that is fed to a placeholder of integers, which TensorFlow 1 converted.
"""

from __future__ import annotations

import pathlib
import re
import sys

import pytest

from migrate.beside import files as beside
from migrate.compiler import migrate_text
from reference import processes, runner
from tests import ledger

PROGRAM = """import numpy as np
import tensorflow as tf
x = tf.placeholder(tf.float32, [None, 2])
n = tf.placeholder(tf.int32, [])
w = tf.get_variable("w", [2], initializer=tf.ones_initializer())
scale = tf.Variable(0.5, name="scale")
turns = tf.Variable(0, trainable=False, name="turns")
turn = tf.assign_add(turns, n)
with tf.control_dependencies([turn]):
    loss = tf.reduce_mean(tf.square(x * w * scale - 2.0))
count = sum(int(np.prod(v.get_shape().as_list())) for v in tf.trainable_variables())
print("values", count)
print([v.name for v in tf.trainable_variables()])
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
first, second = tf.tuple([loss, scale])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(3):
        sess.run(train, {x: [[1.0, i]], n: (i + 3) / 2})
        print(*sess.run([first, second], {x: [[1.0, 2.0]], n: 0}), count)
        print(sess.run(turns))
"""
# A migrated text with one of these in it is another program.
FAULTS = {
    "tf.convert_to_tensor(scale)": "tf.convert_to_tensor(scale) * 1.01",
    'print("values", count)': "pass",
    "tf.compat.v1.assign_add(turns, n)": "tf.compat.v1.assign_add(turns, 1)",
    "    print([v.name for v in replicas.trainable_variables])": "    pass",
}


def _print_of(python: str, path: pathlib.Path) -> tuple[list[str], list[float]]:
    done = processes.run_program([python, path], environment=runner.ENVIRONMENT)
    number = r"-?\d+\.\d+(?:e-?\d+)?"
    values = [float(value) for value in re.findall(number, done.stdout)]
    return re.sub(number, "#", done.stdout).split(), values


def test_what_is_shown_of_variables_is_tensorflow_ones(
    tf1: str, tmp_path: pathlib.Path
) -> None:
    ledger.rests_on(ledger.COMPILER)
    new = migrate_text(PROGRAM).text
    beside.write(tmp_path, new)
    old_path, new_path = tmp_path / "old.py", tmp_path / "new.py"
    old_path.write_text(PROGRAM)
    new_path.write_text(new)
    words, values = _print_of(tf1, old_path)
    assert words[:2] == ["values", "3"] and len(values) == 6
    written, given = _print_of(sys.executable, new_path)
    assert written == words
    assert given == pytest.approx(values, rel=1e-6)  # A few ULPs of float32.
    for part, fault in FAULTS.items():
        assert part in new
        new_path.write_text(new.replace(part, fault))
        planted = _print_of(sys.executable, new_path)
        assert planted != (words, pytest.approx(values, rel=1e-6))
