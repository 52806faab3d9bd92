"""Functions that are called twice: which calls share variables, as TF1's names say."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome

PROGRAM = """
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
units = 4
BODY
loss = tf.reduce_mean(a)
value = tf.reduce_mean(c)
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(3):
        print(sess.run([train_op, loss, value], {x: np.ones([1, 3])}))
"""
NET = """
def net(v, PARAMETERS):
    with tf.variable_scope("n", reuse=REUSE):
        BODYreturn tf.layers.dense(v, units)
a = net(x, FIRST)
c = net(x, SECOND)
"""
AUTO = """
def net(v, n=4):
    with tf.variable_scope("n", reuse=tf.AUTO_REUSE):
        return tf.layers.dense(v, n)
"""
BARE = """
def net(v):
    return tf.layers.dense(v, 1NAME)
"""


def _net(parameters: str, reuse: str, first: str, second: str, body: str = "") -> str:
    text = NET.replace("PARAMETERS", parameters).replace("REUSE", reuse)
    text = text.replace("BODY", body + "\n        " if body else "")
    return text.replace("FIRST", first).replace("SECOND", second)


def _migrated(body: str) -> tuple[str, set[str]]:
    migration = migrate_text(PROGRAM.replace("BODY", body))
    refused = {f.code for f in migration.findings if f.outcome is Outcome.REFUSED}
    return migration.text, refused - {"N100"}


@pytest.mark.parametrize(
    "body",
    [
        _net("train", "not train", "True", "False"),
        _net("r=None", "r", "None", "True"),
        _net("mode", "(mode == 'test')", "'train'", "'test'"),
        _net("i", "i > 0", "0", "1"),
        _net("i", "bool(i)", "0", "1"),
        _net("train", "True if not train else None", "True", "False"),
        _net("n=4, reuse=False", "reuse", "n=4", "reuse=True"),
        AUTO + "a = net(x)\nc = net(x, n=4)\n",
        AUTO + "a = net(x, 4)\nc = net(x, units)\n",
        AUTO + "with tf.variable_scope('m'):\n    a = net(x)\n"
        "with tf.variable_scope('m'):\n    c = net(x)\n",
    ],
)
def test_calls_share_however_they_are_written(body: str) -> None:
    text, refused = _migrated(body)
    assert not refused
    assert "c = a_of(x)" in text


def test_calls_in_other_scopes_have_their_own() -> None:
    text, refused = _migrated(
        AUTO + "with tf.variable_scope('p'):\n    a = net(x)\n"
        "with tf.variable_scope('q'):\n    c = net(x)\n"
    )
    assert not refused
    assert "c = c_of(x)" in text

    text, refused = _migrated(
        BARE.replace("NAME", ", name='d'")
        + "with tf.variable_scope('p', reuse=tf.AUTO_REUSE):\n    a = net(x)\n"
        "with tf.variable_scope('q', reuse=tf.AUTO_REUSE):\n    c = net(x)\n"
    )
    assert not refused
    assert "c = c_of(x)" in text


@pytest.mark.parametrize(
    ("parameters", "reuse", "first", "second", "flag"),
    [
        ("reuse=False", "reuse", "False", "True", "reuse"),
        ("train=True", "not train", "True", "False", "not train"),
    ],
)
def test_what_reuse_says_besides_is_asked_in_each_call(
    parameters: str, reuse: str, first: str, second: str, flag: str
) -> None:
    text, refused = _migrated(
        _net(parameters, reuse, first, second, f"if {flag}:\n            v = v * 2.0")
    )
    assert not refused
    assert f"def apply(v, {parameters}):" in text
    assert f"c = a_of(x, {second})" in text


def test_a_name_that_is_bound_anew_is_another_value() -> None:
    net = """
def net(v, n):
    with tf.variable_scope("n%d" % n, reuse=tf.AUTO_REUSE):
        return tf.layers.dense(v, 1)
