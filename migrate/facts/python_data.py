"""Datasets whose elements are made by Python code, one after the other.

    tf.data.Dataset.from_generator(rows, tf.float32)
    data.map(lambda x: tf.py_func(draw, [x], tf.float32))

TensorFlow 2 takes their elements ahead, in a thread. The code may share state with other
parts of the program: random numbers, a counter, a file. TensorFlow 1 ran it when a step
asked for an element.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts import names, reach
from migrate.facts.scopes import Scopes
from migrate.program.code import Code, join_code, make_code
from migrate.source.nodes import walk_breadth_first
from migrate.tables import roles

_MAPS = frozenset({"map", "flat_map", "interleave"})


def find(scopes: Scopes, marker: str) -> Iterator[ast.Call]:
    """Yields the calls that make such datasets, but not those in a call of the marker.

    Args:
      marker: the function that a migrated program gives them to.
    """
    for node in scopes.walk():
        if not isinstance(node, ast.Call):
            continue
        around = scopes.parents.get(node)
        if isinstance(around, ast.Call) and names.find_key(around.func) == marker:
            continue  # It is migrated.
        if runs_python(node, scopes):
            yield node


def runs_python(call: ast.Call, scopes: Scopes) -> bool:
    """Whether a call makes a dataset whose elements Python code makes."""
    if any(isinstance(a, ast.Starred) for a in call.args):
        return False
    symbol = scopes.resolve(call.func)
    if symbol is not None:
        return symbol == "tf.data.Dataset.from_generator"
    if not isinstance(call.func, ast.Attribute) or call.func.attr not in _MAPS:
        return False
    given = [*call.args, *(k.value for k in call.keywords)]
    parts = [*given, *reach.find_reached(scopes, given)]
    return any(
        isinstance(n, ast.Call) and scopes.resolve(n.func) in roles.PYTHON_FUNCTIONS
        for part in parts
        for n in walk_breadth_first(part)
    )


def write(call: ast.Call, marker: str) -> Code:
    """Writes the call as the marker's argument; its own parts may still be rewritten."""
    given = [make_code(a) for a in call.args] + [
        make_code(f"{k.arg}=" if k.arg else "**", k.value) for k in call.keywords
    ]
    return make_code(f"{marker}(", call.func, "(", join_code(", ", given), "))")
