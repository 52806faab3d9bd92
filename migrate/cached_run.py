"""A run, or what the same run over unchanged trees gave before.

`migrate.run` brings the compiler, which is slow to import: it is imported where there is
something to compile.
"""

from __future__ import annotations

import pathlib
from collections.abc import Callable, Sequence

from migrate.disk import discover, run_cache
from migrate.disk.collect import collect
from migrate.file_result import FileResult
from migrate.options import Options


def run_programs(
    paths: Sequence[pathlib.Path],
    options: Options,
    *,
    prepare: Callable[[FileResult], FileResult],
    exclusions: discover.Exclusions,
    jobs: int,
    each_link: bool,
    progress: Callable[[int, int], None],
) -> list[list[FileResult]]:
    """As `migrate.run.run_programs`; a run in which `prepare` finds nothing is kept."""
    work = collect(paths, exclusions, each_link)
    progress(0, len(work))
    key = run_cache.find_key(paths, work, options, each_link)
    if key is not None and (kept := run_cache.load(key)) is not None:
        if all(prepare(r) is r for program in kept for r in program):
            progress(len(work), len(work))
            return kept
    from migrate import run

    unprepared = True

    def watch(result: FileResult) -> FileResult:
        nonlocal unprepared
        prepared = prepare(result)
        unprepared = unprepared and prepared is result
        return prepared

    programs = run.run_programs(
        paths,
        options,
        prepare=watch,
        exclusions=exclusions,
        jobs=jobs,
        each_link=each_link,
        progress=progress,
    )
    if key is not None and unprepared:
        run_cache.save(key, programs)
    return programs
