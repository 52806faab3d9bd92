"""Checks a step's statements: those that its fetches need, and its feeds."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text

PROGRAM = """\
import tensorflow as tf

{before}
x = tf.placeholder(tf.float32, [None, 3])
w = tf.get_variable("w", [3, 1])
loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(train, {{x: [[7.0, 8.0, 9.0]]}})
"""


@pytest.mark.parametrize(
    "before",
    [
        "",
        "x = tf.constant([[1.0, 2.0, 3.0]])",
        'with tf.variable_scope("s"):\n    x = tf.constant([[1.0, 2.0, 3.0]])',
        "if 1:\n    x = tf.constant([[1.0, 2.0, 3.0]])",
        "x = tf.zeros([1, 3])\nx = x + 1.0",
    ],
)
def test_a_fed_name_is_what_is_fed(before: str) -> None:
    """The step does not use the value that the name had before the placeholder."""
    new = migrate_text(PROGRAM.format(before=before)).text
    assert "def train_step(x):" in new
    assert "train_step([[7.0, 8.0, 9.0]])" in new
    assert "tf.constant" not in new and "tf.zeros" not in new


def test_a_later_value_of_the_name_is_computed_from_it() -> None:
    text = PROGRAM.format(before="").replace(
        "w = tf.get_variable", "y = x\nx = x * 2.0\nw = tf.get_variable"
    )
    new = migrate_text(text.replace("{x:", "{y:")).text
    assert " * 2.0" in new and "train_step([[7.0, 8.0, 9.0]])" in new


def test_elements_that_an_iterator_gives_under_other_names_are_refused() -> None:
    """A step is given an iterator's elements by the first names that they have."""
    text = """\
import tensorflow as tf

rows = tf.data.Dataset.from_tensor_slices([[1.0], [2.0]]).repeat().batch(2)
rows_left = rows.make_one_shot_iterator()
x = rows_left.get_next()
y = rows_left.get_next()
w = tf.get_variable("w", [1, 1])
loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))
other = tf.reduce_mean(tf.square(tf.matmul(y, w)))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(train)
    print(sess.run(other))
"""
    found = migrate_text(text).findings
    assert "FAILED" not in {f.outcome.name for f in found}
    assert "I101" in {f.code for f in found if f.outcome.name == "REFUSED"}
