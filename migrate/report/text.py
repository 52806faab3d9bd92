"""The report one reads: refusals with their recipes, choices, then the counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from migrate import emitted
from migrate.findings import Finding, Outcome
from migrate.outcomes import Program, Status, programs
from migrate.pipeline import FileResult
from migrate.report.paths import display
from migrate.report.summary import (
    LOUD,
    Run,
    counts_in_words,
    listed,
    place,
    program_in_words,
    reason_in_words,
    sentence,
    shown,
    statement,
    summarise,
)

# Colours a piece of text: (text, role); a role is an outcome's value, "dim" or "bold".
Paint = Callable[[str, str], str]
_ROLES = {
    Status.MIGRATED: "rewritten",
    Status.COMPAT: "refused",
    Status.REFUSED: "refused",
    Status.FAILED: "failed",
}


def plain(text: str, role: str) -> str:
    """No colours."""
    return text


def render(run: Run) -> str:
    """The whole report."""
    lines = [
        *findings(run),
        *statistics(run),
        sentence(run),
    ]
    return "\n".join(lines) + "\n"


def findings(run: Run, paint: Paint = plain, verbose: bool = False) -> Iterator[str]:
    """Refusals, failures and choices, one a line; with `verbose`, everything.

    Before those of a program that is not migrated stands what became of it, and why.
    """
    heads = {p.path: p for p in programs(run.results) if p.reason is not None}
    for result in run.results:
        program = heads.get(result.path)
        if program is not None and _needs_head(program):
            yield from _head(program, paint, verbose)
        yield from _of_file(result, paint, verbose)


def _needs_head(program: Program) -> bool:
    """Whether its findings do not say already what became of it."""
    return program.status is not Status.FAILED or len(program.results) > 1


def _head(program: Program, paint: Paint, verbose: bool) -> Iterator[str]:
    assert program.reason is not None
    yield paint(program_in_words(program), _ROLES[program.status])
    _, finding = program.reason
    if (
        program.status is Status.COMPAT
        or finding.hidden
        or not any(
            finding is f
            for result in program.results
            for f in (shown(result) if verbose else listed(result))
        )
    ):
        yield f"    {reason_in_words(program)}"


def _of_file(result: FileResult, paint: Paint, verbose: bool) -> Iterator[str]:
    path = display(result.path)
    for finding in shown(result) if verbose else listed(result):
        where = place(path, finding)
        code = paint(finding.code, finding.outcome.value)
        quiet = "" if finding.outcome in LOUD else f"{finding.outcome.value}: "
        yield f"{where}: {code} {quiet}{statement(finding)}".rstrip(": ")
        yield from _recipe(finding, paint)


def _recipe(finding: Finding, paint: Paint) -> Iterator[str]:
    for index, line in enumerate(finding.recipe.splitlines()):
        yield paint(f"    {'->' if not index else '  '} {line}", "dim")


def files(run: Run, paint: Paint = plain) -> Iterator[str]:
    """Each file that changes, and what it needs beside it."""
    for result in run.results:
        if result.changed:
            needs = (
                f" (with {', '.join(emitted.shown(result.support))})"
                if result.support
                else ""
            )
            verb = paint(run.verb(result), "rewritten")
            counts = counts_in_words(result.findings)
            yield f"{verb} {display(result.path)}: {counts}{needs}"


def statistics(run: Run, paint: Paint = plain) -> Iterator[str]:
    """A table of codes and outcomes."""
    summary = summarise(run.results)
    if not summary.codes:
        return
    columns = [o for o in Outcome if summary.outcomes[o]]
    width = max(len(c.title) for c in summary.codes)
    head = "".join(f"{o.value:>11}" for o in columns)
    yield paint(f"{'code':<6}{'':<{width}}{head}", "dim")
    for row in summary.codes:
        numbers = "".join(
            paint(f"{row.outcomes[o] or '':>11}", o.value) for o in columns
        )
        yield f"{row.code:<6}{row.title:<{width}}{numbers}"
    yield ""
