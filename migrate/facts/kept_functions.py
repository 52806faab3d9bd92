"""Finds functions within a function that somebody may call later, with the values of its names.

    def step(self, number):
        self.callbacks.append(lambda: number)

Each call of `step` has its own `number`. Where the body stands in a loop, all have one.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts.scopes import Scopes
from migrate.source.nodes import walk_breadth_first

_FUNCTIONS = (ast.FunctionDef, ast.Lambda, ast.GeneratorExp)
# They call, or use up, what they are given before they return.
_AT_ONCE = frozenset(
    "all any dict filter list map max min set sorted sum tuple next zip join sort "
    "flat_map interleave apply reduce".split()
)
# TensorFlow's functions that call a function when a step runs.
_LATER = frozenset({"tf.py_func", "tf.py_function", "tf.numpy_function"})


def find_names_kept(scopes: Scopes, function: ast.FunctionDef) -> set[str]:
    """Returns the function's own names that functions within it may read after its end."""
    scope = scopes.scope_by_node[function]
    found: set[str] = set()
    for node in walk_breadth_first(function):
        if node is function or not isinstance(node, _FUNCTIONS):
            continue
        if not _is_kept(scopes, node, function):
            continue
        for name in walk_breadth_first(node):
            if (
                isinstance(name, ast.Name)
                and isinstance(name.ctx, ast.Load)
                and scopes.find_scope(name).find_owner(name.id) is scope
            ):
                found.add(name.id)
    return found


def _is_kept(scopes: Scopes, node: ast.AST, function: ast.FunctionDef) -> bool:
    if not isinstance(node, ast.FunctionDef):
        return not _is_called_at_once(scopes, node)
    return not all(
        _is_called_at_once(scopes, use) for use in _list_uses(node, function)
    )


def _list_uses(node: ast.FunctionDef, function: ast.FunctionDef) -> Iterator[ast.Name]:
    for use in walk_breadth_first(function):
        if isinstance(use, ast.Name) and use.id == node.name:
            yield use


def _is_called_at_once(scopes: Scopes, use: ast.AST) -> bool:
    """Whether a function is called where it stands, or given to what calls it at once."""
    parent = scopes.parents[use]
    if isinstance(parent, (ast.Tuple, ast.List, ast.keyword)):
        parent = scopes.parents[parent]  # (predicate, lambda: ...) of tf.case
    while isinstance(parent, (ast.Tuple, ast.List)):
        parent = scopes.parents[parent]
    if not isinstance(parent, ast.Call):
        return False
    if parent.func is use:
        return True
    symbol = scopes.resolve(parent.func) or ""
    if symbol.startswith("tf."):
        return symbol not in _LATER and not symbol.endswith(".from_generator")
    func = parent.func
    name = func.id if isinstance(func, ast.Name) else getattr(func, "attr", "")
    return name in _AT_ONCE
