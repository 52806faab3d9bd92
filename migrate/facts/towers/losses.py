"""Decides whether a program computes the mean of its towers' losses, their sum, or neither.

It decides by numbers, as for averages of gradients: it runs the statements after the loop
for two towers and for three, with losses of which no two are alike.
"""

from __future__ import annotations

import ast
import dataclasses
from typing import Any

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.facts.towers.numbers import Interpreter, Tensor, Unknown

_LOSSES = (1.0, 4.5, -2.25)
_UNREAD = (
    *(Unknown, TypeError, ValueError),
    *(IndexError, KeyError, ZeroDivisionError, AttributeError),
)


@dataclasses.dataclass(frozen=True)
class Whole:
    """One loss of all towers.

    Attributes:
      is_sum: whether it is the sum of theirs, not the mean.
      more: its terms that belong to no tower, such as penalties on weights.
    """

    is_sum: bool
    more: tuple[ast.expr, ...] = ()


class Losses:
    """The losses of a loop's towers, followed through the statements after it.

    Args:
      count: the number of towers, an expression of the text.
      name: the name in which the loop collects them.
      listed: whether that is a list; otherwise it is their sum.
      bound: names that the loop binds, which belong to one tower.
    """

    def __init__(
        self, scopes: Scopes, count: str, name: str, *, listed: bool, bound: set[str]
    ) -> None:
        self._of_towers = {name, *bound}  # And names computed from these.
        counts = [int(count)] if count.isdigit() and 0 < int(count) <= 64 else [2, 3]
        self._runs = [Interpreter(scopes, count, number) for number in counts]
        self._of = [[_LOSSES[i % 3] + i for i in range(n)] for n in counts]
        for run, losses in zip(self._runs, self._of, strict=True):
            own: Any = [Tensor(loss) for loss in losses]
            run.names[name] = own if listed else Tensor(sum(losses))
        self._wholes: dict[str, Whole] = {}

    def read(self, statement: ast.stmt) -> None:
        """Reads a statement that follows the loop."""
        if isinstance(statement, ast.Return):
            return
        bound = names.find_binds(statement)
        if names.find_reads(statement) & self._of_towers:
            self._of_towers |= bound
        else:
            self._of_towers -= bound
        target, value = _read_assigned_sum(statement)
        whole = self.find_whole(value) if value is not None else None
        if whole is not None and whole.more:
            self._forget(bound)
            self._wholes[target] = whole
            return
        try:
            for run in self._runs:
                run.run_statement(statement)
        except _UNREAD:
            # The values that it may have changed are now unknown, also lists that it got.
            self._forget(bound | (names.find_reads(statement) & self._find_lists()))
            return
        for name in bound:
            self._wholes.pop(name, None)

    def find_whole(self, value: ast.expr) -> Whole | None:
        """Returns the loss that a value is of all towers; None if neither mean nor sum."""
        if isinstance(value, ast.Name) and value.id in self._wholes:
            return self._wholes[value.id]
        try:
            found = [run.evaluate_node(value) for run in self._runs]
        except _UNREAD:
            return self._read_sum(value)
        is_mean = is_sum = True
        for result, losses in zip(found, self._of, strict=True):
            if not isinstance(result, Tensor) or not isinstance(result.data, float):
                return None
            is_sum = is_sum and abs(result.data - sum(losses)) < 1e-9
            is_mean = is_mean and abs(result.data - sum(losses) / len(losses)) < 1e-9
        return Whole(not is_mean) if is_mean or is_sum else None

    def _read_sum(self, value: ast.expr) -> Whole | None:
        if not (isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add)):
            return None
        for own, more in ((value.left, value.right), (value.right, value.left)):
            whole = self.find_whole(own)
            if whole is not None and not self.reads(more):
                return Whole(whole.is_sum, (*whole.more, more))
        return None

    def reads(self, value: ast.expr) -> bool:
        """Whether a value is computed from values of towers."""
        return bool(names.find_reads(value) & self._of_towers)

    def _find_lists(self) -> set[str]:
        return {
            name
            for run in self._runs
            for name, value in run.names.items()
            if isinstance(value, list)
        }

    def _forget(self, bound: set[str]) -> None:
        for name in bound:
            self._wholes.pop(name, None)
            for run in self._runs:
                run.names.pop(name, None)


def _read_assigned_sum(statement: ast.stmt) -> tuple[str, ast.BinOp | None]:
    """Returns the name and the sum of `total = a + b` or `total += b`."""
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target, value = statement.targets[0], statement.value
        if isinstance(target, ast.Name) and isinstance(value, ast.BinOp):
            return target.id, value
    elif isinstance(statement, ast.AugAssign) and isinstance(statement.op, ast.Add):
        if isinstance(statement.target, ast.Name):
            before = ast.Name(statement.target.id, ast.Load())
            return before.id, ast.BinOp(before, statement.op, statement.value)
    return "", None
