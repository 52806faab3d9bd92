"""Checks values that Python computes from tensors or lists of variables, outside steps.

TensorFlow 1 computed them once, when it built the graph. The reason names the value,
and no value is silently lost or changed.
"""

from __future__ import annotations

import pathlib
import sys

import pytest

from migrate.beside import files as beside
from migrate.compiler import migrate_text
from migrate.findings import Outcome
from reference import processes, runner
from tests import ledger

TELLING = (Outcome.REFUSED, Outcome.WARNED, Outcome.FAILED)
PROGRAM = """import numpy as np
import tensorflow as tf
x = tf.placeholder(tf.float32, [None, 3])
w = tf.get_variable("w", [3, 1])
parts = [tf.matmul(x, w), tf.square(tf.matmul(x, w))]
{}
loss = tf.reduce_mean(tf.add_n(parts))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(3):
        sess.run(train, {{x: [[1.0, 2.0, 3.0]]}})
        {}
"""
LAYERS = """import numpy as np
import tensorflow as tf
x = tf.placeholder(tf.float32, [None, 3])
h = tf.layers.dense(x, 4)
y = tf.layers.dense(h, 1)
loss = tf.reduce_mean(tf.square(y))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
{}
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    {}
    for i in range(3):
        sess.run(train, {{x: [[1.0, 2.0, 3.0]]}})
"""
# What is no tensor, although it is computed of some.
PLAIN = [
    "n = len(parts)",
    "n = parts[0].shape[1].value",
    "n = int(parts[0].shape[1])",
    "n = x.name",
    "n = [p.name for p in parts]",
    "n = [p.name for p in parts] + ['more']",
    "n = {p.name: p.shape for p in parts}",
    "n = parts[0].dtype",
    "n = 'part of %s' % x.op.name",
    "n = parts[0] is not None",
    "n = isinstance(parts, list)",
    "n = np.prod(parts[0].get_shape().as_list())",
    "n = 0\nn = x.name",
    "if x is not None:\n    n = parts[0].op.name",
]
HOLDING = ["n = parts", "n = {'a': parts[0]}", "n = zip(['a', 'b'], parts)"]


def _told(text: str) -> dict[str, str]:
    found = migrate_text(text).findings
    return {
        f.code: f.reason for f in found if f.outcome in TELLING and f.code != "N100"
    }


@pytest.mark.parametrize("read", ["print(n)", "logs.append(n)", "show()"])
@pytest.mark.parametrize("made", PLAIN)
def test_no_plain_value_is_called_a_tensor(made: str, read: str) -> None:
    logs = "logs = []\ndef show():\n    print(n)\n"
    told = _told(PROGRAM.format(made, read).replace("x =", f"{logs}x =", 1))
    assert "S112" in told and not any(code.startswith("G") for code in told)
    words = "is computed from values that only a step has"
    if "`show`" in told["S112"]:  # A function is told by its name.
        words = "only a step has, but the loop calls it outside of run()"
    assert words in told["S112"] and "is a tensor" not in told["S112"]


@pytest.mark.parametrize("made", HOLDING)
def test_what_holds_tensors_is_called_so(made: str) -> None:
    told = _told(PROGRAM.format(made, "print(len(n))"))
    assert "holds tensors of the step" in told["S112"]


def test_a_tensor_is_called_one() -> None:
    told = _told(PROGRAM.format("n = parts[0] * 2.0", "print(n)"))
    assert "`n` is a tensor of the step" in told["S112"]


@pytest.mark.parametrize(
    "made",
    [
        "n = int(x.shape[1])",
        "n = len(tf.trainable_variables())",
        "n = np.prod(w.shape.as_list())",
        "n = x.name\nn = 3",
        "n = 0\nfor v in tf.trainable_variables():\n    n += np.prod(v.shape.as_list())",
    ],
)
def test_what_is_known_before_the_step_is_migrated(made: str) -> None:
    assert not _told(PROGRAM.format(made, "print(n)"))


