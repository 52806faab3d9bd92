"""Records the changes that were made to a program before it was planned."""

from __future__ import annotations

import dataclasses

from migrate.findings import Finding


@dataclasses.dataclass(frozen=True)
class Changes:
    """The changes that were made to a program in its own place.

    Attributes:
      supervised: original lines of Supervisors that are sessions now.
      chiefs: (original line, the test's effect) of each wrong test for the chief.
      split: original lines where the usual split was made by hand.
      done: original lines of queues that told parameter servers to end.
      noted: other findings about these changes.
    """

    supervised: tuple[int, ...] = ()
    chiefs: tuple[tuple[int, str], ...] = ()
    split: tuple[int, ...] = ()
    done: tuple[int, ...] = ()
    noted: tuple[Finding, ...] = ()
