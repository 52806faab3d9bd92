"""What became of a program where it stands."""

from __future__ import annotations

import dataclasses

from migrate.findings import Finding


@dataclasses.dataclass(frozen=True)
class Changes:
    """What became of a program where it stands.

    Attributes:
      supervised: original lines of Supervisors that are sessions now.
      chiefs: where the chief was told by a wrong test, as (original line, what it did).
      split: original lines where the usual split was made by hand.
      done: original lines of queues that told parameter servers to end.
      noted: what else is told of it.
    """

    supervised: tuple[int, ...] = ()
    chiefs: tuple[tuple[int, str], ...] = ()
    split: tuple[int, ...] = ()
    done: tuple[int, ...] = ()
    noted: tuple[Finding, ...] = ()
