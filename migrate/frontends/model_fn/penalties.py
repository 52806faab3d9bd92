"""Checks where a model_fn adds up its layers' penalties, and lists their variables."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.model_fn.calls import find_uses
from migrate.frontends.model_fn.modes import NotSplit
from migrate.program.keras_units import Unit
from migrate.tables import keras_models as table

# Where a scope would choose among the penalties.
_SCOPE = {table.REGULARIZATION[0]: 0, table.REGULARIZATION[1]: 0, table.TOTAL_LOSS: 2}

_VARIABLES = frozenset(
    {"tf.trainable_variables", "tf.global_variables", "tf.all_variables"}
)
_COLLECTIONS = frozenset(
    {"tf.GraphKeys.TRAINABLE_VARIABLES", "tf.GraphKeys.GLOBAL_VARIABLES"}
)


def check_order(
    units: Iterable[Unit], scopes: Scopes, makes_layers: Callable[[ast.AST], bool]
) -> None:
    """Fails if layers are made after the penalties of those before are added up.

    Args:
      units: all statements of one mode, in order.
    """
    asked: ast.expr | None = None
    for unit in units:
        if asked is not None and makes_layers(unit.statement):
            raise NotSplit(asked, "it adds up penalties before it has made all layers")
        for node, symbol in find_uses(unit.statement, scopes):
            call = scopes.parents.get(node)
            if not isinstance(call, ast.Call) or call.func is not node:
                continue
            if symbol in _SCOPE:
                scope = names.find_argument(call, "scope", _SCOPE[symbol])
                if not (
                    scope is None
                    or isinstance(scope, ast.Constant)
                    and scope.value is None
                ):
                    raise NotSplit(node, "it chooses penalties by their scope")
            if (
                symbol in _SCOPE
                or symbol == table.COLLECTION
                and _is_of_penalties(call, scopes)
            ):
                asked = node


def check_lists(
    units: Iterable[Unit], scopes: Scopes, makes_layers: Callable[[ast.AST], bool]
) -> None:
    """Fails if layers are made after the variables are listed: a model lists them all.

    Args:
      units: all statements of one mode, in order.
    """
    listed: ast.expr | None = None
    for unit in units:
        if listed is not None and makes_layers(unit.statement):
            raise NotSplit(
                listed, "it lists the variables before it has made all layers"
            )
        for node, symbol in find_uses(unit.statement, scopes):
            call = scopes.parents.get(node)
            if (
                isinstance(call, ast.Call)
                and call.func is node
                and (
                    symbol in _VARIABLES
                    or symbol == table.COLLECTION
                    and call.args
                    and scopes.resolve(call.args[0]) in _COLLECTIONS
                )
            ):
                listed = node


def check_reported(loss: ast.expr, scopes: Scopes) -> None:
    """Fails if a training's reported loss adds up penalties by itself.

    The step returns it after the update, when they are those of the new weights.
    """
    for node, symbol in find_uses(loss, scopes):
        if symbol in _SCOPE or symbol == table.COLLECTION:
            raise NotSplit(node, "its EstimatorSpec adds up penalties")


def check_evaluated(spec: Mapping[str, ast.expr], scopes: Scopes) -> None:
    """Fails if an evaluation's EstimatorSpec takes a total itself: no step has it."""
    for value in spec.values():
        for node, symbol in find_uses(value, scopes):
            if symbol in (table.TOTAL_LOSS, table.ALL_LOSSES):
                raise NotSplit(node, "its EstimatorSpec adds up losses")


def _is_of_penalties(call: ast.Call, scopes: Scopes) -> bool:
    key = call.args[0] if call.args else None
    text = key.value if isinstance(key, ast.Constant) else None
    if key is not None and text is None:
        text = scopes.resolve(key)
    return text in table.REGULARIZATION_LOSSES
