"""A refused program, in graph mode on this TensorFlow, is compared with its original.

`tf1to2 migrate --fallback compat` says that `tf1to2 verify OLD NEW` proves what it wrote.
"""

from __future__ import annotations

import pathlib

from migrate.fallback.module import Part, bring_to_compat
from migrate.options import Options
from reference.verify.verdict import Outcome
from tests.verify.support import copied, unproven, verified

PROGRAM = """\
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2], name="x")
w = tf.Variable(tf.truncated_normal([2, 1]), name="w")
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0), name="loss")
train = tf.train.AdamOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    named = sess.graph.get_tensor_by_name("loss:0")
    for _ in range(20):
        _, value = sess.run([train, named], {x: np.random.rand(4, 2)})
    print("final", value)
"""


def _given(directory: pathlib.Path) -> pathlib.Path:
    directory.mkdir()
    (directory / "graph.py").write_text(PROGRAM)
    return directory / "graph.py"


def _brought(
    program: pathlib.Path, directory: pathlib.Path, fault: tuple[str, str] = ("", "")
) -> pathlib.Path:
    """The program in graph mode, with a part of its text replaced."""
    text = bring_to_compat(PROGRAM, Options(), str(program), Part()).text
    assert "disable_v2_behavior" in text and fault[0] in text
    directory.mkdir()
    path = directory / program.name
    path.write_text(text.replace(*fault) if fault[0] else text)
    return path


def test_its_steps_are_compared(tmp_path: pathlib.Path) -> None:
    old = copied(_given(tmp_path / "given"), tmp_path / "old")
    verdict = verified(old, _brought(old, tmp_path / "new"), tmp_path / "work")
    assert verdict.outcome is Outcome.EQUAL, unproven(verdict)
    assert verdict.comparison is not None
    compared = {row.name: row.steps for row in verdict.comparison.rows}
    assert compared["w/Adam_1"] == compared["loss"] == 20


def test_another_rate_is_seen(tmp_path: pathlib.Path) -> None:
    old = copied(_given(tmp_path / "given"), tmp_path / "old")
    fault = ("AdamOptimizer(0.1)", "AdamOptimizer(0.1001)")
    new = _brought(old, tmp_path / "new", fault)
    verdict = verified(old, new, tmp_path / "work")
    assert verdict.outcome is Outcome.DIFFERENT
    assert verdict.variable is not None and verdict.variable.name == "w"
