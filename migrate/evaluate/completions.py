"""Describes the ways in which a suite of statements ends."""

from __future__ import annotations

import dataclasses

from migrate.evaluate.store import Delta
from migrate.graph.values import NONE, Value


@dataclasses.dataclass(frozen=True, slots=True)
class Completion:
    """One way in which a suite of statements ends.

    Attributes:
      kind: "normal", "return", "break", "continue", "raise", or "never" (the process ends, or waits
        for ever).
      value: what is returned or raised.
    """

    kind: str
    value: Value = NONE


NORMAL = Completion("normal")
BREAK = Completion("break")
CONTINUE = Completion("continue")
NEVER = Completion("never")


@dataclasses.dataclass(frozen=True, slots=True)
class Pending:
    """A side of a fork that left a function or a loop, while the other side goes on.

    Attributes:
      tests: how the tests came out, since what it left began, by which it left.
      completion: how it left.
      delta: all that was changed on its way, since what it left began.
    """

    tests: tuple[tuple[int, bool], ...]
    completion: Completion
    delta: Delta
