"""Losses that the graph collected: which of them a total has.

Functions of tf.losses put what they return into a collection of the graph, and so does
`tf.losses.add_loss`. A step has no graph: the total is the sum of these names.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.model_fn.calls import find_uses
from migrate.frontends.model_fn.modes import NotSplit, Straight
from migrate.program.keras_model import Total
from migrate.program.keras_units import Unit
from migrate.source.nodes import walk_breadth_first
from migrate.tables import keras_models as table

_STRATEGIES = ("tf.distribute.", "tf.contrib.distribute.")


def find_totals(lines: Mapping[str, Straight], scopes: Scopes) -> dict[ast.Call, Total]:
    """Maps each call that asks for collected losses to its total.

    Args:
      lines: what each mode runs.

    Raises:
      NotSplit: it is not certain which losses these are.
    """
    totals: dict[ast.Call, Total] = {}
    for line in lines.values():
        for index, unit in enumerate(line.units):
            for call in _find_requests(unit.statement, scopes):
                names_ = _find_collected_losses(line.units, index, scopes)
                total = _make_total(call, names_, scopes)
                if totals.setdefault(call, total) != total:
                    raise NotSplit(
                        call,
                        "its total loss contains different losses in different modes",
                    )
    for call in totals:
        _check_strategies(call, scopes)
    return totals


def _check_strategies(call: ast.Call, scopes: Scopes) -> None:
    """Fails if replicas share the graph: the later ones collect what others did."""
    for _, symbol in scopes.walk_uses():
        if symbol.startswith(_STRATEGIES):
            raise NotSplit(
                call,
                "on several devices its total loss contains the losses of "
                "other devices",
            )


def _find_requests(node: ast.AST, scopes: Scopes) -> Iterator[ast.Call]:
    for call in walk_breadth_first(node):
        if isinstance(call, ast.Call):
            if scopes.resolve(call.func) in (table.TOTAL_LOSS, table.ALL_LOSSES):
                yield call


def _make_total(call: ast.Call, losses: tuple[str, ...], scopes: Scopes) -> Total:
    if scopes.resolve(call.func) == table.ALL_LOSSES:
        if call.args or call.keywords:
            raise NotSplit(call, "it chooses losses by a scope or a collection")
        return Total(losses, summed=False, penalised=False, name=None)
    bound = names.bind_arguments(call, ("add_regularization_losses", "name", "scope"))
    if bound is None or "scope" in bound:
        raise NotSplit(call, "it chooses losses by a scope or a collection")
    penalised = bound.get("add_regularization_losses", ast.Constant(True))
    if not isinstance(penalised, ast.Constant):
        raise NotSplit(
            call,
            "a value at run time decides whether penalties are added to its total loss",
        )
    return Total(losses, True, bool(penalised.value), bound.get("name"))


def _find_collected_losses(
    units: list[Unit], asked: int, scopes: Scopes
) -> tuple[str, ...]:
    """Names of the losses that are collected before a statement, in order."""
    made: list[str] = []
    for index, unit in enumerate(units):
        statement = unit.statement
        _check_functions(statement, scopes)
        if index >= asked:
            for node, symbol in find_uses(statement, scopes):
                # What is collected later is in no total of before.
                if index == asked and table.collects_loss(symbol):
                    raise NotSplit(
                        node, "a part of its total loss is not assigned to a name"
                    )
            continue
        for node, symbol in find_uses(statement, scopes):
            if symbol != table.ADD_LOSS and not table.collects_loss(symbol):
                continue
            call = scopes.parents.get(node)
            if not isinstance(call, ast.Call) or call.func is not node:
                raise NotSplit(
                    node, "a part of its total loss is not assigned to a name"
                )
            name = _find_name(call, statement, symbol)
            if name == "":
                continue
            later = units[index + 1 : asked]
            if any(name in names.find_binds(other.statement) for other in later):
                raise NotSplit(
                    node,
                    f"the program assigns `{name}`, a part of its total loss, "
                    "again before it computes the total",
                )
            made.append(name)
    if not made:
        raise NotSplit(
            units[asked].statement,
            "its total loss contains no loss that the model_fn makes",
        )
    return tuple(made)


def _find_name(call: ast.Call, statement: ast.stmt, symbol: str) -> str:
    """Returns the name of a collected loss; "" if it is not collected.

    Raises:
      NotSplit: it has no name, or is in another collection.
    """
    collection = names.find_argument(
        call, "loss_collection", 1 if symbol == table.ADD_LOSS else None
    )
    if collection is not None:
        if isinstance(collection, ast.Constant) and collection.value is None:
            return ""
        raise NotSplit(collection, "a loss is in another collection of the graph")
    if symbol == table.ADD_LOSS:
        given = names.find_argument(call, "loss", 0)
        if isinstance(given, ast.Name) and getattr(statement, "value", None) is call:
            return given.id
    elif (
        isinstance(statement, ast.Assign)
        and statement.value is call
        and len(statement.targets) == 1
        and isinstance(statement.targets[0], ast.Name)
    ):
        return statement.targets[0].id
    raise NotSplit(call, "a part of its total loss is not assigned to a name")


def _check_functions(
    node: ast.AST, scopes: Scopes, seen: frozenset[ast.AST] = frozenset()
) -> None:
    """Fails if a function of the program collects losses by itself."""
    for call in walk_breadth_first(node):
        function = (
            scopes.find_function(call.func) if isinstance(call, ast.Call) else None
        )
        if function is None or function in seen:
            continue
        for use, symbol in find_uses(function, scopes):
            if symbol == table.ADD_LOSS or table.collects_loss(symbol):
                raise NotSplit(
                    use, f"{function.name}() adds a loss to the graph's total loss"
                )
        _check_functions(function, scopes, seen | {function})
