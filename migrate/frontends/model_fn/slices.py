"""Backward slices: the statements that some expressions need."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.model_fn.calls import writes_summary
from migrate.frontends.model_fn.grown import find_changes, find_grown_names
from migrate.frontends.model_fn.messages import is_message, list_expressions
from migrate.frontends.model_fn.modes import Straight
from migrate.program.keras_model import Hooks, Total
from migrate.program.keras_units import Unit
from migrate.source.nodes import walk_breadth_first


class Slices:
    """Slices of what the modes of one model_fn run.

    Args:
      totals: what asks for the graph's losses.
    """

    def __init__(
        self,
        function: ast.FunctionDef,
        scopes: Scopes,
        totals: Mapping[ast.Call, Total],
    ) -> None:
        self._totals = totals
        self._function, self._scopes = function, scopes
        self.built = find_grown_names(function, scopes)

    def find_needed(self, units: list[Unit], wanted: Iterable[ast.expr]) -> list[Unit]:
        """Units that some expressions need, in order."""
        read = {n for node in wanted for n in names.find_reads(node)}
        makers: list[Unit] = []
        for unit in reversed(units):
            binds = find_changes(unit.statement, self.built)
            if binds & read:
                makers.append(unit)
                if isinstance(unit.statement, (ast.Assign, ast.AnnAssign)):
                    read -= names.find_binds(unit.statement)
                read |= names.find_reads(unit.statement)
                if isinstance(unit.statement, ast.AugAssign):
                    read |= binds
                read |= self.find_collected_losses(unit.statement)
        return list(reversed(makers))

    def find_collected_losses(self, statement: ast.AST) -> set[str]:
        """Names of the losses that a statement asks the graph for."""
        return {
            name
            for call in walk_breadth_first(statement)
            if isinstance(call, ast.Call) and call in self._totals
            for name in self._totals[call].losses
        }

    def find_observed(
        self, rest: list[Unit], loss: list[Unit], hooks: tuple[Hooks, ...]
    ) -> list[Unit]:
        """Lists what a training step runs for its summaries and hooks, in order."""
        wanted = {name for one in hooks for name in (*one.watched, *one.counted)}
        seen = [
            n for one in hooks for node in one.nodes for n in walk_breadth_first(node)
        ]
        watched = [n for n in seen if isinstance(n, ast.Name) and n.id in wanted]
        made = [unit for one in hooks for unit in one.made]
        found = self.find_summaries(rest, loss)
        more = self.find_needed([u for u in rest if u not in made], watched)
        return [u for u in rest if u in found or (u in more and u not in loss)]

    def find_summaries(self, rest: list[Unit], loss: list[Unit]) -> list[Unit]:
        """Statements of training that write summaries, or name tensors, and their needs."""
        found: list[Unit] = []
        for unit in rest:
            if unit in loss:
                continue
            said = is_message(unit.statement, self._scopes)
            if isinstance(unit.statement, ast.Assign):
                said = writes_summary(unit.statement, self._scopes)
            if said or self._tells(unit.statement):
                read = list_expressions(unit.statement)
                if isinstance(unit.statement, ast.Assign):
                    read = [unit.statement.value]
                elif isinstance(unit.statement, ast.If):
                    inside = walk_breadth_first(unit.statement)
                    read = [n for n in inside if isinstance(n, ast.Name)]
                before = rest[: rest.index(unit)]
                for needed in (*self.find_needed(before, read), unit):
                    if needed not in loss and needed not in found:
                        found.append(needed)
        return [u for u in rest if u in found]

    def _tells(self, statement: ast.stmt) -> bool:
        """Whether it only writes summaries or names tensors, on a condition or not."""
        if isinstance(statement, ast.If):
            return all(map(self._tells, (*statement.body, *statement.orelse)))
        call = statement.value if isinstance(statement, ast.Expr) else None
        symbol = self._scopes.resolve(call.func) if isinstance(call, ast.Call) else None
        return symbol is not None and (
            symbol.startswith("tf.summary.") or symbol == "tf.identity"
        )

    def find_with_messages(
        self, units: list[Unit], wanted: list[ast.expr]
    ) -> list[Unit]:
        """Units that some expressions need, with what they say, in order."""
        kept = self.find_needed(units, wanted)
        for index, unit in enumerate(units):
            if is_message(unit.statement, self._scopes):
                kept += [
                    *self.find_needed(units[:index], list_expressions(unit.statement)),
                    unit,
                ]
        return [u for u in units if u in kept]


def find_closure(
    units: list[Unit], wanted: list[Unit], built: frozenset[str]
) -> list[Unit]:
    """Units that some units need, and these, in order.

    Args:
      built: names of dictionaries and lists that statements add to.
    """
    read: set[str] = set()
    kept: list[Unit] = []
    for unit in reversed(units):
        binds = find_changes(unit.statement, built)
        if unit in wanted or binds & read:
            kept.append(unit)
            if isinstance(unit.statement, ast.Assign):
                read -= names.find_binds(unit.statement)
            read |= names.find_reads(unit.statement)
    return list(reversed(kept))


def drop_units(lines: dict[str, Straight], units: list[Unit]) -> dict[str, list[Unit]]:
    """Returns the units that each mode runs, without some of them."""
    return {
        mode: [u for u in line.units if u not in units] for mode, line in lines.items()
    }


def find_tensor_names(units: Iterable[Unit], scopes: Scopes) -> set[str]:
    """Names that statements give to tensors."""
    found: set[str] = set()
    for unit in units:
        for node in walk_breadth_first(unit.statement):
            given = None
            if isinstance(node, ast.keyword) and node.arg == "name":
                given = node.value
            elif isinstance(node, ast.Call) and len(node.args) == 2:
                if scopes.resolve(node.func) == "tf.identity":
                    given = node.args[1]
            if isinstance(given, ast.Constant) and isinstance(given.value, str):
                found.add(given.value)
    return found