@pytest.mark.parametrize(
    "made",
    [
        "n = sum(int(np.prod(v.shape.as_list())) for v in tf.trainable_variables())",
        "n = [v.name for v in tf.trainable_variables()]",
        "n = {v.op.name: v.shape for v in tf.trainable_variables()}",
        "n = max(len(v.name) for v in tf.global_variables() if 'w' in v.name)",
    ],
)
@pytest.mark.parametrize("read", ["print(n)", "pass"])
def test_what_python_says_of_listed_variables_is_plain(made: str, read: str) -> None:
    """It is printed once, where TensorFlow 1 printed it, and the loop may read it."""
    program = PROGRAM.format(f"{made}\nprint('listed', n)", read)
    assert not _told(program)
    assert "print('listed', n)" in migrate_text(program).text


def test_the_graph_reads_it_in_the_step_too() -> None:
    of_graph = "n = x.dtype\nparts.append(tf.cast(tf.cast(x[:, :1], tf.int32), n))"
    assert not _told(PROGRAM.format(of_graph, "pass"))


# -- lists of variables, which layers fill in the first step ---------------------------

COUNTS = [
    "n = 0\nfor v in tf.trainable_variables():\n    n += np.prod(v.shape.as_list())",
    "n = 0\nfor v in tf.trainable_variables():\n    p = 1\n"
    "    for d in v.get_shape():\n        p *= d.value\n    n += p",
    "n = []\nfor v in tf.trainable_variables():\n    n.append(v.name)",
    "variables = tf.trainable_variables()\nn = 0\n"
    "for v in variables:\n    n += np.prod(v.shape.as_list())",
    "n = 0\nfor v in tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES):\n    n += 1",
    "n = 0\nfor v in tf.trainable_variables('dense_1'):\n    n += 1",
    "n = sum(np.prod(v.shape.as_list()) for v in tf.trainable_variables())",
    "n = len(tf.trainable_variables())",
    "n = [v.name for v in tf.trainable_variables()]",
]


@pytest.mark.parametrize("count", COUNTS)
def test_a_count_before_the_first_step_is_refused_for_what_it_is(count: str) -> None:
    told = _told(LAYERS.format(count, "print(n)"))
    assert set(told) & {"S112", "N105"}
    assert all("list of variables" in reason for reason in told.values()), told


@pytest.mark.parametrize("count", [c for c in COUNTS if "variables = " not in c])
def test_the_recipe_is_to_count_in_the_session(count: str) -> None:
    inside = count.replace("\n", "\n    ") + "\n    print(n)"
    assert not _told(LAYERS.format("", inside))


def test_a_list_that_is_printed_before_the_first_step_is_not_lost_silently() -> None:
    """The statement goes, and the run says so without being asked."""
    printed = "print(len([v.name for v in tf.trainable_variables()]))"
    done = migrate_text(LAYERS.format(printed, "pass"))
    (told,) = (f for f in done.findings if f.outcome is Outcome.WARNED)
    assert told.code == "S114" and "listed the graph's variables" in told.reason
    assert "print(len(" not in done.text


TWO_HEADS = """import numpy as np
import tensorflow as tf
x = tf.placeholder(tf.float32, [None, 3])
one = tf.ones_initializer()
first = tf.layers.dense(x, 1, kernel_initializer=one, name="first")
{before}
second = tf.layers.dense(x, 2, kernel_initializer=one, name="second")
{after}
rate = tf.train.GradientDescentOptimizer(0.01)
train = rate.minimize(tf.reduce_mean(tf.square(first)))
other = rate.minimize(tf.reduce_mean(tf.square(second)))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(3):
        print(sess.run({fetched}))
        sess.run(train, {{x: [[1.0, 2.0, 3.0]]}})
        sess.run(other, {{x: [[1.0, 2.0, 3.0]]}})
"""
PENALTY = "penalty = tf.add_n([tf.nn.l2_loss(v) for v in tf.trainable_variables()])"


@pytest.mark.parametrize("early", [False, True])
def test_a_step_that_lists_variables_has_those_of_layers_that_other_steps_call(
    early: bool, tf1: str, tmp_path: pathlib.Path
) -> None:
    """It ran first, and its list was empty."""
    ledger.rests_on(ledger.COMPILER)
    before, after = (PENALTY, "") if early else ("", PENALTY)
    text = TWO_HEADS.format(before=before, after=after, fetched="penalty")
    new = migrate_text(text).text
    assert new.index("def compute_penalty") > new.index("train_step")
    # What layers make afterwards is in no list that TensorFlow 1 made before.
    assert ("for v in first_layer.trainable_weights" in new) is early
    beside.write(tmp_path, new)
    printed = []
    for python, name, program in (
        (tf1, "old.py", text),
        (sys.executable, "new.py", new),
    ):
        (tmp_path / name).write_text(program)
        done = processes.run_program(
            [python, tmp_path / name], environment=runner.ENVIRONMENT
        )
        printed.append([float(line) for line in done.stdout.split()])
    assert len(printed[0]) == 3 and (printed[0][0] > 4.0) is not early
    assert printed[0] == pytest.approx(printed[1], rel=1e-6)


