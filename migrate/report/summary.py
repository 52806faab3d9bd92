"""Counts of one run, and the words for them: no format counts or words by itself."""

from __future__ import annotations

import collections
import dataclasses
import enum
from collections.abc import Iterable, Sequence

from migrate.codes import CODES
from migrate.findings import Finding, Outcome
from migrate.pipeline import FileResult

# Uses in a program that was refused as a whole: counted, not listed one by one.
PART_OF_REFUSED = "N100"
LOUD = (Outcome.REFUSED, Outcome.FAILED)
_NOTED = frozenset(code.id for code in CODES.values() if code.noted)


class Action(enum.Enum):
    """What a run did with what it found."""

    DRY_RUN = "would change"
    WRITE = "changed"


@dataclasses.dataclass(frozen=True)
class Run:
    """One run, as its reports see it.

    Attributes:
      results: every file that was looked at, in order.
      interrupted: whether the user stopped it before the last file.
    """

    results: Sequence[FileResult]
    action: Action = Action.DRY_RUN
    interrupted: bool = False


@dataclasses.dataclass(frozen=True)
class CodeCount:
    """How often a code occurred, by outcome."""

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
      changed: files that would change (or did).
      failed: files that could not be handled.
      outcomes: findings by outcome.
      codes: what occurred, in the order of the codes.
    """

    files: int
    concerned: int
    changed: int
    failed: int
    outcomes: dict[Outcome, int]
    codes: tuple[CodeCount, ...]

    @property
    def exit_code(self) -> int:
        """0 nothing refused, 1 refusals remain, 2 a file failed."""
        if self.failed:
            return 2
        return 1 if self.outcomes[Outcome.REFUSED] else 0


def count(findings: Iterable[Finding]) -> dict[Outcome, int]:
    """Findings by outcome; every outcome has its number, be it 0."""
    counts = collections.Counter(f.outcome for f in findings)
    return {outcome: counts[outcome] for outcome in Outcome}


def summarise(results: Sequence[FileResult]) -> Summary:
    """Counts files and findings."""
    by_code: dict[str, list[Finding]] = collections.defaultdict(list)
    for result in results:
        for finding in result.findings:
            by_code[finding.code].append(finding)
    return Summary(
        files=len(results),
        concerned=sum(bool(r.findings) for r in results),
        changed=sum(r.changed for r in results),
        failed=sum(r.failed for r in results),
        outcomes=count(f for r in results for f in r.findings),
        codes=tuple(
            CodeCount(code, title(code), count(by_code[code]))
            for code in sorted(by_code)
        ),
    )


def title(code: str) -> str:
    """What a code is about, in a few words."""
    return CODES[code].title if code in CODES else ""


def sentence(run: Run) -> str:
    """The whole run in one line."""
    summary = summarise(run.results)
    uses = [
        f"{n} {o.value}" for o, n in summary.outcomes.items() if o is not Outcome.FAILED
    ]
    parts = [
        f"{_plural(summary.files, 'file')} read",
        f"{summary.changed} {run.action.value}",
        f"uses of TensorFlow: {', '.join(uses)}",
    ]
    if summary.failed:
        parts.append(f"{_plural(summary.failed, 'file')} failed")
    stopped = "Interrupted: " if run.interrupted else ""
    return f"{stopped}{'; '.join(parts)}."


def counts_in_words(findings: Sequence[Finding]) -> str:
    """A file's findings by outcome, without those that did not occur."""
    return ", ".join(f"{n} {o.value}" for o, n in count(findings).items() if n)


def _plural(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"


def place(path: str, finding: Finding) -> str:
    """Where a finding is, as editors and terminals understand it.

    Cells are counted from 1, as a reader counts them.
    """
    cell = f"cell {finding.cell + 1}:" if finding.cell is not None else ""
    return f"{path}:{cell}{finding.line}:{finding.column}"


def listed(result: FileResult) -> list[Finding]:
    """The findings of a file that are told one by one: what is left to do, and choices."""
    return [
        f
        for f in result.findings
        if (f.outcome in LOUD and f.code != PART_OF_REFUSED) or f.code in _NOTED
    ]


def part_of_refused(result: FileResult) -> int:
    """How many more uses are in a program that was refused as a whole."""
    return sum(f.code == PART_OF_REFUSED for f in result.findings)


def statement(finding: Finding) -> str:
    """Symbol and reason."""
    return f"{finding.symbol}: {finding.reason}" if finding.symbol else finding.reason
