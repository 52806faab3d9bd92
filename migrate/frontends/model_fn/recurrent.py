"""Recurrent cells in a network: made with the model, and run over time by its `call`."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.model_fn.modes import NotSplit
from migrate.program.keras_units import Unit
from migrate.source.nodes import walk_breadth_first
from migrate.tables import recurrent as table


def find_uses(
    node: ast.AST, scopes: Scopes
) -> Iterator[tuple[ast.expr, str, ast.Call | None]]:
    """Yields each name of a cell in some code, with its symbol and its call."""
    for inner in walk_breadth_first(node):
        if isinstance(inner, (ast.Attribute, ast.Name)):
            symbol = scopes.resolve(inner)
            if symbol in table.TARGETS:
                call = scopes.parents.get(inner)
                called = isinstance(call, ast.Call) and call.func is inner
                yield inner, symbol, call if called else None  # type: ignore[misc]


def check(units: Iterable[Unit], scopes: Scopes) -> None:
    """Fails if cells would have other variables, or arguments that would be lost.

    Args:
      units: of a network.
    """
    units = list(units)
    cells = _find_cells(units, scopes)
    for unit in units:
        for inner in walk_breadth_first(unit.statement):
            if isinstance(inner, ast.Call):
                _check_applied(inner, cells, scopes)
        for node, symbol, call in find_uses(unit.statement, scopes):
            if call is None:
                raise NotSplit(node, f"the program does not call {symbol} directly")
            _check_call(call, table.TARGETS[symbol].rpartition(".")[2])
            if symbol in table.LOOPS:
                list_scopes_around(unit, scopes)
        for inner in walk_breadth_first(unit.statement):
            if isinstance(inner, ast.Call):
                function = scopes.find_function(inner.func)
                if function is not None and next(find_uses(function, scopes), None):
                    raise NotSplit(inner, f"{function.name}() makes recurrent cells")


def _find_cells(units: list[Unit], scopes: Scopes) -> set[str]:
    """Names of cells, and of lists of them."""
    found: set[str] = set()
    before = -1
    while before != len(found):
        before = len(found)
        for unit in units:
            symbols = {symbol for _, symbol, _ in find_uses(unit.statement, scopes)}
            runs = symbols & set(table.LOOPS)
            if symbols & set(table.CELLS) or (
                names.find_reads(unit.statement) & found and not runs
            ):
                found |= names.find_binds(unit.statement)
    return found


def _check_applied(call: ast.Call, cells: set[str], scopes: Scopes) -> None:
    """Refuses a direct call of a cell, whose variables have the open scope's name."""
    func = call.func
    while isinstance(func, ast.Subscript):
        func = func.value
    made = isinstance(func, ast.Call) and scopes.resolve(func.func) in table.CELLS
    if made or (isinstance(func, ast.Name) and func.id in cells):
        raise NotSplit(call, "it calls a recurrent cell directly")
    if isinstance(func, ast.Attribute) and func.attr in ("call", "__call__", "apply"):
        if names.find_reads(func.value) & cells:
            raise NotSplit(call, "it calls a recurrent cell directly")


def _check_call(call: ast.Call, name: str) -> None:
    refused = table.REFUSED_ARGUMENTS.get(name, frozenset())
    for keyword in call.keywords:
        if keyword.arg is None or keyword.arg in refused:
            raise NotSplit(call, f"{name}({keyword.arg or '**'}=...)")
        if keyword.arg == "scope" and not isinstance(keyword.value, ast.Constant):
            raise NotSplit(call, "the scope of a recurrent network is not a string")
        if keyword.arg == "reuse" and names.read_literal(keyword.value):
            raise NotSplit(
                call, "a recurrent cell shares the variables of another cell"
            )


def list_scopes_around(unit: Unit, scopes: Scopes) -> list[str]:
    """Names of the variable scopes in which a statement runs a cell.

    Raises:
      NotSplit: a scope does more than give a name that is written out.
    """
    found = []
    for around in unit.around:
        if not isinstance(around, ast.With):
            continue
        for item in around.items:
            opened = item.context_expr
            if not isinstance(opened, ast.Call):
                continue
            if scopes.resolve(opened.func) == "tf.variable_scope":
                name = (
                    names.read_literal(opened.args[0])
                    if len(opened.args) == 1
                    else None
                )
                if opened.keywords or not isinstance(name, str):
                    raise NotSplit(
                        opened,
                        "a recurrent network is in a scope that does more than "
                        "to give a name",
                    )
                found.append(name)
    return found
