"""A learning rate that is computed in the optimizer's own call: it gets a name.

optimizer = tf.train.AdamOptimizer(       learning_rate = tf.maximum(1e-5, rate(step))
    tf.maximum(1e-5, rate(step)))         optimizer = tf.train.AdamOptimizer(
                                              learning_rate)
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
from migrate.tables.optimizers import OPTIMIZERS, SCHEDULES


def name_rate(text: Text, scopes: Scopes, function: ast.FunctionDef) -> Text | None:
    """The text with a name for one more rate of a model_fn; None if all have one."""
    for call in walk_breadth_first(function):
        symbol = scopes.resolve(call.func) if isinstance(call, ast.Call) else None
        row = OPTIMIZERS.get(symbol or "")
        if row is None or not row.target or not row.accepts_schedule:
            continue
        assert isinstance(call, ast.Call)
        given = names.find_argument(call, "learning_rate", 0)
        if given is None:
            continue
        rate = given.body if isinstance(given, ast.Lambda) else given
        if not _is_computed(given, scopes) or not _is_certain(rate, function, scopes):
            continue
        statement = find_own_statement(call, function, text, scopes)
        if statement is None:
            continue
        name = find_free_name("learning_rate", function, scopes)
        value = spell_expression(text, rate)
        lines = f"{indent(text, statement)}{name} = {value}".split("\n")
        at = statement.lineno
        origins = [text.origins[rate.lineno - 1]] * len(lines)
        return text.apply_edits([Edit(given, name)]).splice(at, at - 1, lines, origins)
    return None


def _is_computed(node: ast.expr, scopes: Scopes) -> bool:
    """Whether a rate is computed with tensors, and is no schedule as it is."""
    if isinstance(node, ast.Lambda):
        arguments = node.args
        return not (arguments.args or arguments.vararg or arguments.kwonlyargs)
    if isinstance(node, ast.Call) and scopes.resolve(node.func) in SCHEDULES:
        return False
    for inner in walk_breadth_first(node):
        symbol = scopes.resolve(inner.func) if isinstance(inner, ast.Call) else None
        if symbol in SCHEDULES or symbol in table.GLOBAL_STEP:
            return True
        if symbol is not None and symbol.startswith("tf."):
            return True
        if isinstance(inner, ast.Name) and isinstance(node, ast.BinOp):
            if _is_rate(inner, scopes):
                return True
    return False


def _is_rate(name: ast.Name, scopes: Scopes) -> bool:
    """Whether a name is bound to the step, or to a schedule."""
    owner = scopes.find_scope(name).find_owner(name.id)
    for bound in owner.bindings[name.id] if owner is not None else ():
        value = getattr(bound, "value", None)
        symbol = scopes.resolve(value.func) if isinstance(value, ast.Call) else None
        if symbol in SCHEDULES or symbol in table.GLOBAL_STEP:
            return True
    return False


def _is_certain(rate: ast.expr, function: ast.FunctionDef, scopes: Scopes) -> bool:
    """Whether all that a rate reads is bound once: a lambda reads it later."""
    own = scopes.scope_by_node[function]
    return all(
        len(own.bindings.get(n.id, ())) <= 1
        for n in walk_breadth_first(rate)
        if isinstance(n, ast.Name)
    )
