"""Applies the fallback to the refused programs of a run: to all files of a program, or to none."""

from __future__ import annotations

import dataclasses
import functools
import os
import pathlib
from collections.abc import Callable, Iterable, Sequence

from migrate import outcomes, pipeline
from migrate.facts.trees.hidden_names import find_hidden_names
from migrate.facts.trees.homes import find_homes
from migrate.facts.trees.reexports import find_reexports, find_star_names
from migrate.fallback.keras_of_process import (
    find_use_of_keras_2,
    imports_probability,
)
from migrate.fallback.module import (
    TOLD,
    Part,
    bring_to_compat,
    names_compat,
    says_tf1,
)
from migrate.fallback.names import CODE
from migrate.fallback.programs import Surroundings
from migrate.fallback.returned_modules import find_returned_modules
from migrate.file_result import FileResult
from migrate.findings import Finding, Outcome
from migrate.migration import Migration
from migrate.options import Options
from migrate.outcomes import Status
from migrate.source import notebook, python
from migrate.tree import Tree

RUNS = "T150"
# Codes of the gates. They report a fault of the result, and not of the file.
_GATES = "G00"


class CompatFallback:
    """Brings refused programs of a run to graph mode on TensorFlow 2.21.

    Args:
      files: all files of the run.
      given: the paths that the user named; the fallback writes nothing outside of them.
      options: the options of the run.
      read: reads a file's bytes.
    """

    def __init__(
        self,
        files: Sequence[pathlib.Path],
        given: Sequence[pathlib.Path],
        options: Options,
        read: Callable[[pathlib.Path], bytes] = pathlib.Path.read_bytes,
    ) -> None:
        self._files, self._given, self._options = files, given, options
        self._read = read

    @functools.cached_property
    def _around(self) -> Surroundings:
        return Surroundings(self._files)

    @functools.cached_property
    def _with_tree(self) -> Options:
        """The options with the facts about the run's files that the fallback needs."""
        if len(self._files) < 2:
            return dataclasses.replace(self._options, tree=Tree(), notes=False)
        followed = find_reexports(self._files)
        tree = Tree(
            reexports=followed,
            own_stars=find_star_names(self._files, followed),
            hidden=find_hidden_names(self._files, followed),
            homes=find_homes(self._files, self._given),
        )
        return dataclasses.replace(self._options, tree=tree, notes=False)

    def __call__(self, program: Sequence[FileResult]) -> list[FileResult]:
        """Brings a refused program's files to graph mode.

        If one file cannot be brought there, all stay as they were, with the reasons. Files
        that the program imports or that import it, and that had no findings, change with it.
        """
        paths = [result.path for result in program]
        users = self._around.find_users(paths)
        program = [*program, *map(FileResult, users)]
        paths += users
        helpers = self._around.find_helpers(paths)
        program = [*program, *map(FileResult, helpers)]
        paths += helpers
        texts = {
            path: _read_text(path, self._read(path), self._options.python2)
            for path in paths
        }
        if any(text is None for text in texts.values()):
            return _leave_files(
                program, ()
            )  # A finding already says why it cannot be read.
        starts = self._around.find_starts(paths)
        known = [text for text in texts.values() if text is not None]
        probability = imports_probability(known)
        part = Part(
            probability=probability,
            of_keras_2=find_use_of_keras_2(known) if probability else "",
            named_for_2=any(map(names_compat, known)) and not any(map(says_tf1, known)),
            own=frozenset(_find_names(texts)),
            returned=find_returned_modules(
                {path: text for path, text in texts.items() if text is not None}
            ),
        )
        again = [
            self._bring_file(result.path, part, os.path.realpath(result.path) in starts)
            for result in program
        ]
        if any(_is_refused(new) or new.failed for new in again):
            return _leave_files(program, again)
        for new in again:
            if new.path in helpers and new.changed:
                other = self._around.find_sharer(new.path, paths)
                if other is not None:
                    return _leave_files(
                        program, [_report_shared_helper(paths[0], new.path, other)]
                    )
        reason = outcomes.find_reason(program)
        assert reason is not None  # A refused program has a reason.
        return [
            dataclasses.replace(
                new,
                status=Status.COMPAT,
                findings=(
                    _report_run(new.path, reason),
                    *_list_standing(old),
                    *(f for f in new.findings if _is_told(f)),
                ),
            )
            for old, new in zip(program, again, strict=True)
        ]

    def _bring_file(self, path: pathlib.Path, part: Part, starts: bool) -> FileResult:
        part = dataclasses.replace(part, starts=starts)

        def run_core(text: str, options: Options, filename: str) -> Migration:
            return bring_to_compat(text, options, filename, part)

        return pipeline.migrate_bytes(path, self._read(path), self._with_tree, run_core)


