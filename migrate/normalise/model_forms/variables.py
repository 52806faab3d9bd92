"""Variables of `tf.Variable` in a model_fn: those of `tf.get_variable`, under the same names.

with tf.name_scope("hidden"):              with tf.name_scope("hidden"):
    w = tf.Variable(                           w = tf.get_variable(
        tf.zeros([4, 3]), name="w")                "hidden/w", [4, 3],
                                                   initializer=tf.zeros_initializer())

`tf.Variable` takes its name from the scopes of operations, `tf.get_variable` from those of
variables alone. What drew its first value has an initializer of the same kernel. One without
a name has a number of its graph's, and stays.
"""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.facts.reach import find_reached
from migrate.facts.scopes import Scopes
from migrate.normalise.text import Edit, Text
from migrate.source.nodes import walk_breadth_first
from migrate.tables.first_values import FIRST_VALUES

_VARIABLE = "tf.Variable"
_SCOPE = "tf.name_scope"
_PARAMETERS = (
    *("initial_value", "trainable", "collections", "validate_shape"),
    *("caching_device", "name", "variable_def", "dtype"),
)


def get_variables(text: Text, scopes: Scopes, function: ast.FunctionDef) -> Text | None:
    """The text with a model_fn's variables in this form; None if there are none."""
    calls = [n for n in walk_breadth_first(function) if _makes(n, scopes)]
    made: dict[ast.expr, ast.Assign] = {
        s.value: s for s in walk_breadth_first(function) if isinstance(s, ast.Assign)
    }
    if not calls or any(call not in made for call in calls):
        return None
    for other in find_reached(scopes, [function]):  # They may have the same names.
        if any(_makes(node, scopes) for node in walk_breadth_first(other)):
            return None
    edits, taken = [], set[str]()
    for call in sorted(calls, key=lambda c: (c.lineno, c.col_offset)):  # type: ignore[attr-defined]
        assert isinstance(call, ast.Call)
        scope = _find_scope(made[call], function, scopes)
        given = names.find_argument(call, "name", 5)
        if scope is None or len(call.args) > 1:
            return None
        last = names.read_literal(given) if given is not None else None
        if not isinstance(last, str) or f"{scope}{last}".lower() in taken:
            return None
        taken.add(f"{scope}{last}".lower())
        new = _write_get_variable(call, f"{scope}{last}", text, scopes)
        if new is None or not text.is_alone(made[call]):
            return None
        edits.append(Edit(call, new))
    return text.apply_edits(edits)


def _makes(node: ast.AST, scopes: Scopes) -> bool:
    return isinstance(node, ast.Call) and scopes.resolve(node.func) == _VARIABLE


def _find_scope(
    statement: ast.stmt, function: ast.FunctionDef, scopes: Scopes
) -> str | None:
    """Returns the prefix that name scopes put before a name; None if not certain."""
    above, found = scopes.parents.get(statement), ""
    while above is not function:
        if not isinstance(above, ast.With) or len(above.items) != 1:
            return None
        call = above.items[0].context_expr
        if not isinstance(call, ast.Call) or scopes.resolve(call.func) != _SCOPE:
            return None
        text = names.read_literal(call.args[0]) if len(call.args) == 1 else None
        if not isinstance(text, str) or not text.isidentifier() or call.keywords:
            return None
        if _is_named_again(text, call.args[0], scopes):
            return None
        found = f"{text}/{found}"
        above = scopes.parents.get(above)
    return found


def _is_named_again(text: str, here: ast.expr, scopes: Scopes) -> bool:
    """Whether anything else of the program may have taken a scope's name."""
    for node in walk_breadth_first(scopes.tree):
        if isinstance(node, ast.Constant) and node is not here:
            if isinstance(node.value, str) and node.value.lower() == text.lower():
                return True
        elif isinstance(node, ast.Call):
            last = (scopes.resolve(node.func) or "").rpartition(".")[2]
            if last.lower() == text.lower():
                return True
    return False


def _write_get_variable(
    call: ast.Call, name: str, text: Text, scopes: Scopes
) -> str | None:
    """The call of tf.get_variable; None if its first value is of another kind."""
    bound = names.bind_arguments(call, _PARAMETERS) or {}
    value = bound.pop("initial_value", None)
    bound.pop("name", None)
    trained = bound.pop("trainable", None)
    kind = bound.pop("dtype", None)
    if (
        bound
        or not isinstance(value, ast.Call)
        or not isinstance(call.func, ast.Attribute)
    ):
        return None
    if kind is not None and scopes.resolve(kind) != "tf.float32":
        return None
    row = FIRST_VALUES.get(scopes.resolve(value.func) or "")
    given = names.bind_arguments(value, row.parameters) if row is not None else None
    if row is None or given is None or "shape" not in given:
        return None
    kind = given.pop("dtype", None)
    if kind is not None and scopes.resolve(kind) != "tf.float32":
        return None
    if row.of_floats and "value" in given:
        number = given["value"]
        if not isinstance(number, ast.Constant) or not isinstance(number.value, float):
            return None
    given.pop("name", None)
    shape = text.find_segment(given.pop("shape")).replace("\n", " ")
    tf = text.find_segment(call.func.value)
    drawn = ", ".join(
        f"{key}={text.find_segment(node)}".replace("\n", " ")
        for key, node in given.items()
    )
    made = f"{tf}.{row.initializer}({drawn})"
    more = f", trainable={text.find_segment(trained)}" if trained is not None else ""
    return f'{tf}.get_variable("{name}", {shape}, initializer={made}{more})'
