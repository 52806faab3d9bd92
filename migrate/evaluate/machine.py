"""The state of one evaluation: store, record, frames, and what is assumed at this point."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from migrate.evaluate import joins
from migrate.evaluate.completions import Completion, Pending
from migrate.evaluate.configuration import Configuration
from migrate.evaluate.frames import Code, Frame, Names, find_names
from migrate.evaluate.hosts import Hosts
from migrate.evaluate.joins import Diverged
from migrate.evaluate.library import Library
from migrate.evaluate.store import MISSING, Delta, Store
from migrate.graph.record import Guard, Problem, Record
from migrate.graph.values import Choice, Host, Origin, Unknown, Value
from migrate.load.tree import Tree

# No program that builds a graph needs more steps; at the limit the rest is unknown.
_MOST_STEPS = 400_000
_DEEPEST = 60


class TooMuch(Exception):
    """The evaluation takes more steps than it may."""


class Machine:
    """Everything that statements, expressions and calls share.

    Attributes:
      tree: the program's files.
      guard: how the tests came out on the way to this point.
      repeated: how many loops, whose bodies are evaluated once for every round, are open.
      frame: the innermost one.
    """

    def __init__(
        self, tree: Tree, configuration: Configuration, library: Library
    ) -> None:
        self.tree, self.configuration, self.library = tree, configuration, library
        self.store, self.hosts, self.record = Store(), Hosts(), Record()
        self.guard: Guard = ()
        self.repeated = 0
        self.frames: dict[int, Frame] = {}
        self.stack: list[Frame] = []
        self.codes: list[tuple[Code, Names, str]] = []
        self.loops: list[LoopState] = []
        self.yielding: list[Callable[[Value], Value]] = []
        # Calls of the program's functions that led here: (file, line).
        self.calls: tuple[tuple[str, int], ...] = ()
        # The completion of a called function that did not return.
        self.ended: Completion | None = None
        self.at: ast.AST = ast.Module([], [])
        self._steps = 0
        self._codes: dict[int, int] = {}
        self._kept: list[ast.AST] = []

    # Names and places.

    @property
    def frame(self) -> Frame:
        return self.stack[-1]

    def count_step(self, node: ast.AST) -> None:
        """Counts a statement or a call."""
        self.at = node
        self._steps += 1
        if self._steps > _MOST_STEPS:
            raise TooMuch

    def make_origin(self, node: ast.AST | None = None) -> Origin:
        """The place of a node, or of what is evaluated now."""
        node = node if node is not None and hasattr(node, "lineno") else self.at
        file = self.stack[-1].file if self.stack else ""
        line, column = getattr(node, "lineno", 0), getattr(node, "col_offset", 0)
        return Origin(file, line, column, self.calls)

    def number_code(self, node: Code, file: str) -> int:
        """The number of a function's definition."""
        number = self._codes.get(id(node))
        if number is None:
            number = self._codes[id(node)] = len(self.codes)
            self.codes.append((node, find_names(node), file))
        return number

    def make_frame(
        self, names: Names | None, parent: Frame | None, module: Frame | None, file: str
    ) -> Frame:
        """A frame with cells of its own."""
        frame = Frame(self.store.allocate(), names, parent, module, file)
        frame.mark = self.store.mark()
        self.frames[frame.number] = frame
        return frame

    @contextlib.contextmanager
    def enter_frame(self, frame: Frame) -> Iterator[Frame]:
        """Makes the frame the innermost one, and forgets its assumptions at its end."""
        if len(self.stack) >= _DEEPEST:
            raise TooMuch
        guard, at = self.guard, self.at
        frame.base = len(guard)
        self.stack.append(frame)
        try:
            yield frame
        finally:
            self.stack.pop()
            self.guard, self.at = guard, at

    # What is not known.

    def make_unknown(self, reason: str, node: ast.AST | None = None) -> Unknown:
        """A value nobody knows."""
        return Unknown(reason, self.make_origin(node))

    def report_problem(self, reason: str, node: ast.AST | None = None) -> Unknown:
        """Records something unknown that may change the graph."""
        origin = self.make_origin(node)
        self.record.problems.append(Problem(reason, origin))
        return Unknown(reason, origin)

    # Tests.

    def find_outcome(self, test: int) -> bool | None:
        """Returns the outcome of a test on the way here; None if it was not tested."""
        base, positive = self.hosts.find_polarity(test)
        for key, outcome in self.guard:
            if key == base:
                return outcome if positive else not outcome
        return None

    @contextlib.contextmanager
    def enter_branch(self, test: int, outcome: bool) -> Iterator[None]:
        """On one side of a test."""
        guard = self.guard
        self.assume(test, outcome)
        try:
            yield
        finally:
            self.guard = guard

    def assume(self, test: int, outcome: bool) -> None:
        """Assumes an outcome of a test, until the end of the open frame or branch."""
        base, positive = self.hosts.find_polarity(test)
        self.guard = (*self.guard, (base, outcome if positive else not outcome))

    def rule_out(self, test: int, outcome: bool) -> None:
        """Rules out a side of a test that ended the program or raised."""
        self.assume(test, not outcome)

    def leave(
        self, test: int, outcome: bool, completion: Completion, delta: Delta, fork: int
    ) -> None:
        """Keeps a side that leaves its function or its loop until that ends."""
        base, positive = self.hosts.find_polarity(test)
        one = (base, outcome if positive else not outcome)
        home: Frame | LoopState = self.frame
        if completion.kind in ("break", "continue") and self.loops:
            home = self.loops[-1]
        tests = (*self.guard[home.base :], one)
        whole = joins.complete_delta(self, delta, home.mark, fork)
        home.pending.append(Pending(tests, completion, whole))

    # Cells.

    def read(self, key: Any, default: Any = MISSING) -> Any:
        """Reads a cell, with the choices resolved that are decided here."""
        found = self.store.get(key, default)
        while isinstance(found, Diverged):
            known = self.find_outcome(found.test)
            if known is None:
                return found
            found = found.yes if known else found.no
        return self.resolve(found) if isinstance(found, Choice) else found

    def resolve(self, value: Value) -> Value:
        """Resolves the choices of a value that are decided here."""
        while isinstance(value, Choice):
            known = self.find_outcome(value.test)
            if known is None:
                return value
            value = value.yes if known else value.no
        return value

    # Trying.

    def mark_point(self) -> tuple[int, Any, int]:
        """Marks a point to which the evaluation can be taken back."""
        return self.store.mark(), self.record.mark(), len(self.frame.pending)

    def take_back(self, point: tuple[int, Any, int]) -> None:
        """Undoes everything that was evaluated and recorded since a point."""
        mark, recorded, pending = point
        self.store.take_off(mark)
        self.record.undo(recorded)
        del self.frame.pending[pending:]

    def fork_test(
        self, test: Host, yes: Callable[[], Value], no: Callable[[], Value]
    ) -> Value:
        """One value for both sides of a test."""
        return joins.fork_store(self, test.key, yes, no)


class LoopState:
    """A loop that is being evaluated: which sides have left its rounds.

    Attributes:
      mark: the journal's length when the round began.
      base: how many tests had been decided then.
      pending: sides that broke off or went on with the next round.
    """

    def __init__(self, mark: int, base: int) -> None:
        self.mark, self.base = mark, base
        self.pending: list[Pending] = []
