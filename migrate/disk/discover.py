"""Finds the files of a tree that the tool reads."""

from __future__ import annotations

import dataclasses
import os
import pathlib
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence

import pathspec

_SKIPPED = frozenset(
    {
        ".git",
        ".hg",
        ".svn",
        ".bzr",
        ".tox",
        ".nox",
        ".eggs",
        ".ipynb_checkpoints",
        ".mypy_cache",
        ".pytest_cache",
        ".ruff_cache",
        "__pycache__",
        "node_modules",
        "site-packages",
    }
)
# What a virtual environment has: venv and virtualenv 20, older virtualenvs, conda.
_ENVIRONMENTS = ("pyvenv.cfg", "bin/activate_this.py", "conda-meta")


class Patterns:
    """Patterns as in a .gitignore, and the directory they are meant from."""

    def __init__(self, base: pathlib.Path, lines: Iterable[str]) -> None:
        self._base = base.resolve()
        self._spec = pathspec.GitIgnoreSpec.from_lines(lines)

    def judge(self, path: pathlib.Path, directory: bool) -> bool | None:
        """True: left out; False: expressly kept (`!`); None: says nothing of it.

        Args:
          path: absolute.
        """
        try:
            relative = path.relative_to(self._base).as_posix()
        except ValueError:
            return None
        return self._spec.check_file(relative + "/" if directory else relative).include


@dataclasses.dataclass(frozen=True)
class Exclusions:
    """The user's exclusions: each list of patterns with its directory."""

    patterns: tuple[Patterns, ...] = ()

    def covers(self, path: pathlib.Path, directory: bool) -> bool:
        return any(p.judge(path, directory) for p in self.patterns)


def is_source(path: pathlib.Path) -> bool:
    """Python files, notebooks, and scripts whose first line asks for Python.

    What is no regular file (a pipe would hold the run for ever) is no source.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return False
        if path.suffix:
            return path.suffix in (".py", ".ipynb")
        with path.open("rb") as stream:
            head = stream.readline(200)
    except OSError:
        # Named as one of ours it is told to the user as unreadable; others are not ours.
        return path.suffix in (".py", ".ipynb")
    return head.startswith(b"#!") and b"python" in head


def _raise_error(error: OSError) -> None:
    raise error


_NOTHING = Exclusions()


def walk(
    root: pathlib.Path,
    exclusions: Exclusions = _NOTHING,
    on_error: Callable[[OSError], None] = _raise_error,
) -> Iterator[pathlib.Path]:
    """Every file below `root` that git would not ignore, in a stable order.

    Virtual environments, version control and caches are left out; links to
    directories are not followed, so a loop of links cannot hold the walk. A root that
    is itself ignored or an environment is walked all the same: the user named it.

    Args:
      on_error: is told of a directory that cannot be listed.
    """
    base = root.resolve()
    # Of each directory on the way down, the .gitignore files that hold in it.
    ignores: dict[pathlib.Path, tuple[Patterns, ...]] = {
        base: _read_patterns_above(base)
    }
    for current, directories, files in os.walk(base, onerror=on_error):
        here = pathlib.Path(current)
        holding = (
            *_read_own_patterns(here),
            *ignores.pop(here),
        )  # The innermost one speaks first.
        kept = []
        for name in sorted(directories):
            path = here / name
            if not (
                name in _SKIPPED
                or _is_environment(path)
                or _is_ignored(path, True, holding)
                or exclusions.covers(path, True)
            ):
                kept.append(name)
                if not os.path.islink(path):
                    ignores[path] = holding
        directories[:] = kept
        for name in sorted(files):
            path = here / name
            if not _is_ignored(path, False, holding) and not exclusions.covers(
                path, False
            ):
                yield root / path.relative_to(base)


def _is_environment(path: pathlib.Path) -> bool:
    return any(os.path.exists(path / mark) for mark in _ENVIRONMENTS)


def _read_own_patterns(directory: pathlib.Path) -> tuple[Patterns, ...]:
    file = directory / ".gitignore"
    try:
        lines = file.read_text("utf-8", errors="replace").splitlines()
        return (Patterns(directory, lines),)
    except (OSError, ValueError):  # None there, or not one that git would read.
        return ()


def _read_patterns_above(root: pathlib.Path) -> tuple[Patterns, ...]:
    """The .gitignore files above a root, up to its repository's top, innermost first.

    None outside a repository: a stray .gitignore in a home directory means nothing.
    """
    found: list[Patterns] = []
    for directory in [root, *root.parents]:
        if directory != root:
            found += _read_own_patterns(directory)
        if os.path.exists(directory / ".git"):
            parts = [root, *root.parents][: len(root.relative_to(directory).parts)]
            ignored = any(_is_ignored(part, True, found) for part in parts)
            return () if ignored else tuple(found)
    return ()


def _is_ignored(
    path: pathlib.Path, directory: bool, holding: Sequence[Patterns]
) -> bool:
    for patterns in holding:
        verdict = patterns.judge(path, directory)
        if verdict is not None:
            return verdict
    return False
