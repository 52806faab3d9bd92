"""A lookup table of a model_fn that is looked up in where it is made: it gets a name.

labels = index_table_from_tensor(       table = index_table_from_tensor(CLASSES)
    CLASSES).lookup(labels)             labels = table.lookup(labels)
"""

from __future__ import annotations

import ast

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


def name_table(text: Text, scopes: Scopes, function: ast.FunctionDef) -> Text | None:
    """The text with a name for one more table of a model_fn; None if all have one."""
    for node in walk_breadth_first(function):
        if not isinstance(node, ast.Attribute) or node.attr not in table.TABLE_METHODS:
            continue
        made = node.value
        if not isinstance(made, ast.Call):
            continue
        if scopes.resolve(made.func) not in table.TABLES:
            continue
        statement = find_own_statement(made, function, text, scopes)
        if statement is None:
            continue
        name = find_free_name("table", function, scopes)
        lines = (
            f"{indent(text, statement)}{name} = {spell_expression(text, made)}".split(
                "\n"
            )
        )
        at = statement.lineno
        origins = [text.origins[made.lineno - 1]] * len(lines)
        return text.apply_edits([Edit(made, name)]).splice(at, at - 1, lines, origins)
    return None
