"""Files of several graphs and sessions: what is migrated, and what is refused."""

from __future__ import annotations

import pathlib

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome
from tests import ledger
from tests.migrate.backends import running
from tests.migrate.frontends.sessions.test_alone import HERE

LOOP = """\
import numpy as np
import tensorflow as tf

data = np.ones((6, 3), np.float32)
x = tf.placeholder(tf.float32, [None, 3])
w = tf.Variable(tf.zeros([3, 1]))
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0))
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
for fold in range(3):
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        print(sess.run([train_op, loss], {x: data}))
"""
TWO = (HERE / "trained_and_tested.py").read_text()
TURNS = (HERE / "graphs_in_turn.py").read_text()
BRANCHES = (HERE / "trained_in_one_branch.py").read_text()
METHODS = (HERE / "sessions_of_methods.py").read_text()


def _refused(text: str) -> set[str]:
    findings = migrate_text(text).findings
    assert not any(f.outcome is Outcome.FAILED for f in findings)
    codes = {f.code for f in findings if f.outcome is Outcome.REFUSED}
    return codes - {"N100"}


def _replaced(text: str, old: str, new: str) -> str:
    assert old in text
    return text.replace(old, new)


def _each_round(text: str) -> str:
    """The text with its graph made in the loop."""
    loop = "for fold in range(3):\n"
    begin, end = text.index("x = "), text.index(loop)
    inside = "".join(f"    {line}\n" for line in text[begin:end].splitlines())
    return text[:begin] + loop + inside + text[end + len(loop) :]


@pytest.mark.parametrize(
    "text",
    [
        LOOP,
        _replaced(LOOP, "for fold in range(3):", "while np.random.rand() < 0.9:"),
        _replaced(LOOP, "for fold in range(3):", "if len(data) > 3:"),
        _replaced(LOOP, "for fold in range(3):", "try:") + "except KeyboardInterrupt:\n"
        "    print('stopped')\n",
        # A function that only one of the graphs uses, with layers.
        _replaced(
            TURNS,
            "data = ",
            "def wide(x):\n    return tf.layers.dense(x, 9, name='wide')\n\n\ndata = ",
        ).replace("network(X, n_hidden)", "network(wide(X), n_hidden)", 1),
        # What a left-out graph binds is known to the others.
        _replaced(TURNS, "log.close()", "print(best_theta, save_path)"),
    ],
)
def test_sessions_follow_each_other(text: str) -> None:
    assert not _refused(text)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        # Both add to one graph.
        (_replaced(TWO, "    tf.reset_default_graph()\n", ""), "N101"),
        # Graph that is made in every round, and never begun anew.
        (_each_round(LOOP), "S109"),
        # An iterator begins anew with a session.
        (
            _replaced(
                LOOP,
                "x = tf.placeholder(tf.float32, [None, 3])",
                "x = tf.data.Dataset.from_tensors(data).make_one_shot_iterator().get_next()",
            ).replace(", {x: data}", ""),
            "N101",
        ),
        # A monitored session ends with its services.
        (
            _replaced(LOOP, "tf.Session()", "tf.train.MonitoredTrainingSession()"),
            "N101",
        ),
        # A function of two graphs that is changed by one of them.
        (
            _replaced(
                TURNS,
                "def network(x, hidden):\n",
                "def network(x, hidden):\n    global calls\n    calls = 1\n",
            ),
            "S112",
        ),
        # Tensors of both branches, read after them.
        (
            _replaced(
                BRANCHES, "\n\nmain(True)", "\n    print(x.shape)\n\n\nmain(True)"
            ),
            "S112",
        ),
        # Two objects, whose sessions are of one graph.
        (
            _replaced(
                METHODS,
                "    def fit(",
                "    def fit(self, x, y):\n        pass\n\n    def fit(",
            ),
            "N101",
        ),
    ],
)
def test_what_is_not_known_to_be_apart_is_refused(text: str, code: str) -> None:
    assert code in _refused(text)


