"""Finds how a model_fn's optimizer is made: once, before there are tensors."""

from __future__ import annotations

import ast
import dataclasses

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.model_fn import held_rates
from migrate.frontends.model_fn.computed_rates import read_computed_rate
from migrate.frontends.model_fn.modes import NotSplit
from migrate.frontends.model_fn.rates import Kind, Rates, Value
from migrate.program.keras_units import Unit
from migrate.program.keras_updates import Computed, Held
from migrate.source.nodes import walk_breadth_first
from migrate.tables import keras_models as table
from migrate.tables.optimizers import OPTIMIZERS, SCHEDULES


@dataclasses.dataclass(frozen=True)
class Made:
    """The statements that make one optimizer, with its rates.

    Attributes:
      units: the statements.
      schedules: names of schedules among what they bind.
      rates: what is known of the schedules.
      rate: one that is computed with the step.
      held: rates that variables hold.
    """

    units: tuple[Unit, ...]
    schedules: frozenset[str]
    rates: Rates
    rate: Computed | None
    held: tuple[Held, ...]


class Making:
    """Finds what makes an optimizer in the statements of training.

    Args:
      units: of training, without the network.
      tensors: names of what depends on features and labels.
    """

    def __init__(self, scopes: Scopes, units: list[Unit], tensors: set[str]) -> None:
        self._scopes, self._units, self._tensors = scopes, units, tensors
        self._rates = Rates(scopes)

    def run(self, optimizer: ast.expr, read: set[str]) -> Made:
        """Finds the statements that make the optimizer.

        Args:
          read: other names that must be made with it.

        Raises:
          NotSplit: it is made of more than a model has when it is made.
        """
        self._check_origin(optimizer)
        read = read | names.find_reads(optimizer)
        made: list[Unit] = []
        for unit in reversed(self._units):
            if names.find_binds(unit.statement) & read:
                made.append(unit)
                read |= names.find_reads(unit.statement)
        made.reverse()
        rate = None
        try:
            schedules = self._find_schedules(made, optimizer)
        except NotSplit:
            rate = read_computed_rate(
                made, optimizer, self._units, self._tensors, self._scopes
            )
            if rate is None:
                raise
            # Its statements are a function's; the others know it as a schedule.
            self._rates = Rates(self._scopes)
            rest = [unit for unit in made if unit not in rate.units]
            schedules = self._find_schedules(rest, optimizer) | {rate.name}
        held = held_rates.find_held_rates(made, self._tensors, self._scopes)
        return Made(tuple(made), schedules, self._rates, rate, held)

    def _find_schedules(self, made: list[Unit], optimizer: ast.expr) -> frozenset[str]:
        """Names of schedules among the statements that make the optimizer.

        Raises:
          NotSplit: what they make depends on more than the step, or on it otherwise.
        """
        values: dict[str, Value] = {}
        self._rates.run([u.statement for u in made], values)
        self._rates.evaluate(optimizer, values)
        schedules = frozenset(n for n, kind in values.items() if kind is Kind.RATE)
        functions = list(self._rates.functions)
        held = {
            one.unit
            for one in held_rates.find_held_rates(made, self._tensors, self._scopes)
        }
        rest = [u.statement for u in made if u not in held]
        for node in (optimizer, *rest, *functions):
            self._check_made(node, schedules)
        return schedules

    def _check_origin(self, optimizer: ast.expr) -> None:
        """Refuses an optimizer that is made outside of the model_fn."""
        if isinstance(optimizer, ast.Name):
            bound = {n for u in self._units for n in names.find_binds(u.statement)}
            if optimizer.id not in bound:
                raise NotSplit(
                    optimizer, "its optimizer is made outside of the model_fn"
                )

    def _is_schedule(self, node: ast.AST | None) -> bool:
        return (
            isinstance(node, ast.Call) and self._scopes.resolve(node.func) in SCHEDULES
        )

    def _check_made(self, node: ast.AST, schedules: frozenset[str]) -> None:
        """Refuses an optimizer that depends on tensors other than the step."""
        for inner in walk_breadth_first(node):
            if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load):
                if inner.id in self._tensors:
                    raise NotSplit(inner, "its optimizer depends on features or labels")
            if isinstance(inner, (ast.Name, ast.Attribute)):
                symbol = self._scopes.resolve(inner)
                parent = self._scopes.parents.get(inner)
                if symbol is None or isinstance(parent, ast.Attribute):
                    continue
                row = OPTIMIZERS.get(symbol)
                if row is not None and row.target:
                    continue
                if parent in self._rates.casts:
                    continue
                if symbol == table.AVERAGES:
                    continue
                if symbol not in SCHEDULES and symbol not in table.GLOBAL_STEP:
                    if not symbol.startswith(("tf.float", "tf.int", *table.HOST)):
                        raise NotSplit(
                            inner, f"its optimizer, or its learning rate, uses {symbol}"
                        )
        for inner in walk_breadth_first(node):
            if self._is_rate(inner, schedules):
                self._check_rate(inner)

    def _is_rate(self, node: ast.AST, schedules: frozenset[str]) -> bool:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            return node.id in schedules
        return self._is_schedule(node)

    def _check_rate(self, node: ast.AST) -> None:
        """Refuses arithmetic with a schedule, which only an optimizer can take."""
        parent = self._scopes.parents.get(node)
        if isinstance(parent, ast.keyword):
            parent = self._scopes.parents.get(parent)
        if isinstance(parent, ast.Assign) and len(parent.targets) == 1:
            return
        if isinstance(parent, ast.Call):
            symbol = self._scopes.resolve(parent.func)
            row = OPTIMIZERS.get(symbol or "")
            if row is not None and row.accepts_schedule:
                return
            if symbol is None and isinstance(parent.func, (ast.Name, ast.Subscript)):
                return self._check_maker(parent)
        if isinstance(parent, ast.Return):
            return  # Its function's caller has it.
        raise NotSplit(
            node, "its learning rate is changed before the optimizer gets it"
        )

    def _check_maker(self, call: ast.Call) -> None:
        """Refuses a function whose optimizers may not take a schedule."""
        roots: list[ast.AST] = []
        if isinstance(call.func, ast.Subscript):
            roots.append(call.func.value)
        elif isinstance(call.func, ast.Name):
            owner = self._scopes.find_scope(call.func).find_owner(call.func.id)
            roots += owner.bindings[call.func.id] if owner else []
        for root in roots:
            if not isinstance(root, (ast.Dict, ast.FunctionDef)):
                raise NotSplit(
                    call, "the tool does not find the function that makes its optimizer"
                )
            for inner in walk_breadth_first(root):
                symbol = (
                    self._scopes.resolve(inner)
                    if isinstance(inner, (ast.Name, ast.Attribute))
                    else None
                )
                row = OPTIMIZERS.get(symbol or "")
                if row is not None and not (row.accepts_schedule and row.target):
                    raise NotSplit(
                        inner, f"{symbol} does not accept a learning rate schedule"
                    )
                if isinstance(inner, ast.BinOp):
                    raise NotSplit(inner, "its rate is computed with")
