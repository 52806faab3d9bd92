"""The gate stops what is changed after the graph is built, and a step would read."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Finding

PROGRAM = """import numpy as np
import tensorflow as tf
x = tf.placeholder(tf.float32, [None, 4])
w = tf.get_variable("w", [4, 3])
b = tf.get_variable("b", [3])
scale = 2.0
loss = tf.reduce_sum(tf.nn.softmax(tf.matmul(x, w) * scale + b))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
{}
for i in range(3):
    sess.run(train, feed_dict={{x: np.ones((2, 4))}})
{}
"""
SAVER = "tf.train.Saver().save(sess, 'model')"


def refusals(text: str) -> list[Finding]:
    return [f for f in migrate_text(text).findings if f.code == "G007"]


@pytest.mark.parametrize("end", ["", SAVER], ids=["direct", "session"])
@pytest.mark.parametrize(
    ("change", "name"),
    [
        ("scale = 3.0", "scale"),
        ("scale += 1", "scale"),
        ("print(scale := 3.0)", "scale"),
        ("for w in range(3): print(w)", "w"),
        ("with open('notes') as w: print(w)", "w"),
        ("try: print(1)\nexcept OSError as w: pass", "w"),
        ("w, seen = sess.run([w, b])", "w"),
        ("import json as w", "w"),
        ("def w(): return 1", "w"),
        ("class w: pass", "w"),
        ("del w", "w"),
        ("def change():\n    global scale\n    scale = 3.0\nchange()", "scale"),
    ],
)
def test_a_name_that_a_step_reads_is_not_bound_again(
    change: str, name: str, end: str
) -> None:
    (found,) = refusals(PROGRAM.format(change, end))
    assert f"`{name}`" in found.reason
    line = PROGRAM.format(change, end).split("\n")[found.line - 1]
    assert name in line


@pytest.mark.parametrize(
    "change",
    [
        "w_now = sess.run(w)",
        "w = sess.run(w)",  # Has a number from here on.
        "print([w for w in range(3)])",
        "def show(scale): print(scale)\nshow(3)",
        "def show():\n    scale = 3\n    print(scale)\nshow()",
    ],
)
def test_what_no_step_reads_may_be_bound(change: str) -> None:
    done = migrate_text(PROGRAM.format(change, SAVER))
    assert not [f for f in done.findings if f.code == "G007"]
    assert "train_step" in done.text


def test_what_the_last_use_of_a_step_gives_may_have_its_name() -> None:
    assert not refusals(PROGRAM.format("", "w, b = sess.run([w, b])\nprint(w)"))
    assert refusals(PROGRAM.format("", "while True:\n    w, b = sess.run([w, b])"))


MODEL = """import numpy as np
import tensorflow as tf
class Model:
    def __init__(self):
        self.scale = 2.0
        self.sizes = [4, 3]
        self.x = tf.placeholder(tf.float32, [None, 4])
        self.w = tf.get_variable("w", self.sizes)
        self.loss = tf.reduce_sum(tf.matmul(self.x, self.w) * self.scale)
        self.train = tf.train.GradientDescentOptimizer(0.1).minimize(self.loss)
    def change(self):
        {}
model = Model()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    model.change()
    for i in range(3):
        sess.run(model.train, feed_dict={{model.x: np.ones((2, 4))}})
"""


def test_attributes_are_not_set_again() -> None:
    (found,) = refusals(MODEL.format("self.scale = 3.0"))
    assert "`scale`" in found.reason
    assert "self.scale = 3.0" in MODEL.split("\n")[found.line - 1].format(
        "self.scale = 3.0"
    )
    done = migrate_text(MODEL.format("self.shown = 3.0"))
    assert not [f for f in done.findings if f.code == "G007"] and "tape" in done.text


def test_attributes_of_one_of_several_objects() -> None:
    text = MODEL.replace(
        "model = Model()",
        'model = Model()\nwith tf.variable_scope("b"):\n    other = Model()',
    )
    text = text.replace(
        "    model.change()",
        "    other.change()\n    sess.run(other.train, {{other.x: np.ones((2, 4))}})",
    )
    (found,) = refusals(text.format("self.scale = 3.0"))
    assert "`scale`" in found.reason


def test_lists_do_not_grow() -> None:
    grown = PROGRAM.replace("scale = 2.0", "scale = [2.0]").replace(
        "* scale", "* scale[0]"
    )
    assert not refusals(grown.format("print(scale)", SAVER))
    assert refusals(grown.format("scale.insert(0, 3.0)", SAVER))
    assert refusals(grown.format("scale[0] = 3.0", SAVER))
    assert refusals(grown.format("np.random.shuffle(scale)", SAVER))
    other = grown.replace("\nloss", "\nother = scale\nloss")
    assert refusals(other.format("other[0] = 3.0", SAVER))
    assert not refusals(other.format("print(other[0])", SAVER))


def test_each_call_of_a_model_fn_builds_anew() -> None:
    text = """import tensorflow as tf
class Regressor:
    def __init__(self):
        self.penalty = 0.0
        def model_fn(features, labels, mode):
            w = tf.get_variable("w", [4, 1])
            loss = tf.reduce_mean(tf.square(tf.matmul(features["x"], w) - labels))
            loss += self.penalty * tf.nn.l2_loss(w)
            train = tf.train.AdamOptimizer(0.05).minimize(
                loss, tf.train.get_global_step())
            return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train)
        self.estimator = tf.estimator.Estimator(model_fn, "out")
    def fit(self, input_fn, penalty):
        self.penalty = penalty
        self.estimator.train(input_fn, steps=5)
"""
    assert not refusals(text)
