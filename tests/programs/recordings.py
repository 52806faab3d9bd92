"""What TensorFlow 1.15.5 found of a group of programs, and of which texts of them."""

from __future__ import annotations

import hashlib
import json
import pathlib
from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np

from reference.compare import Array


class Program(Protocol):
    """A program that is recorded."""

    @property
    def name(self) -> str: ...

    @property
    def files(self) -> Sequence[pathlib.Path]:
        """What a recording is of, in order."""


class Recordings:
    """Those of one directory: `recorded.npz`, with digests in `recorded.json`.

    Args:
      programs: all that are recorded in it.
      by: the module that records them.
    """

    def __init__(
        self, directory: pathlib.Path, programs: Sequence[Program], by: str
    ) -> None:
        self._arrays = directory / "recorded.npz"
        self._digests = directory / "recorded.json"
        self._programs, self._by = programs, by

    def changed(self) -> list[str]:
        """Names of the programs whose text is not the recorded one."""
        digests = {}
        if self._arrays.exists() and self._digests.exists():
            digests = json.loads(self._digests.read_text())
        return [p.name for p in self._programs if digests.get(p.name) != _digest(p)]

    def read(self) -> dict[str, Array]:
        """What was found, by "<program>/<name>".

        Raises:
          ValueError: a program has changed since.
        """
        if old := self.changed():
            raise ValueError(f"recorded before they changed: {old}; see {self._by}")
        return self._read()

    def write(self, found: Mapping[str, Array]) -> None:
        """Records what programs found; what those that did not change found stays."""
        kept = {p.name for p in self._programs} - set(self.changed())
        kept -= {name.partition("/")[0] for name in found}
        old = self._read() if kept else {}
        arrays = {n: v for n, v in old.items() if n.partition("/")[0] in kept}
        np.savez_compressed(self._arrays, **arrays, **found)
        digests = {program.name: _digest(program) for program in self._programs}
        self._digests.write_text(json.dumps(digests, indent=1, sort_keys=True) + "\n")

    def _read(self) -> dict[str, Array]:
        with np.load(self._arrays) as archive:
            return {name: archive[name] for name in archive.files}


def _digest(program: Program) -> str:
    return hashlib.sha256(b"".join(f.read_bytes() for f in program.files)).hexdigest()
