"""What a comparison rests on, and what it says of one value."""

from __future__ import annotations

import dataclasses

from reference.verify.records import Record


@dataclasses.dataclass
class Row:
    """How far one value of the two programs is apart.

    Attributes:
      kind, name: of the series.
      steps: how many of its points were compared.
      beyond: how many were not: rounding alone could move them as far as training did.
      unseen: how many were not kept, and are known to differ in some bit.
      difference, at, allowed, ulps: the largest difference against what was allowed then,
        its step, what was allowed there, and it in representable numbers.
      first: the first point that is wrong; a sentence in `what`.
      old_at, new_at: the lines of the two programs.
      curve: of a scalar: (step, old, new) of every point.
    """

    kind: str
    name: str
    steps: int = 0
    beyond: int = 0
    unseen: int = 0
    difference: float = 0.0
    at: int | None = None
    allowed: float = 0.0
    ulps: int | None = None
    first: int | None = None
    what: str = ""
    excess: float = 0.0
    old_at: str = ""
    new_at: str = ""
    curve: list[tuple[int, float, float]] = dataclasses.field(default_factory=list)
    floats: bool = False
    trainable: bool = False
    notes: set[str] = dataclasses.field(default_factory=set)

    @property
    def wrong(self) -> bool:
        return self.first is not None


@dataclasses.dataclass
class Records:
    """What there is to compare.

    Attributes:
      first, second: two runs of the original.
      shifted: one with initial values moved by one ULP; None where it was not needed.
      new: the migrated program's.
    """

    first: Record
    second: Record
    new: Record
    shifted: Record | None = None
