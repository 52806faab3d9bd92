"""A run over files and trees: who is looked at, in which order, and what is written."""

from __future__ import annotations

import collections
import concurrent.futures
import dataclasses
import functools
import logging
import os
import pathlib
import shutil
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool

from migrate import discover, emitted, interrupts, pipeline, write
from migrate.facts.graph_imports import (
    graph_imports,
    modules_of,
    of_session_programs,
)
from migrate.facts.hidden_names import hidden
from migrate.facts.homes import homes
from migrate.facts.imports import graph_modules, updating_modules
from migrate.facts.known_classes import knowing, naming
from migrate.facts.reexports import names_of_stars, reexports
from migrate.graph_columns import of_graphs
from migrate.migration import Migration
from migrate.of_tf1 import of_tf1
from migrate.options import Options
from migrate.parts.files import together
from migrate.pipeline import Core, FileResult
from migrate.shared_callbacks import shared_callbacks
from migrate.shared_hooks import shared_hooks
from migrate.shared_models import shared_models
from migrate.tree import Tree
from migrate.tree_files import TreeFiles

_LOGGER = logging.getLogger(__name__)
_FEW = 8  # Files worth a process pool: starting one costs about as much as these.
_AHEAD = 4  # Files per process that are read before their turn.

_NO_EXCLUSIONS = discover.Exclusions()
_NO_OPTIONS = Options()
_ALONE = Tree()

NAME_TAKEN = "G006"


def collect(
    paths: Sequence[pathlib.Path],
    exclusions: discover.Exclusions = _NO_EXCLUSIONS,
    each_link: bool = False,
) -> list[pathlib.Path | FileResult]:
    """The files to look at, each once; a path that is not there is a failed result.

    Args:
      each_link: a link to a file counts as a file of its own.
    """
    seen: set[str] = set()
    work: list[pathlib.Path | FileResult] = []
    for path in paths:
        for item in _below(path, exclusions):
            if isinstance(item, FileResult):
                work.append(item)
                continue
            # A file and a link to it are one file: it is written through the link.
            identity = os.path.abspath(item) if each_link else os.path.realpath(item)
            if identity not in seen:
                seen.add(identity)
                work.append(item)
    return work


def _below(
    path: pathlib.Path, exclusions: discover.Exclusions
) -> Iterator[pathlib.Path | FileResult]:
    if path.is_dir():
        errors: list[OSError] = []
        for file in discover.walk(path, exclusions, errors.append):
            if discover.is_source(file):
                yield file
        for error in errors:
            reason = f"cannot be listed: {error.strerror}"
            yield FileResult(pathlib.Path(error.filename)).with_failure("E001", reason)
    elif path.is_file():
        yield path
    elif path.exists():
        yield FileResult(path).with_failure("E001", "not a regular file")
    elif path.is_symlink():
        yield FileResult(path).with_failure("E001", "a link that leads nowhere")
    else:
        yield FileResult(path).with_failure("E001", "no such file or directory")


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
    files = [item for item in work if isinstance(item, pathlib.Path)]
    jobs = jobs or os.cpu_count() or 1
    if len(files) > 1:
        tree = _tree(files, paths)
        options = dataclasses.replace(options, tree=tree)
        if core is None:
            tree = _settled(options, jobs if len(work) >= _FEW else 1)
            options = dataclasses.replace(options, tree=tree)
            tree = dataclasses.replace(tree, models=shared_models(files, options))
            options = dataclasses.replace(options, tree=tree)
            tree = dataclasses.replace(tree, callbacks=shared_callbacks(files, options))
            options = dataclasses.replace(options, tree=tree)
    results = _results(work, options, core, jobs)
    for done, result in enumerate(results, 1):
        progress(done, len(work))
        yield result


def _tree(files: Sequence[pathlib.Path], paths: Sequence[pathlib.Path]) -> Tree:
    """What is known of files by reading all of them, before any is migrated."""
    followed, imported = reexports(files), graph_imports(files)
    of_sessions = modules_of(imported, files)
    stars = names_of_stars(files, followed)
    read = TreeFiles(files, Tree(reexports=followed, own_stars=stars))
    return Tree(
        graph_modules=graph_modules(files, followed) | of_sessions,
        updating_modules=updating_modules(files, followed) | of_sessions,
        graph_imports=imported,
        of_session_programs=of_session_programs(files),
        reexports=followed,
        own_stars=stars,
        hidden=hidden(files, followed),
        homes=homes(files, paths),
        parts=together(files),
        knowing=knowing(files),
        of_tf1=of_tf1(read),
        columns=of_graphs(read),
        naming=naming(files),
        shared_hooks=shared_hooks(files),
    )


