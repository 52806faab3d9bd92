"""Finds the files around a program: those that it loads, and those that load it."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Iterable, Sequence

from migrate.facts.trees.programs import Imports


class Surroundings:
    """The imports between all files of a run, as one program of it sees them.

    Args:
      files: all files of the run.
    """

    def __init__(self, files: Iterable[pathlib.Path]) -> None:
        self._files = {os.path.realpath(path): path for path in files}
        self._imports = Imports(self._files)
        self._importers: dict[str, set[str]] = {real: set() for real in self._files}
        for real in self._files:
            for module in self._imports.find_imports(real):
                self._importers[module].add(real)

    def find_helpers(self, program: Sequence[pathlib.Path]) -> list[pathlib.Path]:
        """Files that a program loads besides its own and that name TensorFlow, too."""
        own = {os.path.realpath(path) for path in program}
        reached = {module for real in own for module in self._imports.reach(real)}
        found = sorted(reached - own)
        return [self._files[r] for r in found if b"tensorflow" in self._read(r)]

    def find_users(self, program: Sequence[pathlib.Path]) -> list[pathlib.Path]:
        """Finds files outside a program that import it and that name TensorFlow, too.

        One of them may be an entry point. It needs no finding, because it names
        compat.v1 already.
        """
        own = {os.path.realpath(path) for path in program}
        found: set[str] = set()
        stack = sorted(own)
        while stack:
            for real in sorted(self._importers.get(stack.pop(), set()) - own - found):
                if b"tensorflow" in self._read(real):
                    found.add(real)
                    stack.append(real)
        return [self._files[real] for real in sorted(found)]

    def find_sharer(
        self, helper: pathlib.Path, program: Sequence[pathlib.Path]
    ) -> pathlib.Path | None:
        """A file outside a program that imports a helper of it, and names TensorFlow."""
        own = {os.path.realpath(path) for path in program}
        for real in sorted(self._importers[os.path.realpath(helper)] - own):
            if b"tensorflow" in self._read(real):
                return self._files[real]
        return None

    def find_starts(self, program: Sequence[pathlib.Path]) -> frozenset[str]:
        """Real paths of those files of a program that something else may load first.

        Nothing imports them, or a file does that is no part of the program (it does not
        name TensorFlow), or their circle of imports is entered somewhere.
        """
        own = {os.path.realpath(path) for path in program}
        starts = {
            real
            for real in own
            if not self._importers.get(real) or self._importers[real] - own
        }
        return frozenset(starts or own)

    def _read(self, real: str) -> bytes:
        try:
            return self._files[real].read_bytes()
        except OSError:
            return b""
