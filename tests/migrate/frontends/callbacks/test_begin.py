"""Checks what a hook's `begin` may do if the hook becomes a Keras callback."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.tables.callbacks import BASE

_PROGRAM = """\
import collections
TIME

import helpers
import tensorflow as tf

seen = []


class Begins(tf.train.SessionRunHook):
    def begin(self):
        BEGIN

    def after_run(self, context, values):
        seen.append(1)


class Creates(tf.train.SessionRunHook):
    def METHOD(self, session, coordinator):
        seen.append(2)


def model_fn(features, labels, mode):
    logits = tf.layers.dense(features["x"], 3)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(
        loss, global_step=tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


estimator = tf.estimator.Estimator(model_fn)
estimator.train(lambda: None, hooks=[Begins(), Creates()])
"""
_CREATED = "after_create_session"


def _is_callback(begin: str, created: bool) -> bool:
    """Whether the hook becomes one.

    Args:
      created: whether another hook is told that there is a session.
    """
    method = _CREATED if created else "no_method_of_hooks"
    text = _PROGRAM.replace("BEGIN", begin).replace("METHOD", method)
    by_name = begin.endswith("= time()")
    text = text.replace("TIME", "from time import time" if by_name else "import time")
    return f"class Begins({BASE}):" in migrate_text(text).text


@pytest.mark.parametrize(
    "call",
    (
        *("dict()", "float(1)", "int(1)", "len([1])", "list()", "set()", "str(1)"),
        *("tuple()", "time()", "time.time()", "collections.deque()"),
        "tf.train.SecondOrStepTimer(every_steps=4)",
    ),
)
def test_what_is_kept_is_not_seen(call: str) -> None:
    assert _is_callback(f"self.kept = {call}", created=True)


@pytest.mark.parametrize("call", ("open('f')", "helpers.load()", "self.count()"))
def test_what_may_be_seen_is_not_put_after_what_others_do(call: str) -> None:
    assert not _is_callback(f"self.kept = {call}", created=True)


@pytest.mark.parametrize(
    "name",
    """FileWriter MakeDirs abspath append basename debug dirname error flush format get
    info join log makedirs open reset warn warning write writer""".split(),
)
def test_what_does_not_look_at_variables_may_be_done_before(name: str) -> None:
    assert _is_callback(f"helpers.{name}('a')", created=False)
    assert not _is_callback(f"helpers.{name}('a')", created=True)


def test_what_may_look_at_variables_may_not() -> None:
    assert not _is_callback("helpers.others('a')", created=False)
