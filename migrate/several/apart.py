"""A file of several programs: functions that each build a graph and open its session.

    def train():                                def evaluate():
        with tf.Graph().as_default():               with tf.Graph().as_default():
            ...                                         ...
            with tf.Session() as sess:                  with tf.Session() as sess:

Or each adds to the default graph, and no process runs two of them. Each is migrated by
itself, with the others' bodies left out; the results are put together where all that they
share has come out alike.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from migrate.facts import one_of, reach
from migrate.facts.scopes import Scopes
from migrate.findings import Finding
from migrate.migration import Migration
from migrate.several import regions
from migrate.source.nodes import walk_breadth_first
from migrate.tables import roles

_MAKES = roles.PLACEHOLDERS | roles.VARIABLES | {"tf.Graph"}


def migrate_apart(
    text: str,
    scopes: Scopes,
    migrate: Callable[[str], Migration],
    refusals: list[Finding],
) -> Migration | None:
    """The migration of a file of several programs; None if it is no such file.

    Args:
      migrate: what migrates the text of a file that has one.
      refusals: where it adds why a program is refused.
    """
    functions = _list_programs(scopes)
    if len(functions) < 2:
        return None
    programs = [(function,) for function in functions]
    if not regions.has_one_cluster(scopes, programs):
        return None
    whole = [
        regions.Region((function,), frozenset({number}), _write_stub(text, function))
        for number, function in enumerate(functions)
    ]
    whole += [
        regions.Region((definition,), owners, ())
        for definition, owners in regions.find_shared_definitions(scopes, programs)
    ]
    whole.sort(key=lambda region: region.first)
    return regions.migrate_regions(text, whole, migrate, refusals)


def _list_programs(scopes: Scopes) -> list[ast.FunctionDef]:
    """The module's functions that open a session each; none if one is opened elsewhere."""
    found: list[ast.FunctionDef] = []
    for node in scopes.list_calls(*roles.SESSIONS):
        around: ast.AST = node
        while scopes.parents.get(around) is not scopes.tree:
            around = scopes.parents[around]
        if around in found:
            continue
        if not isinstance(around, ast.FunctionDef):
            return []
        if not _is_own(scopes, around):
            return []
        found.append(around)
    default = [function for function in found if not _has_graph(scopes, function)]
    if len(default) > 1 and not one_of.is_at_most_one_run(scopes, default):
        return []  # They share the default graph, with all its variables.
    return sorted(found, key=lambda f: f.lineno)


def _has_graph(scopes: Scopes, function: ast.FunctionDef) -> bool:
    """Whether the function begins a graph of its own."""
    return any(
        isinstance(node, ast.Call)
        and scopes.resolve(node.func) in ("tf.Graph", "tf.reset_default_graph")
        for node in walk_breadth_first(function)
    )


def _is_own(scopes: Scopes, function: ast.FunctionDef) -> bool:
    """Whether the function makes the graph of its session itself, or by what it calls."""
    return any(
        isinstance(node, ast.Call) and scopes.resolve(node.func) in _MAKES
        for part in (function, *reach.find_reached(scopes, [function]))
        for node in walk_breadth_first(part)
    )


def _write_stub(text: str, function: ast.FunctionDef) -> tuple[str, ...]:
    """Writes the function without its body, except for bindings of global names."""
    header = text.split("\n")[function.lineno - 1 : function.body[0].lineno - 1]
    changed = {
        name
        for node in walk_breadth_first(function)
        if isinstance(node, ast.Global)
        for name in node.names
    }
    body = [f"    global {name}; {name} = id(0)" for name in sorted(changed)]
    return (*header, *(body or ["    pass"]))
