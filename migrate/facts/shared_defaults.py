"""Whether the calls of a function share a default value, which one of them may change.

def step(self, x, history=[]):
    history.append(x)
"""

from __future__ import annotations

import ast

from migrate.facts.scopes import Scopes
from migrate.source.nodes import walk_breadth_first


def shares_default(
    scopes: Scopes, function: ast.FunctionDef, parameter: str, default: ast.expr
) -> bool:
    """Whether a default value is one object that each call may find changed."""
    if isinstance(default, ast.Call):
        return not (scopes.resolve(default.func) or "").startswith("tf.")
    if not isinstance(default, (ast.Dict, ast.List, ast.Set)):
        return False
    own = scopes.scope_by_node[function]
    return any(
        isinstance(node, ast.Name)
        and node.id == parameter
        and scopes.find_scope(node).find_owner(node.id) is own
        and _may_change(scopes, node)
        for node in walk_breadth_first(function)
    )


def _may_change(scopes: Scopes, use: ast.Name) -> bool:
    """Whether the use of a list may change it, or let others change it."""
    parent = scopes.parents[use]
    if isinstance(parent, ast.Subscript):
        return isinstance(parent.ctx, (ast.Store, ast.Del))
    if not isinstance(use.ctx, ast.Load):
        return isinstance(parent, ast.AugAssign)
    return isinstance(parent, (ast.Attribute, ast.Assign, ast.AugAssign, ast.Return))
