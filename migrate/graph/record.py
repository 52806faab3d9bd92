"""Records what an evaluation finds: nodes, variables, placeholders, runs, problems."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from migrate.graph.shapes import Shape
from migrate.graph.values import Origin, Value

# Tests that only a run decides, and how they came out: (the host value's key, the outcome).
Guard = tuple[tuple[int, bool], ...]


@dataclasses.dataclass(frozen=True)
class Node:
    """One call that adds to a graph.

    Attributes:
      number: nodes are numbered in the order in which they are made.
      graph: which graph.
      label: the function as TensorFlow 1.15.5 defines it: `python/ops/math_ops:add`.
      symbol: its public name, or a method's.
      given: what it is called with, by parameter.
      needs: what else it depends on: variables that it made or read, collections' members.
      after: what it waits for, by control dependencies.
      scope: the scope of names it is in.
      device: where it is placed.
      guard: when it is made.
      repeated: a loop makes it again in every round.
      parent: the node whose function (a branch, a loop's body) it belongs to; -1: none.
    """

    number: int
    graph: int
    label: str
    symbol: str
    given: Mapping[str, Value]
    needs: tuple[Value, ...]
    after: tuple[Value, ...]
    scope: str
    device: str
    guard: Guard
    origin: Origin
    repeated: bool = False
    parent: int = -1


@dataclasses.dataclass(frozen=True)
class Initial:
    """A variable's first value.

    Attributes:
      draws: operations that draw it ("TruncatedNormal"), or "variable NAME"; sorted.
      constant: the one number it is full of, where it is that.
      value: the tensor or host value it is taken from, where a program gave one.
    """

    draws: tuple[str, ...] = ()
    constant: object = None
    value: Value | None = None


@dataclasses.dataclass(frozen=True)
class Variable:
    """A variable, in the order in which they are made."""

    number: int
    graph: int
    name: str | None
    shape: Shape | None
    dtype: str | None
    trainable: bool | None
    device: str
    initial: Initial
    guard: Guard
    origin: Origin
    # The node whose call makes it; -1 where its own does.
    node: int = -1
    # It is an optimizer's, or a metric's: nobody named it.
    slot: bool = False


@dataclasses.dataclass(frozen=True)
class Placeholder:
    """A placeholder."""

    node: int
    graph: int
    name: str | None
    dtype: str | None
    shape: Shape | None
    guard: Guard
    origin: Origin


@dataclasses.dataclass(frozen=True)
class Run:
    """A call of a session: what it asks for, what it feeds.

    Attributes:
      session: the session's address.
      fetches: what is asked for, one after another.
      feeds: what is fed; None where the keys are not known.
      repeated: a loop asks again in every round.
      via: the method that asks, where that is not the session's own `run`.
    """

    session: int
    graph: int
    fetches: tuple[Value, ...]
    feeds: tuple[Value, ...] | None
    guard: Guard
    origin: Origin
    repeated: bool = False
    via: str = ""


@dataclasses.dataclass(frozen=True)
class Problem:
    """Something that the evaluator does not know and that may change the graph."""

    reason: str
    origin: Origin


@dataclasses.dataclass
class Record:
    """Everything that an evaluation found; its lengths mark a point to undo to."""

    nodes: list[Node] = dataclasses.field(default_factory=list)
    variables: list[Variable] = dataclasses.field(default_factory=list)
    placeholders: list[Placeholder] = dataclasses.field(default_factory=list)
    runs: list[Run] = dataclasses.field(default_factory=list)
    problems: list[Problem] = dataclasses.field(default_factory=list)

    def mark(self) -> tuple[int, int, int, int, int]:
        return (
            len(self.nodes),
            len(self.variables),
            len(self.placeholders),
            len(self.runs),
            len(self.problems),
        )

    def undo(self, mark: tuple[int, int, int, int, int]) -> None:
        """Forgets what was found after a mark."""
        nodes, variables, placeholders, runs, problems = mark
        del self.nodes[nodes:]
        del self.variables[variables:]
        del self.placeholders[placeholders:]
        del self.runs[runs:]
        del self.problems[problems:]
