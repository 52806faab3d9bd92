"""Finds whether a model_fn or its functions make variables outside of layers."""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.model_fn.calls import find_uses
from migrate.frontends.model_fn.network_objects import NetworkObjects
from migrate.program.keras_model import KerasModel
from migrate.source.nodes import walk_breadth_first
from migrate.tables import keras_models as table
from migrate.tables import recurrent


def has_some(function: ast.FunctionDef, scopes: Scopes) -> bool:
    """Whether a model_fn itself makes variables, or recurrent cells."""
    return any(
        symbol == table.VARIABLE or symbol in recurrent.TARGETS
        for _, symbol in find_uses(function, scopes)
    )


def makes_variables_in_functions(function: ast.FunctionDef, scopes: Scopes) -> bool:
    """Whether functions of its files that it calls make variables."""
    instances = NetworkObjects(scopes)
    seen: set[ast.AST] = set()
    stack: list[ast.AST] = [function]
    while stack:
        code = stack.pop()
        seen.add(code)
        for call in walk_breadth_first(code):
            if not isinstance(call, ast.Call):
                continue
            if scopes.resolve(call.func) == table.VARIABLE:
                if code is not function:
                    return True
            found = instances.find_function(call) or scopes.find_function(call.func)
            if found is not None and found not in seen:
                stack.append(found)
    return False


def are_applied(model: KerasModel, scopes: Scopes) -> bool:
    """Whether a model computes something, and does not only have variables."""
    own = {
        name
        for unit in model.network
        if isinstance(unit.statement, ast.Assign)
        for call in [unit.statement.value]
        if isinstance(call, ast.Call) and scopes.resolve(call.func) == table.VARIABLE
        for name in names.find_binds(unit.statement)
    }
    return not own.issuperset(model.outputs)
