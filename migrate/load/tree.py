"""The files that a program may import, and which file an import means."""

from __future__ import annotations

import ast
import pathlib
import posixpath
import warnings
from collections.abc import Callable, Mapping
from typing import Protocol


class Files(Protocol):
    """Where texts are."""

    def read(self, path: str) -> str | None:
        """The text of a file; None where there is none."""


class Texts:
    """Texts at hand, by path."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts

    def read(self, path: str) -> str | None:
        return self._texts.get(path)


class Directory:
    """The files below a directory of the disk.

    Args:
      prepare: makes Python 3 of a text, or None of what is none.
    """

    def __init__(
        self,
        root: pathlib.Path,
        prepare: Callable[[str], str | None] = lambda text: text,
    ) -> None:
        self._root, self._prepare = root, prepare

    def read(self, path: str) -> str | None:
        try:
            text = (self._root / path).read_bytes().decode("utf-8", "replace")
        except OSError:
            return None
        return self._prepare(text.removeprefix("\ufeff"))


class Tree:
    """Parsed files, each once.

    Args:
      files: where they are.
      start: the file that is started; what stands beside it can be imported.
    """

    def __init__(self, files: Files, start: str) -> None:
        self._files, self.start = files, start
        self._parsed: dict[str, ast.Module | None] = {}
        # Directories that imports are looked for in; programs add to them.
        self.path = [posixpath.dirname(start)]

    def parse(self, path: str) -> ast.Module | None:
        """A file's tree; None where there is no such file or it is no Python."""
        if path not in self._parsed:
            text = self._files.read(path)
            self._parsed[path] = None if text is None else _parse(text)
        return self._parsed[path]

    def find(self, name: str, level: int, importer: str) -> tuple[str, str] | None:
        """(path, dotted name) of the module that an import means; None: not of the program.

        Args:
          level: how many dots stand before the name.
          importer: the file with the import.
        """
        below = name.replace(".", "/")
        if level:
            base = posixpath.dirname(importer)
            for _ in range(level - 1):
                base = posixpath.dirname(base)
            places = [base]
        else:
            places = self.path
        for place in places:
            stem = posixpath.normpath(posixpath.join(place, below)) if below else place
            for path in (f"{stem}/__init__.py", f"{stem}.py"):
                if self.parse(path) is not None:
                    return path, stem.replace("/", ".")
            if below and self._is_package(stem):
                return stem, stem.replace("/", ".")
        return None

    def _is_package(self, stem: str) -> bool:
        """Whether a directory without `__init__.py` may be one: nobody lists directories here."""
        del stem
        return False


def _parse(text: str) -> ast.Module | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return None
