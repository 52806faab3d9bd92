"""Steps that do more than build, and results, rates and savers with forms of their own.

Each program runs on both TensorFlows. A fault in what is written must show.
"""

from __future__ import annotations

import pathlib

import pytest

from migrate.compiler import migrate_text
from tests import ledger
from tests.migrate.backends import running

HEAD = """\
import numpy as np
import tensorflow as tf

data = np.linspace(-1.0, 1.0, 12).reshape(6, 2)
x = tf.placeholder(tf.float32, [None, 2])
w = tf.get_variable("w", [2, 1], initializer=tf.constant_initializer(0.3))
b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
"""
# Building it prints.
PRINTS = (
    HEAD
    + """\
def net(v):
    print("built")
    return tf.matmul(v, w) + b


loss = tf.reduce_mean(tf.square(net(x) - 1.0))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
print("made")
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(4):
        print("%.4f" % sess.run([train, loss], {x: data})[1])
"""
)
FED = (
    HEAD
    + """\
rate = tf.placeholder(tf.float32, name="rate")
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - 1.0))
train = tf.train.MomentumOptimizer(rate, 0.9).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(4):
        print("%.4f" % sess.run([train, loss], {x: data, rate: 0.2 / (1 + i)})[1])
    path = tf.train.Saver().save(sess, "./fed")
for name, shape in sorted(tf.train.list_variables(path)):
    print(name, shape, "%.4f" % tf.train.load_variable(path, name).sum())
"""
)
DICTS = (
    HEAD
    + """\
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - 1.0))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(4):
        values = sess.run({"loss": loss, "update": train, "top": tf.reduce_max(x)}, {x: data})
        print("%.4f" % values["loss"], "%.4f" % values["top"])
        last = sess.run({"loss": loss, "most": tf.reduce_max(w)}, {x: data})
        print(sorted((k, "%.4f" % v) for k, v in last.items()))
"""
)
SUMS = (
    HEAD
    + """\
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - 1.0))
optimizer = tf.train.GradientDescentOptimizer(0.1)
tvs = tf.trainable_variables()
sums = [tf.Variable(tf.zeros_like(v.initialized_value()), trainable=False) for v in tvs]
zero = [s.assign(tf.zeros_like(s)) for s in sums]
gradients = optimizer.compute_gradients(loss, tvs)
add = [sums[i].assign_add(g) for i, (g, _) in enumerate(gradients)]
train = optimizer.apply_gradients([(sums[i], v) for i, v in enumerate(tvs)])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(3):
        sess.run(zero)
        for part in range(2):
            print("%.4f" % sess.run([loss, add], {x: data[part::2]})[0])
        sess.run(train)
"""
)
CHOSEN = """\
import numpy as np
import tensorflow as tf

data = np.linspace(-1.0, 1.0, 12).reshape(6, 2)
x = tf.placeholder(tf.float32, [None, 2])
with tf.variable_scope("net"):
    w = tf.get_variable("w", [2, 1], initializer=tf.constant_initializer(0.3))
with tf.variable_scope("head"):
    b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - 1.0))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
of_net = [v for v in tf.global_variables() if v.name.startswith("net/")]
saver = tf.train.Saver(of_net)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(2):
        print("%.4f" % sess.run([train, loss], {x: data})[1])
    path = saver.save(sess, "./chosen")
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    saver.restore(sess, path)
    for i in range(2):
        print("%.4f" % sess.run([train, loss], {x: data})[1])
    print(["%.4f" % value.sum() for value in sess.run([w, b])])
print(tf.train.list_variables(path))
"""
# A program, a part of its migration, and a fault for that.
PROGRAMS = {
    "prints": (
        PRINTS,
        "# Traced here, where TensorFlow 1 built its graph.\n"
        "train_step.get_concrete_function()\n",
        "",
    ),
    "fed": (FED, "current_rate.assign(rate)", "current_rate.assign(0.1)"),
    "dicts": (
        DICTS,
        'return {"loss": loss, "top": ',
        'return {"loss": 2.0 * loss, "top": ',
    ),
    "sums": (SUMS, "sums[i].assign_add(", "sums[i].assign("),
    "chosen": (
        CHOSEN,
        "tf.compat.v1.train.Saver([w])",
        "tf.compat.v1.train.Saver([b])",
    ),
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
    old, new = running.print_both(tf1, program, text, tmp_path)
    assert old.count("\n") > 4
    assert (old == new) is not wrong


@pytest.mark.parametrize(
    "old, new",
    [
        # A rate of two numbers, and one of another type.
        ("tf.placeholder(tf.float32, name", "tf.placeholder(tf.float32, [1], name"),
        ("tf.placeholder(tf.float32, name", "tf.placeholder(tf.float64, name"),
        # The name is the program's: a variable, or a parameter.
        (
            "import numpy as np\n",
            "import numpy as np\n\n\ndef f(current_rate):\n    pass\n\n\n",
        ),
        ("for i in range(4):", "current_rate = 0.0\n    for i in range(4):"),
    ],
)
def test_a_rate_that_is_not_known_keeps_its_session(old: str, new: str) -> None:
    assert old in FED
    assert "replicas.fed(" in migrate_text(FED.replace(old, new)).text


def test_an_operation_of_a_dict_that_is_read_keeps_its_session() -> None:
    text = DICTS.replace('values["top"]', 'values["top"], values["update"]')
    assert "@tf.function" not in migrate_text(text).text


def test_a_key_may_have_quotes() -> None:
    text = DICTS.replace('"top": tf', "'the \"top\"': tf").replace(
        'values["top"]', "values['the \"top\"']"
    )
    migrated = migrate_text(text)
    compile(migrated.text, "<result>", "exec")
    assert not migrated.support and '\\"top\\"": ' in migrated.text


def test_all_variables_are_not_known_where_an_optimizer_has_slots() -> None:
    text = CHOSEN.replace("tf.train.GradientDescentOptimizer", "tf.train.AdamOptimizer")
    assert "N105" in {f.code for f in migrate_text(text).findings}