def _settled(options: Options, jobs: int) -> Tree:
    """With what becomes of each program together with its modules.

    The program and all of its modules ask for it, and so does the search for model
    functions that files share.
    """
    tree = options.tree
    parts = tree.parts
    if not parts.programs:
        return tree
    known: dict[str, Migration | None] = {}

    def keep(path: str, found: Callable[[], Migration | None]) -> None:
        try:
            known[path] = found()
        except (SyntaxError, RecursionError, MemoryError, BrokenProcessPool):
            return  # Told when the file's own turn comes.
        except Exception as error:  # So is a fault of ours.
            _LOGGER.debug("%s: %s", path, error, exc_info=True)

    paths = list(parts.programs)
    if jobs == 1 or len(paths) == 1:
        for path in paths:
            keep(path, functools.partial(_program, path, options))
            interrupts.check()
    else:
        with _pool(min(jobs, len(paths))) as pool:
            found = {
                path: pool.submit(
                    _program,
                    path,
                    dataclasses.replace(options, tree=tree.near(path)),
                )
                for path in paths
            }
            for path, future in found.items():
                keep(path, future.result)
    return dataclasses.replace(tree, parts=dataclasses.replace(parts, settled=known))


def _program(path: str, options: Options) -> Migration | None:
    from migrate.compiler import migrate_program  # libcst is slow to import.

    return migrate_program(path, options)


def _results(
    work: Sequence[pathlib.Path | FileResult],
    options: Options,
    core: Core | None,
    jobs: int,
) -> Iterator[FileResult]:
    items = (_read(item, options) for item in work)
    if jobs == 1 or len(work) < _FEW:
        for item in items:
            done = item.migrate(options, core) if isinstance(item, _Loaded) else item
            interrupts.check()
            yield done
        return
    yield from _in_processes(items, options, core, jobs)


@dataclasses.dataclass(frozen=True)
class _Loaded:
    """A file that is worth the compiler's time, and its bytes."""

    path: pathlib.Path
    data: bytes

    def migrate(self, options: Options, core: Core | None) -> FileResult:
        return pipeline.migrate_bytes(self.path, self.data, options, core)


def _read(item: pathlib.Path | FileResult, options: Options) -> _Loaded | FileResult:
    if isinstance(item, FileResult):
        return item
    try:
        data = item.read_bytes()
    except OSError as error:
        return FileResult(item).with_failure(
            "E001", f"cannot be read: {error.strerror or error}"
        )
    if pipeline.is_candidate(item, data, options):
        return _Loaded(item, data)
    return FileResult(item)


class _Processes:
    """A pool that outlives its processes: one that a file kills is replaced."""

    def __init__(self, jobs: int) -> None:
        self._jobs = jobs
        self._pool: concurrent.futures.ProcessPoolExecutor | None = None

    def submit(
        self, item: _Loaded, options: Options, core: Core | None
    ) -> concurrent.futures.Future[FileResult]:
        if self._pool is None:
            self._pool = _pool(self._jobs)
        if options.tree != _ALONE:  # Not all of it in every message.
            near = options.tree.near(os.path.realpath(item.path))
            options = dataclasses.replace(options, tree=near)
        try:
            return self._pool.submit(item.migrate, options, core)
        except BrokenProcessPool:
            self.close()
            return self.submit(item, options, core)

    def alone(self, item: _Loaded, options: Options, core: Core | None) -> FileResult:
        """A file once more, in a process of its own: it, or one beside it, killed one."""
        with _pool(1) as single:
            try:
                return single.submit(item.migrate, options, core).result()
            except BrokenProcessPool:
                reason = (
                    "the process that analysed it died: nested too deeply, or too large"
                )
                return FileResult(item.path).with_failure("E005", reason)

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None


def _pool(jobs: int) -> concurrent.futures.ProcessPoolExecutor:
    return concurrent.futures.ProcessPoolExecutor(jobs, initializer=_leave_signals)


