"""What a run writes beside programs: of each directory all files, whole.

A directory's modules hold what all programs reach that import them from there: those of
the run, and those that are there already, whose modules tell what they need. So a
second run changes nothing, and one more program adds to what the others have.
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
from migrate.pipeline import FileResult
from migrate.source import notebook, python


class Beside:
    """What goes beside the programs of a run.

    Args:
      results: of all files of the run, as they are to be written.
      target: where a file of the run is written.
      whole: modules are written whole, whatever of them is reached.
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
        # What stood where the run wrote a module; None for nothing.
        self.replaced: dict[pathlib.Path, bytes | None] = {}

    def list_homes(self) -> set[pathlib.Path]:
        """The directories that modules of the run go to."""
        return {self.find_home(r) for r in self._results if r.changed and r.support}

    def find_home(self, result: FileResult) -> pathlib.Path:
        """The directory that a result's modules go to."""
        return result.place_module(
            "", pathlib.Path(os.path.realpath(self._target(result.path)))
        )

    def list_files(self, directory: pathlib.Path) -> dict[str, bytes]:
        """The files of a directory, by name: what is to stand there after the run."""
        if directory not in self._known:
            self._known[directory] = self._render_files(directory)
        return self._known[directory]

    def list_changes(self, directory: pathlib.Path) -> list[tuple[str, bytes]]:
        """The files of a directory that do not stand there as they are to.

        Raises:
          FileExistsError: one of them is its user's.
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
        """The texts of other files that are loaded together with some."""
        new = {os.path.realpath(r.path): r.new for r in self._results if r.changed}
        for group in self._loaded_together:
            if users & group:
                for path in sorted(group - users):
                    yield _read_text(pathlib.Path(path), new.get(path))

    @functools.cached_property
    def _loaded_together(self) -> Sequence[frozenset[str]]:
        """Files that Python loads where one is started, of the run and beside its files."""
        paths = {os.path.realpath(r.path): r.path for r in self._results}
        for directory in {os.path.dirname(p) for p in paths}:
            for beside in sorted(pathlib.Path(directory).glob("*.py")):
                paths.setdefault(os.path.realpath(beside), beside)
        if len(paths) == 1:
            return [frozenset(paths)]
        imports = Imports(paths)
        return [frozenset(imports.reach(root)) for root in imports.find_roots()]


def _read_text(path: pathlib.Path, new: bytes | None) -> str:
    """A file's text, a notebook's as a module; new, or as it stands on the disk."""
    try:
        text = python.decode(path.read_bytes() if new is None else new).text
        if path.suffix == ".ipynb":
            cells = notebook.read(text)
            return "\n".join([cells.module, *(cell.source for cell in cells.cells)])
        return text
    except (OSError, ValueError, python.Unreadable):
        return ""
