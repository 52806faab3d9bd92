"""Weight decay by regularisers: the penalties of what is made once are written out."""

from __future__ import annotations

import pathlib

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome
from tests import ledger
from tests.migrate.backends import running

HEAD = """\
import tensorflow as tf
x = tf.placeholder(tf.float32, [None, 3])
ones = tf.ones_initializer()
"""
TAIL = """\
train = tf.train.GradientDescentOptimizer(0.01).minimize(total)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(3):
        sess.run(train, {x: [[1.0, 2.0, 3.0]]})
        print("%.4f" % sess.run(total, {x: [[1.0, 2.0, 3.0]]}))
"""
L2 = "tf.contrib.layers.l2_regularizer(0.1)"
DENSE = "tf.layers.dense({}, {}, kernel_initializer=ones, kernel_regularizer={})"
LOSS = "loss = tf.reduce_mean(tf.square(y - 1.0))\n"
ONE = f"y = {DENSE.format('x', 1, L2)}\n{LOSS}"
SUM = "total = loss + tf.losses.get_regularization_loss()\n"
TWO = f"""\
decay = {L2}
h = tf.nn.relu({DENSE.format("x", 4, "decay")})
y = {DENSE.format("h", 1, "decay")}
{LOSS}"""
NET = f"""\
def net(x):
    with tf.variable_scope("net"):
        decay = {L2}
        h = {DENSE.format("x", 4, "decay")}
        return {DENSE.format("h", 1, "decay")}
y = net(x)
{LOSS}"""
MODEL = f"""\
class Model(object):
    def __init__(self, x):
        self.y = {DENSE.format("x", 1, L2)}
model = Model(x)
y = model.y
{LOSS}"""
VARIABLE = f"""\
w = tf.get_variable("w", [3, 1], initializer=ones, regularizer={{}})
y = tf.matmul(x, w)
{LOSS}"""
WRITTEN: dict[str, str] = {
    "a layer": ONE + SUM,
    "layers, and a name": TWO + SUM,
    "a function": NET + SUM,
    "a class": MODEL + SUM,
    "a variable": VARIABLE.format(L2) + SUM,
    "a bias": ONE.replace("kernel_r", "bias_initializer=ones, bias_r") + SUM,
    "by its size": VARIABLE.format("tf.nn.l2_loss") + SUM,
    "absolute": VARIABLE.format("tf.contrib.layers.l1_regularizer(0.2)") + SUM,
    "Keras's": VARIABLE.format("tf.keras.regularizers.l2(0.2)") + SUM,
    "a list": TWO + "total = loss + sum(tf.losses.get_regularization_losses())\n",
    "the collection": TWO
    + "total = loss + tf.add_n(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES))\n",
    "the total": TWO.replace(LOSS, "")
    + "tf.losses.mean_squared_error([[1.0]], y)\ntotal = tf.losses.get_total_loss()\n",
    "a convolution": (
        "image = tf.reshape(x, [-1, 3, 1, 1])\n"
        "y = tf.layers.conv2d(image, 2, [2, 1], kernel_initializer=ones,\n"
        f"                     kernel_regularizer={L2})\n{LOSS}{SUM}"
    ),
}
REFUSED: dict[str, str] = {
    "a loop": f"y = x\nfor i in range(2):\n    y = {DENSE.format('y', 3, L2)}\n{LOSS}{SUM}",
    "two calls that share variables": (
        "def net(x):\n"
        '    with tf.variable_scope("net", reuse=tf.AUTO_REUSE):\n'
        f"        return {DENSE.format('x', 1, L2)[:-1]}, name='a')\n"
        f"y = net(x) + net(2.0 * x)\n{LOSS}{SUM}"
    ),
    "a branch": (
        "import sys\ny = x\nif len(sys.argv) > 1:\n"
        f"    y = {DENSE.format('x', 3, L2)}\n{LOSS}{SUM}"
    ),
    "a variable that a scope shares": (
        'with tf.variable_scope("n"):\n'
        f'    w = tf.get_variable("w", [3, 1], regularizer={L2})\n'
        'with tf.variable_scope("n", reuse=True):\n'
        f'    v = tf.get_variable("w", [3, 1], regularizer={L2})\n'
        f"y = tf.matmul(x, w + v)\n{LOSS}{SUM}"
    ),
    "a layer of contrib": (
        'more = {"weights_regularizer": ' + L2 + "}\n"
        f"h = tf.contrib.layers.fully_connected(x, 3, **more)\n"
        f"y = {DENSE.format('h', 1, L2)}\n{LOSS}{SUM}"
    ),
    "a scale that changes": (
        f"scale = 0.1\ny = {DENSE.format('x', 1, L2.replace('0.1', 'scale'))}\n"
        f"scale = 0.2\n{LOSS}{SUM}"
    ),
    "a scope": f'{ONE}total = loss + tf.losses.get_regularization_loss(scope="a")\n',
}


def _refuse(graph: str) -> list[str]:
    findings = migrate_text(HEAD + graph + TAIL).findings
    return [f.code for f in findings if f.outcome is Outcome.REFUSED]


@pytest.mark.parametrize("graph", WRITTEN.values(), ids=WRITTEN)
def test_penalties_are_written_out(graph: str) -> None:
    done = migrate_text(HEAD + graph + TAIL)
    assert not [f for f in done.findings if f.outcome is Outcome.REFUSED]
    assert "egulari" not in done.text


@pytest.mark.parametrize("graph", REFUSED.values(), ids=REFUSED)
def test_what_may_be_made_again_is_refused(graph: str) -> None:
    assert _refuse(graph)


RUNS = [(name, False) for name in WRITTEN]
RUNS += [("layers, and a name", True), ("absolute", True)]


@pytest.mark.parametrize(("name", "fault"), RUNS)
def test_it_computes_what_tensorflow_1_computes(
    name: str, fault: bool, tmp_path: pathlib.Path, tf1: str
) -> None:
    ledger.rests_on(ledger.COMPILER)
    old = HEAD + WRITTEN[name] + TAIL
    new = migrate_text(old).text
    if fault:
        new = new.replace("tf.nn.l2_loss(", "2.0 * tf.nn.l2_loss(")
        new = new.replace("tf.reduce_sum(tf.", "2.0 * tf.reduce_sum(tf.")
    printed = running.print_both(tf1, old, new, tmp_path)
    assert printed[0].count("\n") == 3
    assert (printed[0] == printed[1]) is not fault
