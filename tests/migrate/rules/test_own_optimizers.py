"""Optimizers of a program's own: kept where TensorFlow 2 calls their methods, else refused."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome

_PROGRAM = """\
import tensorflow as tf


class Base({base}):
  def {method}:
    {body}


class Own(Base):
  pass


def model_fn(features, labels, mode):
  loss = tf.losses.mean_squared_error(labels, tf.layers.dense(features, 1))
  train_op = Own(0.1).minimize(loss, tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


estimator = tf.estimator.Estimator(model_fn)
"""
_DOUBLED = "return super(Base, self)._apply_dense(2.0 * grad, var)"


def _refused(text: str) -> list[tuple[int, str]]:
    return [
        (f.line, f.code)
        for f in migrate_text(text).findings
        if f.outcome is Outcome.REFUSED and f.code != "N100"
    ]


@pytest.mark.parametrize(
    "base",
    [
        "tf.train.GradientDescentOptimizer",
        "tf.train.AdamOptimizer",
        "tf.train.Optimizer",
        "tf.compat.v1.train.MomentumOptimizer",
    ],
)
def test_what_nothing_would_call_is_refused(base: str) -> None:
    text = _PROGRAM.format(
        base=base, method="_apply_dense(self, grad, var)", body=_DOUBLED
    )
    assert _refused(text) == [(5, "K133")]


def test_a_method_for_sparse_gradients_is_refused() -> None:
    method = "_apply_sparse(self, grad, var)"
    text = _PROGRAM.format(base="tf.train.Optimizer", method=method, body="return grad")
    assert _refused(text) == [(5, "K133")]


@pytest.mark.parametrize(
    ("method", "body"),
    [
        ("_resource_apply_dense(self, grad, var)", "return var.assign_sub(grad)"),
        ("_apply_sparse(self, grad, var)", "raise NotImplementedError('sparse')"),
        ("_apply_dense(self, grad, var)", "'''Old.'''\n    raise ValueError"),
        (
            "_apply_dense(self, grad, var)",
            "return var.assign_sub(grad)\n  _resource_apply_dense = _apply_dense",
        ),
        (
            "apply_gradients(self, grads_and_vars, global_step=None, name=None)",
            "return tf.group(*[v.assign_sub(g) for g, v in grads_and_vars])",
        ),
        (
            "compute_gradients(self, *args)",
            "return [(2 * g, v) for g, v in super(Base, self).compute_gradients(*args)]",
        ),
    ],
)
def test_what_is_called_is_kept(method: str, body: str) -> None:
    text = _PROGRAM.format(base="tf.train.Optimizer", method=method, body=body)
    assert _refused(text) == []


def test_a_class_of_another_kind_may_have_the_name() -> None:
    text = _PROGRAM.format(
        base="object", method="_apply_dense(self, grad, var)", body="return grad"
    )
    assert _refused(text) == []


_SESSION = """\
import tensorflow as tf


class Own(tf.train.GradientDescentOptimizer):
  def _apply_dense(self, grad, var):
    return super(Own, self)._apply_dense(2.0 * grad, var)


w = tf.Variable(1.0)
train_op = Own(0.1).minimize(tf.square(w))
with tf.Session() as sess:
  sess.run(tf.global_variables_initializer())
  sess.run(train_op)
"""


def test_a_session_has_none_of_its_own() -> None:
    assert _refused(_SESSION) == [(10, "N107")]


def test_so_is_a_file_of_optimizers_alone() -> None:
    assert _refused(_SESSION.partition("\n\n\nw = ")[0] + "\n") == [(5, "K133")]
