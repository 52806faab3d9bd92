"""Reads an EstimatorSpec's export_outputs as an expression of the predictions.

predictions = {"classes": classes, "probabilities": probabilities}
export_outputs = {"scores": tf.estimator.export.PredictOutput(probabilities)}

It gets only the predictions. If a tensor is one of them, it is read from there.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.model_fn.metrics import find_value
from migrate.frontends.model_fn.modes import NotSplit
from migrate.program.keras_model import Exports
from migrate.program.keras_units import Unit
from migrate.source.nodes import walk_breadth_first


def read_exports(
    given: ast.expr | None,
    predicted: ast.expr | None,
    units: list[Unit],
    function: ast.FunctionDef,
    scopes: Scopes,
) -> Exports | None:
    """The export_outputs of a model_fn; None if it gives none.

    Args:
      given: the argument of EstimatorSpec.
      predicted: the predictions.
      units: of prediction, without the network.

    Raises:
      NotSplit: they are made of more than the predictions.
    """
    if given is None:
        return None
    value = find_value(given, units, [])
    local = set(scopes.scope_by_node[function].bindings)
    whole = predicted.id if isinstance(predicted, ast.Name) else ""
    keys = _map_keys(predicted, function, scopes)
    parts: dict[ast.Name, ast.expr] = {}
    for node in walk_breadth_first(value):
        if not isinstance(node, ast.Name) or node.id not in local or node.id == whole:
            continue
        if node.id not in keys:
            raise NotSplit(value, "its export_outputs contain more than predictions")
        parts[node] = keys[node.id]
    return Exports(value, parts)


def _map_keys(
    predicted: ast.expr | None, function: ast.FunctionDef, scopes: Scopes
) -> Mapping[str, ast.expr]:
    """Names of the predictions' tensors -> the keys under which they are given."""
    bindings = scopes.scope_by_node[function].bindings
    if isinstance(predicted, ast.Name):
        made = bindings[predicted.id]
        if len(made) != 1 or not isinstance(made[0], ast.Assign):
            return {}
        if _is_changed(predicted.id, function):
            return {}
        predicted = made[0].value
    if not isinstance(predicted, ast.Dict):
        return {}
    return {
        value.id: key
        for key, value in zip(predicted.keys, predicted.values)
        if isinstance(key, ast.Constant)
        and isinstance(value, ast.Name)
        and len(bindings.get(value.id, ())) == 1
    }


def _is_changed(name: str, function: ast.FunctionDef) -> bool:
    """Whether something is put into a dictionary, or taken from it."""
    return any(name in names.find_mutations(statement) for statement in function.body)
