"""Which files of a tree are ours to look at."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Iterator, Sequence
from typing import Any

import pathspec

_Ignores = list[tuple[pathlib.Path, Any]]  # pathspec changed its generics
_SKIPPED = frozenset(
    {".git", ".hg", ".svn", ".tox", ".nox", ".mypy_cache", ".pytest_cache",
     ".ruff_cache", "__pycache__", "node_modules", ".ipynb_checkpoints", ".eggs"}
)


def is_source(path: pathlib.Path) -> bool:
    """Python files, notebooks, and scripts whose first line asks for Python."""
    if path.suffix in (".py", ".ipynb"):
        return True
    if path.suffix:
        return False
    try:
        with path.open("rb") as stream:
            head = stream.readline(200)
    except OSError:
        return False
    return head.startswith(b"#!") and b"python" in head


def walk(root: pathlib.Path, exclude: Sequence[str] = ()) -> Iterator[pathlib.Path]:
    """Every file below `root` that git would not ignore, in a stable order.

    Virtual environments, version control and caches are left out; links to
    directories are not followed, so a loop of links cannot hold the walk.
    """
    excluded = pathspec.PathSpec.from_lines("gitwildmatch", exclude)
    ignores: _Ignores = []
    for parent in [root.resolve(), *root.resolve().parents]:
        _read_ignore(parent, ignores)
        if (parent / ".git").exists():
            break
    for current, directories, files in os.walk(root):
        here = pathlib.Path(current)
        if here != root:
            _read_ignore(here.resolve(), ignores)
        directories[:] = sorted(
            d
            for d in directories
            if d not in _SKIPPED
            and not (here / d / "pyvenv.cfg").exists()
            and not _ignored(here / d, True, ignores)
            and not excluded.match_file((here / d).relative_to(root).as_posix() + "/")
        )
        for name in sorted(files):
            path = here / name
            if not _ignored(path, False, ignores) and not excluded.match_file(
                path.relative_to(root).as_posix()
            ):
                yield path


def _read_ignore(
    directory: pathlib.Path, ignores: _Ignores
) -> None:
    file = directory / ".gitignore"
    if file.is_file():
        lines = file.read_text("utf-8", errors="replace").splitlines()
        ignores.append((directory, pathspec.PathSpec.from_lines("gitwildmatch", lines)))


def _ignored(
    path: pathlib.Path,
    directory: bool,
    ignores: _Ignores,
) -> bool:
    absolute = path.parent.resolve() / path.name
    for base, spec in ignores:
        try:
            relative = absolute.relative_to(base).as_posix()
        except ValueError:
            continue
        if spec.match_file(relative + "/" if directory else relative):
            return True
    return False
