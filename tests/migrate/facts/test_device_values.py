"""A device that a variable names is known if the variable has one value."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Finding, Outcome

PROGRAM = """\
import numpy as np
import tensorflow as tf
DEVICE = "/cpu:0"
def infer(x, device="/cpu:0"):
    with tf.device(device):
        w = tf.get_variable("w", [3, 1])
        y = tf.matmul(x, w)
    return y
x = tf.placeholder(tf.float32, [None, 3])
y = CALL
loss = tf.reduce_mean(tf.square(y - 1.0))
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
        sess.run(train_op, {x: np.ones([2, 3])})
"""


def find_refusals(text: str) -> list[Finding]:
    found = migrate_text(text).findings
    return [f for f in found if f.outcome is Outcome.REFUSED and f.code != "N100"]


@pytest.mark.parametrize(
    "call",
    [
        "infer(x)",
        "infer(x, DEVICE)",
        'infer(x, device="/gpu:0")',
        "infer(device=DEVICE, x=x)",
    ],
)
def test_a_parameter_names_a_local_device(call: str) -> None:
    """The reason was that the program places its graph on tasks of a cluster."""
    assert not find_refusals(PROGRAM.replace("CALL", call))


def test_a_global_names_a_local_device() -> None:
    text = PROGRAM.replace("tf.device(device)", "tf.device(DEVICE)")
    assert not find_refusals(text.replace("CALL", "infer(x)"))


@pytest.mark.parametrize("call", ["infer(x, input())", "infer(x, read())"])
def test_an_unknown_device_is_refused(call: str) -> None:
    [finding] = find_refusals(PROGRAM.replace("CALL", call))
    assert finding.code == "C115"
    assert "computes the device (`device`)" in finding.reason


def test_a_task_is_refused() -> None:
    call = 'infer(x, "/job:worker/task:0")'
    assert {f.code for f in find_refusals(PROGRAM.replace("CALL", call))} == {"C115"}