"""
    text, refused = _migrated(net + "n = 4\na = net(x, n)\nn = 5\nc = net(x, n)\n")
    assert "V103" in refused or "c = c_of(x)" in text
    calls = "sizes = [4]\na = net(x, sizes[0])\nsizes[0] = 5\nc = net(x, sizes[0])\n"
    text, refused = _migrated(net + calls)
    assert "V103" in refused or "c = c_of(x)" in text


@pytest.mark.parametrize(
    "body",
    [
        # An argument that decides what is made.
        AUTO.replace("v, n)", "v, 1, trainable=n > 3)") + "a = net(x)\nc = net(x, 2)\n",
        _net(
            "reuse=False", "reuse", "False", "True", "keep = 1.0 if reuse else 0.5"
        ).replace("(v, units)", "(v * keep, units)"),
        # Layers and scopes that TF1 numbers on.
        BARE.replace("NAME", "") + "with tf.variable_scope('m', reuse=tf.AUTO_REUSE):\n"
        "    a = net(x)\n    c = net(x)\n",
        "def net(v):\n"
        "    with tf.variable_scope(None, 'blk'):\n"
        "        return tf.matmul(v, tf.get_variable('k', [3, 1]))\n"
        "with tf.variable_scope('m', reuse=tf.AUTO_REUSE):\n"
        "    a = net(x)\n    c = net(x)\n",
        # Never shared.
        AUTO.replace("tf.layers.dense(v, n)", "v * tf.Variable(1.0)")
        + "a = net(x)\nc = net(x)\n",
        # Each round of a loop.
        AUTO + "a = net(x)\nc = 0.0\nfor i in range(2):\n    c = c + net(x, 5)\n",
        AUTO + "a = 0.0\nfor i in range(2):\n    a = a + net(x)\nc = a\n",
        # Other functions of the same scope.
        AUTO + AUTO.replace("def net", "def net2") + "a = net(x)\nc = net2(x)\n",
        # What is made outside of functions.
        AUTO + "with tf.variable_scope('n'):\n"
        "    a = tf.layers.dense(x, 4, name='dense')\nc = net(x)\n",
    ],
)
def test_what_is_not_followed_is_refused(body: str) -> None:
    assert "V103" in _migrated(body)[1]


def test_a_function_that_calls_a_shared_one_is_brought_to_it() -> None:
    body = "def twice(v):\n    return 2.0 * net(v)\na = net(x)\nc = twice(x)\n"
    text, refused = _migrated(AUTO + body)
    assert not refused
    assert text.count("= net()") == 1


def test_a_function_shares_in_itself_where_an_open_scope_reuses() -> None:
    text, refused = _migrated(
        "def inner(v):\n    return tf.layers.dense(v, 3, name='q')\n"
        "def net(v):\n    return inner(inner(v))\n"
        "with tf.variable_scope('m', reuse=tf.AUTO_REUSE):\n    a = net(x)\nc = a\n"
    )
    assert not refused
    assert text.count("= inner()") == 1


ROUNDS = (
    "outs = []\n{scope}for s in range(3):\n    {inner}outs.append({made})\n"
    "a = tf.add_n(outs)\nc = a\n"
)
DENSE = "tf.layers.dense(x, 4{})"
AUTOMATIC = "with tf.variable_scope('m', reuse=tf.AUTO_REUSE):\n"


@pytest.mark.parametrize(
    ("outer", "inner", "made", "shares"),
    [
        ("", "with tf.variable_scope('m', reuse=s > 0): ", DENSE.format(""), True),
        (AUTOMATIC, "", DENSE.format(", name='d'"), True),
        (AUTOMATIC, "", "x * tf.get_variable('k', [3])", True),
        ("", "", DENSE.format(", name='d', reuse=s > 0"), True),
        # TF1 numbers on in a scope that stays open, and gives each round its own.
        (AUTOMATIC, "", DENSE.format(""), False),
        (AUTOMATIC, "", DENSE.format(", name='d%d' % s"), False),
        ("", "with tf.variable_scope('m%d' % s): ", DENSE.format(""), False),
    ],
)
def test_rounds_of_a_loop_that_share_what_they_make_are_refused(
    outer: str, inner: str, made: str, shares: bool
) -> None:
    text = ROUNDS.format(scope="", inner=inner, made=made)
    if outer:
        first, _, rest = text.partition("\n")
        loop, _, end = rest.partition("a = ")
        indented = "".join(f"    {line}\n" for line in loop.splitlines())
        text = f"{first}\n{outer}{indented}a = {end}"
    refused = _migrated(text)[1]
    assert ("V103" in refused) is shares
    assert shares or not refused


@pytest.mark.parametrize(
    ("layer", "scope", "variable", "refused"),
    [
        ("tf.layers.dense(x, 4, name='d')", "'d', reuse=True", "kernel", True),
        ("tf.layers.dense(x, 4, name='d')", "'d', reuse=tf.AUTO_REUSE", "kernel", True),
        ("tf.layers.Dense(4, name='d')(x)", "'d', reuse=True", "kernel", True),
        ("tf.layers.dense(x, 4)", "'dense', reuse=True", "kernel", True),
        (
            "x * tf.get_variable('k', [3])",
            "tf.get_variable_scope(), reuse=True",
            "k",
            True,
        ),
        ("x * tf.get_variable('d/k', [3])", "'d', reuse=True", "k", False),
        ("tf.layers.dense(x, 4, name='d')", "'d'", "own", False),
        (
            "tf.layers.dense(x, 4, name='d')",
            "'e', reuse=tf.AUTO_REUSE",
            "kernel",
            False,
        ),
    ],
)
def test_the_variables_of_a_layer_are_not_made_again(
    layer: str, scope: str, variable: str, refused: bool
) -> None:
    """TensorFlow 1 gave the layer's weights: a second variable would be another value."""
    body = (
        f"a = {layer}\nwith tf.variable_scope({scope}):\n"
        f"    v = tf.get_variable('{variable}', [3])\nc = tf.nn.l2_loss(v)\n"
    )
    assert ("V103" in _migrated(body)[1]) is refused
