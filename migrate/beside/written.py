"""Decides which modules a run writes beside programs, for each directory.

A directory's modules hold all that the programs reach which import them from there. The
programs are those of the run and earlier ones: the modules that are already there tell
what these need. So a second run changes nothing, and a new program only adds to the
modules.
"""

from __future__ import annotations

import errno
import functools
import os
import pathlib
from collections.abc import Callable, Iterable, Iterator, Sequence

from migrate import emitted
from migrate.beside import files
from migrate.beside.reach import Closure
from migrate.facts.trees.programs import Imports
from migrate.file_result import FileResult


class Beside:
    """The modules that go beside the programs of a run.

    Args:
      results: of all files of the run, as they will be written.
      target: returns the path to which a file of the run is written.
      whole: whether modules are written whole, even if a part of them is not reached.
    """

    def __init__(
        self,
        results: Iterable[FileResult],
        target: Callable[[pathlib.Path], pathlib.Path] = lambda path: path,
        whole: bool = False,
    ) -> None:
        self._results = list(results)
        self._target = target
        self._whole = whole
        self._known: dict[pathlib.Path, dict[str, bytes]] = {}
        # The content that the run replaced with a module; None if there was no file.
        self.replaced: dict[pathlib.Path, bytes | None] = {}

    def list_homes(self) -> set[pathlib.Path]:
        """Returns the directories that modules of the run go to."""
        return {self.find_home(r) for r in self._results if r.changed and r.support}

    def find_home(self, result: FileResult) -> pathlib.Path:
        """Returns the directory that a result's modules go to."""
        return result.place_module(
            "", pathlib.Path(os.path.realpath(self._target(result.path)))
        )

    def list_files(self, directory: pathlib.Path) -> dict[str, bytes]:
        """Returns the files that a directory will have after the run, by name."""
        if directory not in self._known:
            self._known[directory] = self._render_files(directory)
        return self._known[directory]

    def list_changes(self, directory: pathlib.Path) -> list[tuple[str, bytes]]:
        """Returns the files of a directory that are missing or will change.

        Raises:
          FileExistsError: one of them is the user's own.
        """
        found = []
        for name, data in self.list_files(directory).items():
            path = directory / name
            there = os.path.lexists(path)
            if there and path.is_file() and path.read_bytes() == data:
                continue
            if there and not files.is_unchanged(name, directory):
                raise FileExistsError(
                    errno.EEXIST, f"{name} is not the one that it needs"
                )
            found.append((name, data))
        return found

    def _render_files(self, directory: pathlib.Path) -> dict[str, bytes]:
        closure = Closure()
        users = {
            os.path.realpath(result.path): result
            for result in self._results
            if result.changed and result.support and self.find_home(result) == directory
        }
        if self._whole:
            names = {name for r in users.values() for name in r.support}
            return files.collect_whole_modules(
                {emitted.find_module(name) for name in names}
            )
        for result in users.values():
            files.add(closure.add_program, closure, _read_text(result.path, result.new))
        for path in self._read_other_texts(frozenset(users)):
            files.add(closure.add_reader, closure, path)
        for name, data in files.find_present(directory).items():
            closure.add_file(name, data.decode())
        return files.render(closure)

    def _read_other_texts(self, users: frozenset[str]) -> Iterator[str]:
        """Yields the texts of other files that Python loads together with some of the
        users.
        """
        new = {os.path.realpath(r.path): r.new for r in self._results if r.changed}
        for group in self._loaded_together:
            if users & group:
                for path in sorted(group - users):
                    yield _read_text(pathlib.Path(path), new.get(path))

    @functools.cached_property
    def _loaded_together(self) -> Sequence[frozenset[str]]:
        """The groups of files, of the run and beside its files, that Python loads together."""
        paths = {os.path.realpath(r.path): r.path for r in self._results}
        for directory in {os.path.dirname(p) for p in paths}:
            for beside in sorted(pathlib.Path(directory).glob("*.py")):
                paths.setdefault(os.path.realpath(beside), beside)
        if len(paths) == 1:
            return [frozenset(paths)]
        imports = Imports(paths)
        return [frozenset(imports.reach(root)) for root in imports.find_roots()]


def _read_text(path: pathlib.Path, new: bytes | None) -> str:
    """Returns a file's new text, or its text on the disk; of a notebook the module's."""
    from migrate.source import notebook, python  # A cached run needs neither.

    try:
        text = python.decode(path.read_bytes() if new is None else new).text
        if path.suffix == ".ipynb":
            cells = notebook.read(text)
            return "\n".join([cells.module, *(cell.source for cell in cells.cells)])
        return text
    except (OSError, ValueError, python.Unreadable):
        return ""
