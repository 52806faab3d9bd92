"""Objects that are called, and blocks of objects, by the methods of their classes."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome
from migrate.normalise.classes.chained_calls import name_call_methods, write_out_blocks
from migrate.normalise.text import Text

PROGRAM = """\
import numpy as np
import tensorflow as tf


class Base(object):
    def __init__(self, rate):
        self.x = tf.placeholder(tf.float32, [None, 4])
        self.output = self.build()
        self.loss = tf.reduce_mean(self.output)
        self.train_op = tf.train.GradientDescentOptimizer(rate).minimize(self.loss)
        self.sess = tf.InteractiveSession()
        tf.global_variables_initializer().run()

    def step(self, x):
        return self.sess.run([self.loss, self.train_op], {self.x: x})[0]


class Linear(Base):
    def build(self):
        self.w = tf.get_variable("w", [4, 1])
        return tf.tanh(tf.matmul(self.x, self.w))

    def __call__(self, x):
        return self.output.eval({self.x: x})


model = Linear(0.1)
x = np.ones([2, 4])
for step in range(3):
    print(model.step(x), model(x).sum())
print(model.w.eval().sum())
"""


def _list_refused(text: str) -> set[str]:
    refused = (Outcome.REFUSED, Outcome.FAILED)
    return {f.code for f in migrate_text(text).findings if f.outcome in refused}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("x = np", "x = np"),
        (
            "        return self.output",
            '        print("call")\n        return self.output',
        ),
        (
            "self, x):\n        return self.output",
            "self, x, y=1):\n        return self.output",
        ),
        (
            "print(model.w",
            "def total():\n    return model.w.eval().sum()\nprint(total(), model.w",
        ),
    ],
)
def test_an_object_that_keeps_the_default_session(old: str, new: str) -> None:
    assert old in PROGRAM
    assert not _list_refused(PROGRAM.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # The object has another name, or there are two.
        ("print(model.w", "other = model\nprint(other(x), model.w"),
        ("model = ", "first = Linear(0.2)\ntf.reset_default_graph()\nmodel = "),
        ("print(model.w", "with tf.Session():\n    pass\nprint(model.w"),
    ],
)
def test_another_object_or_session(old: str, new: str) -> None:
    assert old in PROGRAM
    assert _list_refused(PROGRAM.replace(old, new))


def _name(source: str) -> str:
    return name_call_methods(Text.read_source(source)).source


def test_an_object_is_called_by_its_method() -> None:
    assert "model.__call__(x).sum()" in _name(PROGRAM)
    for other in (
        PROGRAM.replace("__call__", "predict"),
        PROGRAM.replace("model = Linear(0.1)", "model = Linear(0.1)\nmodel = f(model)"),
        PROGRAM.replace("model = Linear(0.1)", "model = make(Linear)"),
    ):
        assert _name(other) == other


BLOCK = """\
class Trainer(object):
    def __init__(self, rate):
        self.rate = rate

    def __enter__(self):
        self.sess = tf.Session()
        return self

    def __exit__(self, kind, *rest):
        self.sess.close()


with Trainer(0.1) as trainer:
    # The steps.
    trainer.train()
    print("done")
"""
WRITTEN = """\
class Trainer(object):
    def __init__(self, rate):
        self.rate = rate

    def __enter__(self):
        self.sess = tf.Session()

    def __exit__(self):
        self.sess.close()


trainer = Trainer(0.1)
trainer.__enter__()
# The steps.
trainer.train()
print("done")
trainer.__exit__()
"""


def _write(source: str) -> str:
    return write_out_blocks(Text.read_source(source)).source


def test_a_block_that_closes() -> None:
    assert _write(BLOCK) == WRITTEN


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # It does more at the end, or hides an error.
        (
            "        self.sess.close()",
            '        self.sess.close()\n        print("closed")',
        ),
        ("        self.sess.close()", "        self.sess.close()\n        return True"),
        ("        self.sess.close()", "        self.save(kind)"),
        # Its name is not the object's.
        ("return self\n", "return self.sess\n"),
        # It is left before its end, or entered several times.
        ("with Trainer", "for rate in rates:\n  with Trainer"),
        ("with Trainer", "try:\n  with Trainer"),
        ("with Trainer", "with Trainer(0.2) as other:\n    pass\nwith Trainer"),
        ("with Trainer(0.1)", "with Trainer(0.1) as other, open(path)"),
        ("trainer.train()", "trainer.__enter__()"),
    ],
)
def test_another_block_stays(old: str, new: str) -> None:
    text = BLOCK.replace(old, new)
    assert text != BLOCK
    if old == "with Trainer" and new[:3] in ("for", "try"):
        head, block, rest = text.partition("  with")
        rest = rest.replace("\n    ", "\n      ")
        end = "finally:\n  pass\n" if new.startswith("try") else ""
        text = head + block + rest + end
    assert _write(text) == text
