"""Which model_fns of a program become Keras models, and why the others stay."""

from __future__ import annotations

import ast
import dataclasses

from migrate.facts.scopes import Scopes
from migrate.frontends.model_fn.modes import NotSplit
from migrate.frontends.model_fn.signature import class_name
from migrate.frontends.model_fn.split import Split
from migrate.program.keras_model import KerasModel, Stays

_ESTIMATOR = "tf.estimator.Estimator"


@dataclasses.dataclass(frozen=True, eq=False)
class Found:
    """A model_fn that becomes a Keras model.

    Attributes:
      name: of the class.
      estimators: calls of Estimator that have it, and the argument that names it.
    """

    model: KerasModel
    name: str
    estimators: tuple[tuple[ast.Call, ast.expr], ...]


def recognise(scopes: Scopes) -> tuple[list[Found], list[Stays]]:
    """The program's model_fns."""
    found: list[Found] = []
    stays: list[Stays] = []
    for function, estimators in _functions(scopes, stays).items():
        try:
            name = class_name(function.name)
            if name in scopes.module.bindings:
                raise NotSplit(function, f"the name {name} is taken")
            _check_program(scopes)
            _check_uses(function, estimators, scopes)
            model = Split(function, scopes).run()
            _check_helpers(model, scopes)
        except NotSplit as reason:
            stays.append(Stays(reason.node, reason.reason))
            continue
        found.append(Found(model, name, tuple(estimators)))
    return found, stays


def _functions(
    scopes: Scopes, stays: list[Stays]
) -> dict[ast.FunctionDef, list[tuple[ast.Call, ast.expr]]]:
    """Model functions of the module, and the Estimators that have them."""
    found: dict[ast.FunctionDef, list[tuple[ast.Call, ast.expr]]] = {}
    for node, symbol in scopes.walk_uses():
        call = scopes.parents.get(node)
        if (
            symbol != _ESTIMATOR
            or not isinstance(call, ast.Call)
            or call.func is not node
        ):
            continue
        given = [k.value for k in call.keywords if k.arg == "model_fn"] or call.args[:1]
        if not given:
            continue
        value = given[0]
        owner = (
            scopes.scope_of(value).owner(value.id)
            if isinstance(value, ast.Name)
            else None
        )
        bound = (
            owner.bindings[value.id] if owner and isinstance(value, ast.Name) else []
        )
        if len(bound) == 1 and isinstance(bound[0], ast.FunctionDef):
            if owner is scopes.module and bound[0] in scopes.tree.body:
                found.setdefault(bound[0], []).append((call, value))
                continue
        stays.append(
            Stays(call, "its model_fn is no function of this module by its name")
        )
    return found


def _check_program(scopes: Scopes) -> None:
    """Fails where something of the program works on an Estimator's model_fn."""
    for node, symbol in scopes.walk_uses():
        if symbol.startswith("tf.contrib.estimator.") or symbol.endswith(
            ".add_metrics"
        ):
            raise NotSplit(node, f"{symbol} works on a model_fn")


def _check_uses(
    function: ast.FunctionDef,
    estimators: list[tuple[ast.Call, ast.expr]],
    scopes: Scopes,
) -> None:
    """A model_fn that something else calls stays one."""
    known = {id(value) for _, value in estimators}
    for node in ast.walk(scopes.tree):
        if isinstance(node, ast.Name) and node.id == function.name:
            if isinstance(node.ctx, ast.Load) and id(node) not in known:
                raise NotSplit(node, f"{function.name} is used by more than Estimators")
    for call, _ in estimators:
        if any(isinstance(a, ast.Starred) for a in call.args) or any(
            k.arg is None for k in call.keywords
        ):
            raise NotSplit(call, "arguments of Estimator that are not written out")


def _check_helpers(model: KerasModel, scopes: Scopes) -> None:
    """A helper that the network calls is called by nothing else."""
    inside: set[ast.AST] = set()
    for unit in model.network:
        inside.update(ast.walk(unit.statement))
    for helper in model.helpers:
        inside.update(ast.walk(helper.function))
    for helper in model.helpers:
        for node in ast.walk(scopes.tree):
            if isinstance(node, ast.Name) and node.id == helper.function.name:
                if isinstance(node.ctx, ast.Load) and node not in inside:
                    raise NotSplit(
                        node, f"{node.id}() makes layers and is called elsewhere too"
                    )
