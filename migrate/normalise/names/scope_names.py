"""TF1 to TF1: the name of a variable scope, where an operation is named by it.

    with tf.variable_scope("conv1") as scope:
        conv1 = tf.nn.relu(pre_activation, name=scope.name)

An operation's name changes nothing of what it computes, so that the scope's own name
serves as well. Other uses of the scope's object are left.
"""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.facts.scopes import Scopes, build_scopes
from migrate.normalise.text import Edit, Text
from migrate.source.nodes import parse_source, walk_breadth_first


def write_out_names(text: Text) -> Text:
    """The text with `name=scope.name` as the scope's name."""
    if "scope.name" not in text.source and ".name" not in text.source:
        return text
    tree = parse_source(text.source)
    scopes = build_scopes(tree)
    edits: list[Edit] = []
    for block in walk_breadth_first(tree):
        for item in block.items if isinstance(block, ast.With) else []:
            assert isinstance(block, ast.With)
            edits += _name_item(scopes, block, item)
    return text.apply_edits(edits) if edits else text


def _name_item(scopes: Scopes, block: ast.With, item: ast.withitem) -> list[Edit]:
    call, target = item.context_expr, item.optional_vars
    if not (isinstance(call, ast.Call) and isinstance(target, ast.Name)):
        return []
    if scopes.resolve(call.func) not in ("tf.variable_scope", "tf.variable_op_scope"):
        return []
    name = names.find_argument(call, "name_or_scope", 0)
    if not isinstance(names.read_literal(name), str):
        return []
    assert name is not None
    uses = [
        n
        for s in block.body
        for n in walk_breadth_first(s)
        if isinstance(n, ast.Name)
        and n.id == target.id
        and _find_innermost_block(scopes, n) is block
    ]
    named = [scopes.parents[n] for n in uses]
    edits = [
        Edit(node, ast.unparse(name))
        for node in named
        if isinstance(node, ast.Attribute)
        and node.attr == "name"
        and isinstance(scopes.parents[node], ast.keyword)
        and scopes.parents[node].arg == "name"  # type: ignore[attr-defined]
    ]
    return edits if len(edits) == len(uses) else []


def _find_innermost_block(scopes: Scopes, name: ast.Name) -> ast.AST | None:
    """The block around a use that binds its name last."""
    node: ast.AST = name
    while node in scopes.parents:
        node = scopes.parents[node]
        if isinstance(node, ast.With) and any(
            isinstance(i.optional_vars, ast.Name) and i.optional_vars.id == name.id
            for i in node.items
        ):
            return node
        if isinstance(node, (ast.FunctionDef, ast.Lambda)):
            return None
    return None