def test_a_graph_of_each_round_is_initialised_where_it_is_made() -> None:
    begun = "    tf.reset_default_graph()\n    x = "
    new = migrate_text(_replaced(_each_round(LOOP), "    x = ", begun)).text
    assert "    replicas = plain_session" in new
    assert "keep_initial_values" in migrate_text(LOOP).text
    assert "keep_initial_values" not in new


@pytest.mark.parametrize("test", ["ask()", "(flag := 1)"])
def test_a_branch_whose_condition_does_something_is_not_entered_twice(
    test: str,
) -> None:
    text = (HERE / "loss_in_a_branch.py").read_text()
    assert not _refused(text)
    text = _replaced(text, "if training:", f"if {test}:")
    text = _replaced(text, "data = ", "def ask():\n    return True\n\n\ndata = ")
    assert "O117" in _refused(text)


# Each graph has its own network, optimizer and saver, under the names of the one before.
# The gradient of `scale` needs the product that reads it, so TensorFlow 1 updates it after that:
# a last factor of the loss would be read before or after its own update.
RETRAINED = """\
import numpy as np
import tensorflow as tf

data = np.random.RandomState(0).rand(20, 3).astype(np.float32)


def predict(x, units):
    fill = tf.constant_initializer(0.1)
    hidden = tf.layers.dense(x, units, activation=tf.nn.relu, kernel_initializer=fill)
    return tf.layers.dense(hidden, 1, kernel_initializer=fill)


x = tf.placeholder(tf.float32, [None, 3])
out = predict(x, 4)
loss = tf.reduce_mean(tf.square(out - 1.0))
train_op = tf.train.AdamOptimizer(0.05).minimize(loss)
saver = tf.train.Saver()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(4):
        print(i, "%.4f" % sess.run([train_op, loss], {x: data})[1])
    saver.save(sess, "one")

tf.reset_default_graph()
x = tf.placeholder(tf.float32, [None, 3])
out = predict(x, 5)
scale = tf.get_variable("scale", [], initializer=tf.ones_initializer())
loss = tf.reduce_mean(tf.abs((out - 2.0) * scale))
train_op = tf.train.AdamOptimizer(0.05).minimize(loss)
saver = tf.train.Saver()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(4):
        print(i, "%.4f" % sess.run([train_op, loss], {x: data})[1])
    saver.save(sess, "two")

tf.reset_default_graph()
x = tf.placeholder(tf.float32, [None, 3])
out = predict(x, 5)
saver = tf.train.Saver()
with tf.Session() as sess:
    saver.restore(sess, "two")
    print(["%.4f" % value for value in sess.run(out, {x: data[:3]}).ravel()])
for path in ("one", "two"):
    print(sorted(tf.train.list_variables(path)))
"""


def test_graphs_in_turn_need_no_session() -> None:
    for text in (RETRAINED, TURNS):
        migrated = migrate_text(text)
        assert not migrated.support
        assert "ession" not in migrated.text


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("", ""),
        ("tf.compat.v1.reset_default_graph()\nsaver", "saver"),
        ("(out - 2.0) * ", "out * "),
    ],
)
def test_each_graph_computes_and_saves_its_own(
    right: str, wrong: str, tmp_path: pathlib.Path, tf1: str
) -> None:
    ledger.rests_on(ledger.COMPILER)
    new = wrong.join(migrate_text(RETRAINED).text.rsplit(right or "\0", 1))
    printed = running.print_both(tf1, RETRAINED, new, tmp_path)
    assert printed[0].count("\n") == 11
    assert (printed[0] == printed[1]) is not bool(right)


def test_the_reason_is_that_of_the_graph_that_is_refused() -> None:
    counted = "print(tf.get_default_graph().get_operations())\nsaver = "
    text = counted.join(RETRAINED.rsplit("saver = ", 2)[:2])
    text += "saver = " + RETRAINED.rsplit("saver = ", 1)[1]
    assert _refused(text) == {"S185"}
