"""Lists the steps after a migration: packages, launch, checkpoints, and the proof."""

from __future__ import annotations

import dataclasses
import os
import pathlib
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence

from migrate import packages
from migrate.checkpoint_places import find_places
from migrate.disk import git
from migrate.emitted import find_module
from migrate.extras import install_line, write_runtime_install_line
from migrate.file_result import FileResult
from migrate.outcomes import Status
from migrate.report import display_path
from migrate.report.summary import Run, spell_plural
from migrate.report.triage import EntryPoint, triage
from migrate.tables import graph_slim
from migrate.tables.graph_estimators import MODULE, PACKAGE
from migrate.tables.packages import KERAS, PACKAGES

_MOST = 5  # Programs, and lines of files, that are named one by one.
_CLUSTERS = ("asynchronous", "synchronous", "by_flag", "placed", "cluster")
_ON_TASKS = "towers_on_tasks"
_TASK_FROM_CONFIG = "D159"
_SLIM = "tf_slim==1.1.0"
_PROJECTOR = "graph_projector"
_IMPORTS_SLIM = re.compile(rb"^[ \t]*import tf_slim\b", re.MULTILINE)


@dataclasses.dataclass(frozen=True)
class Written:
    """The paths of a migration that was written, and of its originals.

    Attributes:
      root: the first of the migrated paths.
      output: the directory of the migrated copy; None where files were changed in
        place.
      backup: the directory of the originals; None where there is none.
    """

    root: pathlib.Path
    output: pathlib.Path | None = None
    backup: pathlib.Path | None = None


def list_next_steps(run: Run, written: Written) -> Iterator[str]:
    """The steps in the order to take them; nothing where nothing was written."""
    changed = [r for r in run.results if r.changed and not r.noted]
    if not changed:
        return
    yield "1. Packages"
    yield from _list_packages(written)
    if any(MODULE in map(find_module, r.support) for r in changed):
        yield f"   pip install --no-deps {PACKAGE}   (Estimators in graph mode)"
    if any(_needs_slim(r) for r in changed):
        yield f"   pip install {_SLIM}   (slim in graph mode)"
    if any(_PROJECTOR in map(find_module, r.support) for r in changed):
        wanted = shlex.quote(PACKAGES["tensorboard"])
        yield f"   pip install {wanted}   (TensorBoard's projector)"
    if any(r.installed for r in changed):
        yield f"   {write_runtime_install_line()}   (tf1to2_runtime, which the results import)"
    entries = [
        e
        for e in triage(run).entries
        if e.status in (Status.MIGRATED, Status.COMPAT) and e.starts
    ]
    if not entries:
        return
    yield "2. Start as before; old checkpoints are continued"
    for entry in entries[:_MOST]:
        yield f"   {_launch(entry, written)}"
        for place in _explain_checkpoints(entry):
            yield f"     {place}"
    if len(entries) > _MOST:
        yield f"   and {spell_plural(len(entries) - _MOST, 'more program')}"
    yield "3. Prove it"
    yield from _explain_proof(entries, written)


def _needs_slim(result: FileResult) -> bool:
    """Whether a result imports tf_slim, and its original did not."""
    if graph_slim.DECODERS in map(find_module, result.support):
        return True
    old, new = (bool(_IMPORTS_SLIM.search(text)) for text in (result.old, result.new))
    return new and not old


def _list_packages(written: Written) -> Iterator[str]:
    base = written.output or written.root
    directory = base if base.is_dir() else base.parent
    needs_keras = any(packages.find_users(directory).values())
    wanted = [PACKAGES["tensorflow"], *([KERAS] if needs_keras else [])]
    yield f"   pip install {' '.join(map(shlex.quote, wanted))}"
    found = packages.find_edits(base)
    told = [
        line
        for edit in found
        for line in packages.describe_edit(
            edit, os.path.relpath(display_path(edit.path))
        )
    ]
    if told:
        yield f"   The files here that ask for packages need {spell_plural(len(told), 'change')}:"
        yield from (f"     {line}" for line in told[:_MOST])
        if len(told) > _MOST:
            yield f"     and {len(told) - _MOST} more"
        yield f"   tf1to2 packages {_quote_path(directory)} --diff, then --write, makes the edits"


