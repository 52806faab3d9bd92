"""Tells which names hold a session, and nothing else."""

from __future__ import annotations

import ast

from migrate.facts.scopes import Scope, Scopes
from migrate.tables import roles

_OPENED = roles.SESSIONS | {"tf.InteractiveSession"}


def holds_session(scopes: Scopes, name: ast.Name) -> bool:
    """Whether a name is bound once, to a session, outside of a loop."""
    owner = scopes.find_scope(name).find_owner(name.id)
    return owner is not None and is_bound_to_session(scopes, owner, name.id)


def is_bound_to_session(scopes: Scopes, owner: Scope, name: str) -> bool:
    """Whether a scope binds a name once, to a session, outside of a loop."""
    bindings = owner.bindings[name]
    made = bindings[0]
    if len(bindings) != 1 or any(
        isinstance(above, (ast.For, ast.AsyncFor, ast.While, ast.Try))
        for above in scopes.walk_above(made)
    ):
        return False
    value = _find_value(scopes, made, name)
    return isinstance(value, ast.Call) and scopes.resolve(value.func) in _OPENED


def _find_value(scopes: Scopes, made: ast.AST, name: str) -> ast.expr | None:
    """The value that an assignment to a name, or a `with`, gives it."""
    match made:
        case ast.Assign(targets=[ast.Name()], value=value):
            return value
    block = made if isinstance(made, ast.With) else scopes.parents.get(made)
    for item in block.items if isinstance(block, ast.With) else ():
        if isinstance(item.optional_vars, ast.Name) and item.optional_vars.id == name:
            return item.context_expr
    return None
