"""Python code of datasets runs when a step asks for an element, also in graph mode."""

from __future__ import annotations

import pathlib

import pytest

from migrate.fallback.module import Part, bring_to_compat
from migrate.options import Options
from tests import ledger
from tests.migrate.backends import running

# The loop and the generator draw from one stream of NumPy's, in turns. (Of a py_func behind a
# generator TensorFlow 1 took elements ahead itself, no two runs alike.)
PROGRAM = """\
import numpy as np
import tensorflow as tf


def rows():
    while True:
        x = np.random.rand(2).astype(np.float32)
        yield x, x.sum(keepdims=True)


np.random.seed(0)
data = tf.data.Dataset.from_generator(rows, (tf.float32, tf.float32), ([2], [1]))
x, y = data.batch(4).make_one_shot_iterator().get_next()
w = tf.get_variable("w", [2, 1], initializer=tf.zeros_initializer())
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - y))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(8):
        print(i, "%.5f" % sess.run([loss, train])[0], "%.5f" % np.random.rand())
"""
MARKER = "graph_functions.when_asked"


@pytest.mark.parametrize("fault", [False, True])
def test_a_loop_and_its_dataset_draw_in_turns(
    fault: bool, tmp_path: pathlib.Path, tf1: str
) -> None:
    ledger.rests_on(ledger.COMPILER)
    found = bring_to_compat(PROGRAM, Options(), "program.py", Part())
    assert not [f for f in found.findings if f.blocks]
    assert found.text.count(f"{MARKER}(") == 1
    text = found.text.replace(f"{MARKER}(", "(") if fault else found.text
    old, new = running.print_both(tf1, PROGRAM, text, tmp_path)
    assert old.count("\n") == 8
    assert (old == new) is not fault
