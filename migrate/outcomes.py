"""Decides the outcome of each program and of each of its files: one of four words.

Only this module decides it. Reports, the exit code and the written files follow it:

    Status.MIGRATED   the program is one of TensorFlow 2 now
    Status.COMPAT     it runs on TensorFlow 2 through tf.compat.v1: still TensorFlow 1's way
    Status.REFUSED    it is as it was, byte for byte, and a finding says why
    Status.FAILED     a file of it cannot be read, analysed or written; all are as they were

`settle(results)` takes the compiler's results for the files of a run, groups them into
programs by their imports (`migrate.facts.trees.programs`), and holds every file of a
program back if one of them is refused or failed. Each result then has its `status` and
its `program` (the entry point). A status of None means that there was nothing to
migrate: no TensorFlow 1 in the file.

A *fallback* is a function that gets the results of a refused program (`result.path` says
which files; nothing in them is changed) and gives new ones for all of its files, and for
others that these import. They have `Status.COMPAT`; or, where it can do nothing,
`Status.REFUSED` and findings that say why. `programs(results)` lists the programs of
settled results with their status and their one reason.
"""

from __future__ import annotations

import dataclasses
import enum
import os
import pathlib
from collections.abc import Callable, Iterable, Sequence

from migrate.facts.trees.programs import Imports, Unit, find_programs
from migrate.file_result import FileResult
from migrate.findings import NO_OBJECT, Finding, Outcome
from migrate.rules.graph_mode import CODE as LOST_SESSION
from migrate.rules.lost_graphs import CODE as LOST_GRAPH
from migrate.tables import graph_mode, roles

# Uses that are refused as a consequence: their program is refused for another reason.
PART = "N100"
# A file that is held back because another one of its program is refused.
HELD = "N102"
_CONSEQUENCES = (PART, HELD)
# The findings of symbols that are kept, or found, in tf.compat.v1.
_IN_COMPAT = ("T102", "T105")


class Status(enum.Enum):
    """The outcome of a program, or of a file."""

    MIGRATED = "migrated"
    COMPAT = "compat"
    REFUSED = "refused"
    FAILED = "failed"

    @property
    def words(self) -> str:
        """The status in words, for a reader."""
        return _WORDS[self]


_WORDS = {
    Status.MIGRATED: "migrated",
    Status.COMPAT: "runs through compat.v1 (still TF1)",
    Status.REFUSED: "refused (unchanged)",
    Status.FAILED: "failed",
}
_WORST_FIRST = (Status.FAILED, Status.REFUSED, Status.COMPAT, Status.MIGRATED)

Fallback = Callable[[Sequence[FileResult]], Sequence[FileResult]]


@dataclasses.dataclass(frozen=True)
class Program:
    """The files of a run that belong together by their imports.

    Attributes:
      results: of its files that are concerned; the file that one starts is the first.
      status: what became of the program.
      reason: why it is not migrated: the file, and the finding in it.
    """

    results: tuple[FileResult, ...]
    status: Status
    reason: tuple[pathlib.Path, Finding] | None = None

    @property
    def path(self) -> pathlib.Path:
        return self.results[0].path


def find_status(result: FileResult) -> Status | None:
    """Returns a file's own status; None if there was nothing to migrate."""
    if result.status is not None:
        return result.status
    if result.failed:
        return Status.FAILED
    if any(f.blocks for f in result.findings):
        return Status.REFUSED
    if any(runs_graph(f) for f in result.findings):
        return Status.COMPAT
    return Status.MIGRATED if result.changed else None


def runs_graph(finding: Finding) -> bool:
    """Whether a finding is about a session, or the like, that stays TensorFlow 1's."""
    return finding.code in _IN_COMPAT and finding.symbol in graph_mode.RUNS_GRAPHS


