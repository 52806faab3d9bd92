"""Which modules of a tree build graphs for the Estimator programs that import them."""

from __future__ import annotations

import ast
import os
import pathlib
import warnings
from collections.abc import Collection, Iterable, Iterator

# What a program of Estimators spells somewhere.
_ESTIMATOR = (b"EstimatorSpec", b"Estimator(")


def graph_modules(paths: Iterable[pathlib.Path]) -> frozenset[str]:
    """Real paths of the files that Estimator programs among `paths` import.

    Modules that these import count too. Files that cannot be read or parsed are left to
    whoever migrates them.
    """
    files = {
        os.path.realpath(path): path
        for path in paths
        if path.suffix == ".py" and path.is_file()
    }
    programs = [real for real, path in files.items() if _is_program(path)]
    found: set[str] = set()
    todo = programs
    while todo:
        real = todo.pop()
        for imported in _imported(files[real], files):
            if imported not in found:
                found.add(imported)
                todo.append(imported)
    return frozenset(found)


def _is_program(path: pathlib.Path) -> bool:
    try:
        data = path.read_bytes()
    except OSError:
        return False
    return b"tensorflow" in data and any(word in data for word in _ESTIMATOR)


def _imported(path: pathlib.Path, files: dict[str, pathlib.Path]) -> Iterator[str]:
    """The files among `files` that one imports, by the nearest directory that has them."""
    for level, parts in _imports(path):
        module = resolved(path, level, (parts, parts[:-1]), files)
        if module is not None:
            yield module


def resolved(
    path: pathlib.Path,
    level: int,
    modules: Iterable[tuple[str, ...]],
    files: Collection[str],
) -> str | None:
    """The real path of the first of some modules that is a file among `files`.

    Args:
      path: of the file that imports it.
      level: dots before its name.
    """
    bases = [path.parent, *path.parent.parents]
    for base in bases[level - 1 : level] if level else bases:
        for parts in modules:
            candidate = base.joinpath(*parts)
            module = os.path.realpath(f"{candidate}.py")
            if module in files and candidate != base:
                return module
    return None


def _imports(path: pathlib.Path) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Imported names as (dots before, parts): `from .a import b` is (1, ("a", "b"))."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield 0, tuple(alias.name.split("."))
        elif isinstance(node, ast.ImportFrom):
            parts = tuple(node.module.split(".")) if node.module else ()
            for alias in node.names:
                yield node.level, (*parts, alias.name)
