"""Plain sessions that are opened in a loop: one graph for all, or a graph in each round.

    for fold in range(5):                       for rate in (0.1, 0.01):
        with tf.Session() as sess:                  with tf.Graph().as_default():
            sess.run(init)                              ...
            ...                                         with tf.Session() as sess:

Of one graph, the steps are made before the loop, and each session gives the variables
their initial values again. A graph of a round is made in that round, with all that is its own.
"""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.sessions import in_turn
from migrate.source.nodes import walk_breadth_first

_LOOPS = (ast.For, ast.While)


def is_block(statement: ast.stmt) -> bool:
    """Whether a statement is one in which a session may be opened, each time anew."""
    return isinstance(statement, (*_LOOPS, ast.Try, ast.If))


def begins_graph(scopes: Scopes, block: ast.stmt, session: ast.stmt) -> bool:
    """Whether the block begins a graph for the session: a new one in every round."""
    inside = set(walk_breadth_first(block)) - {block}
    node: ast.AST = session
    while node in inside:
        parent = scopes.parents[node]
        suites = names.list_suites(parent) if isinstance(parent, ast.stmt) else []
        suite = next((s for _, s in suites if node in s), [])
        before = suite[: suite.index(node)] if node in suite else []
        if any(_resets(scopes, s) for s in before):
            return True
        if isinstance(node, ast.With) and any(
            _is_new_graph(scopes, item.context_expr) for item in node.items
        ):
            return True
        node = parent
    return False


def _resets(scopes: Scopes, statement: ast.stmt) -> bool:
    """`tf.reset_default_graph()`."""
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Call)
        and scopes.resolve(statement.value.func) == "tf.reset_default_graph"
    )


def _is_new_graph(scopes: Scopes, node: ast.expr) -> bool:
    """`tf.Graph().as_default()`."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "as_default"
        and isinstance(node.func.value, ast.Call)
        and scopes.resolve(node.func.value.func) == "tf.Graph"
    )


def can_share_graph(scopes: Scopes, session: ast.Call) -> bool:
    """Whether sessions of one graph can follow each other: of theirs, variables begin anew."""
    return in_turn.is_in_turn(scopes, [session])
