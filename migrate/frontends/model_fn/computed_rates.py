"""A learning rate that is computed with the step: a function of the model, called in every one.

step = tf.train.get_global_step()            def rate():
rate = 0.1 * tf.minimum(                         return 0.1 * tf.minimum(
    1.0, tf.to_float(step) / 100)                    1.0, tf.cast(step, ...) / 100)
optimizer = tf.train.AdamOptimizer(rate)     optimizer = ...AdamOptimizer(rate)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.model_fn import checks
from migrate.frontends.model_fn.calls import find_uses
from migrate.frontends.model_fn.modes import NotSplit
from migrate.program.keras_units import Unit
from migrate.program.keras_updates import Computed
from migrate.source.nodes import walk_breadth_first
from migrate.tables import keras_models as table
from migrate.tables.optimizers import OPTIMIZERS, SCHEDULES

_STATEMENTS = (ast.Assign, ast.AugAssign, ast.If)


def read_computed_rate(
    made: Sequence[Unit],
    optimizer: ast.expr,
    every: Sequence[Unit],
    tensors: set[str],
    scopes: Scopes,
) -> Computed | None:
    """The rate, and the statements that compute it; None if it is no such one.

    Args:
      made: statements that make the optimizer, in order.
      every: all of training.
      tensors: names of what depends on features and labels.

    Raises:
      NotSplit: one of these holds what a step may not.
    """
    outside = [u for u in made if _makes_optimizer(u.statement, scopes)]
    inside = _find_step_statements([u for u in made if u not in outside], scopes)
    bound = {n for u in inside for n in names.find_binds(u.statement)}
    rates = {
        name
        for node in (*(u.statement for u in outside), optimizer)
        for name in names.find_reads(node) & bound
    }
    if len(rates) != 1:
        return None
    (rate,) = rates
    for unit in every:
        others = bound if unit in made and unit not in outside else bound - {rate}
        if unit not in inside and (
            names.find_reads(unit.statement) & others
            or names.find_binds(unit.statement) & bound
        ):
            return None
    for node in (*(u.statement for u in outside), optimizer):
        if not _is_only_given(node, rate, scopes):
            return None
    around = _find_function(inside[0].statement, scopes)
    steps = checks.Steps(around, scopes, set(), allowed=frozenset(SCHEDULES))
    for unit in inside:
        statement = unit.statement
        if not all(isinstance(s, _STATEMENTS) for s in _walk_statements(statement)):
            return None
        if names.find_reads(statement) & tensors:
            raise NotSplit(statement, "its optimizer depends on features or labels")
        steps.check(statement)
    return Computed(rate, tuple(inside))


def _find_step_statements(units: Sequence[Unit], scopes: Scopes) -> list[Unit]:
    """Finds the statements that follow the step, or bind the same names."""
    found: list[Unit] = []
    steps = {
        name
        for unit in units
        if _is_step(getattr(unit.statement, "value", None), scopes)
        for name in names.find_binds(unit.statement)
    }
    follows = set(steps)
    grown = True
    while grown:
        grown = False
        bound = {n for u in found for n in names.find_binds(u.statement)}
        for unit in units:
            if unit in found or names.find_binds(unit.statement) <= steps:
                continue
            symbols = set(_find_symbols(unit.statement, scopes))
            if (
                names.find_reads(unit.statement) & follows
                or names.find_binds(unit.statement) & bound
                or symbols & {*SCHEDULES, *table.GLOBAL_STEP}
            ):
                found.append(unit)
                follows |= names.find_binds(unit.statement)
                grown = True
    return [unit for unit in units if unit in found]


def _find_symbols(
    node: ast.AST, scopes: Scopes, seen: frozenset[ast.AST] = frozenset()
) -> Iterator[str]:
    """Yields the symbols that some code uses, itself or in functions it calls."""
    yield from (symbol for _, symbol in find_uses(node, scopes))
    for call in walk_breadth_first(node):
        function = (
            scopes.find_function(call.func) if isinstance(call, ast.Call) else None
        )
        if function is not None and function not in seen:
            yield from _find_symbols(function, scopes, seen | {function})


def _is_step(node: ast.AST | None, scopes: Scopes) -> bool:
    return isinstance(node, ast.Call) and scopes.resolve(node.func) in table.GLOBAL_STEP


def _makes_optimizer(node: ast.AST, scopes: Scopes) -> bool:
    return any(symbol in OPTIMIZERS for _, symbol in find_uses(node, scopes))


def _is_only_given(node: ast.AST, rate: str, scopes: Scopes) -> bool:
    """Whether a rate is read where optimizers take schedules, and nowhere else."""
    for inner in walk_breadth_first(node):
        if not isinstance(inner, ast.Name) or inner.id != rate:
            continue
        parent = scopes.parents.get(inner)
        if isinstance(parent, ast.keyword):
            parent = scopes.parents.get(parent)
        symbol = scopes.resolve(parent.func) if isinstance(parent, ast.Call) else None
        row = OPTIMIZERS.get(symbol or "")
        if row is None or not row.target or not row.accepts_schedule:
            return False
    return True


def _walk_statements(statement: ast.stmt) -> Iterator[ast.stmt]:
    yield statement
    for _, suite in names.list_suites(statement):
        for inner in suite:
            yield from _walk_statements(inner)


def _find_function(node: ast.AST, scopes: Scopes) -> ast.FunctionDef:
    current: ast.AST | None = node
    while not isinstance(current, ast.FunctionDef):
        assert current is not None
        current = scopes.parents.get(current)
    return current
