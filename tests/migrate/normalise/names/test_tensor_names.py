"""Variables in scopes that a program asks for by their names."""

from __future__ import annotations

import pytest

from migrate.normalise.names.tensor_names import replace_tensor_names
from migrate.normalise.text import Text

PROGRAM = """\
import tensorflow as tf


def net(x):
    with tf.variable_scope("net", reuse=tf.AUTO_REUSE):
        w = tf.get_variable("w", [3, 1])
        return tf.matmul(x, w)


out = net(tf.ones([1, 3]))
with tf.variable_scope("net", reuse=True):
    w = tf.get_variable("w")
with tf.Session() as sess:
    print(sess.run("net/w:0"), sess.run([w, "net/w:0"], {"net/w:0": 1}))
"""
FOUND = '[v for v in tf.trainable_variables() if v.name == "net/w:0"][0]'
BLOCK = """\
with tf.variable_scope("net", reuse=True):
    w = tf.get_variable("w")
"""


def _write(source: str) -> str:
    return replace_tensor_names(Text.read_source(source)).source


def test_variables_are_looked_for_by_name() -> None:
    written = PROGRAM.replace(BLOCK, f"w = {FOUND}\n")
    written = written.replace('sess.run("net/w:0")', f"sess.run({FOUND})")
    written = written.replace('[w, "net/w:0"]', f"[w, {FOUND}]")
    assert _write(PROGRAM) == written
    assert written.count(FOUND) == 3


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"w", [3, 1]', '"w", [3, 1], trainable=False'),
        ('tf.variable_scope("net", reuse=tf', "tf.variable_scope(NET, reuse=tf"),
        ("out = ", 'other = tf.Variable(1.0, name="w")\nout = '),
        ('"net/w:0"', '"net_1/w:0"'),
    ],
)
def test_another_variable_may_have_the_name(old: str, new: str) -> None:
    text = PROGRAM.replace(BLOCK, "w = 1\n").replace(old, new)
    assert _write(text) == text != PROGRAM


@pytest.mark.parametrize(
    "block",
    [
        # The scope is within another one.
        'with tf.variable_scope("a"):\n'
        + "".join(f"    {line}\n" for line in BLOCK.splitlines()),
        # The block makes the variable if there is none.
        BLOCK.replace("True", "tf.AUTO_REUSE").replace('"w")', '"w", [3, 1])'),
        # It does more.
        f"{BLOCK}    print(w)\n",
        # A function that is called in another scope, or elsewhere than the session.
        'def look():\n    with tf.variable_scope("net", reuse=True):\n'
        '        w = tf.get_variable("w")\n    return w\nw = look()\n',
    ],
)
def test_another_block_stays(block: str) -> None:
    text = PROGRAM.replace(BLOCK, block)
    assert block in _write(text)
