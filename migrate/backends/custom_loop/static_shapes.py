"""Static shapes as TF2 spells them: `x.shape[1]` is an int, not a Dimension.

`x.get_shape()[1].value` becomes `x.shape[1]`. `x.shape` works for tensors, variables
and specs alike; `get_shape` does not.
"""

from __future__ import annotations

import ast

from migrate.facts.scopes import Scopes
from migrate.program.code import Code, code
from migrate.source.nodes import all_nodes


def edits(scopes: Scopes) -> dict[ast.AST, Code]:
    """Replacements in one module, by expression."""
    own = any(
        isinstance(n, ast.FunctionDef) and n.name == "get_shape"
        for n in all_nodes(scopes.tree)
    )
    if own:
        return {}  # A `get_shape` of the user's own.
    found: dict[ast.AST, Code] = {}
    for node in all_nodes(scopes.tree):
        if _is_get_shape(node):
            assert isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
            found[node] = code(node.func.value, ".shape")
        elif (
            isinstance(node, ast.Attribute)
            and node.attr == "value"
            and isinstance(node.ctx, ast.Load)
            and _is_dimension(node.value, scopes)
        ):
            found[node] = code(node.value)
    return found


def _is_get_shape(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "get_shape"
        and not node.args
        and not node.keywords
    )


def _is_shape(node: ast.AST, scopes: Scopes) -> bool:
    if _is_get_shape(node) or (
        isinstance(node, ast.Attribute) and node.attr == "shape"
    ):
        return True
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
        return _is_shape(node.value, scopes)
    value = _bound_to(node, scopes)
    return value is not None and _is_shape(value, scopes)


def _is_dimension(node: ast.AST, scopes: Scopes) -> bool:
    if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice):
        return _is_shape(node.value, scopes)
    if isinstance(node, ast.Name):
        above: ast.AST | None = node
        while above is not None and not isinstance(above, ast.stmt):
            for generator in getattr(above, "generators", ()):
                if (
                    isinstance(generator.target, ast.Name)
                    and generator.target.id == node.id
                ):
                    return _is_shape(generator.iter, scopes)
            above = scopes.parents.get(above)
    value = _bound_to(node, scopes)
    return value is not None and _is_dimension(value, scopes)


def _bound_to(node: ast.AST, scopes: Scopes) -> ast.expr | None:
    """What a name stands for, where one assignment says so."""
    if not isinstance(node, ast.Name):
        return None
    owner = scopes.scope_of(node).owner(node.id)
    bindings = owner.bindings[node.id] if owner is not None else []
    if len(bindings) != 1 or not isinstance(bindings[0], ast.Assign):
        return None
    statement = bindings[0]
    if len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name):
        return statement.value
    return None
