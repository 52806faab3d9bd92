"""Variable scopes without a name of their own: TF1's numbers, or a refusal."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome

PROGRAM = """
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
BODY
loss = tf.reduce_mean(tf.square(h))
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
SAVER
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(3):
        sess.run(train_op, {x: np.ones([1, 3])})
"""
LAYER = """def layer(v, name=None):
    with tf.variable_scope(name, "fc"):
        return tf.matmul(v, tf.get_variable("w", [3, 3]))
"""
NUMBER = 'name=layer_names.number("dense")'
SAVER = "saver = tf.train.Saver()"
UNNAMED = """with tf.variable_scope(None, "fc"):
    h = tf.matmul(h, tf.get_variable("w", [3, 3]))
"""


def _migrated(body: str, saver: str = SAVER) -> tuple[str, dict[str, Outcome]]:
    body = LAYER + body if "layer(" in body else body
    migration = migrate_text(PROGRAM.replace("BODY", body).replace("SAVER", saver))
    codes = {f.code: f.outcome for f in migration.findings}
    assert Outcome.FAILED not in codes.values()
    return migration.text, codes


def test_each_that_is_opened_in_turn_has_the_next_number() -> None:
    text, codes = _migrated("h = x\n" + UNNAMED * 3)
    assert Outcome.REFUSED not in codes.values()
    for name in ("fc", "fc_1", "fc_2"):
        assert text.count(f'tf.name_scope("{name}")') == 2


def test_a_name_that_is_in_use_is_passed_over() -> None:
    named = UNNAMED.replace('None, "fc"', '"fc_1"')
    text, _ = _migrated("h = x\n" + UNNAMED + named + UNNAMED)
    assert text.count('tf.name_scope("fc_2")') == 2


def test_other_scopes_begin_anew() -> None:
    inner = "    " + UNNAMED.strip().replace("\n", "\n    ") + "\n"
    body = f'h = x\n{UNNAMED}with tf.variable_scope("net"):\n{inner}'
    text, _ = _migrated(body)
    assert "fc_1" not in text


def test_the_default_stands_for_none() -> None:
    text, codes = _migrated("h = layer(x)\nh = layer(h, 'out')")
    assert Outcome.REFUSED not in codes.values()
    assert 'tf.name_scope("fc" if name is None else name)' in text


@pytest.mark.parametrize(
    "body",
    [
        "h = layer(x)\nh = layer(h)",
        "h = x\n" + UNNAMED + "h = layer(h)",
        "h = x\nfor _ in range(2):\n    h = layer(h)",
    ],
)
def test_a_function_that_opens_one_again_is_refused_beside_checkpoints(
    body: str,
) -> None:
    assert _migrated(body)[1].get("V103") is Outcome.REFUSED
    codes = _migrated(body, saver="")[1]
    assert Outcome.REFUSED in codes.values() or codes["N141"] is Outcome.KEPT


DENSE = "h = tf.layers.dense(h, 3)\n"
TWICE = """def twice(v):
    v = tf.layers.dense(v, 3)
    return tf.layers.dense(v, 3)
"""
ROUNDS = f"for _ in range(2):\n    {DENSE}"
SCOPE = 'with tf.variable_scope("net"):\n    '


@pytest.mark.parametrize(
    ("body", "arguments"),
    [
        (DENSE * 2, ['name="dense"', 'name="dense_1"']),
        # One function that is called once, and layers after it.
        (f"{TWICE}h = twice(h)\n", ['name="dense"', 'name="dense_1"']),
        # Without variable scopes Keras counts as TF1 did.
        (f"{TWICE}h = twice(twice(h))\n", ["", ""]),
        (f"{TWICE}{DENSE}h = twice(h)\n", ["", "", ""]),
        (ROUNDS, [""]),
        (ROUNDS + DENSE, ["", ""]),
        # With them it counts otherwise.
        (f"{TWICE}{SCOPE}h = twice(twice(h))\n", [NUMBER, NUMBER]),
        (f"{SCOPE}{DENSE}{ROUNDS}", [NUMBER, NUMBER]),
        (ROUNDS.replace("    h", f"    {SCOPE}    h"), [NUMBER]),
        # A scope for each call.
        (
            f"{TWICE}{SCOPE}h = twice(h)\n{SCOPE.replace('net', 'out')}h = twice(h)\n",
            ['name="dense"', 'name="dense_1"'],
        ),
    ],
)
def test_layers_without_names(body: str, arguments: list[str]) -> None:
    text, codes = _migrated(f"h = x\n{body}")
    assert Outcome.REFUSED not in codes.values()
    made = [line for line in text.splitlines() if "layers.Dense(" in line]
    assert [line.partition("units=3")[2].strip(", )") for line in made] == [
        argument.strip(", )") for argument in arguments
    ]
    assert ("import layer_names" in text) == (NUMBER in arguments)


@pytest.mark.parametrize(
    "named",
    [
        'h = tf.layers.dense(h, 3, name="dense_1")\n',
        'with tf.variable_scope("dense"):\n    h = tf.layers.conv1d(h[None], 3, 1)[0]\n',
    ],
)
def test_a_name_like_those_that_are_counted_is_refused(named: str) -> None:
    _, codes = _migrated(f"h = x\n{named}{SCOPE}{DENSE}{ROUNDS}")
    assert codes.get("V103") is Outcome.REFUSED


OBJECTS = "one = tf.layers.Dense(3)\ntwo = tf.layers.Dense(3)\n"


@pytest.mark.parametrize(
    ("body", "alike"),
    [
        (f"{OBJECTS}h = two(one(h))\n", True),
        (f"{OBJECTS}h = one(two(h))\n", False),
        (f"{OBJECTS}h = two(one(h))\n{DENSE}", False),
        (f"{OBJECTS}{SCOPE}h = two(one(h))\n", False),
        (f"{OBJECTS}h = two(one(h))\nh = tf.layers.dense(h, 3, name='out')\n", True),
    ],
)
def test_layer_objects_without_names(body: str, alike: bool) -> None:
    codes = _migrated(f"h = x\n{body}")[1]
    assert codes.get("V103") is (None if alike else Outcome.REFUSED)
    codes = _migrated(f"h = x\n{body}", saver="")[1]
    assert codes.get("N141") is (None if alike else Outcome.KEPT)


TWICE = "h = layer(layer(x))"


@pytest.mark.parametrize(
    ("use", "asks"),
    [
        ("print([v.name for v in tf.trainable_variables()])", True),
        ("seen = tf.global_variables()\nfor v in seen:\n    print(v.op.name)", True),
        ('top = tf.trainable_variables("fc_1")', True),
        ("print(len(tf.trainable_variables()))", False),
        ("print([d.name for d in (np.float32,)])", False),
    ],
)
def test_a_program_that_reads_names_needs_them(use: str, asks: bool) -> None:
    _, codes = _migrated(TWICE, use)
    assert (codes.get("V103") is Outcome.REFUSED) is asks


CONTRIB = """
import tensorflow as tf

