"""A run over files and trees: who is looked at, in which order, and what is written."""

from __future__ import annotations

import dataclasses
import functools
import logging
import os
import pathlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool

from migrate import outcomes, pipeline, unused_parts
from migrate.disk import discover, interrupts
from migrate.disk.collect import collect
from migrate.file_result import FileResult
from migrate.options import Options
from migrate.parts.program import Settled
from migrate.pipeline import Core
from migrate.processes import Loaded, make_pool, run_in_processes
from migrate.shared.callbacks import find_shared_callbacks
from migrate.shared.known import read_tree
from migrate.shared.models import find_shared_models
from migrate.tree import Tree

_LOGGER = logging.getLogger(__name__)
_FEW = 8  # Files worth a process pool: starting one costs about as much as these.

_NO_EXCLUSIONS = discover.Exclusions()
_NO_OPTIONS = Options()


def run_tree(
    paths: Sequence[pathlib.Path],
    options: Options = _NO_OPTIONS,
    *,
    core: Core | None = None,
    exclusions: discover.Exclusions = _NO_EXCLUSIONS,
    jobs: int = 0,
    each_link: bool = False,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Iterator[FileResult]:
    """Migrates every file, in order. Nothing is written.

    Args:
      core: what migrates a module's text; None is the compiler. With several
        processes it must be a module's function.
      jobs: processes; 0 takes one per processor.
      each_link: a link to a file counts as a file of its own, as in a copy of a tree.
      progress: is told how many files are done, of how many.
    """
    work = collect(paths, exclusions, each_link)
    options = _look_at_files(work, paths, options, core, jobs)
    yield from _migrate_in_order(
        work, options, core, jobs or os.cpu_count() or 1, progress
    )


def _look_at_files(
    work: Sequence[pathlib.Path | FileResult],
    paths: Sequence[pathlib.Path],
    options: Options,
    core: Core | None,
    jobs: int,
) -> Options:
    """The options, with what is known of the files together."""
    files = [item for item in work if isinstance(item, pathlib.Path)]
    jobs = jobs or os.cpu_count() or 1
    if len(files) > 1:
        tree = read_tree(files, paths)
        options = dataclasses.replace(options, tree=tree)
        if core is None:
            tree = _settle_programs(options, jobs if len(work) >= _FEW else 1)
            options = dataclasses.replace(options, tree=tree)
            tree = dataclasses.replace(tree, models=find_shared_models(files, options))
            options = dataclasses.replace(options, tree=tree)
            tree = dataclasses.replace(
                tree, callbacks=find_shared_callbacks(files, options)
            )
            options = dataclasses.replace(options, tree=tree)
    return options


def _migrate_in_order(
    work: Sequence[pathlib.Path | FileResult],
    options: Options,
    core: Core | None,
    jobs: int,
    progress: Callable[[int, int], None],
) -> Iterator[FileResult]:
    results = _make_results(work, options, core, jobs)
    for done, result in enumerate(results, 1):
        progress(done, len(work))
        yield result


def run_programs(
    paths: Sequence[pathlib.Path],
    options: Options = _NO_OPTIONS,
    *,
    prepare: Callable[[FileResult], FileResult] = lambda result: result,
    fallback: outcomes.Fallback | None = None,
    exclusions: discover.Exclusions = _NO_EXCLUSIONS,
    core: Core | None = None,
    jobs: int = 1,
    each_link: bool = False,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[list[FileResult]]:
    """Migrates files and trees program by program; nothing is written.

    Args:
      prepare: sees each result before its program is settled, and may make it fail.
      fallback: what is tried with a program that is refused; by default what the
        options say.
      (others): as of `run_tree`.

    Returns:
      The results of each program; see `migrate.outcomes.settle`.
    """
    work = collect(paths, exclusions, each_link)
    progress(0, len(work))
    known_ = _look_at_files(work, paths, options, core, jobs)
    found = list(
        _migrate_in_order(work, known_, core, jobs or os.cpu_count() or 1, progress)
    )
    results = [prepare(r) for r in unused_parts.retry(found, known_, core)]
    if options.fallback and fallback is None:
        from migrate.fallback.run import CompatFallback

        files = [result.path for result in results if result.path.is_file()]
        fallback = CompatFallback(files, paths, options)
    return outcomes.settle(results, fallback)


def choose_fallback(data: bytes, options: Options) -> outcomes.Fallback | None:
    """Chooses the fallback for a refused text that is in no file."""
    if not options.fallback:
        return None
    from migrate.fallback.run import CompatFallback

    return CompatFallback([], [], options, lambda path: data)


def _settle_programs(options: Options, jobs: int) -> Tree:
    """With what becomes of each program together with its modules.

    The program and all of its modules ask for it, and so does the search for model
    functions that files share.
    """
    tree = options.tree
    parts = tree.parts
    if not parts.programs:
        return tree
    known: dict[str, Settled] = {}

    def keep(path: str, found: Callable[[], Settled]) -> None:
        try:
            known[path] = found()
        except (SyntaxError, RecursionError, MemoryError, BrokenProcessPool):
            return  # Told when the file's own turn comes.
        except Exception as error:  # So is a fault of ours.
            _LOGGER.debug("%s: %s", path, error, exc_info=True)

    paths = list(parts.programs)
    if jobs == 1 or len(paths) == 1:
        for path in paths:
            keep(path, functools.partial(_settle_program, path, options))
            interrupts.check()
    else:
        with make_pool(min(jobs, len(paths))) as several:
            found = {
                path: several.submit(
                    _settle_program,
                    path,
                    dataclasses.replace(options, tree=tree.narrow_to_file(path)),
                )
                for path in paths
            }
            for path, future in found.items():
                keep(path, future.result)
    return dataclasses.replace(tree, parts=dataclasses.replace(parts, settled=known))


def _settle_program(path: str, options: Options) -> Settled:
    from migrate.compiler import settle_program  # libcst is slow to import.

    return settle_program(path, options)


def _make_results(
    work: Sequence[pathlib.Path | FileResult],
    options: Options,
    core: Core | None,
    jobs: int,
) -> Iterator[FileResult]:
    items = (_read(item, options) for item in work)
    if jobs == 1 or len(work) < _FEW:
        for item in items:
            done = item.migrate(options, core) if isinstance(item, Loaded) else item
            interrupts.check()
            yield done
        return
    yield from run_in_processes(items, options, core, jobs)


def _read(item: pathlib.Path | FileResult, options: Options) -> Loaded | FileResult:
    if isinstance(item, FileResult):
        return item
    try:
        data = item.read_bytes()
    except OSError as error:
        return FileResult(item).mark_failed(
            "E001", f"cannot be read: {error.strerror or error}"
        )
    if pipeline.is_candidate(item, data, options):
        return Loaded(item, data)
    return FileResult(item)
