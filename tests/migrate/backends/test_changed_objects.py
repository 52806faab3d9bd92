"""A step has the content that an object had where TF1's graph read it."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome

PROGRAM = """import numpy as np
import tensorflow as tf
def normalise(a):
    a /= a.sum()
def show(a):
    print(len(a))
{}
x = tf.placeholder(tf.float32, [None, 6])
w = tf.get_variable("w", [6, 6])
h = tf.matmul(x, w) * tf.constant(g)
{}
loss = tf.reduce_sum(h)
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
{}
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(3):
        sess.run(train, feed_dict={{x: np.ones((2, 6))}})
"""
LIST = "g = [1., 2., 3., 4., 5., 6.]"
ARRAY = "g = np.arange(6.)"


def find_refused(text: str) -> list[str]:
    found = migrate_text(text).findings
    return [f.code for f in found if f.outcome is Outcome.REFUSED and f.code != "N100"]


@pytest.mark.parametrize(
    "first",
    [
        f"{LIST}\ng.reverse()",
        f"{LIST}\ng[0] = 7.",
        f"{LIST}\ndel g[0]\ng.append(1.)",
        f"{ARRAY}\nnp.random.shuffle(g)",
        f"{ARRAY}\nnormalise(g)",
        f"{ARRAY}\nq = g[2:]\nq[0] = 7.",
    ],
)
def test_what_was_changed_is_read_under_its_own_name(first: str) -> None:
    text = PROGRAM.format(first, "", "g = [1.]\nprint(g)")
    assert find_refused(text) == []
    step = migrate_text(text).text.partition("def train_step")[2]
    assert "tf.constant(g)" in step
    assert "    g = " not in step
    assert "g_2 = [1.]" in step  # Below the step.


@pytest.mark.parametrize("first", [f"{ARRAY}\ng[0] = 7.", f"{ARRAY}\ng.sort()"])
def test_what_was_changed_is_not_defined_anew(first: str) -> None:
    assert "G007" in find_refused(PROGRAM.format(first, "", "g *= 2.\nprint(g)"))


@pytest.mark.parametrize(
    "change",
    [
        "g.reverse()",
        "g[0] = 7.",
        "np.random.shuffle(g)",
        "q = g[2:]\nq[0] = 7.",
        "normalise(g)",
    ],
)
@pytest.mark.parametrize("place", ["inside", "after"])
def test_what_the_graph_has_read_is_not_changed(change: str, place: str) -> None:
    inside, after = (change, "") if place == "inside" else ("", change)
    assert "G007" in find_refused(PROGRAM.format(ARRAY, inside, after))


@pytest.mark.parametrize(
    "harmless",
    [
        "print(g.sum())",
        "show(g)",
        "q = g.copy()\nq[0] = 7.",
        "q = g * 2\nq[0] = 7.",
        "q = sorted(g)\nq.reverse()",
    ],
)
def test_what_changes_nothing_is_left(harmless: str) -> None:
    assert find_refused(PROGRAM.format(ARRAY, harmless, "")) == []
    # The definition is repeated where nothing changes it.
    assert find_refused(PROGRAM.format(f"{ARRAY}\n{harmless}", "", "g = [1.]")) == []


def test_a_shape_is_read_before_its_name_is_bound_anew() -> None:
    first = f"{LIST}\ndims = [6, 3]"
    text = PROGRAM.format(first, "dims = dims[::-1]", "print(dims)")
    text = text.replace("[None, 6]", "[None, dims[0]]")
    new = migrate_text(text).text
    assert find_refused(text) == []
    made = new.index("x_spec = tf.TensorSpec([None, dims[0]], tf.float32)")
    assert made < new.index("dims = dims[::-1]")
    assert "input_signature=[x_spec]" in new


def test_a_shape_that_nothing_changes_stays_in_the_signature() -> None:
    text = PROGRAM.format(f"{LIST}\nn = 6", "show([n])", "print(n)")
    new = migrate_text(text.replace("[None, 6]", "[None, n]")).text
    assert "input_signature=[tf.TensorSpec([None, n], tf.float32)]" in new


TENSORS = """import random
import numpy as np
import tensorflow as tf
def swap(found):
    found["a"].reverse()
def turn(listed):
    listed.reverse()
x = tf.placeholder(tf.float32, [None, 6])
w = tf.get_variable("w", [3, 6])
parts = tf.split(x, 2, axis=1)
named = {{"a": parts}}
{}
loss = tf.reduce_sum(tf.matmul({}, w))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(3):
        sess.run(train, feed_dict={{x: np.ones((2, 6))}})
"""


@pytest.mark.parametrize(
    ("change", "read"),
    [
        ('named["a"].reverse()', 'named["a"][0]'),
        ('named["a"].reverse()', "parts[0]"),
        ("parts.reverse()", 'named["a"][0]'),
        ('named["a"][0] = named["a"][1]', 'named["a"][0]'),
        ('named["a"][0], named["a"][1] = parts[1], parts[0]', 'named["a"][0]'),
        ('del named["a"][0]', 'named["a"][0]'),
        ('last = named["a"].pop()', 'named["a"][-1]'),
        ("other = parts\nother.reverse()", "parts[0]"),
        ("other = parts\nparts.reverse()", "other[0]"),
        ("other = parts\nother += [x[:, :3]]", "parts[-1]"),
        ("other, number = parts, 3\nother.reverse()", "parts[0]"),
        ('other = named["a"]\nother.reverse()', 'named["a"][0]'),
        ("for one in named.values():\n    one.reverse()", 'named["a"][0]'),
        ("kept = (parts, 1)\nkept[0].reverse()", "parts[0]"),
        ("swap(named)", 'named["a"][0]'),
        ("turn(parts)", "parts[0]"),
        ("list.reverse(parts)", "parts[0]"),
        ("random.shuffle(parts)", "parts[0]"),
        ("turn_parts = parts.reverse\nturn_parts()", "parts[0]"),
        ("[parts.reverse() for _ in range(1)]", "parts[0]"),
    ],
)
def test_lists_of_tensors_are_not_changed_by_what_no_step_makes(
    change: str, read: str
) -> None:
    """A step would read the tensors in the places that they had before."""
    assert "G007" in find_refused(TENSORS.format(change, read))


@pytest.mark.parametrize(
    ("change", "read"),
    [
        ("parts.reverse()", "parts[0]"),
        ("parts[0] = parts[1]", "parts[0]"),
        ("loss_2 = parts[0]\nloss_2 += 1.0", "parts[0]"),
        ("other = parts[::-1]", "other[0]"),
        ("other = list(parts)\nprint(len(other))", "parts[0]"),
        ("seen = {}\nseen['x'] = parts[0]", "parts[0]"),
        ("seen = []\nseen.append(parts[0])", "parts[0]"),
    ],
)
def test_lists_of_tensors_that_a_step_makes_as_they_are(change: str, read: str) -> None:
    assert find_refused(TENSORS.format(change, read)) == []
