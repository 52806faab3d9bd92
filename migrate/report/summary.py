"""Counts of one run, and the words for them: no format counts or words by itself."""

from __future__ import annotations

import collections
import dataclasses
import enum
from collections.abc import Iterable, Sequence

from migrate import outcomes
from migrate.codes import CODES
from migrate.file_result import FileResult
from migrate.findings import Finding, Outcome
from migrate.outcomes import Program, Status
from migrate.report.paths import display_path

_CONSEQUENCES = (outcomes.PART, outcomes.HELD)
LOUD = (Outcome.REFUSED, Outcome.WARNED, Outcome.FAILED)
_NAMED = 4  # Files of a program that are named.
# What is said of a refusal that the user does not want to be told.
IGNORED = "Ignoring it only hides it, so the program stays as it is"
_NOTED = frozenset(code.id for code in CODES.values() if code.noted)


class Action(enum.Enum):
    """The effect of a run: it writes its changes, or only shows them."""

    DRY_RUN = "would change"
    WRITE = "changed"


@dataclasses.dataclass(frozen=True)
class Run:
    """One run, as its reports see it.

    Attributes:
      results: every file that was looked at, in order.
      interrupted: whether the user stopped it before the last file.
      accepts_compat: whether the user asked for programs to run through compat.v1.
      project: the name of what was looked at.
    """

    results: Sequence[FileResult]
    action: Action = Action.DRY_RUN
    interrupted: bool = False
    accepts_compat: bool = False
    project: str = ""

    def choose_verb(self, result: FileResult) -> str:
        """Returns the verb for a file with new bytes, as "would change"."""
        if result.noted:
            return "noted" if self.action is Action.WRITE else "would note"
        return self.action.value


@dataclasses.dataclass(frozen=True)
class CodeCount:
    """The number of findings of one code, by outcome."""

    code: str
    title: str
    outcomes: dict[Outcome, int]

    @property
    def total(self) -> int:
        return sum(self.outcomes.values())


@dataclasses.dataclass(frozen=True)
class Summary:
    """Counts of one run.

    Attributes:
      files: files looked at.
      concerned: files with findings: those that use TensorFlow, or failed.
      changed: files that would be migrated (or were).
      noted: refused files that would get notes (or did).
      failed: files that could not be handled.
      outcomes: findings by outcome, of those that the user wants to be told.
      codes: what occurred, in the order of the codes.
      programs: what became of each.
      unresolved: whether a warning is left, told or not.
      accepts_compat: whether what runs through compat.v1 is done.
    """

    files: int
    concerned: int
    changed: int
    noted: int
    failed: int
    outcomes: dict[Outcome, int]
    codes: tuple[CodeCount, ...]
    programs: tuple[Program, ...]
    unresolved: bool
    accepts_compat: bool = False

    @property
    def exit_code(self) -> int:
        """0: all is TensorFlow 2's, 1: something is left to do, 2: a file failed.

        The outcome of the programs decides it, whatever the user wants to be told of
        it.
        """
        found = {program.status for program in self.programs}
        if Status.FAILED in found:
            return 2
        left = Status.REFUSED in found or self.unresolved
        return int(left or (Status.COMPAT in found and not self.accepts_compat))

    def count_programs(self) -> dict[Status, int]:
        """Programs by status; every status has its number, be it 0."""
        counts = collections.Counter(program.status for program in self.programs)
        return {status: counts[status] for status in Status}


def count_outcomes(findings: Iterable[Finding]) -> dict[Outcome, int]:
    """Findings by outcome; every outcome has its number, be it 0."""
    counts = collections.Counter(f.outcome for f in findings if _is_shown(f))
    return {outcome: counts[outcome] for outcome in Outcome}


def summarise(results: Sequence[FileResult], accepts_compat: bool = False) -> Summary:
    """Counts programs, files and findings.

    Args:
      accepts_compat: whether the user asked for programs to run through compat.v1.
    """
    by_code: dict[str, list[Finding]] = collections.defaultdict(list)
    for result in results:
        for finding in select_shown(result):
            by_code[finding.code].append(finding)
    return Summary(
        files=len(results),
        concerned=sum(bool(select_shown(r)) for r in results),
        changed=sum(r.changed and not r.noted for r in results),
        noted=sum(bool(r.noted) for r in results),
        failed=sum(r.failed for r in results),
        outcomes=count_outcomes(f for r in results for f in r.findings),
        codes=tuple(
            CodeCount(code, find_title(code), count_outcomes(by_code[code]))
            for code in sorted(by_code)
        ),
        programs=tuple(outcomes.list_programs(results)),
        unresolved=any(
            f.outcome is Outcome.WARNED for r in results for f in r.findings
        ),
        accepts_compat=accepts_compat,
    )


