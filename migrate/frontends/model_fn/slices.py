"""Backward slices: the statements that some expressions need."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.model_fn.calls import uses
from migrate.frontends.model_fn.grown import changes, grown
from migrate.frontends.model_fn.messages import expressions, is_message
from migrate.frontends.model_fn.modes import NotSplit, Straight
from migrate.program.keras_model import Unit
from migrate.tables import keras_models as table


class Slices:
    """Slices of what the modes of one model_fn run."""

    def __init__(self, function: ast.FunctionDef, scopes: Scopes) -> None:
        self._function, self._scopes = function, scopes
        self.built = grown(function, scopes)

    def needed(self, units: list[Unit], wanted: Iterable[ast.expr]) -> list[Unit]:
        """Units that some expressions need, in order."""
        read = {n for node in wanted for n in names.reads(node)}
        makers: list[Unit] = []
        for unit in reversed(units):
            binds = changes(unit.statement, self.built)
            if binds & read:
                makers.append(unit)
                if isinstance(unit.statement, (ast.Assign, ast.AnnAssign)):
                    read -= names.binds(unit.statement)
                read |= names.reads(unit.statement)
                if isinstance(unit.statement, ast.AugAssign):
                    read |= binds
                if self._is_total(unit.statement):
                    read |= self._collected(units)
        return list(reversed(makers))

    def _is_total(self, statement: ast.stmt) -> bool:
        """Whether a statement adds up the losses that the graph has collected."""
        return any(s == table.TOTAL_LOSS for _, s in uses(statement, self._scopes))

    def _collected(self, units: list[Unit]) -> set[str]:
        """The name of the one loss that functions of tf.losses have collected."""
        found: list[str] = []
        for unit in units:
            for node, symbol in uses(unit.statement, self._scopes):
                if not symbol.startswith("tf.losses."):
                    continue
                if symbol.rpartition(".")[2].startswith(("get_", "Reduction")):
                    continue
                value = getattr(unit.statement, "value", None)
                parent = self._scopes.parents.get(node)
                named = isinstance(unit.statement, ast.Assign) and isinstance(
                    unit.statement.targets[0], ast.Name
                )
                if parent is not value or not named:
                    raise NotSplit(node, "a loss of the total that has no name")
                found += names.binds(unit.statement)
        if len(found) != 1:
            raise NotSplit(self._function, "its total loss is of more than one loss")
        return set(found)

    def summaries(self, rest: list[Unit], loss: list[Unit]) -> list[Unit]:
        """Statements of training that write summaries, or name tensors, and their needs."""
        found: list[Unit] = []
        for unit in rest:
            if unit in loss:
                continue
            said = is_message(unit.statement, self._scopes)
            if not said and not isinstance(unit.statement, ast.Expr):
                continue
            call = getattr(unit.statement, "value", None)
            symbol = (
                self._scopes.resolve(call.func) if isinstance(call, ast.Call) else None
            ) or ""
            if said or symbol.startswith("tf.summary.") or symbol == "tf.identity":
                read = expressions(unit.statement)
                before = rest[: rest.index(unit)]
                for needed in (*self.needed(before, read), unit):
                    if needed not in loss and needed not in found:
                        found.append(needed)
        return [u for u in rest if u in found]

    def with_messages(self, units: list[Unit], wanted: list[ast.expr]) -> list[Unit]:
        """Units that some expressions need, with what they say, in order."""
        kept = self.needed(units, wanted)
        for index, unit in enumerate(units):
            if is_message(unit.statement, self._scopes):
                kept += [*self.needed(units[:index], expressions(unit.statement)), unit]
        return [u for u in units if u in kept]


def closure(units: list[Unit], wanted: list[Unit], built: frozenset[str]) -> list[Unit]:
    """Units that some units need, and these, in order.

    Args:
      built: names of dictionaries and lists that statements add to.
    """
    read: set[str] = set()
    kept: list[Unit] = []
    for unit in reversed(units):
        binds = changes(unit.statement, built)
        if unit in wanted or binds & read:
            kept.append(unit)
            if isinstance(unit.statement, ast.Assign):
                read -= names.binds(unit.statement)
            read |= names.reads(unit.statement)
    return list(reversed(kept))


def without(lines: dict[str, Straight], units: list[Unit]) -> dict[str, list[Unit]]:
    """What each mode runs beside some units."""
    return {
        mode: [u for u in line.units if u not in units] for mode, line in lines.items()
    }


def named(units: Iterable[Unit], scopes: Scopes) -> set[str]:
    """Names that statements give to tensors."""
    found: set[str] = set()
    for unit in units:
        for node in ast.walk(unit.statement):
            given = None
            if isinstance(node, ast.keyword) and node.arg == "name":
                given = node.value
            elif isinstance(node, ast.Call) and len(node.args) == 2:
                if scopes.resolve(node.func) == "tf.identity":
                    given = node.args[1]
            if isinstance(given, ast.Constant) and isinstance(given.value, str):
                found.add(given.value)
    return found
