"""Decides whether a lookup's table is one table, or may be a list of tables.

A list's rows are dealt to its tables, by TF1's default as "mod": TF2 has only "div".
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from migrate.facts import names
from migrate.facts.scopes import Scope, Scopes
from migrate.tables import one_tensor, roles

# A table is followed through so many names and calls.
_DEPTH = 8
_ASSIGNMENTS = (ast.Assign, ast.AnnAssign, ast.AugAssign)


def is_one_table(scopes: Scopes, node: ast.expr | None, depth: int = _DEPTH) -> bool:
    """Whether an expression is certainly one variable or tensor."""
    if not depth or node is None:
        return False
    below = depth - 1
    if isinstance(node, ast.Call):
        symbol = scopes.resolve(node.func) or ""
        if symbol in roles.VARIABLES or symbol in one_tensor.SYMBOLS:
            return True
        function = scopes.find_function(node.func)
        return function is not None and _are(scopes, _list_returns(function), below)
    if isinstance(node, ast.IfExp):
        return _are(scopes, (node.body, node.orelse), below)
    if isinstance(node, ast.BinOp):  # An operation on a tensor gives a tensor.
        sides = (node.left, node.right)
        return any(is_one_table(scopes, side, below) for side in sides)
    if isinstance(node, ast.Attribute):
        return _are(scopes, _find_assigned(scopes, node.attr), below)
    if not isinstance(node, ast.Name):
        return False
    owner = scopes.find_scope(node).find_owner(node.id)
    bound = owner.bindings.get(node.id, []) if owner is not None else []
    return bool(bound) and all(
        _is_one_binding(scopes, b, owner, below) for b in bound if owner is not None
    )


def _are(scopes: Scopes, found: Iterable[ast.expr | None], depth: int) -> bool:
    values = list(found)
    return bool(values) and all(is_one_table(scopes, v, depth) for v in values)


def _list_returns(function: ast.FunctionDef) -> list[ast.expr | None]:
    return [
        node.value
        for node in names.walk_scope_of_function(function)
        if isinstance(node, ast.Return)
    ]


def _find_assigned(scopes: Scopes, attribute: str) -> list[ast.expr | None]:
    """Returns the values assigned to an attribute of any object; None for unpacked ones."""
    found: list[ast.expr | None] = []
    for node in scopes.walk():
        if (
            isinstance(node, ast.Attribute)
            and node.attr == attribute
            and isinstance(node.ctx, ast.Store)
        ):
            above = scopes.parents.get(node)
            found.append(above.value if isinstance(above, _ASSIGNMENTS) else None)
    return found


def _is_one_binding(scopes: Scopes, bound: ast.AST, owner: Scope, depth: int) -> bool:
    if isinstance(bound, ast.Assign):
        plain = all(isinstance(t, ast.Name) for t in bound.targets)
        return plain and is_one_table(scopes, bound.value, depth)
    if isinstance(bound, ast.AnnAssign):
        return is_one_table(scopes, bound.value, depth)
    if isinstance(bound, ast.arg) and isinstance(owner.node, ast.FunctionDef):
        return _are(scopes, _find_given(scopes, owner.node, bound.arg), depth)
    return False


def _find_given(
    scopes: Scopes, function: ast.FunctionDef, parameter: str
) -> list[ast.expr | None]:
    """Returns the arguments for a parameter in all calls; None if one cannot be followed."""
    arguments = function.args
    if parameter not in {a.arg for a in (*arguments.args, *arguments.kwonlyargs)}:
        return [None]
    order = tuple(a.arg for a in (*arguments.posonlyargs, *arguments.args))
    defaults = dict(zip(reversed(order), reversed(arguments.defaults), strict=False))
    home = scopes.find_scope(function)
    found: list[ast.expr | None] = []
    for node in scopes.walk():
        if not (
            isinstance(node, ast.Name)
            and node.id == function.name
            and isinstance(node.ctx, ast.Load)
            and scopes.find_scope(node).find_owner(node.id) is home
        ):
            continue
        call = scopes.parents[node]
        if not (isinstance(call, ast.Call) and call.func is node):
            return [None]
        bound = names.bind_arguments(call, order)
        if bound is None:
            return [None]
        found.append(bound.get(parameter, defaults.get(parameter)))
    return found
