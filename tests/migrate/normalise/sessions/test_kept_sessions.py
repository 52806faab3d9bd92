"""A session that has a second name, or that an object opens only if it is given none."""

from __future__ import annotations

import pathlib

import pytest

from migrate.compiler import migrate_text
from migrate.normalise.names import statements
from migrate.normalise.sessions import kept_sessions
from migrate.normalise.text import Text
from tests.migrate.backends.running import print_both

IMPORT = "import tensorflow as tf\n"

NET = """\
import numpy as np
import tensorflow as tf


class Net(object):
    def __init__(self, ARGUMENTS):
        self.x = tf.placeholder(tf.float32, [None, 2])
        self.w = tf.Variable(tf.fill([2, 1], 0.5))
        self.loss = tf.reduce_mean(tf.square(tf.matmul(self.x, self.w) - 1.0))
        self.train_op = tf.train.GradientDescentOptimizer(0.5).minimize(self.loss)
        OPEN
        self.sess.run(tf.global_variables_initializer())

    def train(self, x):
        sess = self.sess
        return sess.run([self.loss, self.train_op], {self.x: x})[0]


MAKE
for step in range(3):
    print(round(float(net.train(np.full([2, 2], step + 1.0) / 4)), 4))
print(round(float(net.sess.run(net.w).sum()), 4))
"""
OPENINGS = {
    "a local name": "sess = tf.Session()\n        self.sess = sess",
    "two names at once": "self.sess = sess = tf.Session()",
    "or": "self.sess = sess or tf.Session()",
    "else": "self.sess = tf.Session() if sess is None else sess",
    "if": "if sess is None:\n            sess = tf.Session()\n        self.sess = sess",
    "either": (
        "if sess is not None:\n            self.sess = sess\n        else:\n"
        "            self.sess = tf.Session()"
    ),
}
GIVEN = "session = tf.Session()\nnet = Net(session)"
PROGRAMS = {
    f"{kind}, {'given' if made == GIVEN else 'opened'}": (
        NET.replace("ARGUMENTS", "sess=None")
        .replace("OPEN", code)
        .replace("MAKE", made)
    )
    for kind, code in OPENINGS.items()
    for made in ("net = Net()", GIVEN)
    if made != GIVEN or "sess is" in code or " or " in code
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_an_object_that_may_be_given_a_session(name: str) -> None:
    migration = migrate_text(PROGRAMS[name])
    assert not [f for f in migration.findings if f.blocks]
    assert "Session(" not in migration.text


@pytest.mark.parametrize("name", ["a local name, opened", "if, given"])
def test_it_trains_as_before(name: str, tmp_path: pathlib.Path, tf1: str) -> None:
    text = PROGRAMS[name]
    old, new = print_both(tf1, text, migrate_text(text).text, tmp_path)
    assert old == new and len(old.splitlines()) == 4


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # Each is another session, of which each has its own values.
        ("MAKE", "net = Net()\nother = Net()"),
        ("MAKE", "session = tf.Session()\nother = Net(session)\nnet = Net()"),
        ("MAKE", "net = Net()\nnet.sess = tf.Session()"),
        ("MAKE", "net = [Net(s) for s in [None, None]][0]"),
    ],
)
def test_several_sessions_are_left(old: str, new: str) -> None:
    text = NET.replace(old, new).replace("ARGUMENTS", "sess=None")
    text = text.replace("OPEN", OPENINGS["if"])
    assert [f for f in migrate_text(text).findings if f.blocks]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "a = tf.Session()\nb = a\nb.run(c)\n",
            "a = tf.Session()\na.run(c)\n",
        ),
        (
            "with tf.Session() as a:\n    b = a\n    b.run(c)\n",
            "with tf.Session() as a:\n    a.run(c)\n",
        ),
        (
            "a = tf.Session()\n\n\ndef f():\n    b = a\n    return b.run(c)\n",
            "a = tf.Session()\n\n\ndef f():\n    return a.run(c)\n",
        ),
        (
            "a = tf.Session()\nfor c in d:\n    b = a\nb.run(c)\n",
            "a = tf.Session()\nfor c in d:\n    pass\na.run(c)\n",
        ),
        (
            "self.a = a = tf.Session()\nb = a\nb.run(c)\n",
            "a = tf.Session()\nself.a = a\na.run(c)\n",
        ),
    ],
)
def test_one_name_is_left(old: str, new: str) -> None:
    text = kept_sessions.name_sessions_once(Text.read_source(IMPORT + old))
    assert text.source == IMPORT + new


@pytest.mark.parametrize(
    "source",
    [
        # Another session may have the name, or none.
        "a = tf.Session()\nb = a\na = tf.Session()\nb.run(c)\n",
        "a = tf.Session()\nb = None\nif c:\n    b = a\n",
        "a = tf.Session()\nb = a\nb = tf.Session()\nb.run(c)\n",
        "for c in d:\n    a = tf.Session()\n    b = a\n",
        "a = tf.Session()\nb = a\n\n\ndef f():\n    global b\n    b = None\n",
        # The first name means something else where the second is read.
        "a = tf.Session()\nb = a\n\n\ndef f(a):\n    return b.run(a)\n",
        "a = open(c)\nb = a\nb.read()\n",
        "a = tf.Session()\nb = a\ndel b\n",
        "class A:\n    a = tf.Session()\n    b = a\n",
    ],
)
def test_another_name_is_left(source: str) -> None:
    text = Text.read_source(IMPORT + source)
    assert kept_sessions.name_sessions_once(text) == text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a = tf.Session()\nb = a or tf.Session()\n", "b = a\n"),
        ("a = tf.Session()\nif a is None:\n    a = b\n", "if False:\n    a = b\n"),
        ("a = c()\nb = a or tf.Session()\n", "b = a or tf.Session()\n"),
        (
            "a = None\nif c:\n    a = tf.Session()\nb = a or tf.Session()\n",
            "if c:\n    a = tf.Session()\nb = a or tf.Session()\n",
        ),
    ],
)
def test_whether_a_name_holds_a_session(old: str, new: str) -> None:
    text = statements.fold_conditions(Text.read_source(IMPORT + old))
    assert text.source == IMPORT + old.split("\n")[0] + "\n" + new
