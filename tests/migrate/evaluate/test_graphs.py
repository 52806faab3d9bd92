"""Checks the graphs of programs: order of variables, names, scopes, loops, tests."""

from __future__ import annotations

import sys

import pytest

from migrate.evaluate.machine import Machine
from migrate.graph.values import Operation, Tensor
from migrate.tfmodel import graphs
from tests.migrate.evaluate.evaluated import evaluate, read

_TOWERS = {
    "a loop": "outs = []\nfor i in range(2):\n    outs.append(tower(i))\n",
    "a comprehension": "outs = [tower(i) for i in range(2)]\n",
    "map": "outs = list(map(tower, range(2)))\n",
    "zip": "outs, _ = zip(*[(tower(i), i) for i in range(2)])\n",
    "a dict": "outs = {i: tower(i) for i in range(2)}\nouts = list(outs.values())\n",
    "objects": (
        "class Tower(object):\n"
        "    def __init__(self, i):\n"
        "        self.out = tower(i)\n"
        "outs = [t.out for t in [Tower(0), Tower(1)]]\n"
    ),
}
_TOWER = """
import tensorflow as tf
x = tf.placeholder(tf.float32, [None, 3])
def tower(i):
    with tf.device("/gpu:%d" % i), tf.variable_scope("net", reuse=i > 0):
        w = tf.get_variable("w", [3, 1])
        return tf.matmul(x, w)
"""


def _names(m: Machine) -> list[str | None]:
    return [v.name for v in m.record.variables]


@pytest.mark.parametrize("spelling", _TOWERS)
def test_spelling_does_not_matter(spelling: str) -> None:
    text = _TOWER + _TOWERS[spelling] + "total = tf.add_n(list(outs))\n"
    m = evaluate(text)
    assert not m.record.problems
    assert _names(m) == ["net/w"]
    products = [n for n in m.record.nodes if n.symbol == "tf.matmul"]
    assert [n.device for n in products] == ["/device:GPU:0", "/device:GPU:1"]
    assert isinstance(read(m, "total"), Tensor)


def test_a_long_loop_of_steps_is_not_unrolled() -> None:
    m = evaluate(
        """
        import tensorflow as tf
        w = tf.Variable(1.0)
        train = tf.train.AdamOptimizer(0.1).minimize(w * w)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for step in range(10000):
                sess.run(train)
        """
    )
    assert not m.record.problems
    assert len(m.record.runs) == 2 and m.record.runs[1].repeated
    assert isinstance(m.record.runs[1].fetches[0], Operation)
    assert _names(m) == [
        *("Variable", "beta1_power", "beta2_power"),
        *("Variable/Adam", "Variable/Adam_1"),
    ]


def test_what_a_flag_decides_carries_a_guard() -> None:
    m = evaluate(
        """
        import argparse
        import tensorflow as tf
        parser = argparse.ArgumentParser()
        parser.add_argument("--deep", action="store_true")
        x = tf.placeholder(tf.float32, [None, 3])
        if parser.parse_args().deep:
            x = tf.nn.relu(x)
        else:
            x = tf.nn.tanh(x)
        """
    )
    made = {n.symbol: n.guard for n in m.record.nodes}
    (test, outcome), (other, opposite) = made["tf.nn.relu"][0], made["tf.nn.tanh"][0]
    assert test == other and outcome is not opposite


def test_a_loop_that_builds_for_ever_is_a_problem() -> None:
    m = evaluate(
        """
        import os
        import tensorflow as tf
        for name in os.listdir("."):
            v = tf.Variable(0.0)
        """
    )
    assert any("loop of unknown length" in p.reason for p in m.record.problems)


def _count_calls(layers: int) -> int:
    """Counts the functions that the evaluation of so many layers calls."""
    lines = ["import tensorflow as tf", "h = tf.placeholder(tf.float32, [None, 4])"]
    lines += ["h = tf.layers.dense(h, 4)"] * layers
    text = "\n".join(lines)
    evaluate(text)
    count = 0

    def seen(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event == "call"

    sys.setprofile(seen)
    try:
        evaluate(text)
    finally:
        sys.setprofile(None)
    return count


def test_the_work_is_linear_in_the_length() -> None:
    assert _count_calls(160) < 4.4 * _count_calls(40)


def test_what_is_collected_on_one_side_of_a_test_is_no_fault() -> None:
    m = evaluate(
        """
        import tensorflow as tf
        tf.flags.DEFINE_boolean("deep", False, "")
        x = tf.placeholder(tf.float32, [None, 3])
        if tf.flags.FLAGS.deep:
            tf.add_to_collection("mine", x)
        else:
            tf.losses.add_loss(tf.reduce_sum(x))
        tf.add_to_collection("both", x)
        """
    )
    graph = graphs.current(m)
    keys = graphs.collection_keys(m, graph)
    assert {"mine", "losses", "both"} <= set(keys) and len(keys) == len(set(keys))
