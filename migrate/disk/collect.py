"""The files of a run, from the paths that the user named."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Iterator, Sequence

from migrate.disk import discover
from migrate.disk.imported import find_imported
from migrate.file_result import FileResult

_NO_EXCLUSIONS = discover.Exclusions()


def collect(
    paths: Sequence[pathlib.Path],
    exclusions: discover.Exclusions = _NO_EXCLUSIONS,
    each_link: bool = False,
) -> list[pathlib.Path | FileResult]:
    """The files to look at, each once; a path that is not there is a failed result.

    The files that a named file imports are looked at, too: they are one program with it.

    Args:
      each_link: a link to a file counts as a file of its own.
    """
    seen: set[str] = set()
    work: list[pathlib.Path | FileResult] = []
    for path in paths:
        for item in _walk_below(path, exclusions):
            if isinstance(item, FileResult):
                work.append(item)
                continue
            # A file and a link to it are one file: it is written through the link.
            identity = os.path.abspath(item) if each_link else os.path.realpath(item)
            if identity not in seen:
                seen.add(identity)
                work.append(item)
    return work


def _walk_below(
    path: pathlib.Path, exclusions: discover.Exclusions
) -> Iterator[pathlib.Path | FileResult]:
    if os.path.isdir(path):
        errors: list[OSError] = []
        for file in discover.walk(path, exclusions, errors.append):
            if discover.is_source(file):
                yield file
        for error in errors:
            reason = f"cannot be listed: {error.strerror}"
            yield FileResult(pathlib.Path(error.filename)).mark_failed("E001", reason)
    elif os.path.isfile(path):
        yield path
        yield from find_imported(path, exclusions)
    elif os.path.exists(path):
        yield FileResult(path).mark_failed("E001", "not a regular file")
    elif os.path.islink(path):
        yield FileResult(path).mark_failed("E001", "a link that leads nowhere")
    else:
        yield FileResult(path).mark_failed("E001", "no such file or directory")
