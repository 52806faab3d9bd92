"""Files migrated in several processes, one of which may die of its file."""

from __future__ import annotations

import collections
import concurrent.futures
import dataclasses
import multiprocessing
import multiprocessing.connection
import os
import pathlib
import signal
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures.process import BrokenProcessPool

from migrate import garbage, pipeline
from migrate.file_result import FileResult
from migrate.options import Options
from migrate.pipeline import Core
from migrate.tree import Tree

_AHEAD = 4  # Files per process that are read before their turn.
_ALONE = Tree()


@dataclasses.dataclass(frozen=True)
class Loaded:
    """A file that is worth the compiler's time, and its bytes."""

    path: pathlib.Path
    data: bytes

    def migrate(self, options: Options, core: Core | None) -> FileResult:
        return pipeline.migrate_bytes(self.path, self.data, options, core)


class _Pool:
    """A pool that outlives its processes: one that a file kills is replaced."""

    def __init__(self, jobs: int) -> None:
        self._jobs = jobs
        self._pool: concurrent.futures.ProcessPoolExecutor | None = None

    def submit(
        self, item: Loaded, options: Options, core: Core | None
    ) -> concurrent.futures.Future[FileResult]:
        if self._pool is None:
            self._pool = make_pool(self._jobs)
        if options.tree != _ALONE:  # Not all of it in every message.
            near = options.tree.narrow_to_file(os.path.realpath(item.path))
            options = dataclasses.replace(options, tree=near)
        try:
            return self._pool.submit(item.migrate, options, core)
        except BrokenProcessPool:
            self.close()
            return self.submit(item, options, core)

    def migrate_alone(
        self, item: Loaded, options: Options, core: Core | None
    ) -> FileResult:
        """A file once more, in a process of its own: it, or one beside it, killed one."""
        with make_pool(1) as single:
            try:
                return single.submit(item.migrate, options, core).result()
            except BrokenProcessPool:
                reason = (
                    "the process that analysed it died: nested too deeply, or too large"
                )
                return FileResult(item.path).mark_failed("E001", reason)

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None


def make_pool(jobs: int) -> concurrent.futures.ProcessPoolExecutor:
    """Processes that leave interrupts to the one that started them, and end with it."""
    return concurrent.futures.ProcessPoolExecutor(jobs, initializer=_follow_parent)


def _follow_parent() -> None:
    garbage.collect_rarely()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """Ends this process when its parent is gone, even by SIGKILL."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        multiprocessing.connection.wait([parent.sentinel])
        os._exit(1)


def run_in_processes(
    items: Iterable[Loaded | FileResult],
    options: Options,
    core: Core | None,
    jobs: int,
) -> Iterator[FileResult]:
    """Results in order, with a bounded number of files in flight."""
    Future = concurrent.futures.Future[FileResult]
    ahead: collections.deque[tuple[Loaded, Future] | FileResult] = collections.deque()
    processes = _Pool(jobs)

    def take_first() -> FileResult:
        item = ahead.popleft()
        if isinstance(item, FileResult):
            return item
        loaded, future = item
        try:
            return future.result()
        except BrokenProcessPool:
            return processes.migrate_alone(loaded, options, core)

    try:
        for item in items:
            if isinstance(item, Loaded):
                ahead.append((item, processes.submit(item, options, core)))
            else:
                ahead.append(item)
            if len(ahead) >= jobs * _AHEAD:
                yield take_first()
        while ahead:
            yield take_first()
    finally:
        processes.close()
