"""One effect of a program, where it is and under which conditions."""

from __future__ import annotations

import dataclasses

from migrate.gates.callees import Effect
from migrate.gates.conditions import Guard


@dataclasses.dataclass(frozen=True)
class Site:
    """One effect at one place.

    Attributes:
      effect: the effect; of kind "" if there is none, but the other program may have one.
      words: the strings among its arguments.
      constants: all constants among them.
      text: its code.
      line: of its statement.
      begins: where its statement begins, and where it begins: line and column, from 1.
      root: the trace that it belongs to; "" is the module's.
      position: its place in the order of the whole program.
      guards: the conditions on the way to it.
      own: how many of these are outside of the function that its object belongs to.
      unused: whether its trace begins at a function that the program never names.
      traced: whether TensorFlow traces the function that contains it.
      again: whether another traced function had the same place in the trace before.
      idle: whether it is in a branch that this call of its function does not take.
    """

    effect: Effect
    words: frozenset[str]
    constants: frozenset[str]
    text: str
    line: int
    begins: frozenset[tuple[int, int]]
    root: str
    position: int
    guards: tuple[Guard, ...]
    own: int = 0
    unused: bool = False
    traced: bool = False
    again: bool = False
    idle: bool = False
