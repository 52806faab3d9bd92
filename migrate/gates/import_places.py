"""Which file an import names, and which files of a run may import one."""

from __future__ import annotations

import ast
import functools
import os
import pathlib
import re
import sys
from collections.abc import Iterable, Iterator

from migrate.facts.trees.imports import resolve_module


class _OnDisk:
    """Every file that there is."""

    def __contains__(self, real: object) -> bool:
        return bool(real)

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


def find_file(
    path: str, level: int, parts: tuple[str, ...]
) -> tuple[str, tuple[str, ...]]:
    """The file with the longest part of a dotted name, and the rest of the name.

    Args:
      path: of the file that imports it.
      level: dots before the name.
    """
    for count in range(len(parts), 0, -1):
        file = resolve_module(pathlib.Path(path), level, (parts[:count],), _OnDisk())
        if file and os.path.isfile(file):
            return file, parts[count:]
    return "", parts


def name_module(path: str) -> str:
    """The last part of the dotted name of a file, or of the package whose file it is."""
    place = pathlib.Path(path)
    return place.parent.name if place.stem == "__init__" else place.stem


def find_users(path: str, files: Iterable[str]) -> list[str]:
    """Those of some files that name a file's module."""
    module = name_module(path)
    return [
        file
        for file in sorted(files)
        if file != path and file.endswith(".py") and module in _read_words(file)
    ]


@functools.lru_cache(maxsize=4096)
def _read_words(file: str) -> frozenset[str]:
    """The parts of the names that a file imports."""
    try:
        text = pathlib.Path(file).read_text("utf-8", "replace")
    except OSError:
        return frozenset()
    imports = re.findall(r"^[ \t]*(?:from|import)[ \t].*(?:\([^)]*\))?", text, re.M)
    return frozenset(word for line in imports for word in re.findall(r"\w+", line))


def find_alias(statement: ast.Import | ast.ImportFrom, name: str) -> tuple[str, ...]:
    """The parts of the dotted name that an import binds to a name."""
    for alias in statement.names:
        if (alias.asname or alias.name.split(".")[0]) == name:
            return list_parts(statement, alias)
    return ()


def list_parts(
    statement: ast.Import | ast.ImportFrom, alias: ast.alias
) -> tuple[str, ...]:
    """The parts of a dotted name that is imported."""
    if isinstance(statement, ast.ImportFrom):
        above = statement.module.split(".") if statement.module else []
        return (*above, alias.name)
    return tuple(alias.name.split("."))


def is_of_python(path: str) -> bool:
    """Whether a dotted name is of the standard library."""
    return path.partition(".")[0] in sys.stdlib_module_names
