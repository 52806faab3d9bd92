"""Devices that a program names by a variable: `tf.device(device)`."""

from __future__ import annotations

import ast

from migrate.facts import constants, names
from migrate.facts.scopes import Scopes


def find_value(scopes: Scopes, where: ast.expr) -> str | None:
    """The device, if it is one string; a parameter has what all calls give it."""
    values = _find_parameter_values(scopes, where)
    if values is None:
        values = [constants.evaluate(scopes, where, {})]
    if len(set(values)) != 1 or values[0][0] != "constant":
        return None
    device = ast.literal_eval(values[0][1])
    return device if isinstance(device, str) else None


def _find_parameter_values(
    scopes: Scopes, where: ast.expr
) -> list[constants.Value] | None:
    """What the calls of its function give a parameter; None if it is no parameter."""
    if not isinstance(where, ast.Name):
        return None
    owner = scopes.find_scope(where).find_owner(where.id)
    function = owner.node if owner is not None else None
    if owner is None or not isinstance(function, ast.FunctionDef):
        return None
    if where.id not in {arg.arg for arg in list_parameters(function)}:
        return None
    unknown = [constants.UNKNOWN]
    if len(owner.bindings[where.id]) != 1:
        return unknown
    values = []
    for node in scopes.walk():
        if not isinstance(node, ast.Name) or node.id != function.name:
            continue
        call = scopes.parents[node]
        if not isinstance(call, ast.Call) or call.func is not node:
            return unknown
        bound = names.bind_call(call, function)
        value = bound and (bound.get(where.id) or _find_default(function, where.id))
        if not value:
            return unknown
        values.append(constants.evaluate(scopes, value, {}))
    return values or unknown


def list_parameters(function: ast.FunctionDef) -> list[ast.arg]:
    """The parameters of a function that have names and places."""
    spec = function.args
    return [*spec.posonlyargs, *spec.args, *spec.kwonlyargs]


def _find_default(function: ast.FunctionDef, name: str) -> ast.expr | None:
    spec = function.args
    places = [*spec.posonlyargs, *spec.args]
    pairs = [
        *zip(places[len(places) - len(spec.defaults) :], spec.defaults, strict=True),
        *zip(spec.kwonlyargs, spec.kw_defaults, strict=True),
    ]
    return next((default for arg, default in pairs if arg.arg == name), None)
