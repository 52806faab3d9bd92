"""Objects that one statement makes, that functions get, and names of their scopes.

The spellings of `tests/spellings/programs/several_models` show that the numbers are the same.
"""

from __future__ import annotations

import pathlib

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome
from migrate.normalise.names.scope_names import write_out_names
from migrate.normalise.names.tuples import name_listed_objects, split_objects
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


LIST = "nets = [Net(n) for n in ('a', 'b')]\n"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (f"{LIST}a, b = nets\n", "a = Net('a')\nb = Net('b')\n"),
        (
            f"{LIST}b = nets[1]\nf(nets[0].x)\n",
            "nets_0 = Net('a')\nb = Net('b')\nf(nets_0.x)\n",
        ),
        (
            f"{LIST}f([n.x for n in nets], sum(n.x for n in nets), len(nets))\n",
            "nets_0 = Net('a')\nnets_1 = Net('b')\n"
            "f([nets_0.x, nets_1.x], sum([nets_0.x, nets_1.x]), 2)\n",
        ),
        (
            "nets = {n: Net(n) for n in ['a', 'b']}\na, b = nets['a'], nets['b']\n"
            "f({k: n.x for k, n in nets.items()}, [n.x for n in nets.values()])\n",
            "a = Net('a')\nb = Net('b')\nf({'a': a.x, 'b': b.x}, [a.x, b.x])\n",
        ),
        (
            "names = ['a', 'b']\nnets = [Net(n) for n in names]\nf(nets[0])\n",
            "names = ['a', 'b']\nnets_0 = Net('a')\nnets_1 = Net('b')\nf(nets_0)\n",
        ),
        ("a, b = [Net(i) for i in range(2)]\n", "a, b = [Net(0), Net(1)]\n"),
        # The names are taken: they stay other names.
        (
            f"a = 5\n{LIST}a, b = nets\n",
            "a = 5\nnets_0 = Net('a')\nb = Net('b')\na = nets_0\n",
        ),
    ],
)
def test_objects_of_a_list_have_names(old: str, new: str) -> None:
    text = name_listed_objects(Text.read_source(CLASS + old)).source
    assert text == CLASS + new


@pytest.mark.parametrize(
    "code",
    [
        # The list is changed, given away, or another one.
        f"{LIST}nets.append(Net('c'))\nf(nets[0])\n",
        f"{LIST}nets[0] = Net('c')\nf(nets[0])\n",
        f"{LIST}f(nets)\n",
        f"{LIST}g = nets\nf(nets[0])\n",
        f"{LIST}if f():\n    nets = nets[::-1]\nf(nets[0])\n",
        f"{LIST}for net in nets:\n    f(net)\n",
        f"{LIST}f(nets[i])\n",
        f"{LIST}f(nets[True], nets[2])\n",
        f"{LIST}a, b, c = nets\n",
        f"for i in f():\n    {LIST}    f(nets[0])\n",
        "names = ['a']\nnames.append('b')\nnets = [Net(n) for n in names]\nf(nets[0])\n",
        "names = ['a']\ng = [names for i in 'ab']\nnets = [Net(n) for n in names]\nf(nets[0])\n",
        # Each lambda sees the last name.
        "nets = [Net(lambda: n) for n in ('a', 'b')]\nf(nets[0])\n",
        f"{LIST}f([lambda: n.x for n in nets])\n",
        # Not all of it may be computed.
        f"{LIST}f(any(n.x for n in nets))\n",
        "nets = [Net('a'), f()]\ng(nets[0])\n",
        "nets = {'a': Net('a'), 'a': Net('b')}\nf(nets['a'])\n",
        "nets = {n: Net(n) for n in ('a', 'b')}\nf([k for k in nets])\n",
    ],
)
def test_objects_of_another_list_stay(code: str) -> None:
    text = name_listed_objects(Text.read_source(CLASS + code)).source
    assert text == CLASS + code


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
