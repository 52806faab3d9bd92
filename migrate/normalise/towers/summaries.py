"""Summaries of towers: each replica's, under the name that the tower had.

    with tf.name_scope("tower_%d" % i) as scope:
        loss = tower_loss(scope, images[i], labels[i])     # writes tf.summary.scalar(...)
        summaries = tf.get_collection(tf.GraphKeys.SUMMARIES, scope)

becomes `replicas.under("tower_%d" % i)`, and the tower's statements with
`summaries = replicas.summaries()`, after which nothing is under the tower's name. After
the loop these are the last tower's, as they were. `tf.summary.merge_all()` is of all.
"""

from __future__ import annotations

import ast

from migrate.facts import names, reach
from migrate.normalise.text import Edit
from migrate.normalise.towers.view import Unclear, View, find_view
from migrate.source.nodes import find_plain_names, walk_breadth_first

_ALL = "tf.summary.merge_all"
_KEY = "tf.GraphKeys.SUMMARIES"


def writes_summaries(view: View) -> bool:
    """Whether the loop, or a function that it calls, writes summaries."""
    return any(
        _writes(view, node)
        for root in [view.loop, *reach.find_reached(view.scopes, [view.loop])]
        for node in walk_breadth_first(root)
    )


def find_scope(view: View) -> str:
    """The name of a tower's name scope, an expression of the text's.

    It needs none if the tower's number is in each summary's own name.

    Raises:
      Unclear: it has none otherwise, or several.
    """
    found = [
        names.find_argument(item.context_expr, "name", 0)
        for node in _find_blocks(view.loop.body)
        for item in node.items
        if isinstance(item.context_expr, ast.Call)
        and view.scopes.resolve(item.context_expr.func) == "tf.name_scope"
    ]
    if not found and _has_all_numbered(view):
        return '""'
    if len(found) != 1 or found[0] is None:
        raise Unclear("the towers write summaries, and no name scope keeps them apart")
    return view.flatten_expression(found[0])


def _has_all_numbered(view: View) -> bool:
    """Whether all summaries are written in the loop, by names that its own names are in."""
    if any(
        _writes(view, node)
        for root in reach.find_reached(view.scopes, [view.loop])
        if root is not view.loop
        for node in walk_breadth_first(root)
    ):
        return False
    own = find_plain_names(view.loop.target)
    return all(
        (name := names.find_argument(node, "name", 0)) is not None
        and names.find_reads(name) & own
        for node in view.inside
        if isinstance(node, ast.Call) and _writes(view, node)
    )


def _writes(view: View, node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and (
        view.scopes.resolve(node.func) or ""
    ).startswith("tf.summary.")


def gather_summaries(view: View) -> View:
    """The loop in a text that asks the replicas for summaries, not the graph.

    Raises:
      Unclear: the collection is asked for in another way.
    """
    tower = {
        item.optional_vars.id
        for block in _find_blocks(view.loop.body)
        for item in block.items
        if isinstance(item.optional_vars, ast.Name)
    }
    edits = []
    for node in walk_breadth_first(view.scopes.tree):
        if not isinstance(node, ast.Call):
            continue
        symbol = view.scopes.resolve(node.func)
        if symbol == _ALL:
            if node in view.inside or node.args or node.keywords:
                raise Unclear("the program merges the summaries of only some towers")
            edits.append(Edit(node, "replicas.merged_summaries()"))
        elif symbol == "tf.get_collection" and node.args:
            if view.scopes.resolve(node.args[0]) != _KEY:
                continue
            asked = names.find_argument(node, "scope", 1)
            if not (
                node in view.inside
                and isinstance(asked, ast.Name)
                and asked.id in tower
            ):
                raise Unclear(
                    "the program asks for summaries that do not belong to one tower"
                )
            if _is_written_after(view, node):
                raise Unclear(
                    "a tower writes summaries after the program has listed them"
                )
            edits.append(Edit(node, "replicas.summaries()"))
    found = find_view(view.text.apply_edits(edits))
    assert found is not None
    return found


def ends(view: View) -> bool:
    """Whether a tower's name ends where its summaries are listed."""
    return any(
        isinstance(n, ast.Call) and names.find_key(n.func) == "replicas.summaries"
        for n in view.inside
    )


def _is_written_after(view: View, call: ast.Call) -> bool:
    """Whether the loop writes summaries behind a call in it."""
    later = [
        node
        for node in view.inside
        if isinstance(node, ast.Call)
        and (node.lineno, node.col_offset) > (call.end_lineno, call.end_col_offset)
    ]
    roots: list[ast.AST] = [*later, *reach.find_reached(view.scopes, later)]
    return any(
        _writes(view, node) for root in roots for node in walk_breadth_first(root)
    )


def _find_blocks(body: list[ast.stmt]) -> list[ast.With]:
    """Blocks that a tower's statements stand in, from the outside in."""
    found = [s for s in body if isinstance(s, ast.With)]
    return found + [b for block in found for b in _find_blocks(block.body)]
