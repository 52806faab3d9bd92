"""Finds the function, or the module, to which a program's sessions are moved."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from migrate.facts import names, reach
from migrate.facts.scopes import Scopes
from migrate.frontends.sessions import plain as plain_sessions
from migrate.normalise.graph_builders.state import Driver
from migrate.source.nodes import walk_breadth_first
from migrate.tables import roles
from migrate.tables.layers import LAYER_CLASSES, LAYER_FUNCTIONS

_MAKES = (
    roles.PLACEHOLDERS
    | roles.VARIABLES
    | frozenset(LAYER_FUNCTIONS)
    | frozenset(LAYER_CLASSES)
)
_Function = ast.FunctionDef | ast.Module


def find_driver(scopes: Scopes, sessions: Sequence[ast.Call]) -> Driver | None:
    """Finds the driver of these sessions; None if there is not exactly one.

    Several may be plain ones of one process, as those that the methods of an object open:
    their driver opens them all, or calls all that do.
    """
    if not sessions:
        return None
    if len(sessions) > 1 and not all(
        plain_sessions.is_plain(scopes, s) and plain_sessions.is_local(scopes, s)
        for s in sessions
    ):
        return None
    homes = dict.fromkeys(_find_function(scopes, s) for s in sessions)
    if len(homes) == 1:
        return Driver(next(iter(homes)), _find_names(scopes, sessions))
    node = _find_caller(scopes, list(homes))
    if node is None or sum(_makes_variables(scopes, home) for home in homes) > 1:
        return None  # Of several graphs each would have the variables of all.
    own = [s for s in sessions if _find_function(scopes, s) is node]
    return Driver(node, _find_names(scopes, own))


def _find_function(scopes: Scopes, node: ast.AST) -> _Function:
    """The function that a node stands in, or the module."""
    node = scopes.parents[node]
    while not isinstance(node, (ast.FunctionDef, ast.Module)):
        node = scopes.parents[node]
    return node


def _makes_variables(scopes: Scopes, function: _Function) -> bool:
    """Whether it, or what it calls, makes variables or placeholders."""
    return isinstance(function, ast.FunctionDef) and any(
        isinstance(node, ast.Call) and scopes.resolve(node.func) in _MAKES
        for part in (function, *reach.find_reached(scopes, [function]))
        for node in walk_breadth_first(part)
    )


def _find_names(scopes: Scopes, sessions: Sequence[ast.Call]) -> frozenset[str | None]:
    """Returns the names of the sessions; None for one without a name."""
    found: set[str | None] = set()
    for session in sessions:
        item = scopes.parents[session]
        target = item.optional_vars if isinstance(item, ast.withitem) else None
        found.add(names.find_key(target) if target is not None else None)
    return frozenset(found)


def _find_caller(scopes: Scopes, functions: Sequence[_Function]) -> _Function | None:
    """The one function, or the module, that calls all of these but itself."""
    wanted = {f.name for f in functions if isinstance(f, ast.FunctionDef)}
    if len(wanted) != sum(isinstance(f, ast.FunctionDef) for f in functions):
        return None  # Methods of one name, of several classes.
    called: dict[_Function, set[str]] = {}
    for node in scopes.walk():
        if not isinstance(node, ast.Call):
            continue
        func = node.func
        if isinstance(func, ast.Attribute):
            if not isinstance(func.value, ast.Name):
                continue
            name = func.attr
        elif isinstance(func, ast.Name):
            name = func.id
        else:
            continue
        if name in wanted:
            called.setdefault(_find_function(scopes, node), set()).add(name)
    for home in functions:
        name_of_home = getattr(home, "name", None)
        if called.get(home, set()) >= wanted - {name_of_home}:
            return home  # It opens one itself.
    found = [home for home, those in called.items() if those >= wanted]
    return found[0] if len(found) == 1 else None
