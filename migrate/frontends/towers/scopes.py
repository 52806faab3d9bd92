"""TF1 to TF1: what follows a tower's variables leaves the block of its variable scope.

Gradients and lists have no names of the scope, and make no variables in it.
"""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.facts.scopes import Scopes, build_scopes
from migrate.frontends.towers.rounds import (
    calls,
    is_appended,
    is_in_loop,
    is_method,
    walk_unconditional,
)
from migrate.normalise.text import (
    Edit,
    Text,
    find_lines_inside_strings,
)
from migrate.normalise.towers import lists, loops
from migrate.source.nodes import parse_source, walk_breadth_first
from migrate.tables.roles import SCOPES


def leave_shared_scope(text: Text) -> Text | None:
    """The text without the block of the scope that is open, around towers and more.

    with tf.variable_scope(tf.get_variable_scope()) as scope:
        losses = []
        for i in range(2):
            ...
            scope.reuse_variables()
    """
    tree = parse_source(text.source)
    scopes = build_scopes(tree)
    for block in walk_breadth_first(tree):
        match block:
            case ast.With(
                items=[
                    ast.withitem(
                        context_expr=ast.Call(
                            args=[ast.Call() as given], keywords=[]
                        ) as call,
                        optional_vars=ast.Name() | None as named,
                    )
                ]
            ) if (
                scopes.resolve(call.func) == "tf.variable_scope"
                and scopes.resolve(given.func) == "tf.get_variable_scope"
            ):
                pass
            case _:
                continue
        towers = [s for s in block.body if isinstance(s, ast.For)]
        rest = [s for s in block.body if s not in towers]
        if len(towers) != 1 or not rest or not loops.has_gradients(scopes, towers[0]):
            continue
        if any(
            loops.builds_tower(scopes, n) or _makes_variables(scopes, n) for n in rest
        ):
            continue
        uses = [
            node
            for node in walk_breadth_first(tree)
            if isinstance(node, ast.Name)
            and named is not None
            and node.id == named.id
            and node is not named
        ]
        if any(
            not isinstance(above := scopes.parents[use], ast.Attribute)
            or above.attr != "reuse_variables"
            for use in uses
        ):
            continue
        header = call.end_lineno or call.lineno
        last = block.end_lineno or block.lineno
        if find_lines_inside_strings(block) or block.body[0].lineno <= header:
            continue
        outer, inner = (
            text.find_indentation(block),
            text.find_indentation(block.body[0]),
        )
        edited = text.apply_edits(
            [Edit(use, text.flatten_segment(given)) for use in uses]
        )
        lines = [
            outer + line.removeprefix(inner) if line.strip() else ""
            for line in edited.lines[header:last]
        ]
        return edited.splice(block.lineno, last, lines, text.origins[header:last])
    return None


def _makes_variables(scopes: Scopes, node: ast.AST) -> bool:
    """Whether code may make variables itself: by their functions, layers or scopes."""
    return any(
        isinstance(call, ast.Call)
        and (
            (symbol := scopes.resolve(call.func) or "") in loops.OF_TOWERS
            or symbol.startswith(("tf.layers.", "tf.contrib.", "tf.Variable"))
        )
        for call in walk_breadth_first(node)
    )


def move_out_of_scope(text: Text) -> Text | None:
    """A scope's last statements, where they are gradients of a named one, or lists."""
    tree = parse_source(text.source)
    scopes = build_scopes(tree)
    for block in walk_breadth_first(tree):
        if not (isinstance(block, ast.With) and _opens_scopes(scopes, block)):
            continue
        named = _names_a_scope(scopes, block)
        late = len(block.body)
        while late and (
            _is_late(block.body[late - 1])
            if named
            else _is_name_appended(block.body[late - 1])
        ):
            late -= 1
        moved = block.body[late:]
        if not (late and is_in_loop(scopes, block)):
            continue
        if not moved:
            new = _name_appended(text, scopes, block.body[-1])
            if new is not None:
                return new
            continue
        if not any(calls(s, "compute_gradients") for s in moved) and not all(
            map(_is_name_appended, moved)
        ):
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


def _opens_scopes(scopes: Scopes, block: ast.With) -> bool:
    """Whether a block only opens scopes of the graph, a variable scope among them."""
    symbols = [
        scopes.resolve(item.context_expr.func)
        if isinstance(item.context_expr, ast.Call)
        else None
        for item in block.items
    ]
    return "tf.variable_scope" in symbols and set(symbols) <= {"tf.device", *SCOPES}


