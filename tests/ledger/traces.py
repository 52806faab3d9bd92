"""Traces what a test and its fixtures did before their first process, and read."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import os
import pathlib
import sys
from collections.abc import Iterable, Iterator
from types import FrameType
from typing import Any

from tests.ledger import launches

ROOT = pathlib.Path(__file__).parents[2]
# The compiler's own modules are no input of a proof, what it writes is: in a launch.
_COMPILER = str(ROOT / "migrate") + os.sep
_SKIPPED = (".git", "__pycache__", ".pytest_cache", ".hypothesis", ".ruff_cache")
_LISTS = ("os.listdir", "os.scandir")
_OF_IMPORTS = "<frozen importlib"
_STARTS = ("subprocess.Popen", "reference.preloaded.start")
_OWN = str(ROOT) + os.sep
# Stands for the code of all modules, where what was opened was opened by pytest itself.
_ANYBODY = ROOT
_LEDGER = str(pathlib.Path(__file__).parent) + os.sep


@dataclasses.dataclass
class Trace:
    """The actions of one test, or of one fixture.

    Attributes:
      launches: digests of what it started, in order.
      written: digests of the migrations that were made before the first launch.
      reads: committed files that it opened.
      listed: directories that it listed.
      started: whether it started a process, in whatever way.
      unseen: whether it started a process whose reads are unknown.
      committed: committed files that its first process could read, and those that it
        started without telling.
      seen: digests of the files that its first process could read.
      beside: digests of what was written beside programs before the first launch.
      late: whether text that the compiler writes came into use after the first launch,
        which no key foresees.
    """

    launches: list[str] = dataclasses.field(default_factory=list)
    written: list[str] = dataclasses.field(default_factory=list)
    reads: set[pathlib.Path] = dataclasses.field(default_factory=set)
    listed: set[pathlib.Path] = dataclasses.field(default_factory=set)
    started: bool = False
    unseen: bool = False
    committed: frozenset[pathlib.Path] = frozenset()
    seen: frozenset[bytes] = frozenset()
    beside: set[bytes] = dataclasses.field(default_factory=set)
    late: bool = False
    _whole: bool = False

    def launched(
        self,
        digest: str,
        files: frozenset[bytes],
        beside: frozenset[bytes],
        whole: bool = False,
    ) -> None:
        """Notes a launch, and what its processes can read.

        Args:
          files: digests of these.
          beside: of those of them that the compiler writes beside programs.
          whole: that is the compiler itself, so whatever it writes is foreseen.
        """
        if not self.launches:
            self.seen, self._whole = files, whole
        elif beside - self.seen - self.beside and not self._whole:
            self.late = True
        self.launches.append(digest)

    def migrated(self, text: str) -> None:
        """Notes a migration's result."""
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        if not self.launches:
            self.written.append(digest)
        elif digest not in self.written and not self._whole:
            self.late = True

    def wrote_beside(self, files: Iterable[bytes]) -> None:
        """Notes what was written beside a program; later it is noted by who reads it."""
        if not self.launches:
            self.beside |= set(files)

    def opened(self, path: pathlib.Path) -> None:
        """Is told of each file that was opened, and each directory that was listed."""

    def inputs(self) -> str:
        """The digest of the first launch and of all migrations made before it."""
        if not self.launches:
            return ""
        beside = {found.hex() for found in self.beside - self.seen}
        whole = "\0".join([self.launches[0], *sorted({*self.written, *beside})])
        return hashlib.sha256(whole.encode()).hexdigest()


class Imports(Trace):
    """The files that are opened while test modules are imported, by importing file.

    A module of helpers is imported once, for the first test module that wants it. A
    file that it opens then counts for every test module that imports it, or any file
    that had a part in the opening.
    """

    def __init__(self) -> None:
        super().__init__()
        self._openers: dict[pathlib.Path, set[pathlib.Path]] = {}

    def opened(self, path: pathlib.Path) -> None:
        if path.suffix != ".py":  # Those are known by who imports them.
            openers = self._openers.setdefault(path, set())
            openers |= _find_callers() or {_ANYBODY}

    def opened_for(self, sources: Iterable[pathlib.Path]) -> set[pathlib.Path]:
        """The files and directories that were opened for some source files."""
        asked = {*sources, _ANYBODY}
        return {path for path, openers in self._openers.items() if openers & asked}


def _find_callers() -> set[pathlib.Path]:
    """The files of the repository whose code is running, without the ledger's own."""
    found = set()
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        name = frame.f_code.co_filename
        if name.startswith(_OWN) and not name.startswith(_LEDGER):
            found.add(pathlib.Path(name))
        frame = frame.f_back
    return found


class Traces:
    """The traces of what is running now, innermost last.

    Attributes:
      started: how many processes were started in all.
    """

    def __init__(self) -> None:
        self.running: list[Trace] = []
        self.started = 0
        self._paused = False

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """While the ledger itself reads files."""
        self._paused = True
        try:
            yield
        finally:
            self._paused = False

    def listen(self) -> None:
        """Begins to note which files are opened; Python cannot end that."""
        sys.addaudithook(self._audit)

    def _audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event in _STARTS:
            self.started += 1
            if self.running:
                self._start(*arguments)
        if self._paused or not self.running:
            return
        if event == "open":
            path, mode = arguments[0], arguments[1]
            if mode and "r" not in mode:
                return
            if (found := _find_own_file(path)) is not None:
                for trace in self.running:
                    trace.reads.add(found)
                    trace.opened(found)
        elif event in _LISTS and (found := _find_own_file(arguments[0])) is not None:
            # Python lists directories to find modules; those are known by what they hold.
            if sys._getframe(1).f_code.co_filename.startswith(_OF_IMPORTS):
                return
            for trace in self.running:
                trace.listed.add(found)
                trace.opened(found)

    def _start(self, executable: object, command: object = (), *more: object) -> None:
        """Notes a process: what it can read, or that nobody knows it."""
        where = more[0] if more and isinstance(more[0], (str, os.PathLike)) else "."
        found = None
        if isinstance(command, (list, tuple)):
            words = [os.fspath(word) for word in command] or [sys.executable]
            if not command:  # It has imported TensorFlow, and is given a script.
                words.append(str(executable))
            with self.paused():
                found = launches.find_read_by(words, pathlib.Path(where).resolve())
        for trace in self.running:
            trace.started = True
            if found is None:
                trace.unseen = True
            else:
                trace.committed |= found


def _find_own_file(path: object) -> pathlib.Path | None:
    """The committed file or directory of a path; None where it is none, or the compiler's."""
    if not isinstance(path, (str, os.PathLike)):
        return None
    text = os.path.abspath(os.fspath(path)) if isinstance(path, str) else str(path)
    if (
        not text.startswith(str(ROOT) + os.sep)
        or text.startswith(_COMPILER)
        or f"{text}{os.sep}".startswith(_LEDGER)
        or any(part in text for part in _SKIPPED)
        or text.endswith(".pyc")
    ):
        return None
    return pathlib.Path(text)
