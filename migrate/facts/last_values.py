"""Tells what a name certainly holds where it is read: what the last assignment gave it."""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.facts.scopes import Scope, Scopes
from migrate.source.nodes import list_children, walk_breadth_first

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)


def find_last_value(scopes: Scopes, read: ast.Name) -> ast.expr | None:
    """Returns the value that the last plain assignment before a read gave the name.

    None if another statement may bind the name between, or if the last one is not certain.

    Args:
      read: the name where it is read, outside of lambdas and comprehensions.
    """
    scope = scopes.find_scope(read)
    if scope.find_owner(read.id) is not scope or _is_shared(scopes, read.id):
        return None
    statement = names.find_statement(scopes.parents, read)
    if read.id in _find_header_binds(statement) and not _is_read_first(statement, read):
        return None
    while statement is not scope.node:
        if isinstance(statement, _LOOPS) and read.id in names.find_binds(statement):
            return None  # An earlier round may have bound it.
        parent = scopes.parents[statement]
        suite = names.find_suite(parent, statement)
        if suite is None:
            return None
        for before in reversed(suite[: suite.index(statement)]):
            binds = names.find_binds(before)
            if isinstance(before, ast.Match) or "*" in binds:
                return None
            if read.id in binds:
                return _find_value(before, read.id)
        if not isinstance(parent, (ast.With, ast.If, *_LOOPS)):
            return None
        if read.id in _find_header_binds(parent):
            return None
        statement = parent
    return None


def is_only_read_there(scopes: Scopes, scope: Scope, name: str) -> bool:
    """Whether no function inside of a scope reads or binds the scope's name.

    Such a function may be called anywhere; a comprehension is computed where it stands.
    """
    if _is_shared(scopes, name):
        return False
    for node in scopes.walk():
        if isinstance(node, ast.Name) and node.id == name:
            inner: Scope | None = scopes.find_scope(node)
            if inner is None or inner.find_owner(name) is not scope:
                continue
            while inner is not None and inner is not scope:
                if not isinstance(inner.node, _COMPREHENSIONS):
                    return False
                inner = inner.parent
    return True


def _is_shared(scopes: Scopes, name: str) -> bool:
    """Whether a function may bind a name of an outer scope."""
    return any(
        isinstance(node, (ast.Global, ast.Nonlocal)) and name in node.names
        for node in scopes.walk()
    )


def _find_header_binds(statement: ast.stmt) -> set[str]:
    """The names that a statement binds outside of its suites."""
    inside = {id(s) for _, suite in names.list_suites(statement) for s in suite}
    handlers = getattr(statement, "handlers", [])
    parts = [
        part
        for part in list_children(statement)
        if id(part) not in inside and part not in handlers
    ]
    return {
        node.id
        for part in parts
        for node in walk_breadth_first(part)
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
    }


def _is_read_first(statement: ast.stmt, read: ast.Name) -> bool:
    """Whether an assignment reads a name before it binds it: `x = x or 1`."""
    if not isinstance(statement, ast.Assign):
        return False
    parts = list(walk_breadth_first(statement.value))
    walrus = any(isinstance(n, ast.NamedExpr) for n in parts)
    return read in parts and not walrus


def _find_value(statement: ast.stmt, name: str) -> ast.expr | None:
    match statement:
        case ast.Assign(targets=[ast.Name(id=target)], value=value) if target == name:
            walrus = any(
                isinstance(n, ast.NamedExpr) for n in walk_breadth_first(value)
            )
            return None if walrus else value
    return None