def _is_name_appended(statement: ast.stmt) -> bool:
    """`losses.append(loss)`, or `total += loss`."""
    if isinstance(statement, ast.AugAssign):
        return (
            isinstance(statement.op, ast.Add)
            and isinstance(statement.target, ast.Name)
            and isinstance(statement.value, ast.Name)
        )
    return is_appended(statement) and isinstance(
        statement.value.args[0],  # type: ignore[attr-defined]
        ast.Name,
    )


def _name_appended(text: Text, scopes: Scopes, statement: ast.stmt) -> Text | None:
    """Gives what a statement appends a name, in a statement before it."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not (
        is_appended(statement)
        and isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and isinstance(call.func.value, ast.Name)
        and isinstance(call.args[0], ast.Call | ast.BinOp)
        and text.is_alone(statement)
        and not find_lines_inside_strings(statement)
    ):
        return None
    value = call.args[0]
    if any(loops.takes_gradients(scopes, node) for node in walk_breadth_first(value)):
        return None
    name = names.find_free_name(scopes.tree, "tower_value")
    indent = text.find_indentation(statement)
    lines = [
        f"{indent}{name} = {text.flatten_segment(value)}",
        f"{indent}{call.func.value.id}.append({name})",
    ]
    origins = [text.origins[statement.lineno - 1]] * 2
    last = statement.end_lineno or statement.lineno
    return text.splice(statement.lineno, last, lines, origins)


def name_last_items(text: Text) -> Text | None:
    """`losses[-1]` and `losses[i]`, after `losses.append(loss)` of the same round, as `loss`."""
    tree = parse_source(text.source)
    scopes = build_scopes(tree)
    for loop in walk_breadth_first(tree):
        if not isinstance(loop, ast.For):
            continue
        for statement in walk_unconditional(loop.body):
            if not is_appended(statement):
                continue
            assert isinstance(statement, ast.Expr)
            call = statement.value
            assert isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
            name = names.find_key(call.func.value)
            uses = [
                node
                for node in walk_breadth_first(loop)
                if isinstance(node, ast.Name) and node.id == name
            ]
            last = [
                part
                for node in uses
                if isinstance(part := scopes.parents[node], ast.Subscript)
                and isinstance(part.ctx, ast.Load)
                and (
                    names.read_literal(part.slice) == -1
                    or names.find_key(part.slice) == (lists.find_index(loop) or "")
                )
                and part.lineno > statement.lineno
            ]
            if not last or len(last) + 1 != len(uses):
                continue
            value = call.args[0]
            if not isinstance(value, ast.Name):
                new = _name_appended(text, scopes, statement)
                if new is not None:
                    return new
                continue
            if any(
                isinstance(node, ast.Name)
                and node.id == value.id
                and isinstance(node.ctx, ast.Store)
                and node.lineno > statement.lineno
                for node in walk_breadth_first(loop)
            ):
                continue
            return text.apply_edits([Edit(node, value.id) for node in last])
    return None


def _names_a_scope(scopes: Scopes, block: ast.With) -> bool:
    """Whether a block opens a variable scope by its name, perhaps on a device."""
    named = [
        names.read_literal(names.find_argument(call, "name_or_scope", 0))
        for item in block.items
        if isinstance(call := item.context_expr, ast.Call)
        and scopes.resolve(call.func) == "tf.variable_scope"
    ]
    return (
        _opens_scopes(scopes, block)
        and all(item.optional_vars is None for item in block.items)
        and all(isinstance(name, str) for name in named)
    )


def _is_late(statement: ast.stmt) -> bool:
    """Gradients taken, something put into a list: nothing that a scope has a part in."""
    if isinstance(statement, ast.AugAssign):
        return _is_name_appended(statement)
    if not isinstance(statement, (ast.Expr, ast.Assign)):
        return False
    call: ast.expr = statement.value
    if isinstance(statement, ast.Expr):
        if not (is_method(call, "append") and isinstance(call, ast.Call)):
            return False
        if len(call.args) != 1 or call.keywords:
            return False
        call = call.args[0]
        if isinstance(call, ast.Name):
            return True
    return (
        is_method(call, "compute_gradients")
        and isinstance(call, ast.Call)
        and not any(
            isinstance(n, ast.Call) for a in call.args for n in walk_breadth_first(a)
        )
    )
