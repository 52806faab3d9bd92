"""An operation that gives a variable its initial value again is refused, however it is named."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text

PROGRAM = """import tensorflow as tf
x = tf.placeholder(tf.float32, [])
w = tf.get_variable("w", [], initializer=tf.constant_initializer(0.4))
total = tf.get_variable("t", [], initializer=tf.zeros_initializer())
def list_initializers(variables):
    return [v.initializer for v in variables]
ZERO
add = tf.assign_add(total, x * w)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(3):
        sess.run(zero)
        print(sess.run(add, {x: 1.}))
"""


@pytest.mark.parametrize(
    "zero",
    [
        "zero = total.initializer; print(zero)",
        "zero = w.initializer",
        "zero = [v.initializer for v in [total]]",
        "zero = tf.group(*[v.initializer for v in [total]])",
        "zero = list_initializers([total])",
        "zero = tf.variables_initializer([total])",
    ],
)
def test_it_is_refused(zero: str) -> None:
    """The steps did nothing: 0.4 0.8 1.2 in place of TensorFlow 1's 0.4 0.4 0.4."""
    found = migrate_text(PROGRAM.replace("ZERO", zero)).findings
    codes = [f.code for f in found if f.blocks and f.code != "N100"]
    assert codes and set(codes) <= {"S122", "S109", "S104"}


def test_its_recipe_leads_to_a_migration() -> None:
    zero = "zero = tf.assign(total, tf.zeros_like(total))"
    found = migrate_text(PROGRAM.replace("ZERO", zero)).findings
    assert not [f for f in found if f.blocks]
