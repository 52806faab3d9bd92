"""Checks that graph code from inside an open session is moved before the session.

`tests/programs/alone/built_as_it_goes.py` runs such a program.
"""

from __future__ import annotations

import textwrap

import pytest

from migrate.normalise.graph_places import graph_first
from migrate.normalise.text import Text


def moved(text: str) -> str:
    return graph_first.move_graph(
        Text.read_source(textwrap.dedent(text).lstrip())
    ).source


HEAD = "import tensorflow as tf\nx = tf.placeholder(tf.float32)\n"


@pytest.mark.parametrize(
    "made",
    ["y = x * 3.0", "y = -x", "y = x[0]", "y = 1.0 - tf.square(x) * 2.0"],
)
def test_what_operators_make_of_a_tensor_is_of_the_graph(made: str) -> None:
    run = "    print(sess.run(y, {x: 1.0}))\n"
    opened = "with tf.Session() as sess:\n"
    before = f"{HEAD}{opened}    print(sess.run(x, {{x: 1.0}}))\n    {made}\n{run}"
    after = f"{HEAD}{made}\n{opened}    print(sess.run(x, {{x: 1.0}}))\n{run}"
    assert moved(before) == after


@pytest.mark.parametrize(
    "body",
    [
        "    y = sess.run(x, {x: 1.0})\n    z = y * 3.0\n",
        "    sess.run(x, {x: 1.0})\n    rate = 0.5\n    y = rate * 3.0\n",
        "    for i in range(3):\n        y = x * i\n        sess.run(y, {x: 1.0})\n",
    ],
    ids=["of what was fetched", "of numbers", "of the loop's"],
)
def test_what_is_not_of_the_graph_stays(body: str) -> None:
    text = f"{HEAD}with tf.Session() as sess:\n{body}    sess.run(x, {{x: 1.0}})\n"
    assert moved(text) == text


def test_variables_that_are_made_alike_are_others() -> None:
    section = """
        w = tf.Variable(tf.ones([2]))
        loss = tf.reduce_sum(w)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            print(sess.run(loss))
    """
    text = "import tensorflow as tf" + 2 * textwrap.dedent(section)
    assert moved(text).count("w_2 = tf.Variable(tf.ones([2]))\n") == 1
    assert "loss_2 = tf.reduce_sum(w_2)\n" in moved(text)


def test_an_input_begins_when_the_graph_is_built() -> None:
    text = """
        import tensorflow as tf
        numbers = tf.data.Dataset.range(3).make_initializable_iterator()
        with tf.Session() as sess:
            sess.run(numbers.initializer)
            number = numbers.get_next()
            twice = number * 2
            print(sess.run(twice))
    """
    assert moved(text).splitlines()[-5:] == [
        "number = numbers.get_next()",
        "twice = number * 2",
        "with tf.Session() as sess:",
        "    sess.run(numbers.initializer)",
        "    print(sess.run(twice))",
    ]


def test_a_tensor_that_is_printed_does_not_keep_the_graph_in_the_loop() -> None:
    opened = "with tf.Session() as sess:\n    a = sess.run(x, {x: 1.0})\n"
    run = "    print(sess.run(y, {x: a}))\n"
    shown = 'print("y: " + str(y), y)\n'
    text = f"{HEAD}{opened}    y = x * 2.0\n    {shown}{run}"
    assert moved(text) == f"{HEAD}y = x * 2.0\n{shown}{opened}{run}"
    # What a run gave is a number, and is printed when it is there.
    text = f"{HEAD}{opened}    y = x * 2.0\n    print(y, a)\n{run}"
    assert moved(text) == f"{HEAD}y = x * 2.0\n{opened}    print(y, a)\n{run}"
    # And a variable has a name in TensorFlow 2, too: each round says it.
    text = f"import tensorflow as tf\nw = tf.Variable(1.0)\n{opened}    print(w)\n"
    assert moved(text) == text


def test_what_is_made_twice_is_kept_where_it_was_first() -> None:
    """Between the two it is read, and after a branch it may not be there."""
    again = "y = x * 2.0\n"
    opened = "with tf.Session() as sess:\n    print(sess.run(y, {x: 1.0}))\n"
    text = f"{HEAD}{again}print(y)\n{opened}{again}{opened}"
    assert moved(text).count(again) == 1
    assert moved(text).index(again) < moved(text).index("print(y)")
    text = f"{HEAD}flag = 1\nif flag:\n    {again}{opened}{again}{opened}"
    assert moved(text).count("x * 2.0") == 2
