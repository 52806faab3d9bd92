"""Objects that one statement makes, that functions get, and names of their scopes.

The spellings of `tests/spellings/programs/several_models` show that the numbers are the same.
"""

from __future__ import annotations

import pathlib

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome
from migrate.normalise.names.scope_names import write_out_names
from migrate.normalise.names.tuples import split_objects
from migrate.normalise.text import Text

PROGRAMS = (
    pathlib.Path(__file__).parents[3] / "spellings" / "programs" / "several_models"
)


@pytest.mark.parametrize(
    "name",
    ["target_by_scope", "objects_hold_variables", "subclass", "dict_of_updates"],
)
def test_two_models_are_migrated(name: str) -> None:
    found = migrate_text((PROGRAMS / f"{name}.py").read_text()).findings
    assert not [f.code for f in found if f.outcome is Outcome.REFUSED]


CLASS = "class Net:\n    pass\n\n\n"


def test_objects_get_a_statement_each() -> None:
    new = split_objects(Text.read_source(CLASS + "a, b = Net(), Net()\n")).source
    assert new == CLASS + "a = Net()\nb = Net()\n"


@pytest.mark.parametrize(
    "code",
    ["a, b = Net(), Net()\na, b = b, a\n", "a, b = Net(), a\n", "a, b = f(), g()\n"],
)
def test_other_statements_stay(code: str) -> None:
    assert split_objects(Text.read_source(CLASS + code)).source == CLASS + code


SCOPE = """\
import tensorflow as tf
with tf.variable_scope("net") as scope:
    w = tf.get_variable("w", [1])
v = tf.trainable_variables(scope.name)
"""


def test_the_name_of_a_scope_is_written_out() -> None:
    new = write_out_names(Text.read_source(SCOPE)).source
    assert "tf.trainable_variables('net')" in new


@pytest.mark.parametrize(
    "old, new",
    [
        ('scope("net")', "scope(None, default_name='net')"),
        ('tf.get_variable("w", [1])', "make()"),
        (
            'with tf.variable_scope("net")',
            'with tf.variable_scope("a"), tf.variable_scope("net")',
        ),
        ("v = ", "print(scope)\nv = "),
    ],
)
def test_a_name_that_may_be_another_stays(old: str, new: str) -> None:
    assert (
        "scope.name"
        in write_out_names(Text.read_source(SCOPE.replace(old, new))).source
    )


@pytest.mark.parametrize("name", ["dict_of_models"])
def test_models_in_a_dict_are_migrated(name: str) -> None:
    found = migrate_text((PROGRAMS / f"{name}.py").read_text()).findings
    assert not [f.code for f in found if f.outcome is Outcome.REFUSED]


COPIED = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2])
for name in ("a", "b"):
    with tf.variable_scope(name):
        tf.get_variable("w", [2, 1])


def copy(source, target):
    operations = []
    pairs = zip(tf.trainable_variables(source), tf.trainable_variables(target))
    for v, w in pairs:
        operations.append(w.assign(v))
    return operations


operations = copy("a", "b")
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(operations)
"""


def test_a_function_that_lists_variables_of_a_scope_is_brought() -> None:
    text = COPIED.replace(
        'for name in ("a", "b"):\n    with tf.variable_scope(name):\n', ""
    )
    one = 'with tf.variable_scope("a"):\n'
    text = text.replace("        tf.get", one + "    tf.get")
    text = text.replace(
        "\n\n\ndef",
        '\nwith tf.variable_scope("b"):\n    tf.get_variable("w", [2, 1])\n\n\ndef',
    )
    found = migrate_text(text).findings
    assert not [f.code for f in found if f.outcome is Outcome.REFUSED]