def _leave_signals() -> None:
    """An interrupt is the main process's to handle; it ends this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _in_processes(
    items: Iterable[_Loaded | FileResult],
    options: Options,
    core: Core | None,
    jobs: int,
) -> Iterator[FileResult]:
    """Results in order, with a bounded number of files in flight."""
    Future = concurrent.futures.Future[FileResult]
    ahead: collections.deque[tuple[_Loaded, Future] | FileResult] = collections.deque()
    processes = _Processes(jobs)

    def first() -> FileResult:
        item = ahead.popleft()
        if isinstance(item, FileResult):
            return item
        loaded, future = item
        try:
            return future.result()
        except BrokenProcessPool:
            return processes.alone(loaded, options, core)

    try:
        for item in items:
            if isinstance(item, _Loaded):
                ahead.append((item, processes.submit(item, options, core)))
            else:
                ahead.append(item)
            if len(ahead) >= jobs * _AHEAD:
                yield first()
        while ahead:
            yield first()
    finally:
        processes.close()


# -- what is written ----------------------------------------------------------------


def check_support(result: FileResult, target: pathlib.Path) -> FileResult:
    """The result, or its failure where a file of the user's has an emitted module's name.

    Args:
      target: where the result is to be written.
    """
    target = pathlib.Path(os.path.realpath(target))
    for name in result.support:
        beside = result.place(name, target)
        rival = result.place(emitted.rival(name), target)
        try:
            mine = not beside.exists() or beside.read_bytes() == emitted.source(name)
        except OSError:
            mine = False
        if mine and not rival.exists():
            continue
        taken, why = name, "is not the one that the result imports"
        if mine:
            taken = emitted.rival(name)
            why = f"hides {emitted.shown([name])[0]}, which the result imports"
        beside_it = not result.support_at
        where = "beside it" if beside_it else f"in {target.parent / result.support_at}"
        return result.with_failure(
            NAME_TAKEN,
            f"{taken} stands {where} and {why}",
            f"Rename or remove {taken}, and migrate again.",
        )
    return result


def write_result(
    result: FileResult, target: pathlib.Path, *, own_copy: bool = False
) -> FileResult:
    """Writes one result and the modules it needs; a failure is added to the findings.

    The modules come first: a program without them would not start.

    Args:
      own_copy: the target is a copy that this run made, so it may be read-only.
    """
    result = check_support(result, target)
    if not result.changed:
        return result
    try:
        if not own_copy:
            write.check_writable(target)
        present = target.read_bytes()
        if present == result.new:
            return result  # Through a link to it.
        if present != result.old:
            return result.with_failure(
                "E006", "it was changed while tf1to2 ran", "Run tf1to2 again."
            )
        for name in result.support:
            beside = result.place(name, target.resolve())
            if not beside.exists():
                beside.parent.mkdir(exist_ok=True)  # Of a package.
                write.atomically(beside, emitted.source(name))
        write.atomically(target, result.new)
    except OSError as error:
        reason = error.strerror or str(error)
        return result.with_failure("E006", f"cannot be written: {reason}")
    return result


# -- a migrated copy ------------------------------------------------------------------


class CopyError(ValueError):
    """The copy cannot be made where the user wants it."""


@dataclasses.dataclass(frozen=True)
class Copy:
    """Trees and files, and the directory that their migrated copy goes to.

    One tree becomes the directory itself; of several each keeps its name in it.
    """

    roots: tuple[pathlib.Path, ...]
    output: pathlib.Path

    def check(self) -> None:
        """Tells before anything is copied that it cannot be.

        Raises:
          CopyError: the directory is not empty, or lies in a tree, or names clash.
        """
        if self.output.exists() and not (
            self.output.is_dir() and not any(self.output.iterdir())
        ):
            raise CopyError(
                f"--output: {self.output} exists and is not an empty directory"
            )
        inner = pathlib.Path(os.path.realpath(self.output))
        for root in self.roots:
            if root.is_dir() and inner.is_relative_to(root.resolve()):
                raise CopyError("--output must not lie inside the tree that is copied")
        names = collections.Counter(self._base(root) for root in self.roots)
        for name, times in names.items():
            if times > 1:
                raise CopyError(f"--output: {times} of the paths would both be {name}")

    def _base(self, root: pathlib.Path) -> pathlib.Path:
        if root.is_dir() and len(self.roots) == 1:
            return self.output
        named = root.name not in ("", "..")
        return self.output / (root.name if named else root.resolve().name)

    def target(self, path: pathlib.Path) -> pathlib.Path:
        """Where the copy of a file is."""
        for root in self.roots:
            if path == root:
                return self._base(root)
            if root.is_dir() and path.is_relative_to(root):
                return self._base(root) / path.relative_to(root)
        raise ValueError(f"{path} is in none of the paths")

    def make(self) -> list[FileResult]:
        """Copies everything as it is; what cannot be copied comes back as failures.

        Version control and byte code stay behind. A link within a tree stays one; of a
        link out of its tree to a file the file is copied, so that nothing written to
        the copy can reach the original.
        """
        failures: list[FileResult] = []
        for root in self.roots:
            base = self._base(root)
            if root.is_dir():
                errors: list[OSError] = []
                for current, directories, files in os.walk(root, onerror=errors.append):
                    here = pathlib.Path(current)
                    directories[:] = sorted(
                        d for d in directories if d not in (".git", "__pycache__")
                    )
                    (base / here.relative_to(root)).mkdir(parents=True, exist_ok=True)
                    links = [d for d in directories if (here / d).is_symlink()]
                    for name in [*sorted(files), *links]:
                        source = here / name
                        target = base / source.relative_to(root)
                        failures += _copy(source, target, root)
                for error in errors:
                    reason = f"cannot be listed: {error.strerror}"
                    path = pathlib.Path(error.filename)
                    failures.append(FileResult(path).with_failure("E001", reason))
            elif root.is_file():
                base.parent.mkdir(parents=True, exist_ok=True)
                failures += _copy(pathlib.Path(os.path.realpath(root)), base, root)
        return failures


def _copy(
    source: pathlib.Path, target: pathlib.Path, root: pathlib.Path
) -> Iterator[FileResult]:
    try:
        if source.is_symlink():
            link = os.readlink(source)
            real = pathlib.Path(os.path.realpath(source))
            inside = not os.path.isabs(link) and real.is_relative_to(root.resolve())
            if inside or real.is_dir() or not real.exists():
                target.symlink_to(link)
                return
        if not source.is_file():
            reason = "cannot be copied: not a regular file"
            yield FileResult(source).with_failure("E001", reason)
            return
        shutil.copy2(source, target)
    except OSError as error:
        reason = f"cannot be copied: {error.strerror or error}"
        yield FileResult(source).with_failure("E001", reason)
