"""Declares the records that a comparison reads, and the row of one compared value."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from reference.verify.records import Record


@dataclasses.dataclass
class Row:
    """The difference between the two programs in one value.

    Attributes:
      kind, name: of the series.
      steps: the number of compared points.
      beyond: points not compared: rounding may move them as far as training does.
      unseen: points that were not kept, and are known to differ in some bit.
      difference, at, allowed, ulps: the largest difference relative to the allowed one,
        its step, the difference allowed there, and it in representable numbers.
      first: the first wrong point; a sentence about it in `what`; its difference as a
        factor of the allowed one, and as a share of the value.
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
    """The records of the runs that are compared.

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
        """The record that shows how much the original differs from itself.

        If two runs of it in TensorFlow 1.15.5 are alike, it is the record of its graph
        in another TensorFlow.
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
