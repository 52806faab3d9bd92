"""Asks git about a tree; finds nothing if there is no git or no repository."""

from __future__ import annotations

import os
import pathlib
import subprocess
import tempfile
from collections.abc import Sequence

_SECONDS = 10.0


def find_uncommitted(paths: Sequence[pathlib.Path]) -> list[str]:
    """Files below some paths with changes that are not committed, untracked ones too."""
    found: list[str] = []
    for path in paths:
        directory = path if path.is_dir() else path.parent
        out = _run_git(
            directory, "status", "--porcelain", "-z", "--", str(path.absolute())
        )
        if out:
            found += [entry[3:] for entry in out.split("\0") if entry[3:]]
    return list(dict.fromkeys(found))


def find_top(path: pathlib.Path) -> pathlib.Path | None:
    """The top of the repository that a path is in."""
    directory = path if path.is_dir() else path.parent
    out = _run_git(directory, "rev-parse", "--show-toplevel")
    return pathlib.Path(out.strip()) if out and out.strip() else None


def has_committed(path: pathlib.Path) -> bool:
    """Whether the last commit has a file, as it is now or as it was."""
    out = _run_git(path.parent, "ls-tree", "--name-only", "HEAD", "--", path.name)
    return bool(out and out.strip())


def choose_worktree(top: pathlib.Path) -> pathlib.Path:
    """A new directory for a second working tree: in no repository, and near this one."""
    beside = top.parent
    while (outer := find_top(beside)) is not None and outer != outer.parent:
        beside = outer.parent
    if outer is not None or not os.access(beside, os.W_OK):
        beside = pathlib.Path(tempfile.gettempdir())
    name = f"{top.name}-before"
    names = (name, *(f"{name}-{number}" for number in range(2, 1000)))
    return next(p for n in names if not (p := beside / n).exists())


def _run_git(directory: pathlib.Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", *arguments],
            cwd=directory,
            capture_output=True,
            timeout=_SECONDS,
            env={**os.environ, "GIT_OPTIONAL_LOCKS": "0"},
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return os.fsdecode(done.stdout) if done.returncode == 0 else None
