"""What a comparison rests on, and what it says of one value."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

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
      first: the first point that is wrong; a sentence in `what`; how far beyond what is
        allowed, as a factor, and as a share of the value.
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
    share: float = float("inf")
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
      kernels: the original in the migration's TensorFlow; None where it was not needed.
    """

    first: Record
    second: Record
    new: Record
    shifted: Record | None = None
    kernels: Record | None = None

    @property
    def again(self) -> Record:
        """What shows how far the original is from itself.

        Where two runs of it in TensorFlow 1.15.5 are alike, that is what its graph
        computes in another TensorFlow.
        """
        return self.kernels or self.second

    def each(self, of: Callable[[Record], Record]) -> Records:
        """The same part of every record."""
        return Records(
            of(self.first),
            of(self.second),
            of(self.new),
            self.shifted and of(self.shifted),
            self.kernels and of(self.kernels),
        )
