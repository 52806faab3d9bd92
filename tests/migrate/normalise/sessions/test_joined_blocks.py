"""A session's block and an open file's are one where that changes nothing."""

from __future__ import annotations

import pytest

from migrate.normalise.names.tuples import split_attributes
from migrate.normalise.sessions.joined_blocks import join_blocks
from migrate.normalise.text import Text

HEAD = "import numpy as np\nimport tensorflow as tf\n\n"
OPEN = 'with open("log") as log:\n'
SESSION = "with tf.Session() as sess:\n"


def _of(text: str) -> str:
    return join_blocks(Text.read_source(HEAD + text)).source.removeprefix(HEAD)


@pytest.mark.parametrize(
    ("outer", "inner"), [(OPEN, SESSION), (SESSION, OPEN)], ids=["file", "session"]
)
def test_one_within_the_other(outer: str, inner: str) -> None:
    text = f"{outer}    {inner}        # What runs.\n        sess.run(x)\nrest = 1\n"
    header = f"{outer.rstrip()[:-1]}, {inner.removeprefix('with ')}"
    assert _of(text) == f"{header}    # What runs.\n    sess.run(x)\nrest = 1\n"


def test_graph_between_them_stands_before() -> None:
    text = f"{OPEN}    x = tf.zeros([2])\n    {SESSION}        sess.run(x)\n"
    new = 'x = tf.zeros([2])\nwith open("log") as log, tf.Session() as sess:\n    sess.run(x)\n'
    assert _of(text) == new


@pytest.mark.parametrize(
    "text",
    [
        # What the file is opened for, or by, stands between them.
        f"{OPEN}    x = tf.constant(log.read())\n    {SESSION}        sess.run(x)\n",
        f'name = "a"\nwith open(name) as log:\n    name = tf.zeros([])\n    {SESSION}'
        "        sess.run(name)\n",
        f"{OPEN}    x = tf.constant(np.load('x'))\n    {SESSION}        sess.run(x)\n",
        f"{OPEN}    print('begins')\n    {SESSION}        sess.run(x)\n",
        f"{SESSION}    sess.run(x)\n    {OPEN}        sess.run(y)\n",
        # Something follows in the outer block.
        f"{OPEN}    {SESSION}        sess.run(x)\n    print(log)\n",
        # Another thing that is called like it, and blocks of TensorFlow's.
        f"def open(n):\n    return n\n\n\n{OPEN}    {SESSION}        sess.run(x)\n",
        f"with tf.Graph().as_default():\n    {SESSION}        sess.run(open)\n",
        f"with tf.device('/cpu:0'), open('a'):\n    {SESSION}        sess.run(x)\n",
        # A text of several lines would lose its blanks.
        f'{OPEN}    {SESSION}        print("""\n        a""", sess.run(x))\n',
    ],
)
def test_what_stays(text: str) -> None:
    assert _of(text) == text


def test_attributes_that_are_names() -> None:
    text = "class A:\n    def __init__(self, s, m):\n        self.s, self.m = s, m\n"
    new = text.replace("self.s, self.m = s, m", "self.s = s\n        self.m = m")
    assert split_attributes(Text.read_source(text)).source == new


@pytest.mark.parametrize(
    "statement",
    [
        "self.s, self.m = self.m, self.s",
        "a, b = b, a",
        "self.s, m = m, s",
        "self.s = s",
    ],
)
def test_what_may_read_what_it_binds_stays(statement: str) -> None:
    text = f"def f(self, s, m, a, b):\n    {statement}\n"
    assert split_attributes(Text.read_source(text)).source == text
