"""Programs as one text with the modules that build their graph."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from migrate.findings import Finding, move_finding

if TYPE_CHECKING:
    from migrate.migration import Migration


@dataclasses.dataclass(frozen=True)
class Together:
    """A program and the modules that build its graph, as one text.

    Attributes:
      original: the program's own text.
      text: the text of all.
      origins: of each line of it, the line of the program; 0 for a module's lines.
      places: of each line of it, the file that it is of, and its line there; "" for
        lines that were added.
      imports: (line of the program, the module that stands there now).
      bare: the same without the modules' classes that nothing uses, if it has any. It is
        only asked why the program is refused: the class may be refused for itself.
    """

    original: str
    text: str
    origins: tuple[int, ...]
    places: tuple[tuple[str, int], ...]
    imports: tuple[tuple[int, str], ...]
    bare: Together | None = None


@dataclasses.dataclass(frozen=True)
class Settled:
    """One program's migration together with its modules, or its refusals.

    Attributes:
      migration: its result; None if it has none in this form.
      refusals: the refusals in each file, by its real path.
    """

    migration: Migration | None
    refusals: Mapping[str, tuple[Finding, ...]] = dataclasses.field(
        default_factory=dict
    )


@dataclasses.dataclass(frozen=True)
class Parts:
    """The programs of a run and their modules, by files' real paths.

    Attributes:
      programs: each program with modules, as one text.
      users: the programs that a module is part of.
      shown: how a module's line names a program.
      settled: the results of the programs that are already migrated.
    """

    programs: Mapping[str, Together] = dataclasses.field(default_factory=dict)
    users: Mapping[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)
    shown: Mapping[str, str] = dataclasses.field(default_factory=dict)
    settled: Mapping[str, Settled] = dataclasses.field(default_factory=dict)

    def move_refusals(self, path: str, origins: Sequence[int]) -> Parts:
        """Moves a file's refusals to their new lines after lines were left out.

        Args:
          path: the file's real path.
          origins: for each line that is left, the line at which it stood.
        """
        lines = [0] * max(origins, default=0)
        for number, origin in enumerate(origins, 1):
            lines[origin - 1] = lines[origin - 1] or number

        def move(program: Settled) -> Settled:
            told = tuple(
                move_finding(f, lines)
                for f in program.refusals.get(path, ())
                if 0 < f.line <= len(lines) and lines[f.line - 1]
            )
            rest = {p: r for p, r in program.refusals.items() if p != path}
            refusals = {**rest, path: told} if told else rest
            return dataclasses.replace(program, refusals=refusals)

        settled = {name: move(program) for name, program in self.settled.items()}
        return dataclasses.replace(self, settled=settled)

    def narrow_to_file(self, path: str) -> Parts:
        """Returns only what the migration of one file needs."""
        users = self.users.get(path, ())
        return Parts(
            {p: self.programs[p] for p in (path, *users) if p in self.programs},
            {path: users} if users else {},
            {p: self.shown[p] for p in users},
            {p: self.settled[p] for p in (path, *users) if p in self.settled},
        )
