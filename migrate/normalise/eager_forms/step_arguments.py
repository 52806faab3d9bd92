"""Rewrites a step's arguments: parts of arrays get names, constants become tensors.

train_step(tf.constant(x[i:j]), y[i:j])     x_batch, y_batch = x[i:j], y[i:j]
                                            train_step(
                                                tf.convert_to_tensor(x_batch), y_batch)
"""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.frontends.half_migrated.losses import map_arguments
from migrate.frontends.half_migrated.tapes import find_tapes
from migrate.frontends.keras_names import find_called_function
from migrate.normalise.feeds.view import View, flatten_expression
from migrate.normalise.text import Edit, Text


def name_parts(text: Text) -> Text | None:
    """The text in which one call's parts of arrays have names; None if none is left."""
    view = View(text)
    for node in view.scopes.walk():
        if not isinstance(node, ast.Call):
            continue
        function = find_called_function(view.scopes, node.func)
        if function is None or not find_tapes(view.scopes, function):
            continue
        found = _name_parts_of_call(view, node, function)
        if found is not None:
            return found
    return None


def _name_parts_of_call(
    view: View, call: ast.Call, function: ast.FunctionDef
) -> Text | None:
    statement = view.find_statement(call)
    if not isinstance(statement, (ast.Expr, ast.Assign)):
        return None
    if not view.text.is_alone(statement):
        return None
    given = map_arguments(function, call)
    edits: list[Edit] = []
    names_, values = [], []
    for parameter, value in given.items():
        inner = value
        constant = _is_constant(view, value)
        if constant:
            assert isinstance(value, ast.Call)
            inner = value.args[0]
        if isinstance(inner, ast.Subscript) and isinstance(inner.value, ast.Name):
            wish = parameter if parameter.endswith("batch") else f"{parameter}_batch"
            name = view.choose_free_name(wish, view.find_function(statement))
            names_.append(name)
            values.append(flatten_expression(view.text, inner))
            edits.append(Edit(inner, name))
        elif not (constant and isinstance(inner, ast.Name)):
            continue
        if constant:
            assert isinstance(value, ast.Call)
            edits.append(Edit(value.func, _spell_converter(value)))
    if not edits:
        return None
    text = view.text.apply_edits(edits)
    if not names_:
        return text
    line = f"{view.indent(statement)}{', '.join(names_)} = {', '.join(values)}"
    at = statement.lineno
    return text.splice(at, at - 1, [line], [text.origins[at - 1]])


def _is_constant(view: View, value: ast.expr) -> bool:
    """`tf.constant(x)` or `tf.constant(x, tf.float32)`: a tensor has its cast."""
    return (
        isinstance(value, ast.Call)
        and view.scopes.resolve(value.func) == "tf.constant"
        and names.bind_arguments(value, ("value", "dtype")) is not None
        and bool(value.args)
    )


def _spell_converter(call: ast.Call) -> str:
    module = ast.unparse(call.func).rpartition(".")[0]
    dtype = len(call.args) > 1 or bool(call.keywords)
    return f"{module}.{'cast' if dtype else 'convert_to_tensor'}"
