"""A run over files and trees: who is looked at, in which order, and what is kept."""

from __future__ import annotations

import concurrent.futures
import os
import pathlib
from collections.abc import Callable, Iterable, Iterator, Sequence

from migrate import discover, write
from migrate.findings import Finding, Outcome
from migrate.migration import Options
from migrate.pipeline import FileResult, migrate_bytes, support_source

_FEW = 24  # Starting processes costs more than this many files.


def failure(path: pathlib.Path, code: str, reason: str) -> FileResult:
    """A file that could not be handled."""
    return FileResult(path, b"", b"", (Finding(1, 1, code, Outcome.FAILED, "", reason),))


def files(
    paths: Sequence[pathlib.Path], exclude: Sequence[str]
) -> Iterator[pathlib.Path | FileResult]:
    """The files to migrate; a path that is not there is a failure of its own."""
    seen: set[pathlib.Path] = set()
    for path in paths:
        if path.is_dir():
            found: Iterable[pathlib.Path] = (
                p for p in discover.walk(path, exclude) if discover.is_source(p)
            )
        elif path.exists():
            found = [path]
        else:
            broken = path.is_symlink()
            reason = "a link that leads nowhere" if broken else "no such file or directory"
            yield failure(path, "E001", reason)
            continue
        for file in found:
            if file not in seen:
                seen.add(file)
                yield file


def migrate_file(path: pathlib.Path, options: Options) -> FileResult:
    """Reads and migrates one file."""
    try:
        data = path.read_bytes()
    except OSError as error:
        return failure(path, "E001", f"cannot be read: {error.strerror or error}")
    return migrate_bytes(path, data, options)


def migrate_all(
    paths: Sequence[pathlib.Path],
    options: Options,
    *,
    exclude: Sequence[str] = (),
    jobs: int = 0,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Iterator[FileResult]:
    """Migrates every file, in order. Nothing is written.

    Args:
      jobs: processes; 0 takes one per processor.
    """
    work = list(files(paths, exclude))
    todo = [w for w in work if isinstance(w, pathlib.Path)]
    jobs = jobs or os.cpu_count() or 1
    if jobs == 1 or len(todo) < _FEW:
        for index, item in enumerate(work):
            yield item if isinstance(item, FileResult) else migrate_file(item, options)
            progress(index + 1, len(work))
        return
    with concurrent.futures.ProcessPoolExecutor(jobs) as pool:
        try:
            results = pool.map(migrate_file, todo, [options] * len(todo), chunksize=8)
            for index, item in enumerate(work):
                yield item if isinstance(item, FileResult) else next(results)
                progress(index + 1, len(work))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def write_result(result: FileResult, target: pathlib.Path) -> FileResult:
    """Writes one result and the modules it needs; a failure is added to the findings."""
    try:
        for name in result.support:
            beside = target.resolve().parent / name
            source = support_source(name)
            if beside.exists():
                if beside.read_bytes() != source:
                    return _with_failure(
                        result, "G006", f"{name} exists beside it and is another file"
                    )
                continue
            write.atomically(beside, source)
        write.atomically(target, result.new)
    except OSError as error:
        return _with_failure(result, "E006", f"cannot be written: {error}")
    return result


def _with_failure(result: FileResult, code: str, reason: str) -> FileResult:
    finding = Finding(1, 1, code, Outcome.FAILED, "", reason)
    return FileResult(
        result.path, result.old, result.old, (*result.findings, finding)
    )
