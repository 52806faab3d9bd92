"""Static shapes as TF2 spells them: `x.shape[1]` is an int, not a Dimension.

`x.get_shape()[1].value` becomes `x.shape[1]`. `x.shape` works for tensors, variables
and specs alike; `get_shape` does not.
"""

from __future__ import annotations

import ast

from migrate.facts.dimensions import find_dimensions
from migrate.facts.scopes import Scopes
from migrate.program.code import Code, make_code
from migrate.source.nodes import walk_breadth_first


def make_edits(scopes: Scopes) -> dict[ast.AST, Code]:
    """Replacements in one module, by expression."""
    nodes = list(walk_breadth_first(scopes.tree))
    found: dict[ast.AST, Code] = {
        node: make_code(node.value)
        for node, certain in find_dimensions(scopes).find_values()
        if certain and isinstance(node, ast.Attribute)
    }
    if any(isinstance(n, ast.FunctionDef) and n.name == "get_shape" for n in nodes):
        return found  # A `get_shape` of the user's own.
    for node in nodes:
        if _is_get_shape(node):
            assert isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
            found[node] = make_code(node.func.value, ".shape")
    return found


def _is_get_shape(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "get_shape"
        and not node.args
        and not node.keywords
    )
