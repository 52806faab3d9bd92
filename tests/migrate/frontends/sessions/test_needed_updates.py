"""A run makes the updates that what it fetches needs, and no others, as in TensorFlow 1."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Finding, Outcome

START = """\
import tensorflow as tf
n = tf.Variable(0)
x = tf.placeholder(tf.float32, [])
y = x * 2.0
up = tf.assign_add(n, 1)
"""
RUN = """\
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(3):
        print(sess.run(FETCHED, {x: i}), sess.run(n))
"""


def _refuse(graph: str, fetched: str = "out") -> list[Finding]:
    text = START + graph + RUN.replace("FETCHED", fetched)
    found = migrate_text(text).findings
    return [f for f in found if f.outcome is Outcome.REFUSED and f.code != "N100"]


NO_OPERATIONS = [
    "out = y",
    "out = tf.convert_to_tensor(y)",
    "out = [y, tf.identity(x)]",
    "y = y\n    out = x + y",
    "if True:\n        out = y",
]


@pytest.mark.parametrize("inside", NO_OPERATIONS)
def test_another_name_behind_an_update_is_no_operation(inside: str) -> None:
    found = _refuse(f"with tf.control_dependencies([up]):\n    {inside}\n")
    assert {f.code for f in found} == {"N107"}
    assert all("Another name for a tensor is no operation" in f.reason for f in found)


OPERATIONS = [
    "out = tf.identity(y)",
    "out = y + 1.0",
    "made = y + 1.0\n    out = made",
    "out = n.read_value()",
]


@pytest.mark.parametrize("inside", OPERATIONS)
def test_an_operation_behind_an_update_makes_it(inside: str) -> None:
    assert not _refuse(f"with tf.control_dependencies([up]):\n    {inside}\n")
