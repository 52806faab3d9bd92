"""Finds values of a graph that only some tasks make, although every task can.

    if is_chief:
        summary_op = tf.summary.merge_all()
    else:
        summary_op = None

Nothing else of the graph depends on such a value, and the other tasks do not use it. So
every task may make it: the chief computes the same as before, and the others ignore it.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.facts.sole_client import decide_in_tasks, is_reached_in
from migrate.source.nodes import walk_breadth_first
from migrate.tables import one_tensor

_SERVER = "tf.train.Server"
_MERGES = ("tf.summary.merge_all", "tf.merge_all_summaries")
_SUMMARIES = (
    *_MERGES,
    *("tf.summary.merge", "tf.merge_summary", "tf.summary.audio", "tf.summary.text"),
    *("tf.summary.scalar", "tf.summary.histogram", "tf.summary.image"),
    *("tf.scalar_summary", "tf.histogram_summary", "tf.image_summary"),
)
# Only the chief writes their summaries, whatever the others are given.
_TAKERS = ("tf.train.Supervisor", "tf.train.Scaffold")
_PARTS = (
    *(ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.List, ast.Tuple),
    *(ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop, ast.expr_context),
    *(ast.keyword, ast.Call),
)


@dataclasses.dataclass(frozen=True)
class TaskValues:
    """Values that one statement makes in some tasks.

    Attributes:
      statement: `if is_chief: ...`, or `value = ... if is_chief else None`.
      made: the statements that make them.
      none: statements that give None to their names in the other tasks.
    """

    statement: ast.If | ast.Assign
    made: tuple[ast.stmt, ...]
    none: tuple[ast.stmt, ...]


def find_task_values(scopes: Scopes) -> Iterator[TaskValues]:
    """Yields the values that only some tasks make, although every task can."""
    if len(scopes.list_calls(_SERVER)) != 1:
        return
    reader = _Reader(scopes)
    for node in scopes.walk():
        found: TaskValues | None = None
        if isinstance(node, ast.If):
            for made, other, holds in (
                (node.body, node.orelse, True),
                (node.orelse, node.body, False),
            ):
                found = found or reader.read(node, node.test, made, other, holds)
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.IfExp):
            value = node.value
            if names.is_none_constant(value.orelse):
                found = reader.read(node, value.test, [node], [], True)
            elif names.is_none_constant(value.body):
                found = reader.read(node, value.test, [node], [], False)
        if found is not None:
            yield found


class _Reader:
    """Reads statements that ask which task runs them."""

    def __init__(self, scopes: Scopes) -> None:
        self._scopes = scopes
        self._uses: dict[tuple[int, str], list[ast.Name]] = {}
        for node in scopes.walk():
            if isinstance(node, ast.Name):
                owner = scopes.find_scope(node).find_owner(node.id)
                if owner is not None:
                    self._uses.setdefault((id(owner), node.id), []).append(node)

    def read(
        self,
        statement: ast.If | ast.Assign,
        test: ast.expr,
        suite: list[ast.stmt],
        other: list[ast.stmt],
        holds: bool,
    ) -> TaskValues | None:
        """Reads what a suite makes; None for nothing that every task can make.

        Args:
          other: the statements of the other tasks.
          holds: whether the test holds in the tasks that make the values.
        """
        made = [s for s in suite if self._is_harmless(s)]
        if not made:
            return None
        decided = decide_in_tasks(self._scopes, statement, test)
        if len(set(decided.values())) < 2 or None in decided.values():
            return None
        others = [place for place, value in decided.items() if value is not holds]
        if any(map(self._is_collected, made)) and self._is_merged(others):
            return None
        while made:  # What one of them reads may be none of these values.
            bound = set().union(*map(names.find_binds, made))
            kept = [
                s
                for s in suite
                if s not in made and names.find_binds(s) & self._find_read(made)
            ]
            if kept:
                late = set().union(*map(names.find_binds, kept))
                made = [s for s in made if not names.find_reads(s) & late]
                continue
            break
        if not made:
            return None
        none = [s for s in other if _gives_none(s) and names.find_binds(s) <= bound]
        for name in sorted(bound):
            owner = self._scopes.find_scope(statement).find_owner(name)
            if owner is None:
                return None
            uses = self._uses[id(owner), name]
            inside = {id(n) for s in (*made, *none) for n in walk_breadth_first(s)}
            for use in [u for u in uses if id(u) not in inside]:
                if not isinstance(use.ctx, ast.Load):
                    before = self._find_preset(use, statement)
                    if before is None:
                        return None
                    none.append(before)
                    continue
                if not self._is_taken(use) and is_reached_in(self._scopes, use, others):
                    return None
        return TaskValues(statement, tuple(made), tuple(none))

    def _find_read(self, statements: list[ast.stmt]) -> set[str]:
        return set().union(*map(names.find_reads, statements))

    def _is_harmless(self, statement: ast.stmt) -> bool:
        """Whether a statement only adds tensors or summaries to the graph."""
        if isinstance(statement, ast.Expr):
            value = statement.value
            return isinstance(value, ast.Call) and self._is_harmless_value(value)
        if not isinstance(statement, ast.Assign):
            return False
        value = statement.value
        if isinstance(value, ast.IfExp):
            value = value.orelse if names.is_none_constant(value.body) else value.body
        targets = all(isinstance(target, ast.Name) for target in statement.targets)
        return targets and self._is_harmless_value(value)

    def _is_harmless_value(self, value: ast.expr) -> bool:
        found = False
        for node in walk_breadth_first(value):
            if not isinstance(node, _PARTS):
                return False
            if isinstance(node, ast.Call):
                symbol = self._scopes.resolve(node.func) or ""
                if symbol not in _SUMMARIES and not _is_pure(symbol):
                    return False
                found = True
        return found or isinstance(value, ast.BinOp) and self._is_of_tensors(value)

    def _is_of_tensors(self, value: ast.BinOp) -> bool:
        """Whether an operand is the name of a tensor, as in `loss * 2.0`."""
        made: list[ast.AST] = []
        for node in walk_breadth_first(value):
            if isinstance(node, ast.Name):
                owner = self._scopes.find_scope(node).find_owner(node.id)
                made += owner.bindings.get(node.id, []) if owner is not None else []
        values = [m.value for m in made if isinstance(m, ast.Assign)]
        return any(
            isinstance(v, ast.Call) and _is_pure(self._scopes.resolve(v.func) or "")
            for v in values
        )

    def _is_collected(self, statement: ast.stmt) -> bool:
        """Whether a statement makes a summary, which `merge_all` merges."""
        return any(
            isinstance(node, ast.Call)
            and (self._scopes.resolve(node.func) or "") in _SUMMARIES
            and self._scopes.resolve(node.func) not in _MERGES
            for node in walk_breadth_first(statement)
        )

    def _is_merged(self, others: list[tuple[str, int]]) -> bool:
        """Whether one of these tasks merges all summaries."""
        return any(
            is_reached_in(self._scopes, call, others)
            for symbol in _MERGES
            for call in self._scopes.list_calls(symbol)
        )

    def _find_preset(self, use: ast.Name, statement: ast.stmt) -> ast.stmt | None:
        """Returns `value = None` before the statement, in the same suite."""
        before = self._scopes.parents[use]
        suite = names.find_suite(self._scopes.parents[statement], statement) or []
        if before in suite[: suite.index(statement)] and _gives_none(before):
            assert isinstance(before, ast.Assign)
            return before if len(before.targets) == 1 else None
        return None

    def _is_taken(self, use: ast.Name) -> bool:
        """Whether a use is the argument `summary_op` of what only the chief writes."""
        parent = self._scopes.parents[use]
        call = self._scopes.parents[parent]
        return (
            isinstance(parent, ast.keyword)
            and parent.arg == "summary_op"
            and isinstance(call, ast.Call)
            and self._scopes.resolve(call.func) in _TAKERS
        )


def _is_pure(symbol: str) -> bool:
    """Whether a function adds one tensor to a graph, and nothing else."""
    return (
        symbol in one_tensor.SYMBOLS
        and not symbol.startswith(("tf.losses.", "tf.random."))
        and symbol != "tf.nn.dropout"
    )


def _gives_none(statement: ast.AST) -> bool:
    return (
        isinstance(statement, ast.Assign)
        and names.is_none_constant(statement.value)
        and all(isinstance(target, ast.Name) for target in statement.targets)
    )
