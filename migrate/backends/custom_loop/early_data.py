"""Datasets that a program makes before its server.

TensorFlow has its collectives from its first tensor on, or never: the strategy of workers
comes before all that computes. A dataset of TF1 was part of the graph.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from migrate.facts import names
from migrate.facts.reach import find_called, find_reached
from migrate.facts.scopes import Scopes
from migrate.source.nodes import walk_breadth_first

_DATA = "tf.data."
_DEFINITIONS = (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)


def find_late_statements(
    statements: list[ast.stmt], scopes: Scopes, server: ast.stmt
) -> list[ast.stmt] | None:
    """The statements that make datasets, and those that have to come after these.

    They need what these bind, or change what these read: values, or the generators of
    random numbers. What the server needs stays before it.

    Returns:
      The statements; None where some would have to be on both sides.
    """
    needed = _find_needed_statements(statements, server)
    found: list[ast.stmt] = []
    bound: set[str] = set()
    read: set[str] = set()
    for statement in statements:
        if isinstance(statement, _DEFINITIONS):
            continue
        own = names.find_binds(statement) | names.find_mutations(statement)
        after = (names.find_reads(statement) | own) & bound or own & read
        if statement in needed:
            if after or _names_data(find_called(scopes, statement), scopes):
                return None
            continue
        handled = _find_names_used_by_calls(statement, scopes) & read
        handled |= _find_changed_names(statement) & _find_aliases(
            statements, scopes, read
        )
        if after or handled or _makes(statement, scopes):
            found.append(statement)
            bound |= own
            read |= _find_read_variables(statement, scopes)
    return found


def _find_changed_names(statement: ast.stmt) -> set[str]:
    """Names whose values a statement changes where they are."""
    found = names.find_mutations(statement)
    if isinstance(statement, ast.AugAssign):
        found |= names.find_binds(statement)
    return found


def _find_aliases(
    statements: list[ast.stmt], scopes: Scopes, read: set[str]
) -> set[str]:
    """Names that may hold parts of what others hold: `rows = data[:8]`."""
    held = [
        names.find_binds(s) | (_find_read_variables(s, scopes) - {_RANDOM})
        for s in statements
        if isinstance(s, ast.Assign)
    ]
    found = set(read)
    while True:
        more = {name for own in held if own & found for name in own} - found
        if not more:
            return found
        found |= more


_RANDOM = "the generators of random numbers"


def _find_needed_statements(
    statements: list[ast.stmt], server: ast.stmt
) -> set[ast.stmt]:
    """The server, what it is made of, and what waits for it."""
    found = {server}
    wanted = names.find_reads(server)
    for statement in reversed(statements[: statements.index(server)]):
        if names.find_binds(statement) & wanted:
            found.add(statement)
            wanted |= names.find_reads(statement)
    served = names.find_binds(server)
    return found | {s for s in statements if names.find_reads(s) & served}


def _find_read_variables(statement: ast.stmt, scopes: Scopes) -> set[str]:
    """Names of values that a statement reads; not those of functions, modules and flags."""
    found = {
        node.id
        for node in walk_breadth_first(statement)
        if isinstance(node, ast.Name) and _is_variable(node, scopes)
    }
    return found | _find_drawn(statement, scopes)


def _find_names_used_by_calls(statement: ast.stmt, scopes: Scopes) -> set[str]:
    """Names of values that calls are given, or whose methods are called."""
    found = _find_drawn(statement, scopes)
    for call in walk_breadth_first(statement):
        if isinstance(call, ast.Call):
            for part in (call.func, *call.args, *(k.value for k in call.keywords)):
                for node in walk_breadth_first(part):
                    if isinstance(node, ast.Name) and _is_variable(node, scopes):
                        found.add(node.id)
    return found


def _is_variable(node: ast.Name, scopes: Scopes) -> bool:
    owner = scopes.find_scope(node).find_owner(node.id)
    if owner is None or scopes.resolve(node) is not None:
        return False
    return not any(isinstance(bound, _DEFINITIONS) for bound in owner.bindings[node.id])


def _find_drawn(statement: ast.stmt, scopes: Scopes) -> set[str]:
    """Whether code, or what it calls, draws by a generator of a whole module."""
    for code in (statement, *find_reached(scopes, [statement])):
        for node in walk_breadth_first(code):
            if isinstance(node, (ast.Attribute, ast.Name)):
                symbol = scopes.resolve(node) or ""
                if symbol.startswith(("numpy.random.", "random.")):
                    return {_RANDOM}
    return set()


def _makes(statement: ast.stmt, scopes: Scopes) -> bool:
    """Whether code, or a function or method of the file that it may call, names tf.data."""
    return _names_data((statement, *find_reached(scopes, [statement])), scopes)


def _names_data(codes: Iterable[ast.AST], scopes: Scopes) -> bool:
    return any(
        isinstance(node, ast.Attribute)
        and (scopes.resolve(node) or "").startswith(_DATA)
        for code in codes
        for node in walk_breadth_first(code)
    )
