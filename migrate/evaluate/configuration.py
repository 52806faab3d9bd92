"""Describes one run: its role, its arguments, and how its tests came out."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

Ranges = tuple[tuple[int, int], ...]


@dataclasses.dataclass(frozen=True)
class Configuration:
    """One run's circumstances.

    Attributes:
      flags: whether flags have their defaults: a run without arguments. Otherwise each flag is a
        host value.
      arguments: the command line after the program's name; None where it is not known.
      lines: by file, the lines that a run executed; empty where no run is known.
      environment: variables of the environment that are known.
      main: whether the first file is started, so that `__name__` is "__main__".
    """

    flags: bool = False
    arguments: tuple[str, ...] | None = None
    lines: Mapping[str, Ranges] = dataclasses.field(default_factory=dict)
    environment: Mapping[str, str] = dataclasses.field(default_factory=dict)
    main: bool = True

    def has_executed(self, file: str, first: int, last: int) -> bool | None:
        """Whether a run executed a line of these; None where no run is known."""
        ranges = self.lines.get(file)
        if ranges is None:
            return None
        return any(a <= last and first <= b for a, b in ranges)
