"""What comes after files were written: packages, launch, checkpoints, and the proof."""

from __future__ import annotations

import ast
import dataclasses
import os
import pathlib
import shlex
import warnings
from collections.abc import Iterator, Sequence

from migrate import emitted, packages
from migrate.outcomes import Status
from migrate.pipeline import FileResult
from migrate.report import display
from migrate.report.summary import Run, plural
from migrate.report.triage import EntryPoint, triage
from migrate.source import python
from migrate.tables.packages import KERAS, PACKAGES

_MOST = 5  # Programs, and lines of files, that are named one by one.
# Keywords of TensorFlow 1's calls that say where checkpoints are.
_DIRECTORIES = ("checkpoint_dir", "model_dir", "logdir")
_CLUSTERS = ("asynchronous", "synchronous", "by_flag", "placed", "cluster")
_ON_TASKS = "towers_on_tasks"
_TASK_FROM_CONFIG = "D159"


@dataclasses.dataclass(frozen=True)
class Written:
    """What was written, and where the originals are.

    Attributes:
      root: what was migrated: the first of the paths.
      output: the directory of the migrated copy; None where files were changed in place.
      backup: the directory of the originals; None where there is none.
      tracked: whether git has the originals.
    """

    root: pathlib.Path
    output: pathlib.Path | None = None
    backup: pathlib.Path | None = None
    tracked: bool = False


def next_steps(run: Run, written: Written) -> Iterator[str]:
    """The steps in the order to take them; nothing where nothing was written."""
    changed = [r for r in run.results if r.changed and not r.noted]
    if not changed:
        return
    yield "1. Packages"
    yield from _packages(changed, written)
    entries = [
        e
        for e in triage(run).entries
        if e.status in (Status.MIGRATED, Status.COMPAT) and e.starts
    ]
    if not entries:
        return
    yield "2. Start it as before"
    for entry in entries[:_MOST]:
        yield f"   {_launch(entry, written)}"
        for place in _checkpoints(entry):
            yield f"     {place}"
    if len(entries) > _MOST:
        yield f"   and {plural(len(entries) - _MOST, 'more program')}"
    yield "3. Prove it"
    yield from _proof(entries, written)


def _packages(changed: Sequence[FileResult], written: Written) -> Iterator[str]:
    wanted = [PACKAGES["tensorflow"]] + [KERAS] * any(map(_needs_keras, changed))
    yield f"   pip install {' '.join(map(shlex.quote, wanted))}"
    base = written.output or written.root
    found = packages.find_edits(base)
    told = [
        line
        for edit in found
        for line in packages.in_words(edit, os.path.relpath(display(edit.path)))
    ]
    if told:
        verb = "asks" if len(told) == 1 else "ask"
        yield f"   {plural(len(told), 'line')} here still {verb} for TensorFlow 1:"
        yield from (f"     {line}" for line in told[:_MOST])
        if len(told) > _MOST:
            yield f"     and {len(told) - _MOST} more"
        directory = base if base.is_dir() else base.parent
        yield f"   tf1to2 packages {_quoted(directory)} --diff, then --write, edits them"


def _needs_keras(result: FileResult) -> bool:
    """Whether a result, or a module written beside it, imports tf_keras."""
    return b"tf_keras" in result.new or any(
        b"tf_keras" in emitted.source(name) for name in result.support
    )


def _launch(entry: EntryPoint, written: Written) -> str:
    path = _quoted(_target(entry.path, written))
    kind = entry.kind.name
    if entry.path.suffix == ".ipynb":
        return f"{path}: open it as before"
    if kind == "estimator":
        return f"python {path}, with the TF_CONFIG and flags it always had"
    if any(f.code == _TASK_FROM_CONFIG for r in entry.results for f in r.findings):
        return (
            f"python {path}, in each process with a TF_CONFIG that says which task it is; "
            "with parameter servers also once without a task, which coordinates"
        )
    if kind in _CLUSTERS or kind == _ON_TASKS:
        return f"python {path}, with the old flags, in each ps and worker process"
    return f"python {path}, with the old flags"


def _checkpoints(entry: EntryPoint) -> Iterator[str]:
    """Where the program's checkpoints were, by what it gives to TensorFlow 1's calls."""
    seen: set[str] = set()
    for result in entry.results:
        for line, keyword, value in _directories(result):
            if value not in seen:
                seen.add(value)
                where = "" if result.path == entry.path else f" of {result.path.name}"
                yield f"its checkpoints go on in {keyword}={value} (line {line}{where})"


def _directories(result: FileResult) -> Iterator[tuple[int, str, str]]:
    if result.path.suffix == ".ipynb":
        return
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(python.decode(result.new).text)
    except (SyntaxError, ValueError, RecursionError, MemoryError, python.Unreadable):
        return
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        for keyword in node.keywords:
            is_none = (
                isinstance(keyword.value, ast.Constant) and keyword.value.value is None
            )
            if keyword.arg in _DIRECTORIES and not is_none:
                yield keyword.value.lineno, keyword.arg, ast.unparse(keyword.value)


def _proof(entries: Sequence[EntryPoint], written: Written) -> Iterator[str]:
    yield "   pip install 'tf1to2[verify]'   (once; it brings TensorFlow 1.15.5 into a cache)"
    before = "OLD"
    if written.backup is not None:
        before = os.fspath(written.backup)
    elif written.output is None and written.tracked:
        yield "   git worktree add ../before HEAD   (the originals)"
        before = "../before"
    for entry in entries[:_MOST]:
        if written.output is not None:
            old = _quoted(entry.path)
        else:
            inner = _below(entry.path, written)
            old = _quoted(pathlib.Path(before) / inner)
        yield f"   tf1to2 verify {old} {_quoted(_target(entry.path, written))}{_flags(entry)}"


def _flags(entry: EntryPoint) -> str:
    return " -- FLAGS" if _has_flags(entry) else ""


def _has_flags(entry: EntryPoint) -> bool:
    marks = (b"DEFINE_", b"add_argument(", b"sys.argv")
    return any(mark in r.new for r in entry.results for mark in marks)


def _below(path: pathlib.Path, written: Written) -> pathlib.Path:
    """A path as it is in the originals' directory."""
    from migrate.disk.git import find_top

    root = written.root if written.root.is_dir() else written.root.parent
    if written.backup is None and (top := find_top(path)) is not None:
        return pathlib.Path(os.path.relpath(path.resolve(), top.resolve()))
    return pathlib.Path(os.path.relpath(path, root))


def _target(path: pathlib.Path, written: Written) -> pathlib.Path:
    if written.output is None:
        return path
    base = written.root if written.root.is_dir() else written.root.parent
    return written.output / os.path.relpath(path, base)


def _quoted(path: pathlib.Path) -> str:
    return shlex.quote(display(path))
