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
