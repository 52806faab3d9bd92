"""Finds the files that a named file imports: they are one program with it.

`tf1to2 migrate main.py` means the program that `main.py` starts. If a file of it stayed as it
is, the program would run on neither TensorFlow.
"""

from __future__ import annotations

import ast
import os
import pathlib
from collections.abc import Iterator

from migrate import emitted
from migrate.disk import discover
from migrate.source.files import parse_file
from migrate.source.python import read_or_nothing

# A directory with one of these is a project's root.
_ROOTS = (".git", "pyproject.toml", "setup.py", "setup.cfg")
_NO_EXCLUSIONS = discover.Exclusions()


def find_imported(
    start: pathlib.Path, exclusions: discover.Exclusions = _NO_EXCLUSIONS
) -> list[pathlib.Path]:
    """Returns the files that a file imports, directly or not; none if all lack TensorFlow.

    Modules that the tool has written beside a program are left out.

    Args:
      start: the file that is started.
      exclusions: files that stay out of the run.
    """
    roots = _list_roots(start)
    seen = {os.path.realpath(start)}
    found: list[pathlib.Path] = []
    work = [start]
    while work:
        for file in _list_imports(work.pop(), roots):
            real = os.path.realpath(file)
            if real in seen or exclusions.covers(file, False):
                continue
            seen.add(real)
            if emitted.is_emitted(file, read_or_nothing(file)):
                continue
            found.append(file)
            work.append(file)
    if not any(b"tensorflow" in read_or_nothing(file) for file in found):
        return []
    return sorted(found)


def _list_roots(start: pathlib.Path) -> list[pathlib.Path]:
    """Returns the directories where Python may look, the nearest first.

    They are a script's own directory, the parent of its package, and those above it up to
    the project's root, which often stands in PYTHONPATH.
    """
    above = [start.parent, *start.parent.parents]
    if not start.is_absolute():
        above += pathlib.Path.cwd().parents
    root = next((d for d in above if any((d / name).exists() for name in _ROOTS)), None)
    if root is not None:
        return above[: above.index(root) + 1]
    roots = above[:1]
    while (roots[-1] / "__init__.py").is_file() and len(roots) < len(above):
        roots.append(above[len(roots)])
    return roots


def _list_imports(
    path: pathlib.Path, roots: list[pathlib.Path]
) -> Iterator[pathlib.Path]:
    """Yields the files that a file imports itself."""
    tree = parse_file(path, read_or_nothing(path))
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _find_files(roots, alias.name.split("."))
        elif isinstance(node, ast.ImportFrom):
            module = node.module.split(".") if node.module else []
            bases = roots
            if node.level:
                bases = [[path.parent, *path.parent.parents][node.level - 1]]
            for alias in node.names:
                yield from _find_files(bases, [*module, alias.name])


def _find_files(bases: list[pathlib.Path], parts: list[str]) -> Iterator[pathlib.Path]:
    """Yields the module that a dotted name means, and the packages on the way to it."""
    for base in bases:
        found = []
        for count in range(1, len(parts) + 1):
            place = base.joinpath(*parts[:count])
            for file in (place / "__init__.py", place.with_name(f"{place.name}.py")):
                if file.is_file():
                    found.append(file)
                    break
        if found:
            yield from found
            return
