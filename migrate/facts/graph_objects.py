"""Decides which expressions are TensorFlow 1's graphs."""

from __future__ import annotations

import ast

from migrate.facts.scopes import Scopes


def is_graph(node: ast.expr, scopes: Scopes) -> bool:
    """Whether an expression is a graph: a call that returns one, or a name for it."""
    if isinstance(node, ast.Call):
        return scopes.resolve(node.func) in ("tf.Graph", "tf.get_default_graph")
    if isinstance(node, ast.Attribute):
        return node.attr == "graph"
    if not isinstance(node, ast.Name):
        return False
    owner = scopes.find_scope(node).find_owner(node.id)
    for binding in owner.bindings[node.id] if owner else ():
        values = [getattr(binding, "value", None)]
        if isinstance(binding, ast.With):
            values = [item.context_expr for item in binding.items]
        if any(
            isinstance(call, ast.Call)
            and is_graph(_find_graph_of_default(call), scopes)
            for call in values
        ):
            return True
    return False


def _find_graph_of_default(call: ast.Call) -> ast.expr:
    """Returns `tf.Graph()` of `tf.Graph().as_default()`."""
    if isinstance(call.func, ast.Attribute) and call.func.attr == "as_default":
        return call.func.value
    return call