fc = tf.contrib.layers.fully_connected
x = tf.placeholder(tf.float32, [None, 2])
z = tf.placeholder(tf.float32, [None, 2])
BODY
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(b, {z: [[1.0, 2.0]]}))
    print(sess.run(a, {x: [[1.0, 2.0]]}))
    LAST
"""


def _list_codes(body: str, last: str = "pass") -> dict[str, Outcome]:
    """The findings of a program that runs `b` alone, without what `a` needs."""
    text = CONTRIB.replace("BODY", body).replace("LAST", last)
    codes = {f.code: f.outcome for f in migrate_text(text).findings}
    assert Outcome.FAILED not in codes.values()
    return codes


@pytest.mark.parametrize(
    "body",
    [
        # Each scope has a count of its own.
        'with tf.variable_scope("p"):\n    a = fc(x, 2)\n'
        'with tf.variable_scope("q"):\n    b = fc(z, 2)\n',
        'a = fc(x, 2)\nwith tf.variable_scope("p"):\n    b = fc(z, 2)\n',
        'with tf.variable_scope("p"):\n    with tf.variable_scope("q"):\n'
        '        a = fc(x, 2)\n    with tf.variable_scope("r"):\n        b = fc(z, 2)\n',
        'def f(v):\n    return fc(v, 2)\nwith tf.variable_scope("p"):\n    a = f(x)\n'
        'with tf.variable_scope("q"):\n    b = f(z)\n',
    ],
)
def test_layers_of_other_scopes_are_not_needed(body: str) -> None:
    assert Outcome.REFUSED not in _list_codes(body).values()


@pytest.mark.parametrize(
    "body",
    [
        # The number of the second depends on the first.
        'with tf.variable_scope("p"):\n    a = fc(x, 2)\n    b = fc(z, 2)\n',
        # So it does if the scope has the name of a layer.
        'with tf.variable_scope("fully_connected"):\n    a = fc(x, 2)\nb = fc(z, 2)\n',
        'with tf.variable_scope("fully_connected_1"):\n    a = fc(x, 2)\n'
        "b = fc(fc(z, 2), 2)\n",
        # A scope that is entered again has the variables of the first.
        'with tf.variable_scope("p"):\n    a = fc(x, 2)\n'
        'with tf.variable_scope("p", reuse=True):\n    b = fc(z, 2)\n',
        'with tf.variable_scope("p") as s:\n    a = fc(x, 2)\n'
        "with tf.variable_scope(s, reuse=True):\n    b = fc(z, 2)\n",
        'with tf.variable_scope("p"):\n    a = fc(x, 2)\n'
        'with tf.variable_scope(None, "p"):\n    b = fc(z, 2)\n',
    ],
)
def test_layers_of_one_count_need_each_other(body: str) -> None:
    assert _list_codes(body)["S111"] is Outcome.REFUSED


def test_layers_of_contrib_have_the_order_of_the_steps() -> None:
    """The step of `b` is traced first, so its variables are the first ones."""
    body = (
        'with tf.variable_scope("p"):\n    a = fc(x, 2)\n'
        'with tf.variable_scope("q"):\n    b = fc(z, 2)\n'
    )
    by_place = body + "first = tf.trainable_variables()[0]\n"
    assert _list_codes(by_place, "print(sess.run(first))")["N105"] is Outcome.REFUSED
    named = by_place.replace("(x, 2)", '(x, 2, scope="a")')
    named = named.replace("(z, 2)", '(z, 2, scope="b")')
    assert _list_codes(named, "print(sess.run(first))")["N105"] is Outcome.REFUSED
