"""Lists of variables, and variables that begin anew, without a session."""

from __future__ import annotations

import pathlib

import pytest

from migrate.compiler import migrate_text
from tests import ledger
from tests.migrate.backends import running

HEAD = """\
import numpy as np
import tensorflow as tf

data = np.random.RandomState(0).rand(20, 2).astype(np.float32)
x = tf.placeholder(tf.float32, [None, 2])
"""
PAIRS = (
    HEAD
    + """\
with tf.variable_scope("online"):
    w = tf.get_variable("w", [2, 1], initializer=tf.ones_initializer())
    b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
    q = tf.matmul(x, w) + b
with tf.variable_scope("target"):
    v = tf.get_variable("w", [2, 1], initializer=tf.zeros_initializer())
    c = tf.get_variable("b", [1], initializer=tf.ones_initializer())
    p = tf.matmul(x, v) + c
online = tf.trainable_variables("online")
target = tf.trainable_variables("target")
copy = [t.assign(0.5 * o + 0.5 * t) for t, o in zip(target, online)]
loss = tf.reduce_mean(tf.square(q - 0.5 * p - 1.0))
train = tf.train.AdamOptimizer(0.1).minimize(loss, var_list=online)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(4):
        print("%.4f" % sess.run([train, loss], {x: data})[1])
        sess.run(copy)
    print([["%.4f" % e for e in value.ravel()] for value in sess.run(target)])
"""
)
GAN = (
    HEAD
    + """\
fill = tf.constant_initializer(0.3)


def make(z):
    with tf.variable_scope("maker"):
        h = tf.layers.dense(z, 3, activation=tf.tanh, kernel_initializer=fill)
        return tf.layers.dense(h, 2, kernel_initializer=fill)


def tell(v, reuse=None):
    with tf.variable_scope("teller", reuse=reuse):
        h = tf.layers.dense(v, 3, activation=tf.tanh, kernel_initializer=fill)
        return tf.layers.dense(h, 1, kernel_initializer=fill)


made = make(x)
true, false = tell(x), tell(made, True)
told = tf.reduce_mean(tf.square(true - 1.0) + tf.square(false))
fooled = tf.reduce_mean(tf.square(false - 1.0))
first = tf.train.AdamOptimizer(0.05).minimize(
    told, var_list=tf.trainable_variables("teller")
)
second = tf.train.AdamOptimizer(0.05).minimize(
    fooled, var_list=tf.trainable_variables("maker")
)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(4):
        print("%.4f" % sess.run([first, told], {x: data})[1])
        print("%.4f" % sess.run([second, fooled], {x: data})[1])
"""
)
NAMED = GAN.replace(
    'tf.trainable_variables("teller")',
    '[v for v in tf.trainable_variables() if v.name.startswith("teller")]',
).replace(
    'tf.trainable_variables("maker")',
    '[v for v in tf.trainable_variables() if "ell" not in v.name]',
)
FOLDS = (
    HEAD
    + """\
weights = {"w": tf.Variable(tf.ones([2, 1])), "b": tf.Variable(tf.zeros([1]))}
loss = tf.reduce_mean(tf.square(tf.matmul(x, weights["w"]) + weights["b"] - 3.0))
train = tf.train.AdamOptimizer(0.1).minimize(loss)
for fold in range(3):
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for value in range(3):
            print(fold, value, "%.4f" % sess.run([train, loss], {x: data[fold:]})[1])
"""
)
ELEMENTS = (
    HEAD.replace("x = tf.placeholder(tf.float32, [None, 2])\n", "")
    + """\
dataset = tf.data.Dataset.from_tensor_slices((data, data.sum(1))).repeat().batch(4)
xs, ys = dataset.make_one_shot_iterator().get_next()
pair = tf.data.Dataset.from_tensors({"a": data[0]}).make_one_shot_iterator().get_next()
with tf.Session() as sess:
    for i in range(6):
        x, y = sess.run([xs, ys])
        print("%.4f %.4f" % (x.sum(), y.sum()))
    print(["%.4f" % e for e in sess.run(pair)["a"]])
"""
)
# A program, a part of its migration, and a fault for that.
PROGRAMS = {
    "pairs": (PAIRS, "target = [v, c]\n", "target = [c, v]\n"),
    "gan": (GAN, "startswith('maker')", "startswith('teller')"),
    "named": (NAMED, 'if "ell" not in v.name', 'if "ell" in v.name'),
    "elements": (
        ELEMENTS,
        "x, y = tf.nest.map_structure(lambda value: value.numpy(), iterator.get_next())",
        "x, y = tf.nest.map_structure(lambda value: value.numpy() * 2, "
        "iterator.get_next())",
    ),
    "folds": (FOLDS, "variable.assign(initial_value)", "pass"),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_no_session_is_left(name: str) -> None:
    program, written, _ = PROGRAMS[name]
    migrated = migrate_text(program)
    assert not migrated.support and "ession" not in migrated.text
    assert written in migrated.text


@pytest.mark.parametrize("wrong", [False, True])
@pytest.mark.parametrize("name", PROGRAMS)
def test_it_computes_what_tensorflow_1_computes(
    name: str, wrong: bool, tmp_path: pathlib.Path, tf1: str
) -> None:
    ledger.rests_on(ledger.COMPILER)
    program, written, fault = PROGRAMS[name]
    text = migrate_text(program).text
    if wrong:
        text = text.replace(written, fault)
    if name == "pairs" and wrong:  # The shapes of a wrong pair do not fit.
        text = text.replace("target = [c, v]\n", "target = [w, b]\n")
    old, new = running.print_both(tf1, program, text, tmp_path)
    assert old.count("\n") > 4
    assert (old == new) is not wrong


def test_variables_of_an_optimizer_begin_anew() -> None:
    """A dict of variables is named as a whole; the first run of the initializer goes."""
    text = migrate_text(FOLDS).text
    assert "for variable in [*weights.values(), *optimizer.variables()]" in text
    once = FOLDS.replace("for fold in range(3):\n", "for fold in [0]:\n")
    assert "initial_values" in migrate_text(once).text
    taken = FOLDS.replace("fold, value", "fold, initial_values").replace(
        "for value in", "for initial_values in"
    )
    assert "@tf.function" not in migrate_text(taken).text


def test_a_saver_in_the_graph_moves_below_the_steps() -> None:
    saver = "saver = tf.train.Saver()\n"
    program = FOLDS.replace("for fold in range(3):", f"{saver}for fold in range(1):")
    program = program.replace("sess.run(tf.global", "saver.restore(sess, 'a')  # (tf.g")
    program = program.replace(
        saver, saver + "check = tf.train.latest_checkpoint('.')\n"
    )
    text = migrate_text(program).text
    assert "ession" not in text
    assert text.index("def train_step") < text.index("saver = ")
    assert "[*weights.values(), *optimizer.variables()]" in text


BEGUN = (
    HEAD
    + """\
w = tf.Variable(tf.ones([2, 1]))
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 3.0))
train = tf.train.AdamOptimizer(0.1).minimize(loss)
saver = tf.train.Saver()
init = tf.global_variables_initializer()


def load(sess):
    saver.restore(sess, "a")


with tf.Session() as sess:
    print("begun")
    sess.run(init)
    sess.run(train, {x: data})
    sess.run(init)
    print(sess.run(loss, {x: data}))
    load(sess)
"""
)


@pytest.mark.parametrize(
    ("before", "count"), [('print("begun")', 1), ("load(sess)", 2)]
)
def test_the_first_run_of_the_initializer_stays_below_a_call(
    before: str, count: int
) -> None:
    """The call may have restored the variables."""
    text = migrate_text(BEGUN.replace('print("begun")', before)).text
    assert "ession" not in text
    assert text.count("variable.assign(value)") == count