def select_shown(result: FileResult) -> list[Finding]:
    """Selects the findings of a file that the user wants to see."""
    return [finding for finding in result.findings if _is_shown(finding)]


def _is_shown(finding: Finding) -> bool:
    """Whether it is one to a reader: a use in a refused program is none of its own."""
    return not finding.hidden and finding.code != outcomes.PART


def count_parts(results: Iterable[FileResult]) -> int:
    """Uses of TensorFlow that stay only because their program is refused."""
    return sum(
        f.code == outcomes.PART and not f.hidden for r in results for f in r.findings
    )


def find_title(code: str) -> str:
    """Returns the title of a code; "" if the code is not known."""
    return CODES[code].title if code in CODES else ""


def write_sentence(run: Run) -> str:
    """The whole run in one line."""
    summary = summarise(run.results)
    held = sum(
        f.code == outcomes.HELD and f.outcome is Outcome.REFUSED
        for r in run.results
        for f in select_shown(r)
    )
    parts_of_refused = count_parts(run.results) + held
    uses = [
        f"{n - held * (o is Outcome.REFUSED)} {o.value}"
        for o, n in summary.outcomes.items()
        if o not in (Outcome.WARNED, Outcome.FAILED)
    ]
    if parts_of_refused:
        uses[-1] += f" (and {parts_of_refused} more in those programs)"
    if warnings := summary.outcomes[Outcome.WARNED]:
        uses.append(spell_plural(warnings, Outcome.WARNED.value))
    parts = [
        f"{spell_plural(summary.files, 'file')} read",
        f"{summary.changed} {run.action.value}",
        *([f"{summary.noted} noted"] if summary.noted else []),
        *([f"programs: {_spell_programs(summary)}"] if summary.programs else []),
        f"uses of TensorFlow: {', '.join(uses)}",
    ]
    if summary.failed:
        parts.append(f"{spell_plural(summary.failed, 'file')} failed")
    stopped = "Interrupted: " if run.interrupted else ""
    return f"{stopped}{'; '.join(parts)}."


def _spell_programs(summary: Summary) -> str:
    counts = summary.count_programs()
    return ", ".join(f"{n} {status.words}" for status, n in counts.items() if n)


def spell_program(program: Program) -> str:
    """Describes a program's status and its files."""
    others = [display_path(result.path) for result in program.results[1:]]
    more = len(others) - _NAMED
    files = ", ".join(others[:_NAMED]) + (f" and {more} more" if more > 0 else "")
    return f"{display_path(program.path)}: {program.status.words}" + (
        f", with {files}" if files else ""
    )


def spell_reason(program: Program) -> str:
    """Describes why a program is not migrated, and where; "" if it is migrated."""
    if program.reason is None:
        return ""
    path, finding = program.reason
    where = spell_place(display_path(path), finding)
    if program.status is Status.COMPAT:
        where = f"It is not yet tf.distribute, because of {where}"
    text = f"{where}: {finding.code} {spell_statement(finding)}".rstrip(": ")
    return f"{text}. {IGNORED}" if finding.hidden and finding.blocks else text


def spell_counts(findings: Sequence[Finding]) -> str:
    """A file's findings by outcome, without those that did not occur."""
    return ", ".join(
        _count_in_words(o, n) for o, n in count_outcomes(findings).items() if n
    )


def _count_in_words(outcome: Outcome, number: int) -> str:
    if outcome is Outcome.WARNED:
        return spell_plural(number, outcome.value)
    return f"{number} {outcome.value}"


def spell_plural(number: int, noun: str) -> str:
    """A number and its noun."""
    return f"{number} {noun}{'s' * (number != 1)}"


def spell_place(path: str, finding: Finding) -> str:
    """Spells the place of a finding, in the form that editors and terminals understand.

    Cells are counted from 1, as a reader counts them.
    """
    cell = f"cell {finding.cell + 1}:" if finding.cell is not None else ""
    return f"{path}:{cell}{finding.line}:{finding.column}"


def select_listed(result: FileResult) -> list[Finding]:
    """Selects the findings that are listed one by one: what is left to do, and choices.

    Findings of a refused file in code that nothing calls are not listed: they can wait.
    """
    refused = any(f.blocks for f in result.findings)
    return [
        f
        for f in result.findings
        if not (f.hidden or (refused and f.unused))
        and (
            (f.outcome in LOUD and f.code not in _CONSEQUENCES)
            or f.unused
            or f.noted
            or f.code in _NOTED
        )
    ]


def spell_statement(finding: Finding) -> str:
    """Symbol and reason."""
    return f"{finding.symbol}: {finding.reason}" if finding.symbol else finding.reason
