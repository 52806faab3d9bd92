"""Parts of a program of which one run has one at most, or which have a graph each."""

from __future__ import annotations

import ast

from migrate.facts.scopes import Scopes


def exclude_each_other(scopes: Scopes, one: ast.AST, other: ast.AST) -> bool:
    """Whether two nodes are in different branches, or in graphs of their own."""
    above = [*scopes.walk_above(one)], [*scopes.walk_above(other)]
    for node in above[0]:
        if isinstance(node, ast.If) and node in above[1]:
            in_body = [
                any(s in a or s in (one, other) for s in node.body) for a in above
            ]
            return in_body[0] != in_body[1]
    graphs = [
        next((n for n in nodes if isinstance(n, ast.With) and is_graph(n)), None)
        for nodes in above
    ]
    return graphs[0] is not graphs[1]


def is_graph(block: ast.With) -> bool:
    return any(
        ast.unparse(item.context_expr).endswith(".as_default()") for item in block.items
    )