def _read_text(path: pathlib.Path, data: bytes, python2: bool) -> str | None:
    """A file's text as one module; None if it is not Python 3."""
    try:
        text = python.decode(data).text
        if path.suffix == ".ipynb":
            text = notebook.read(text).module
        elif python2:
            return ""  # Its names are read after the conversion to Python 3.
        python.check_syntax(text)
        return text
    except (ValueError, RecursionError, MemoryError, python.Unreadable):
        return None


def _find_names(paths: Iterable[pathlib.Path]) -> set[str]:
    """First parts of the module names by which a program's files may import each other."""
    found: set[str] = set()
    for path in paths:
        found |= {path.stem, *path.resolve().parts[1:-1]}
    return found


def _leave_files(
    program: Iterable[FileResult], why: Iterable[FileResult]
) -> list[FileResult]:
    """The files as they were, with the reasons why graph mode is not possible either."""
    told = {
        result.path: [f for f in result.findings if f.code not in TOLD]
        for result in why
    }
    return [
        dataclasses.replace(
            old,
            status=Status.REFUSED,
            # A reason against both forms is reported once.
            findings=tuple(sorted({*old.findings, *told.get(old.path, ())})),
        )
        for old in program
    ]


def _report_shared_helper(
    path: pathlib.Path, helper: pathlib.Path, other: pathlib.Path
) -> FileResult:
    reason = (
        f"{helper.name} would change with it, and {other.name}, which is of another "
        "program, imports that file, too"
    )
    return FileResult(
        path,
        findings=(
            Finding(
                1,
                1,
                CODE,
                Outcome.REFUSED,
                "",
                reason,
                "Give each program a file of its own that imports TensorFlow.",
            ),
        ),
    )


def _is_refused(result: FileResult) -> bool:
    return any(
        f.outcome is Outcome.REFUSED
        or (f.outcome is Outcome.FAILED and f.code.startswith(_GATES))
        for f in result.findings
    )


def _report_run(path: pathlib.Path, why: tuple[pathlib.Path, Finding]) -> Finding:
    where, finding = why
    place = "" if where == path else f"{os.path.relpath(where, path.parent)}, "
    return Finding(
        1,
        1,
        RUNS,
        Outcome.KEPT,
        "",
        "runs on TensorFlow 2.21, is not yet tf.distribute, because of "
        f"{finding.code} ({place}line {finding.line}): {finding.reason}",
    )


def _is_told(finding: Finding) -> bool:
    return finding.code in TOLD or finding.outcome is Outcome.WARNED


def _list_standing(result: FileResult) -> list[Finding]:
    """The old findings of a file in graph mode, without those about rewritten code."""
    return [
        _mark_as_kept(f) if f.outcome is Outcome.REFUSED else f
        for f in result.findings
        if f.outcome in (Outcome.REFUSED, Outcome.WARNED)
        or (f.outcome is Outcome.FAILED and not f.code.startswith(_GATES))
    ]


def _mark_as_kept(finding: Finding) -> Finding:
    """The finding of a refused place that now runs through compat.v1."""
    reason = finding.reason
    if finding.code == outcomes.PART:
        reason = "part of a program that runs through compat.v1"
    return dataclasses.replace(
        finding, outcome=Outcome.KEPT, reason=reason, through_compat=not finding.unused
    )