def find_reason(results: Iterable[FileResult]) -> tuple[pathlib.Path, Finding] | None:
    """The finding that says why the files of a program are not migrated.

    A consequence of another refusal is given only where there is nothing else. So is the
    session of a class of which no object is made. What the user does not want to be told
    comes after what else is of its rank.
    """
    told = sorted(
        ((result.path, f) for result in results for f in result.findings),
        key=lambda one: one[1].hidden,
    )
    ranked = (
        lambda f: (
            f.blocks and f.code not in _CONSEQUENCES and NO_OBJECT not in f.reason
        ),
        lambda f: f.blocks and f.code not in _CONSEQUENCES,
        lambda f: f.blocks,
        lambda f: f.through_compat and f.code not in _CONSEQUENCES,
        lambda f: f.through_compat,
        runs_graph,
    )
    for asked in ranked:
        for path, finding in told:
            if asked(finding) and not finding.unused:
                return path, finding
    return None


def list_programs(results: Iterable[FileResult]) -> list[Program]:
    """The programs of a run, in its order; files with nothing to migrate are in none."""
    grouped: dict[pathlib.Path, list[FileResult]] = {}
    for result in results:
        if find_status(result) is not None:
            grouped.setdefault(result.program or result.path, []).append(result)
    return [
        _make_program(sorted(group, key=lambda r: r.path != path))
        for path, group in grouped.items()
    ]


def _make_program(results: Sequence[FileResult]) -> Program:
    found = {find_status(result) for result in results}
    status = next(status for status in _WORST_FIRST if status in found)
    reason = None if status is Status.MIGRATED else find_reason(results)
    return Program(tuple(results), status, reason)


def settle(
    results: Sequence[FileResult], fallback: Fallback | None = None
) -> list[list[FileResult]]:
    """Groups a run's results into programs, each migrated whole or left whole.

    Args:
      results: the compiler's, one for each file of the run.
      fallback: what is tried with a program that is refused.

    Returns:
      The programs; a file with nothing to migrate is alone in one.
    """
    place = {result.path: number for number, result in enumerate(results)}
    # A file and a link to it are results of their own where both are copied.
    twins: dict[str, list[FileResult]] = {}
    for result in results:
        twins.setdefault(os.path.realpath(result.path), []).append(result)
    # A helper's change means the same everywhere: it makes one program of no two.
    helpers = [result for result in results if result.helper]
    concerned = [r.path for r in results if not r.helper and find_status(r) is not None]
    settled = []
    for unit in find_programs(place, concerned):
        group = [
            dataclasses.replace(r, entries=_find_entries(unit, r.path))
            for p in unit.files
            for r in twins[os.path.realpath(p)]
        ]
        entries = {result.path: result.entries for result in group}
        settled.append(
            [
                dataclasses.replace(r, entries=entries.get(r.path, ()))
                for r in _settle(_judge_graphs_read(_judge_graph_mode(group)), fallback)
            ]
        )
    if helpers:
        _add_helpers(settled, helpers, place)
    known = {r.path for group in settled for r in group}
    settled += [
        [FileResult(r.path) if r.helper else r] for r in results if r.path not in known
    ]
    return sorted(settled, key=lambda group: min(place[r.path] for r in group))


def _add_helpers(
    settled: Sequence[list[FileResult]],
    helpers: Sequence[FileResult],
    paths: Iterable[pathlib.Path],
) -> None:
    """Adds helpers to the first program that loads them and has not stayed as it was.

    Those that no such program loads are nobody's matter.
    """
    imports = Imports({os.path.realpath(path): path for path in paths})
    free = {os.path.realpath(result.path): result for result in helpers}
    for group in settled:
        status = _make_program(group).status
        if status not in (Status.MIGRATED, Status.COMPAT):
            continue
        starts = [p for r in group for p in (r.path, *r.entries)]
        loaded = {p for s in starts for p in imports.reach(os.path.realpath(s))}
        for real in [real for real in free if real in loaded]:
            found = dataclasses.replace(free.pop(real), program=group[0].program)
            status_of_it = status if found.changed else None
            group.append(dataclasses.replace(found, status=status_of_it))


def _judge_graph_mode(results: Sequence[FileResult]) -> list[FileResult]:
    """A program's files, refused at a session that finds no graph on TensorFlow 2.

    None does where a file of the program switches graph mode on, or where all are a
    library, whose callers may.
    """
    switched = any(f.symbol in graph_mode.SWITCHES for r in results for f in r.findings)
    judged = []
    for result in results:
        starts = bool(result.entries) or not os.path.isfile(result.path)
        findings = [
            dataclasses.replace(f, outcome=Outcome.REFUSED)
            if f.code == LOST_SESSION
            else f
            for f in result.findings
            if f.code != LOST_SESSION or (starts and not switched)
        ]
        judged.append(dataclasses.replace(result, findings=tuple(findings)))
    return judged


