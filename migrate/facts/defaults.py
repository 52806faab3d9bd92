"""Default values that are not what their expression gives where the function is called.

    def step(self, x, history=[]):     rate = 0.1
        history.append(x)              def train(loss, rate=rate): ...
                                       rate = 0.01

Python computes a default value once, where it defines the function. All calls share the value.
"""

from __future__ import annotations

import ast

from migrate.facts.scopes import Scopes
from migrate.source.nodes import walk_breadth_first
from migrate.tables import host_effects


def differs_at_call(
    scopes: Scopes, function: ast.FunctionDef, parameter: str, default: ast.expr
) -> bool:
    """Whether a default value may differ from what its expression gives at a call."""
    return _is_changed_by_calls(scopes, function, parameter, default) or any(
        _may_differ(scopes, part) for part in walk_breadth_first(default)
    )


def _is_changed_by_calls(
    scopes: Scopes, function: ast.FunctionDef, parameter: str, default: ast.expr
) -> bool:
    """Whether a default value is a container that each call may find changed."""
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


def _may_differ(scopes: Scopes, part: ast.AST) -> bool:
    match part:
        case ast.Call(func=function):
            return not _gives_the_same(scopes, function)
        case ast.Name(id=name):
            return _is_rebound(scopes, part, name)
        case ast.Attribute(attr=attribute):
            return any(
                isinstance(node, ast.Attribute)
                and node.attr == attribute
                and not isinstance(node.ctx, ast.Load)
                for node in scopes.walk()
            )
        case ast.Subscript(value=ast.Name(id=name) as value):
            owner = scopes.find_scope(value).find_owner(name)
            return any(
                isinstance(node, ast.Name)
                and node.id == name
                and scopes.find_scope(node).find_owner(name) is owner
                and isinstance(node.ctx, ast.Load)
                and _may_change(scopes, node)
                for node in scopes.walk()
            )
    return False


def _gives_the_same(scopes: Scopes, function: ast.expr) -> bool:
    """Whether all calls of a function with the same arguments give the same."""
    if (scopes.resolve(function) or "").startswith("tf."):
        return True
    if scopes.import_path(function) not in host_effects.SAME_AT_EVERY_CALL:
        return False
    return not any(
        isinstance(node, ast.Call)
        and scopes.import_path(node.func) in host_effects.CHANGES_DIRECTORY
        for node in scopes.walk()
    )


def _is_rebound(scopes: Scopes, use: ast.AST, name: str) -> bool:
    """Whether a name gets a value more than once."""
    owner = scopes.find_scope(use).find_owner(name)
    if owner is None:
        return False
    stores = [
        node
        for node in scopes.walk()
        if isinstance(node, ast.Name)
        and node.id == name
        and not isinstance(node.ctx, ast.Load)
        and scopes.find_scope(node).find_owner(name) is owner
    ]
    others = [
        b
        for b in owner.bindings[name]
        if isinstance(b, (ast.FunctionDef, ast.ClassDef, ast.arg))
    ]
    return len(stores) + len(others) > 1


def _may_change(scopes: Scopes, use: ast.Name) -> bool:
    """Whether the use of a list may change it, or let others change it."""
    parent = scopes.parents[use]
    if isinstance(parent, ast.Subscript):
        return isinstance(parent.ctx, (ast.Store, ast.Del))
    if not isinstance(use.ctx, ast.Load):
        return isinstance(parent, ast.AugAssign)
    return isinstance(parent, (ast.Attribute, ast.Assign, ast.AugAssign, ast.Return))
