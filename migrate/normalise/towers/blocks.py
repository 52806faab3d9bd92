"""TF1 to TF1: spellings of a loop over towers that need a line of their own.

`tower_grads, losses = [], []` becomes two statements; `tower_grads = [None] * n`, filled by
`tower_grads[i] = grads`, an empty list to which is appended. In a block of a variable scope
around a tower's whole body, what follows its variables - gradients and lists - leaves
the block: names and variables of it are none of theirs.
"""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.facts.scopes import Scopes, build_scopes
from migrate.normalise.text import Edit, Text, find_lines_inside_strings
from migrate.source.nodes import parse_source, walk_breadth_first


def shape_blocks(text: Text) -> Text:
    """The text with lists made one by one, and a tower's last statements in its loop."""
    for step in (_split_one_by_one, _write_as_append, _move_out_of_scope):
        while True:
            new = step(text)
            if new is None:
                break
            text = new
    return text


def _split_one_by_one(text: Text) -> Text | None:
    """`a, b = [], []`, or `a, b = [], 0`, as two assignments."""
    for node in walk_breadth_first(parse_source(text.source)):
        if not (
            isinstance(node, ast.Assign)
            and len(node.targets) == 1
            and isinstance(node.targets[0], ast.Tuple)
            and isinstance(node.value, ast.Tuple)
            and len(node.targets[0].elts) == len(node.value.elts)
            and any(isinstance(v, ast.List) and not v.elts for v in node.value.elts)
            and text.is_alone(node)
        ):
            continue
        pairs = list(zip(node.targets[0].elts, node.value.elts, strict=True))
        if not all(
            isinstance(t, ast.Name)
            and (
                isinstance(v, ast.Constant) or (isinstance(v, ast.List) and not v.elts)
            )
            for t, v in pairs
        ):
            continue
        indent = text.lines[node.lineno - 1][: node.col_offset]
        lines = [f"{indent}{ast.unparse(t)} = {ast.unparse(v)}" for t, v in pairs]
        origins = [text.origins[node.lineno - 1]] * len(lines)
        return text.splice(node.lineno, node.end_lineno or node.lineno, lines, origins)
    return None


def _write_as_append(text: Text) -> Text | None:
    """`grads = [None] * n`, and `grads[i] = ...` in a loop over `range(n)`, as `append`."""
    tree = parse_source(text.source)
    scopes = build_scopes(tree)
    for statement in walk_breadth_first(tree):
        if not (
            isinstance(statement, ast.Assign)
            and len(statement.targets) == 1
            and isinstance(statement.targets[0], ast.Subscript)
            and isinstance(statement.targets[0].value, ast.Name)
            and isinstance(statement.targets[0].slice, ast.Name)
        ):
            continue
        target = statement.targets[0].value
        count = _find_count(scopes, statement, statement.targets[0].slice.id)
        owner = scopes.find_scope(target).find_owner(target.id)
        made = owner.bindings.get(target.id, []) if owner is not None else []
        begun = made[0] if len(made) == 1 else None
        if count is None or not isinstance(begun, ast.Assign):
            continue
        if ast.unparse(begun.value) not in (f"[None] * {count}", f"{count} * [None]"):
            continue
        value = text.find_segment(statement.value)
        if "\n" in value:
            value = ast.unparse(statement.value)
        return text.apply_edits(
            [
                Edit(begun.value, "[]"),
                Edit(statement, f"{target.id}.append({value})"),
            ]
        )
    return None


def _find_count(scopes: Scopes, node: ast.AST, index: str) -> str | None:
    """Returns `n` of the loop `for index in range(n)` around a node, as text."""
    while node in scopes.parents:
        node = scopes.parents[node]
        if isinstance(node, (ast.FunctionDef, ast.If, ast.While, ast.Try)):
            return None
        if isinstance(node, ast.For):
            call = node.iter
            over = (
                isinstance(node.target, ast.Name)
                and node.target.id == index
                and isinstance(call, ast.Call)
                and ast.unparse(call.func) in ("range", "xrange")
                and len(call.args) == 1
            )
            return ast.unparse(call.args[0]) if over else None  # type: ignore[attr-defined]
    return None


def _move_out_of_scope(text: Text) -> Text | None:
    """A named variable scope's last statements, where they are gradients and lists."""
    tree = parse_source(text.source)
    scopes = build_scopes(tree)
    for block in walk_breadth_first(tree):
        if not (isinstance(block, ast.With) and _names_a_scope(scopes, block)):
            continue
        late = len(block.body)
        while late and _is_late(block.body[late - 1]):
            late -= 1
        moved = block.body[late:]
        if not (late and moved and _is_in_loop(scopes, block)):
            continue
        if not any(_calls(s, "compute_gradients") for s in moved):
            continue
        if any(find_lines_inside_strings(s) or not text.is_alone(s) for s in moved):
            continue
        start = (block.body[late - 1].end_lineno or 0) + 1
        last = moved[-1].end_lineno or moved[-1].lineno
        deeper = moved[0].col_offset - block.col_offset
        lines = [
            line[deeper:] if line.strip() else ""
            for line in text.lines[start - 1 : last]
        ]
        return text.splice(start, last, lines, text.origins[start - 1 : last])
    return None


def _names_a_scope(scopes: Scopes, block: ast.With) -> bool:
    item = block.items[0]
    call = item.context_expr
    return (
        len(block.items) == 1
        and item.optional_vars is None
        and isinstance(call, ast.Call)
        and scopes.resolve(call.func) == "tf.variable_scope"
        and isinstance(
            names.read_literal(names.find_argument(call, "name_or_scope", 0)), str
        )
    )


def _is_late(statement: ast.stmt) -> bool:
    """Gradients taken, something put into a list: nothing that a scope has a part in."""
    if not isinstance(statement, (ast.Expr, ast.Assign)):
        return False
    call: ast.expr = statement.value
    if isinstance(statement, ast.Expr):
        if not (_is_method(call, "append") and isinstance(call, ast.Call)):
            return False
        if len(call.args) != 1 or call.keywords:
            return False
        call = call.args[0]
        if isinstance(call, ast.Name):
            return True
    return (
        _is_method(call, "compute_gradients")
        and isinstance(call, ast.Call)
        and not any(
            isinstance(n, ast.Call) for a in call.args for n in walk_breadth_first(a)
        )
    )


def _is_method(node: ast.expr, name: str) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == name
    )


def _calls(node: ast.AST, method: str) -> bool:
    return any(
        isinstance(n, ast.Call)
        and isinstance(n.func, ast.Attribute)
        and n.func.attr == method
        for n in walk_breadth_first(node)
    )


def _is_in_loop(scopes: Scopes, node: ast.AST) -> bool:
    while node in scopes.parents:
        node = scopes.parents[node]
        if isinstance(node, ast.For):
            return True
        if isinstance(node, (ast.FunctionDef, ast.Lambda)):
            return False
    return False
