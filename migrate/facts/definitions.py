"""The binding that a read of a name sees, where a name is bound more than once."""

from __future__ import annotations

import ast

from migrate.facts.scopes import Scopes

_DEFINITIONS = (ast.FunctionDef, ast.ClassDef)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)


def find_definition(node: ast.expr, scopes: Scopes) -> ast.AST | None:
    """The only binding that a read can see; None where that is not certain.

    Of several, it is the last one before the read. They must stand one after another,
    beside the read or around it, and run once in each call of their function.
    """
    if not isinstance(node, ast.Name):
        return None
    owner = scopes.find_scope(node).find_owner(node.id)
    bound = owner.bindings[node.id] if owner is not None else []
    if len(bound) == 1:
        return bound[0]
    if owner is None or not bound or scopes.find_scope(node) is not owner:
        return None
    suite = _find_suite(bound[0], owner.node, scopes)
    if suite is None or not all(
        b in suite and (isinstance(b, _DEFINITIONS) or _assigns(b, node.id))
        for b in bound
    ):
        return None
    at: ast.AST = node
    while at not in suite:
        if at is owner.node:
            return None
        at = scopes.parents[at]
    place = suite.index(at)
    before = [b for b in bound if suite.index(b) < place]
    return max(before, key=suite.index, default=None)


def _assigns(statement: ast.AST, name: str) -> bool:
    """Whether a statement binds a name and nothing else."""
    match statement:
        case ast.Assign(targets=[ast.Name(bound)]):
            return bound == name
    return False


def _find_suite(
    statement: ast.AST, scope: ast.AST, scopes: Scopes
) -> list[ast.AST] | None:
    """The statements that one stands among; None within a loop."""
    parent = at = scopes.parents[statement]
    while at is not scope:
        if isinstance(at, _LOOPS):
            return None
        at = scopes.parents[at]
    for name in ("body", "orelse", "finalbody"):
        suite = getattr(parent, name, None)
        if isinstance(suite, list) and statement in suite:
            return suite
    return None