def _launch(entry: EntryPoint, written: Written) -> str:
    path = _quote_path(_find_target(entry.path, written))
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


def _explain_checkpoints(entry: EntryPoint) -> Iterator[str]:
    """Explains where the program saves and restores checkpoints."""
    told: set[tuple[str, str]] = set()
    lines = []
    for result in entry.results:
        for place in find_places(result):
            if (place.does, place.value) not in told:
                told.add((place.does, place.value))
                where = "" if result.path == entry.path else f" of {result.path.name}"
                lines.append(f"it {place.does} {place.value} ({place.where}{where})")
    yield from lines[:_MOST]
    if len(lines) > _MOST:
        yield f"and {spell_plural(len(lines) - _MOST, 'more place')} of checkpoints"


def _explain_proof(entries: Sequence[EntryPoint], written: Written) -> Iterator[str]:
    yield f"   {install_line()}   (once; verify puts TensorFlow 1.15.5 into a cache)"
    shown = entries[:_MOST]
    trees: dict[pathlib.Path, pathlib.Path] = {}
    if written.output is None and written.backup is None:
        committed = [e for e in shown if git.has_committed(e.path)]
        tops = dict.fromkeys(filter(None, (git.find_top(e.path) for e in committed)))
        trees = {top: git.choose_worktree(top) for top in tops}
        yield from (
            f"   {_add_worktree(*tree)}   (the originals)" for tree in trees.items()
        )
        if len(committed) < len(shown):
            yield "   OLD is a directory with your copies of the original files"
    for entry in shown:
        old = _quote_path(_locate_original(entry.path, written, trees))
        yield f"   tf1to2 verify {old} {_quote_path(_find_target(entry.path, written))}{_spell_flags(entry)}"


def _add_worktree(top: pathlib.Path, tree: pathlib.Path) -> str:
    """The command that checks the originals out, from the current directory."""
    other = "" if _has_current_directory(top) else f" -C {_quote_path(top)}"
    return f"git{other} worktree add {_quote_path(_shorten(top, tree))} HEAD"


def _shorten(top: pathlib.Path, tree: pathlib.Path) -> pathlib.Path:
    """A working tree's path: relative to the current directory, if that is in the repository."""
    return pathlib.Path(os.path.relpath(tree)) if _has_current_directory(top) else tree


def _has_current_directory(top: pathlib.Path) -> bool:
    return pathlib.Path.cwd().is_relative_to(top.resolve())


def _spell_flags(entry: EntryPoint) -> str:
    return " -- FLAGS" if _has_flags(entry) else ""


def _has_flags(entry: EntryPoint) -> bool:
    marks = (b"DEFINE_", b"add_argument(", b"sys.argv")
    return any(mark in r.new for r in entry.results for mark in marks)


def _locate_original(
    path: pathlib.Path,
    written: Written,
    trees: Mapping[pathlib.Path, pathlib.Path],
) -> pathlib.Path:
    """Returns the path of the original; the trees are repositories' new worktrees."""
    if written.output is not None:
        return path
    root = written.root if written.root.is_dir() else written.root.parent
    if written.backup is not None:
        return written.backup / os.path.relpath(path, root)
    top = git.find_top(path)
    if top is None or top not in trees or not git.has_committed(path):
        return pathlib.Path("OLD") / os.path.relpath(path, root)
    inner = path.parent.resolve().relative_to(top.resolve())
    return _shorten(top, trees[top]) / inner / path.name


def _find_target(path: pathlib.Path, written: Written) -> pathlib.Path:
    if written.output is None:
        return path
    base = written.root if written.root.is_dir() else written.root.parent
    return written.output / os.path.relpath(path, base)


def _quote_path(path: pathlib.Path) -> str:
    return shlex.quote(display_path(path))
