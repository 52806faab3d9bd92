"""What became of one file of a run."""

from __future__ import annotations

import dataclasses
import os
import pathlib
from typing import TYPE_CHECKING

from migrate.findings import Finding, Outcome

if TYPE_CHECKING:
    from migrate.outcomes import Status


@dataclasses.dataclass(frozen=True)
class FileResult:
    """The result of one file.

    Attributes:
      path: the file.
      old, new: its bytes before and after; both empty where nothing changes.
      findings: every TF1 construct in it, or why it failed.
      support: emitted modules that it needs beside it.
      installed: those that it needs from the installed package.
      support_at: where they go, from the file's directory; "" for beside it.
      python3: of a Python 2 file, its bytes as Python 3, before it was migrated.
      noted: of a refused file, its bytes with notes, where these are asked for.
      helper: whether it has nothing of TensorFlow, and names that NumPy lost.
      status: what became of it, once its program is settled (`migrate.outcomes`).
      program: the first file of its program, once that is settled.
      entries: the entry points that load it, once its program is settled.
    """

    path: pathlib.Path
    old: bytes = b""
    new: bytes = b""
    findings: tuple[Finding, ...] = ()
    support: tuple[str, ...] = ()
    installed: tuple[str, ...] = ()
    python3: bytes = b""
    support_at: str = ""
    noted: bytes = b""
    helper: bool = False
    status: Status | None = None
    program: pathlib.Path | None = None
    entries: tuple[pathlib.Path, ...] = ()

    @property
    def changed(self) -> bool:
        return self.old != self.new

    @property
    def failed(self) -> bool:
        return any(f.outcome is Outcome.FAILED for f in self.findings)

    def place_module(self, name: str, target: pathlib.Path) -> pathlib.Path:
        """Returns the path of an emitted module for a result at `target`."""
        return pathlib.Path(os.path.normpath(target.parent / self.support_at / name))

    def mark_failed(self, code: str, reason: str, recipe: str = "") -> FileResult:
        """The same file, left as it was, and why."""
        finding = Finding(1, 1, code, Outcome.FAILED, "", reason, recipe)
        return FileResult(
            self.path,
            findings=(*self.findings, finding),
            program=self.program,
            entries=self.entries,
        )
