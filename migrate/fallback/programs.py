"""Which files of a run belong together, because one imports the other."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Iterable, Mapping, Sequence

from migrate.facts.trees.imports import imported


class Imports:
    """What the files of a run import of each other.

    Args:
      files: all files of the run.
    """

    def __init__(self, files: Iterable[pathlib.Path]) -> None:
        self._files = {os.path.realpath(path): path for path in files}
        self._importers: dict[str, set[str]] = {real: set() for real in self._files}
        for real, path in self._files.items():
            if path.suffix != ".py":
                continue
            for module in imported(path, self._files):
                if module != real:
                    self._importers[module].add(real)

    def find_helpers(self, program: Sequence[pathlib.Path]) -> list[pathlib.Path]:
        """Files that a program loads besides its own and that name TensorFlow, too."""
        own = {os.path.realpath(path) for path in program}
        reached, work = set(own), list(own)
        while work:
            real = work.pop()
            more = {m for m, users in self._importers.items() if real in users}
            work += more - reached
            reached |= more
        found = sorted(reached - own)
        return [self._files[r] for r in found if b"tensorflow" in _read(self._files[r])]

    def is_shared(
        self, helper: pathlib.Path, program: Sequence[pathlib.Path]
    ) -> pathlib.Path | None:
        """A file outside a program that imports a helper of it, and names TensorFlow."""
        own = {os.path.realpath(path) for path in program}
        for real in sorted(self._importers[os.path.realpath(helper)] - own):
            if b"tensorflow" in _read(self._files[real]):
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

    def find_programs(
        self, concerned: Iterable[pathlib.Path]
    ) -> list[list[pathlib.Path]]:
        """Groups files by their imports; those that are not concerned join nobody."""
        paths = {os.path.realpath(path): path for path in concerned}
        group = {real: {real} for real in paths}
        for real in paths:
            for importer in self._importers.get(real, ()):
                if importer in group and group[importer] is not group[real]:
                    group[real] |= group[importer]
                    for moved in group[importer]:
                        group[moved] = group[real]
        return [
            [paths[real] for real in paths if real in one] for one in _distinct(group)
        ]


def _read(path: pathlib.Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def _distinct(group: Mapping[str, set[str]]) -> list[set[str]]:
    return list({id(one): one for one in group.values()}.values())
