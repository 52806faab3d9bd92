"""Decides whether a program computes the mean of its towers' losses, their sum, or neither.

It decides by numbers, as for averages of gradients: it runs the statements after the loop
for two towers and for three, with losses of which no two are alike. A tower's loss may be a
tensor with a loss for each example, so it also runs them with lists of numbers.
"""

from __future__ import annotations

import ast
import dataclasses
from typing import Any

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.facts.towers.numbers import Interpreter, Tensor, Unknown

_LOSSES = (1.0, 4.5, -2.25)
_EXAMPLES = 67  # More than there are towers.
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
      reduced: the function of TensorFlow that reduces a tower's losses of examples to
        that tower's loss; "" if that is not asked for.
    """

    is_sum: bool
    more: tuple[ast.expr, ...] = ()
    reduced: str = ""


class Losses:
    """The losses of a loop's towers, followed through the statements after it.

    Args:
      count: the number of towers, an expression of the text.
      name: the name in which the loop collects them.
      listed: whether that is a list; otherwise it is their sum.
      bound: names that the loop binds, which belong to one tower.
      scalar: whether a tower's loss is seen to be one number.
    """

    def __init__(
        self,
        scopes: Scopes,
        count: str,
        name: str,
        *,
        listed: bool,
        bound: set[str],
        scalar: bool = False,
    ) -> None:
        self._of_towers = {name, *bound}  # And names computed from these.
        counts = [int(count)] if count.isdigit() and 0 < int(count) <= 64 else [2, 3]
        self._runs = [Interpreter(scopes, count, number) for number in counts]
        self._of = [[_LOSSES[i % 3] + i for i in range(n)] for n in counts]
        for run, losses in zip(self._runs, self._of, strict=True):
            own: Any = [Tensor(loss) for loss in losses]
            run.names[name] = own if listed else Tensor(sum(losses))
        self._of_examples = (
            [] if scalar else [Interpreter(scopes, count, number) for number in counts]
        )
        for run, losses in zip(self._of_examples, self._of, strict=False):
            examples = [_list_examples(loss) for loss in losses]
            own = [Tensor(each) for each in examples]
            run.names[name] = own if listed else Tensor(_add(examples))
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
        read = names.find_reads(statement)
        for runs in (self._runs, self._of_examples):
            try:
                for run in runs:
                    run.run_statement(statement)
            except _UNREAD:
                # The values that it may have changed are now unknown, also lists that it got.
                _forget(runs, bound | (read & _find_lists(runs)))
        for name in bound:
            self._wholes.pop(name, None)

    def find_whole(self, value: ast.expr) -> Whole | None:
        """Returns the loss that a value is of all towers; None if neither mean nor sum."""
        if isinstance(value, ast.Name) and value.id in self._wholes:
            return self._wholes[value.id]
        unread, one = self._evaluate(self._runs, value)
        unread_examples, each = self._evaluate(self._of_examples, value)
        if not self._of_examples or unread_examples:
            return self._read_sum(value) if unread else one
        if unread:
            return each
        return each if one is not None and each in (one, _reduce(one, each)) else None

    def _evaluate(
        self, runs: list[Interpreter], value: ast.expr
    ) -> tuple[bool, Whole | None]:
        """Whether a value cannot be computed, and what it is of the towers' losses."""
        try:
            found = [run.evaluate_node(value) for run in runs]
        except _UNREAD:
            return True, None
        possible = {
            Whole(is_sum, reduced=reduced)
            for is_sum in (False, True)
            for reduced in ("", "reduce_mean", "reduce_sum")
        }
        for result, losses in zip(found, self._of, strict=False):
            data = result.data if isinstance(result, Tensor) else None
            examples = runs is self._of_examples
            towers: list[Any] = [
                _list_examples(loss) if examples else loss for loss in losses
            ]
            possible = {w for w in possible if _is_whole(data, towers, w)}
        # The mean of one tower is its sum.
        ordered = sorted(possible, key=lambda w: (w.is_sum, w.reduced))
        return False, ordered[0] if ordered else None

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

    def _forget(self, bound: set[str]) -> None:
        for name in bound:
            self._wholes.pop(name, None)
        for runs in (self._runs, self._of_examples):
            _forget(runs, bound)


def _forget(runs: list[Interpreter], bound: set[str]) -> None:
    for run in runs:
        for name in bound:
            run.names.pop(name, None)


def _find_lists(runs: list[Interpreter]) -> set[str]:
    return {
        name
        for run in runs
        for name, value in run.names.items()
        if isinstance(value, list)
    }


def _list_examples(loss: float) -> list[float]:
    """Losses of so many examples that no number of towers is the same."""
    return [loss * (1 + at) + 0.25 * at for at in range(_EXAMPLES)]


def _add(examples: list[list[float]]) -> list[float]:
    return [sum(column) for column in zip(*examples, strict=True)]


def _reduce(one: Whole, each: Whole | None) -> Whole | None:
    """The same whole of numbers, with the function that reduces losses of examples."""
    return dataclasses.replace(one, reduced=each.reduced) if each is not None else None


def _is_whole(data: Any, towers: list[Any], whole: Whole) -> bool:
    """Whether a result is such a whole of the towers' losses, which are numbers or lists."""
    if isinstance(towers[0], list) != bool(whole.reduced) and whole.reduced:
        return False  # A number needs no reduction.
    rows = [t if isinstance(t, list) else [t] for t in towers]
    if whole.reduced:
        size = len(rows[0]) if whole.reduced == "reduce_mean" else 1
        rows = [[sum(row) / size] for row in rows]
        data = [data]
    elif not isinstance(towers[0], list):
        data = [data]
    expected = [v / (1 if whole.is_sum else len(rows)) for v in _add(rows)]
    return (
        isinstance(data, list)
        and len(data) == len(expected)
        and all(isinstance(v, float) for v in data)
        and all(abs(a - b) < 1e-6 for a, b in zip(data, expected, strict=True))
    )


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
