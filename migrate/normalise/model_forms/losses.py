"""Losses of a model_fn that only the graph's collection keeps: they get a name.

tf.losses.softmax_cross_entropy(y, z)    loss_1 = tf.losses.softmax_cross_entropy(y, z)
tf.losses.add_loss(0.1 * small)          loss_2 = 0.1 * small
                                         tf.losses.add_loss(loss_2)
loss = tf.losses.get_total_loss()        loss = tf.losses.get_total_loss()
"""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.normalise.model_forms.parts import (
    find_free_name,
    find_own_statement,
    indent,
    spell_expression,
)
from migrate.normalise.text import Edit, Text
from migrate.source.nodes import walk_breadth_first
from migrate.tables import keras_models as table


def name_loss(text: Text, scopes: Scopes, function: ast.FunctionDef) -> Text | None:
    """The text with a name for one more loss of a model_fn; None if all have one."""
    calls = [n for n in walk_breadth_first(function) if isinstance(n, ast.Call)]
    symbols = {scopes.resolve(call.func) for call in calls}
    if not symbols & {table.TOTAL_LOSS, table.ALL_LOSSES}:
        return None
    for call in sorted(calls, key=lambda c: (c.lineno, c.col_offset)):
        symbol = scopes.resolve(call.func) or ""
        statement = find_own_statement(call, function, text, scopes)
        if not isinstance(statement, ast.Expr) or statement.value is not call:
            continue
        name = _choose_name(function, scopes)
        if symbol == table.ADD_LOSS:
            loss = names.find_argument(call, "loss", 0)
            if loss is None or isinstance(loss, ast.Name):
                continue
            edited = text.apply_edits([Edit(loss, name)])
            value = spell_expression(text, loss)
            lines = f"{indent(text, statement)}{name} = {value}".split("\n")
            at = statement.lineno
            origins = [text.origins[loss.lineno - 1]] * len(lines)
            return edited.splice(at, at - 1, lines, origins)
        if table.collects_loss(symbol):
            line = text.lines[call.lineno - 1]
            start = text.find_column(call.lineno, call.col_offset)
            new = f"{line[:start]}{name} = {line[start:]}"
            at = call.lineno
            return text.splice(at, at, [new], [text.origins[at - 1]])
    return None


def _choose_name(function: ast.FunctionDef, scopes: Scopes) -> str:
    number = 1
    while (name := f"loss_{number}") != find_free_name(name, function, scopes):
        number += 1
    return name
