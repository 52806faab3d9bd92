"""TF1 to TF1: a placeholder within an expression has a name.

    x = tf.placeholder(tf.float32, [None, 784]) / 255.

    x_feed = tf.placeholder(tf.float32, [None, 784])
    x = x_feed / 255.

`x` itself, the quotient, may be what runs are fed.
"""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.facts.scopes import Scopes, build_scopes
from migrate.normalise.text import Edit, Text, repeat_step
from migrate.source.nodes import find_plain_names, parse_source, walk_breadth_first
from migrate.tables import roles


def name_placeholders(text: Text) -> Text:
    """The text in which such placeholders have statements of their own."""
    return (
        repeat_step(text, _name_first_placeholder)
        if "laceholder" in text.source
        else text
    )


def _name_first_placeholder(text: Text) -> Text | None:
    tree = parse_source(text.source)
    scopes = build_scopes(tree)
    taken = find_plain_names(tree)
    for statement in walk_breadth_first(tree):
        if not (
            isinstance(statement, ast.Assign)
            and len(statement.targets) == 1
            and (target := names.find_key(statement.targets[0])) is not None
            and text.is_alone(statement)
        ):
            continue
        for call in _find_placeholders(scopes, statement.value):
            source = text.find_segment(call)
            if "\n" in source:
                source = ast.unparse(call)
            base = target.rpartition(".")[2] + "_feed"
            name, number = base, 2
            while name in taken:
                name, number = f"{base}_{number}", number + 1
            indent = text.lines[statement.lineno - 1][: statement.col_offset]
            at = statement.lineno
            line = f"{indent}{name} = {source}"
            edited = text.apply_edits([Edit(call, name)])
            return edited.splice(at, at - 1, [line], [text.origins[call.lineno - 1]])
    return None


def _find_placeholders(scopes: Scopes, value: ast.expr) -> list[ast.Call]:
    """Placeholders that operators and functions of TensorFlow are given, in an expression."""
    found: list[ast.Call] = []
    work: list[ast.AST] = []
    if isinstance(value, ast.BinOp):
        work = [value.left, value.right]
    elif isinstance(value, ast.Call) and _is_of_tensorflow(scopes, value):
        work = [*value.args, *[k.value for k in value.keywords]]
    while work:
        node = work.pop(0)
        if isinstance(node, ast.BinOp):
            work += [node.left, node.right]
        elif isinstance(node, ast.Call):
            if scopes.resolve(node.func) in roles.PLACEHOLDERS:
                found.append(node)
            elif _is_of_tensorflow(scopes, node):
                work += [*node.args, *[k.value for k in node.keywords]]
    return found


def _is_of_tensorflow(scopes: Scopes, call: ast.Call) -> bool:
    symbol = scopes.resolve(call.func) or ""
    return symbol.startswith("tf.") and symbol not in roles.PLACEHOLDERS
