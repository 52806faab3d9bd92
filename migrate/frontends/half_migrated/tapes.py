"""Finds the gradient tapes of eager code."""

from __future__ import annotations

import ast

from migrate.facts.scopes import Scopes
from migrate.source.nodes import walk_breadth_first


def find_tapes(scopes: Scopes, node: ast.AST) -> list[ast.With]:
    """Blocks of `with tf.GradientTape() as tape:`."""
    return [
        inner
        for inner in walk_breadth_first(node)
        if isinstance(inner, ast.With)
        and any(
            isinstance(i.context_expr, ast.Call)
            and scopes.resolve(i.context_expr.func) == "tf.GradientTape"
            for i in inner.items
        )
    ]