def test_a_list_that_would_have_other_variables_is_refused() -> None:
    early = TWO_HEADS.format(before=PENALTY, after="", fetched="penalty")
    looped = early.replace("first = tf", "for _ in range(1):\n    first = tf")
    assert "N105" in _told(looped)
    # The first step that trains adds the penalty of a layer that the second one makes.
    trained = TWO_HEADS.format(before="", after=PENALTY, fetched="one.name or penalty")
    trained = trained.replace("square(first))", "square(first)) + penalty")
    trained = trained.replace("print(sess.run(one.name or penalty))", "pass")
    assert "N105" in _told(trained)


@pytest.mark.parametrize(
    "listed",
    [
        "rate.minimize(tf.reduce_mean(tf.square(first)), var_list=tf.trainable_variables())",
        "rate.minimize(tf.reduce_mean(tf.square(first)), "
        "var_list=[v for v in tf.trainable_variables() if 'first' in v.name])",
    ],
)
def test_what_gradients_are_of_needs_no_others(listed: str) -> None:
    text = TWO_HEADS.format(
        before="", after="", fetched="first, {x: [[1.0, 2.0, 3.0]]}"
    )
    old = "rate.minimize(tf.reduce_mean(tf.square(first)))"
    assert old in text
    assert not _told(text.replace(old, listed))


def test_functions_of_dtypes_belong_to_the_graph() -> None:
    """The module has types, which Python knows, and functions, whose results a step has."""
    text = (
        "import tensorflow as tf\n"
        "x = tf.placeholder(tf.dtypes.float32, [None, 2])\n"
        "w = tf.Variable(tf.ones([2, 1], tf.dtypes.float32))\n"
        "y = tf.matmul(x, w)\n"
        "picked = tf.dtypes.cast(y > 0.5, tf.dtypes.float32)\n"
        "shown = tf.dtypes.as_string(y)\n"
        "small = tf.dtypes.saturate_cast(y, tf.dtypes.as_dtype('uint8'))\n"
        "both = tf.dtypes.complex(y, y)\n"
        "with tf.Session() as sess:\n"
        "    sess.run(tf.global_variables_initializer())\n"
        "    print(sess.run([picked, shown, small, both], {x: [[1.0, 2.0]]}))\n"
    )
    done = migrate_text(text)
    assert not [f for f in done.findings if f.outcome is Outcome.REFUSED]
    assert "[picked, shown, small, both]" in done.text


SHOWN = """\
import tensorflow as tf
def show(t):
    print("{}: {}".format(t.op.name, t.get_shape().as_list()))
one = tf.constant(3.0)
print("one: {}".format(one))
x = tf.placeholder(tf.float32, [None, 2], name="x")
w = tf.get_variable("w", [2, 1], initializer=tf.ones_initializer())
y = tf.nn.relu(tf.matmul(x, w) + one, name="y")
show(y)
MORE
loss = tf.reduce_mean(y)
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
        print(sess.run([train, loss], {x: [[1.0, 2.0]]})[1])
"""


def test_what_shows_tensors_of_a_graph_is_told() -> None:
    """`"{}".format(tensor)`, and a function that only prints what it asks a tensor."""
    done = migrate_text(SHOWN.replace("MORE\n", ""))
    assert not [f for f in done.findings if f.outcome in TELLING[::2]]
    told = {f.line for f in done.findings if f.code == "S114"}
    assert {3, 5, 9} <= told
    assert "def show(" not in done.text and "one: {}" not in done.text
    again = migrate_text(done.text)
    assert again.text == done.text


def test_a_function_that_others_call_shows() -> None:
    """Its print is not gone for the calls that stay."""
    text = SHOWN.replace("MORE", "shown = [show]")
    done = migrate_text(text)
    assert 3 not in {f.line for f in done.findings if f.code == "S114"}
