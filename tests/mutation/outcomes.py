"""Records the tool's outcome for a program: findings, kind, and the new text."""

from __future__ import annotations

import collections
import dataclasses
import hashlib
import pathlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tests.mutation import cases, facts, planted
from tests.mutation.programs import Program

if TYPE_CHECKING:  # The tool is imported later, with other tables.
    from migrate.findings import Finding
    from migrate.migration import Migration


@dataclasses.dataclass(frozen=True)
class Outcome:
    """The tool's outcome for a program.

    Attributes:
      codes: of the findings, each with its number and outcome.
      digest: of all findings, and of the texts.
    """

    codes: str
    digest: str


# The outcome of a test's case, and of a fact that the tables agree with.
PASSES = Outcome("passes", "")


def _told(finding: Finding) -> tuple[int, int, tuple[str, ...]]:
    shown = (finding.code, finding.outcome.value, finding.symbol)
    more = (finding.reason, finding.recipe, finding.target)
    return (
        finding.line,
        finding.column,
        tuple(planted.now(text) for text in (*shown, *more)),
    )


def _kind_of(program: Program, made: Migration) -> Iterator[str]:
    """Yields the words of a run for a program's kind and its result."""
    from migrate.file_result import FileResult
    from migrate.outcomes import Status
    from migrate.report import triage

    result = FileResult(
        pathlib.Path("program.py"),
        program.text.encode(),
        made.text.encode(),
        made.findings,
        made.support,
    )
    for status in (Status.MIGRATED, Status.REFUSED):
        kind, becomes = triage._find_kind(status, [result])
        yield from map(planted.now, (kind.name, kind.words, becomes))


def _read_packages(program: Program) -> Iterator[str]:
    """Yields the edits of a file that asks for TensorFlow 1."""
    from migrate.packages.edits import edit_file

    path = pathlib.Path(program.name.partition("/")[2])
    for user in ("", "program.py"):
        yield repr(edit_file(path, program.text.encode(), user))


def _read_program(program: Program) -> tuple[list[str], collections.Counter[str]]:
    from migrate.compiler import migrate_text
    from migrate.fallback import module
    from migrate.options import Options

    made = migrate_text(program.text, Options(), "program.py")
    told = sorted(map(_told, made.findings))
    whole = [repr(told), made.text, repr(sorted(made.support))]
    if program.in_compat:
        whole += _kind_of(program, made)
        brought = module.bring_to_compat(
            program.text, Options(), "program.py", module.Part()
        )
        whole += [brought.text, repr(sorted(map(_told, brought.findings)))]
    return whole, collections.Counter(f"{t[2][0]} {t[2][1]}" for t in told)


def outcome_of(program: Program) -> Outcome:
    """Returns the tool's outcome for a program, as it is imported in this process."""
    if program.name.startswith("test "):
        try:
            return PASSES if cases.passes(program.name) else Outcome("fails", "")
        except cases.Refused:
            return Outcome("is refused", "")
    if program.name.startswith(facts.PREFIX):
        return PASSES if facts.holds(program.name) else Outcome("fails", "")
    try:
        if program.is_python:
            whole, counts = _read_program(program)
        else:
            whole, counts = [*_read_packages(program)], collections.Counter()
    except Exception as error:
        return Outcome(f"raises {type(error).__name__}", "")
    digest = hashlib.sha256("\0".join(whole).encode()).hexdigest()[:12]
    return Outcome(", ".join(f"{k} {n}" for k, n in sorted(counts.items())), digest)