def _judge_graphs_read(results: Sequence[FileResult]) -> list[FileResult]:
    """A program's files, refused at a read of a graph that another file's session lost."""
    without_graph = {
        entry
        for result in results
        for entry in (result.path, *result.entries)
        if any(
            f.outcome is Outcome.REWRITTEN and f.symbol in roles.OPENINGS
            for f in result.findings
        )
    }
    judged = []
    for result in results:
        lost = not without_graph.isdisjoint({result.path, *result.entries})
        findings = [
            dataclasses.replace(f, outcome=Outcome.REFUSED)
            if f.code == LOST_GRAPH
            else f
            for f in result.findings
            if f.code != LOST_GRAPH or lost or f.outcome is Outcome.REFUSED
        ]
        judged.append(dataclasses.replace(result, findings=tuple(findings)))
    return judged


def _find_entries(unit: Unit, path: pathlib.Path) -> tuple[pathlib.Path, ...]:
    """The entry points that load a file."""
    real = os.path.realpath(path)
    return tuple(
        entry
        for entry, loaded in unit.loads.items()
        if any(os.path.realpath(p) == real for p in loaded)
    )


def _settle(
    results: Sequence[FileResult], fallback: Fallback | None
) -> list[FileResult]:
    program = _make_program(results)
    path = program.path
    if program.status is Status.REFUSED and fallback is not None:
        unchanged = [hold(r, None) for r in results]
        again = fallback(unchanged)
        if all(r.status is Status.COMPAT for r in again):
            return [dataclasses.replace(_leave_unused(r), program=path) for r in again]
        told = {r.path: r.findings for r in again}
        results = [dataclasses.replace(r, findings=told[r.path]) for r in results]
    if program.status in (Status.FAILED, Status.REFUSED):
        results = [_leave_unused(hold(r, program.reason)) for r in results]
    else:
        results = [dataclasses.replace(_leave_unused(r), noted=b"") for r in results]
    return [
        dataclasses.replace(r, status=find_status(r), program=path) for r in results
    ]


def _leave_unused(result: FileResult) -> FileResult:
    """A file whose code that nothing calls just stays: it is no reason for a refusal."""
    findings = (
        dataclasses.replace(f, outcome=Outcome.KEPT)
        if f.unused and f.outcome is Outcome.REFUSED
        else f
        for f in result.findings
    )
    return dataclasses.replace(result, findings=tuple(findings))


def hold(result: FileResult, reason: tuple[pathlib.Path, Finding] | None) -> FileResult:
    """A file's result as one of a program that is left: its bytes stay.

    Args:
      reason: why; told at the file if that has no reason of its own.
    """
    findings = [
        dataclasses.replace(
            f,
            outcome=Outcome.REFUSED,
            code=PART,
            reason="part of a program that was refused",
            noted=False,
        )
        if f.outcome is Outcome.REWRITTEN
        else f
        for f in result.findings
    ]
    own = any(f.blocks and f.code not in _CONSEQUENCES for f in findings)
    if reason is not None and not own:
        path, finding = reason
        findings.insert(
            0, _hold_finding(os.path.relpath(path, result.path.parent), finding)
        )
    return FileResult(
        result.path,
        result.old if result.noted else b"",
        result.noted,
        tuple(findings),
        noted=result.noted,
    )


def _hold_finding(other: str, finding: Finding) -> Finding:
    cell = f"cell {finding.cell + 1}, " if finding.cell is not None else ""
    return Finding(
        1,
        1,
        HELD,
        Outcome.REFUSED,
        "",
        f"{other}, {cell}line {finding.line}, of the same program is not migrated: "
        f"{finding.code} {finding.reason}",
        "Follow that finding's recipe. If the file is not a part of the program, "
        "leave it out of the run (--exclude).",
    )
