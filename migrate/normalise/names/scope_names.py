"""TF1 to TF1: the name of a variable scope, where an operation is named by it.

    with tf.variable_scope("conv1") as scope:
        conv1 = tf.nn.relu(pre_activation, name=scope.name)

An operation's name changes nothing of what it computes, so that the scope's own name
serves as well. Where variables are listed, the name has the names of the scopes around it:

    with tf.variable_scope("net") as scope:
        variables = tf.trainable_variables(scope.name)

Other uses of the scope's object are left.
"""

from __future__ import annotations

import ast
import builtins

from migrate.facts import names
from migrate.facts.scopes import Scopes, build_scopes
from migrate.normalise.text import Edit, Text
from migrate.source.nodes import parse_source, walk_breadth_first
from migrate.tables import roles

_VARIABLE_SCOPES = ("tf.variable_scope", "tf.variable_op_scope")


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
    if scopes.resolve(call.func) not in _VARIABLE_SCOPES:
        return []
    name = names.find_argument(call, "name_or_scope", 0)
    if not isinstance(names.read_literal(name), str):
        return []
    assert name is not None
    owner = scopes.find_scope(block)
    # Where one block alone binds the name, code behind the block may read it.
    alone = len(owner.bindings.get(target.id, ())) == 1
    uses = [
        n
        for s in ([scopes.tree] if alone else block.body)
        for n in walk_breadth_first(s)
        if isinstance(n, ast.Name)
        and n.id == target.id
        and isinstance(n.ctx, ast.Load)
        and (
            scopes.find_scope(n).find_owner(n.id) is owner
            if alone
            else _find_innermost_block(scopes, n) is block
        )
    ]
    edits = []
    for use in uses:
        node = scopes.parents[use]
        if not isinstance(node, ast.Attribute) or node.attr != "name":
            return []
        above = scopes.parents[node]
        if isinstance(above, ast.keyword) and above.arg == "name":
            edits.append(Edit(node, ast.unparse(name)))
        elif _lists_variables(scopes, node) and (
            full := _find_full_name(scopes, block)
        ):
            edits.append(Edit(node, repr(full)))
        else:
            return []
    return edits


def _lists_variables(scopes: Scopes, node: ast.Attribute) -> bool:
    """Whether it says of which scope a call lists variables."""
    call = scopes.parents[node]
    call = scopes.parents[call] if isinstance(call, ast.keyword) else call
    if not isinstance(call, ast.Call):
        return False
    symbol = scopes.resolve(call.func)
    place = 1 if symbol == "tf.get_collection" else 0
    listing = roles.TRAINABLE | roles.GLOBAL | {"tf.get_collection"}
    return symbol in listing and names.find_argument(call, "scope", place) is node


def _find_full_name(scopes: Scopes, block: ast.With) -> str | None:
    """Finds the name of a variable scope with those around it; None if not all are seen.

    The blocks of variable scopes may call no function of the program: it might open
    another scope.
    """
    parts: list[str] = []
    for node in walk_breadth_first(scopes.tree):
        if not isinstance(node, ast.With):
            continue
        opened = [
            item.context_expr
            for item in node.items
            if not isinstance(item.context_expr, ast.Call)
            or scopes.resolve(item.context_expr.func) in _VARIABLE_SCOPES
        ]
        inside = block is node or block in walk_breadth_first(node)
        if len(opened) > 1:
            return None
        for call in opened:
            if not isinstance(call, ast.Call):
                return None  # It may be a scope with a name.
            name = names.find_argument(call, "name_or_scope", 0)
            literal = names.read_literal(name)
            if not isinstance(literal, str) or not literal:
                return None
            if inside:
                parts.append(literal)
        if opened and any(
            isinstance(n, ast.Call) and scopes.resolve(n.func) is None and _is_own(n)
            for s in node.body
            for n in walk_breadth_first(s)
        ):
            return None
    return "/".join(parts)


def _is_own(call: ast.Call) -> bool:
    """Whether a call may be one of a function of the program."""
    return not isinstance(call.func, ast.Name) or not hasattr(builtins, call.func.id)


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
