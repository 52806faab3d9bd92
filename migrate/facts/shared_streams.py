"""Finds datasets whose generator reads a stream that outlives the generator.

stream = iter(rows)
def generate():
    for row in stream:
        yield row

TF 2.21's iterators ask a generator for one element more than is taken (measured), TF1's did
not. An iterator that is started again then goes on behind the element that was lost.
"""

from __future__ import annotations

import ast

from migrate.facts import names, reach
from migrate.facts.scopes import Scopes
from migrate.source.nodes import walk_breadth_first
from migrate.tables.worker_state import ITERATORS

_OPENS = frozenset({"open", *ITERATORS})
_FROM = "from_generator"


def find_stream(scopes: Scopes, dataset: ast.expr) -> str | None:
    """Returns the name of a stream that a dataset's generator reads, None if there is none."""
    parts: list[ast.AST] = [dataset]
    seen: set[ast.AST] = set()
    while parts:
        part = parts.pop()
        if part in seen:
            continue
        seen.add(part)
        parts += [
            value for name in _list_loads(part) for value in _find_values(scopes, name)
        ]
        for node in walk_breadth_first(part):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr == _FROM
            ):
                for function in reach.find_reached(scopes, [node]):
                    found = _find_stream_of(scopes, function)
                    if found is not None:
                        return found
    return None


def _find_stream_of(scopes: Scopes, function: ast.AST) -> str | None:
    own = names.find_binds(function) if isinstance(function, ast.Lambda) else set()
    for name in _list_loads(function):
        owner = scopes.find_scope(name).find_owner(name.id)
        if owner is None or owner.node is function or name.id in own:
            continue
        for value in _find_values(scopes, name):
            if (
                isinstance(value, ast.Call)
                and isinstance(value.func, ast.Name)
                and value.func.id in _OPENS
            ):
                return name.id
    return None


def _list_loads(node: ast.AST) -> list[ast.Name]:
    return [
        n
        for n in walk_breadth_first(node)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)
    ]


def _find_values(scopes: Scopes, name: ast.Name) -> list[ast.expr]:
    """Returns the values that are assigned to a name."""
    owner = scopes.find_scope(name).find_owner(name.id)
    bound = owner.bindings.get(name.id, []) if owner is not None else []
    return [b.value for b in bound if isinstance(b, ast.Assign)]
