"""TF1 to TF1: placeholders that one statement makes are made by a statement each.

x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
"""

from __future__ import annotations

import ast

from migrate.facts.scopes import Scopes
from migrate.normalise.text import Text, inside_strings
from migrate.tables import roles


def apart(text: Text) -> Text:
    """The text with such statements taken apart."""
    if "laceholder" not in text.source:
        return text
    tree = ast.parse(text.source)
    scopes = Scopes(tree)
    found = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        and len(node.targets) == 1
        and text.alone(node)
        and not inside_strings(node)
        and _pairs(scopes, node)
    ]
    for statement in sorted(found, key=lambda s: s.lineno, reverse=True):
        indent = text.lines[statement.lineno - 1][: statement.col_offset]
        lines = [
            f"{indent}{target} = {ast.unparse(value)}"
            if "\n" in text.segment(value)
            else f"{indent}{target} = {text.segment(value)}"
            for target, value in _pairs(scopes, statement)
        ]
        origin = text.origins[statement.lineno - 1]
        last = statement.end_lineno or statement.lineno
        text = text.spliced(statement.lineno, last, lines, [origin] * len(lines))
    return text


def _pairs(scopes: Scopes, statement: ast.Assign) -> list[tuple[str, ast.expr]]:
    """The placeholders of such a statement; empty if it is another."""
    target, value = statement.targets[0], statement.value
    if not (
        isinstance(target, (ast.Tuple, ast.List))
        and isinstance(value, (ast.Tuple, ast.List))
        and len(target.elts) == len(value.elts)
    ):
        return []
    made = [
        isinstance(v, ast.Call) and scopes.resolve(v.func) in roles.PLACEHOLDERS
        for v in value.elts
    ]
    plain = [isinstance(t, (ast.Name, ast.Attribute)) for t in target.elts]
    if not all(made) or not all(plain):
        return []
    return [(ast.unparse(t), v) for t, v in zip(target.elts, value.elts)]
