"""Keeps the results of runs over unchanged trees between calls.

A file's result depends on the other files of its tree, so the cache keeps whole runs.
The key is the digest of everything that the result depends on: this tool's own files,
the options, every file's path and bytes, and the other Python files in their
directories. A run over single files is not kept: what they import may be anywhere.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pathlib
import pickle
import sys
import tempfile
from collections.abc import Iterable, Sequence

import migrate
from migrate.file_result import FileResult
from migrate.options import Options

_KEPT = 40  # Runs; the oldest go first.
_SWITCH = "TF1TO2_NO_CACHE"


def is_wanted() -> bool:
    """Whether the user has not switched it off."""
    return not os.environ.get(_SWITCH)


def find_directory() -> pathlib.Path:
    """Returns the directory of the cache: below XDG_CACHE_HOME, or ~/.cache."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(
        os.path.expanduser("~"), ".cache"
    )
    return pathlib.Path(base) / "tf1to2" / "runs"


def find_key(
    paths: Sequence[pathlib.Path],
    work: Sequence[pathlib.Path | FileResult],
    options: Options,
    each_link: bool,
) -> str | None:
    """Returns the key of a run; None if the run is not kept.

    Args:
      work: the files to look at, and those that cannot be read.
    """
    files = [item for item in work if isinstance(item, pathlib.Path)]
    if len(files) != len(work) or not all(os.path.isdir(path) for path in paths):
        return None
    digest = hashlib.blake2b(digest_size=20)

    def add(*parts: object) -> None:
        for part in parts:
            data = part if isinstance(part, bytes) else os.fsencode(str(part))
            digest.update(b"%d:" % len(data) + data)

    add(migrate.__version__, sys.version_info, os.getcwd(), each_link, options)
    add(*paths, *_list_own_files())
    try:
        for file in files:
            add(file, os.path.realpath(file), file.read_bytes())
        for near in sorted(_find_directories(paths, files)):
            add(near, *_list_python_files(near))
    except OSError:
        return None
    return digest.hexdigest()


def load(key: str) -> list[list[FileResult]] | None:
    """Loads the programs of a kept run; None if it was not kept."""
    file = find_directory() / f"{key}.pickle"
    try:
        if file.stat().st_uid != os.getuid():
            return None  # Unpickling runs what is in it: it must be the user's own.
        found: list[list[FileResult]] = pickle.loads(file.read_bytes())
        os.utime(file)
    except Exception:  # Of another version, damaged, or not there.
        return None
    return found


def save(key: str, programs: Sequence[Sequence[FileResult]]) -> None:
    """Keeps the programs of a run; what cannot be kept is no loss."""
    home = find_directory()
    with contextlib.suppress(OSError):
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, name = tempfile.mkstemp(dir=home)
        try:
            with os.fdopen(handle, "wb") as stream:
                pickle.dump([list(program) for program in programs], stream)
            os.replace(name, home / f"{key}.pickle")
        except BaseException:
            os.unlink(name)
            raise
        _remove_oldest(home)


def _remove_oldest(home: pathlib.Path) -> None:
    kept = sorted(home.glob("*.pickle"), key=lambda file: file.stat().st_mtime)
    for file in kept[:-_KEPT]:
        file.unlink(missing_ok=True)


def _list_own_files() -> Iterable[str]:
    """This tool's files, each with its size and time."""
    root = os.path.dirname(os.path.abspath(migrate.__file__))
    for current, directories, _ in os.walk(root):
        directories[:] = sorted(d for d in directories if d != "__pycache__")
        yield from _list_python_files(current)


def _find_directories(
    paths: Sequence[pathlib.Path], files: Iterable[pathlib.Path]
) -> set[str]:
    """The directories that files may import from: their own, and those above."""
    tops = {os.path.realpath(path) for path in paths}
    found = {os.path.dirname(top) for top in tops} | tops
    for file in files:
        current = os.path.dirname(os.path.realpath(file))
        while current not in found:
            found.add(current)
            current = os.path.dirname(current)
    return found


def _list_python_files(directory: str) -> list[str]:
    """Lists the Python files of a directory: names, sizes and times."""
    found = []
    with os.scandir(directory) as entries:
        for entry in entries:
            if entry.name.endswith((".py", ".tsv", ".ipynb")):
                known = entry.stat()
                found.append(f"{entry.name} {known.st_size} {known.st_mtime_ns}")
    return sorted(found)
