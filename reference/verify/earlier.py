"""Checkpoints of earlier trainings, which lie in the directories of the two programs.

Whoever runs a migrated program before proving it has checkpoints beside it that the
original lacks. Its next run continues from them, and the original begins anew.
"""

from __future__ import annotations

import os
import pathlib
import re
import shutil
from collections.abc import Iterable

# The file in which TensorFlow lists the checkpoints of a directory.
_STATE = "checkpoint"
_OWN = re.compile(
    r"(checkpoint|graph\.pbtxt|events\.out\.tfevents.*|.*\.(meta|index|data-\d+-of-\d+))$"
)
_LEFT = {".git", ".hg", "__pycache__", "node_modules", ".venv", "venv"}


def find_differing(
    old: pathlib.Path, new: pathlib.Path, data: Iterable[pathlib.Path] = ()
) -> list[str]:
    """Directories below both programs' that do not hold the same checkpoints."""
    read_only = {path.resolve() for path in data}
    ours = _find_directories(new, read_only)
    theirs = _find_directories(old, read_only) if ours else set()
    return sorted(n for n in ours | theirs if _list(old / n) != _list(new / n))


def _find_directories(root: pathlib.Path, left: set[pathlib.Path]) -> set[str]:
    """Below a program's directory, those in which TensorFlow lists checkpoints."""
    found = set()
    for current, directories, names in os.walk(root):
        path = pathlib.Path(current)
        directories[:] = [
            d for d in directories if d not in _LEFT and path / d not in left
        ]
        if _STATE in names:
            found.add(path.relative_to(root).as_posix())
    return found


def _list(directory: pathlib.Path) -> dict[str, int]:
    if not directory.is_dir():
        return {}
    files = (p for p in directory.iterdir() if p.is_file() and _OWN.match(p.name))
    return {path.name: path.stat().st_size for path in files}


def replace(old: pathlib.Path, new: pathlib.Path, names: Iterable[str]) -> None:
    """Gives directories of a migration's run the checkpoints that the original has."""
    for name in names:
        for file in _list(new / name):
            (new / name / file).unlink()
        for file in _list(old / name):
            (new / name).mkdir(parents=True, exist_ok=True)
            shutil.copyfile(old / name / file, new / name / file)


def explain(names: Iterable[str]) -> str:
    """Writes the verdict's sentence about checkpoints that differed at the start."""
    return (
        f"{', '.join(names)}: the migration's directory has other checkpoints than the "
        "original's. Both programs began with those of the original's directory, or "
        "with none where it has none."
    )
