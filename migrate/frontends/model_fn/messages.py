"""Statements that only tell something: print, log messages, assertions of plain values."""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.model_fn.calls import find_uses
from migrate.frontends.model_fn.modes import NotSplit
from migrate.program.keras_units import Unit
from migrate.source.nodes import walk_breadth_first
from migrate.tables import keras_models as table


def is_message(statement: ast.stmt, scopes: Scopes) -> bool:
    """Whether a statement says something, and does nothing else."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if isinstance(call, ast.Call):
        symbol = scopes.resolve(call.func)
        if symbol is not None:
            said = symbol.startswith(table.LOGGING)
        else:
            said = is_print(call, scopes)
    else:
        said = isinstance(statement, ast.Assert)
    return said and all(
        symbol.startswith((*table.HOST, *table.LOGGING))
        for node in walk_breadth_first(statement)
        if isinstance(node, (ast.Name, ast.Attribute))
        and (symbol := scopes.resolve(node)) is not None
        and symbol != "tf"
        and not isinstance(scopes.parents.get(node), ast.Attribute)
    )


def is_seed(statement: ast.stmt, scopes: Scopes) -> bool:
    """Whether a statement gives the graph a seed."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(call, ast.Call) and scopes.resolve(call.func) in table.SEEDS


def check_seed(line: list[Unit], unit: Unit, scopes: Scopes) -> None:
    """Fails if a model's seed would be that of more than the graph's was.

    Raises:
      NotSplit: something may draw before there is a seed.
    """
    for before in line[: line.index(unit)]:
        for _, symbol in find_uses(before.statement, scopes):
            if not symbol.startswith(("tf.estimator.ModeKeys", *table.HOST)):
                raise NotSplit(
                    unit.statement, f"it sets the graph's seed after {symbol}"
                )


def is_print(call: ast.Call, scopes: Scopes) -> bool:
    """Whether a call is the builtin's."""
    func = call.func
    return (
        isinstance(func, ast.Name)
        and func.id == "print"
        and scopes.find_scope(func).find_owner("print") is None
    )


def list_expressions(statement: ast.stmt) -> list[ast.expr]:
    """Lists the expressions of a message."""
    if isinstance(statement, ast.Assert):
        return [e for e in (statement.test, statement.msg) if e is not None]
    return [statement.value] if isinstance(statement, ast.Expr) else []


def is_of_network(
    unit: Unit, line: list[Unit], shared: list[Unit], known: set[str], local: set[str]
) -> bool:
    """Whether a message reads nothing but what the layers' statements bind.

    Args:
      line: what training runs, in order.
      shared: of it, what is done once.
      known: names that are there before.
      local: names of the model_fn.
    """
    read = {n.partition(".")[0] for n in names.find_reads(unit.statement)} & local
    before = line[: line.index(unit)]
    bound = {n for u in before if u in shared for n in names.find_binds(u.statement)}
    other = {
        n for u in before if u not in shared for n in names.find_binds(u.statement)
    }
    return read <= (bound | known) - other
