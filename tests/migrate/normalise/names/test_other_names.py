"""A function returns a tensor with the placeholder that is fed for it."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome
from migrate.normalise.names import tuples
from migrate.normalise.names.tuples import split_other_names
from migrate.normalise.text import Text

PROGRAM = """\
import numpy as np
import tensorflow as tf
class Net:
    def __init__(self, sess, size):
        self.sess = sess
        self.y = tf.placeholder(tf.float32, [None, 1])
        RESULT = self.create("net", size)
        self.loss = tf.reduce_mean(tf.square(self.y - self.out))
        self.update = tf.train.AdamOptimizer(0.1).minimize(self.loss)
    def create(self, name, size):
        with tf.variable_scope(name):
            inputs = tf.placeholder(tf.float32, [None, size])
            RETURN
    def train(self, x, y):
        return self.sess.run([self.loss, self.update], {self.x: x, self.y: y})
def main():
    with tf.Session() as sess:
        net = Net(sess, 3)
        sess.run(tf.global_variables_initializer())
        for _ in range(3):
            loss, _ = net.train(np.ones([2, 3]), np.ones([2, 1]))
            print(loss)
if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize(
    ("result", "returned"),
    [
        ("self.out, self.x", "return tf.layers.dense(inputs, 1), inputs"),
        ("self.x, self.out", "return inputs, tf.layers.dense(inputs, 1)"),
        (
            "self.x, self.hidden, self.out",
            "hidden = tf.layers.dense(inputs, 2)\n"
            "            return inputs, hidden, tf.layers.dense(hidden, 1)",
        ),
    ],
)
def test_a_network_returns_its_placeholder(result: str, returned: str) -> None:
    """The feed was of a name that a tuple gave the placeholder: S107."""
    text = PROGRAM.replace("RESULT", result).replace("RETURN", returned)
    done = migrate_text(text)
    assert not [f.code for f in done.findings if f.outcome is Outcome.REFUSED]
    assert "tf.placeholder" not in done.text


@pytest.mark.parametrize(
    "statement",
    [
        "x, w = w, x",  # Each reads what the other binds.
        "a, b = x, a + 1",
        "a, b = 1, 2",
        "a[0], b = x, 2",
        "a, b = pair",
    ],
)
def test_other_statements_stay(statement: str) -> None:
    source = (
        "import tensorflow as tf\nx = tf.placeholder(tf.float32)\nw = a = 1\n"
        f"pair = x, w\n{statement}\n"
    )
    assert statement in split_other_names(Text.read_source(source)).source


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("m = a, b\nx, y = m\nf(x, y)\n", "m = a, b\nf(a, b)\n"),
        (
            "m = a, b\nfor i in c:\n    x, _ = m\n    f(x)\n",
            "m = a, b\nfor i in c:\n    f(a)\n",
        ),
        (
            "m = a, b\n\n\ndef g():\n    x, y = m\n    return x\n",
            "m = a, b\n\n\ndef g():\n    return a\n",
        ),
    ],
)
def test_a_tuple_of_names_that_is_unpacked(old: str, new: str) -> None:
    text = Text.read_source("a, b = f(), g()\n" + old)
    assert tuples.name_unpacked(text).source == "a, b = f(), g()\n" + new


@pytest.mark.parametrize(
    "source",
    [
        # A name may mean something else then.
        "m = a, b\na = f()\nx, y = m\nf(x, y)\n",
        "m = a, b\nx, y = m\nx = f()\nf(x, y)\n",
        "m = a, b\nm = b, a\nx, y = m\nf(x)\n",
        "for i in c:\n    m = a, i\nx, y = m\nf(x, y)\n",
        "m = a, b\n\n\ndef g(a):\n    x, y = m\n    return x\n",
        "m = a, b\nx, y = m\n\n\ndef g():\n    global x\n    x = 1\n",
        "def g():\n    global a\n    a = 1\n\n\nm = a, b\nx, y = m\nf(x)\n",
        # It is a list, or has other parts.
        "m = [a, b]\nx, y = m\nf(x)\n",
        "m = a, f()\nx, y = m\nf(x)\n",
        "m = a, b\nx, *y = m\nf(x)\n",
        "m = a, b\nx, y.z = m\nf(x)\n",
        "class A:\n    m = a, b\n    x, y = m\n    f(x)\n",
    ],
)
def test_another_tuple_stays(source: str) -> None:
    text = Text.read_source("a, b = f(), g()\n" + source)
    assert tuples.name_unpacked(text) == text
