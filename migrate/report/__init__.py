"""What a run found, for people and for machines; wording and counts in one place."""

from __future__ import annotations

import collections
import dataclasses
import pathlib
from collections.abc import Sequence

from migrate.findings import Outcome
from migrate.pipeline import FileResult


@dataclasses.dataclass(frozen=True)
class Summary:
    """Counts of one run.

    Attributes:
      files: files looked at.
      changed: files that would change (or did).
      outcomes: findings by outcome.
      codes: refusals and failures by code, most frequent first.
    """

    files: int
    changed: int
    outcomes: dict[str, int]
    codes: tuple[tuple[str, int], ...]

    @property
    def exit_code(self) -> int:
        """0 nothing refused, 1 refusals remain, 2 a file failed."""
        if self.outcomes.get("failed"):
            return 2
        return 1 if self.outcomes.get("refused") else 0


def summarise(results: Sequence[FileResult]) -> Summary:
    """Counts files and findings."""
    outcomes: collections.Counter[str] = collections.Counter()
    codes: collections.Counter[str] = collections.Counter()
    for result in results:
        for finding in result.findings:
            outcomes[finding.outcome.value] += 1
            if finding.outcome in (Outcome.REFUSED, Outcome.FAILED):
                codes[finding.code] += 1
    return Summary(
        len(results),
        sum(r.changed for r in results),
        {o.value: outcomes[o.value] for o in Outcome},
        tuple(codes.most_common()),
    )


def sentence(summary: Summary, verb: str) -> str:
    """One line for the end of a run."""
    counts = summary.outcomes
    parts = [
        f"{summary.files} file{'s' * (summary.files != 1)} read",
        f"{summary.changed} {verb}",
        f"{counts['rewritten']} uses rewritten, {counts['kept']} kept, "
        f"{counts['refused']} refused",
    ]
    if counts["failed"]:
        parts.append(f"{counts['failed']} failed")
    return "; ".join(parts) + "."


def place(result: FileResult, line: int, column: int, cell: int | None) -> str:
    where = f"{result.path}:cell {cell}:" if cell is not None else f"{result.path}:"
    return f"{where}{line}:{column}"


def save(path: pathlib.Path, results: Sequence[FileResult]) -> None:
    """Writes a report in the format the file's suffix names.

    Raises:
      ValueError: an unknown suffix.
    """
    from migrate.report import formats

    writer = formats.BY_SUFFIX.get(path.suffix)
    if writer is None:
        known = " ".join(sorted(formats.BY_SUFFIX))
        raise ValueError(f"{path}: unknown report format; known are {known}")
    path.write_text(writer(results), "utf-8")
