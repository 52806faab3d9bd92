"""No gradient goes into labels where TensorFlow 1's loss sent none.

In the scenarios labels are data, so that nothing there notices a lost `tf.stop_gradient`.
"""

from __future__ import annotations

from typing import Any

import pytest

tf = pytest.importorskip("tensorflow")

from migrate.compiler import migrate_text  # noqa: E402

v1 = tf.compat.v1

# `tf.log` says that this is TensorFlow 1's.
PROGRAM = """\
import tensorflow as tf

HALF = tf.log(0.5)


def cost(labels, logits):
  return tf.nn.{name}(labels=labels, logits=logits)
"""
ONE, TWO = (
    "softmax_cross_entropy_with_logits",
    "softmax_cross_entropy_with_logits_v2",
)


def _gradient(text: str) -> Any:
    names: dict[str, Any] = {}
    exec(text, names)
    labels = tf.Variable([[0.25, 0.75]])
    with tf.GradientTape() as tape:
        cost = names["cost"](tf.identity(labels), tf.constant([[1.0, 3.0]]))
    return tape.gradient(cost, labels)


@pytest.mark.parametrize("name", [ONE, TWO])
def test_labels_get_the_gradient_that_they_got(name: str) -> None:
    migration = migrate_text(PROGRAM.format(name=name))
    with tf.Graph().as_default(), v1.Session() as session:
        labels = tf.constant([[0.25, 0.75]])
        cost = getattr(v1.nn, name)(labels=labels, logits=tf.constant([[1.0, 3.0]]))
        (gradient,) = v1.gradients(cost, [labels])
        expected = None if gradient is None else session.run(gradient).tolist()
    found = _gradient(migration.text)
    assert (None if found is None else found.numpy().tolist()) == expected
    assert (expected is None) == (name == ONE)


def test_a_lost_stop_gradient_is_noticed() -> None:
    text = migrate_text(PROGRAM.format(name=ONE)).text
    assert text.count("tf.stop_gradient(labels)") == 1
    assert _gradient(text.replace("tf.stop_gradient(labels)", "labels")) is not None
