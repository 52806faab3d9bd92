"""The report one reads: refusals with their recipes, choices, then the counts."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator

from migrate import emitted
from migrate.codes import CODES
from migrate.codes.pages import locate_page, locate_rules
from migrate.file_result import FileResult
from migrate.findings import Finding, Outcome
from migrate.outcomes import Program, Status, find_status, list_programs
from migrate.report import triage
from migrate.report.paths import display_path
from migrate.report.summary import (
    LOUD,
    Run,
    find_title,
    select_listed,
    select_shown,
    spell_counts,
    spell_place,
    spell_plural,
    spell_program,
    spell_reason,
    spell_statement,
    summarise,
    write_sentence,
)

_NAMES = 48  # Characters of a path before the next column moves.
_TOP = 10  # Codes that are named as what blocks, or with their pages.
# Colours a piece of text: (text, role); a role is an outcome's value, "dim" or "bold".
Paint = Callable[[str, str], str]
_ROLES = {
    Status.MIGRATED: "rewritten",
    Status.COMPAT: "refused",
    Status.REFUSED: "refused",
    Status.FAILED: "failed",
}


def leave_plain(text: str, role: str) -> str:
    """No colours."""
    return text


def render(run: Run) -> str:
    """The whole report: the programs, then the details."""
    lines = [
        *write_programs_first(run),
        *write_findings(run),
        *write_rules(run),
        *write_statistics(run),
        write_sentence(run),
    ]
    return "\n".join(lines) + "\n"


def write_programs_first(
    run: Run, paint: Paint = leave_plain, width: int = 100
) -> Iterator[str]:
    """The first page: programs in the order to take them, and what blocks them."""
    found = triage.triage(run)
    yield paint(triage.write_verdict(found), "bold")
    if not found.entries:
        return
    yield ""
    if found.base:
        yield paint(f"{'':<17}{found.base}/", "dim")
    names = max(len(found.shorten(e.path)) for e in found.entries)
    names = min(names, _NAMES)
    for number, entry in enumerate(found.entries, 1):
        state = paint(f"{triage.choose_badge(found, entry):<10}", _ROLES[entry.status])
        path = f"{found.shorten(entry.path):<{names}}"
        kind = triage.describe_kind(entry)
        becomes = f"-> {entry.becomes}"
        if len(path) + len(kind) + len(becomes) + 20 <= width:
            yield f"{number:>4}  {state} {path}  {kind} {becomes}"
        else:
            yield f"{number:>4}  {state} {path}  {kind}"
            yield from _wrap_text(becomes, width, leave_plain)
        if reason := triage.explain_block(found, entry):
            yield from _wrap_text(reason, width, paint)
    if found.blockers:
        yield ""
        yield paint("What blocks", "bold")
        for blocker in found.blockers[:_TOP]:
            where = (
                f"{spell_plural(blocker.places, 'place')} in "
                f"{spell_plural(blocker.entries, 'program')}"
            )
            alone = ""
            if blocker.alone == blocker.entries:
                which = "it" if blocker.alone == 1 else "them"
                alone = f"; nothing else blocks {which}"
            elif blocker.alone:
                alone = f"; nothing else blocks {blocker.alone} of them"
            text = f"{blocker.title}: {where}{alone}"
            code = paint(blocker.code, "refused")
            yield from _indent_text(f"      {code}  ", text, width)
        if len(found.blockers) > _TOP:
            yield f"      and {spell_plural(len(found.blockers) - _TOP, 'other code')}"
    if told := triage.write_estimate(found):
        yield ""
        yield from textwrap.wrap(told, width, break_on_hyphens=False)
    yield ""


def _indent_text(head: str, text: str, width: int) -> Iterator[str]:
    """A text behind a head of twelve columns, in as many lines as it takes."""
    lines = textwrap.wrap(text, width - 12, break_on_hyphens=False)
    for number, line in enumerate(lines):
        yield f"{head if not number else ' ' * 12}{line}"


def _wrap_text(text: str, width: int, paint: Paint) -> Iterator[str]:
    for line in textwrap.wrap(
        text, width - 17, break_long_words=False, break_on_hyphens=False
    ):
        yield paint(f"{'':<17}{line}", "dim")


def list_next_steps(run: Run, paint: Paint = leave_plain) -> Iterator[str]:
    """Lists the commands to type next."""
    steps = triage.list_next_steps(triage.triage(run))
    if not steps:
        return
    yield paint("Next", "bold")
    width = max(len(command) for command, _ in steps)
    for command, purpose in steps:
        yield f"      {command:<{width}}  {paint(purpose, 'dim')}"


def write_findings(
    run: Run, paint: Paint = leave_plain, verbose: bool = False
) -> Iterator[str]:
    """Writes refusals, failures and choices, one a line; with `verbose`, all findings.

    If a program is not migrated, its outcome and the reason come first.
    """
    heads = {p.path: p for p in list_programs(run.results) if p.reason is not None}
    for result in run.results:
        program = heads.get(result.path)
        if program is not None and _needs_head(program):
            yield from _write_head(program, paint, verbose)
        yield from _render_file(result, paint, verbose)


def write_rules(
    run: Run, paint: Paint = leave_plain, verbose: bool = False
) -> Iterator[str]:
    """The pages of the codes that `findings` names, what is left to do first."""
    loud: set[str] = set()
    quiet: set[str] = set()
    for result in run.results:
        for finding in select_shown(result) if verbose else select_listed(result):
            (loud if finding.outcome in LOUD else quiet).add(finding.code)
    for program in list_programs(run.results):
        if program.reason is not None:
            loud.add(program.reason[1].code)
    codes = [*sorted(loud & CODES.keys()), *sorted((quiet - loud) & CODES.keys())]
    if not codes:
        return
    yield ""
    yield paint("Rules", "bold")
    width = max(len(find_title(code)) for code in codes[:_TOP])
    for code in codes[:_TOP]:
        yield f"      {code}  {find_title(code):<{width}}  {locate_page(code)}"
    if len(codes) > _TOP:
        yield f"      and {spell_plural(len(codes) - _TOP, 'other code')}: {locate_rules()}"
    yield ""


def _needs_head(program: Program) -> bool:
    """Whether the program's outcome is not clear from its findings."""
    return program.status is not Status.FAILED or len(program.results) > 1


def _write_head(program: Program, paint: Paint, verbose: bool) -> Iterator[str]:
    assert program.reason is not None
    yield paint(spell_program(program), _ROLES[program.status])
    _, finding = program.reason
    if (
        program.status is Status.COMPAT
        or finding.hidden
        or not any(
            finding is f
            for result in program.results
            for f in (select_shown(result) if verbose else select_listed(result))
        )
    ):
        yield f"    {spell_reason(program)}"


def _render_file(result: FileResult, paint: Paint, verbose: bool) -> Iterator[str]:
    path = display_path(result.path)
    for finding in select_shown(result) if verbose else select_listed(result):
        where = spell_place(path, finding)
        code = paint(finding.code, finding.outcome.value)
        quiet = "" if finding.outcome in LOUD else f"{finding.outcome.value}: "
        yield f"{where}: {code} {quiet}{spell_statement(finding)}".rstrip(": ")
        yield from _write_recipe(finding, paint)


def _write_recipe(finding: Finding, paint: Paint) -> Iterator[str]:
    for index, line in enumerate(finding.recipe.splitlines()):
        yield paint(f"    {'->' if not index else '  '} {line}", "dim")


def write_files(run: Run, paint: Paint = leave_plain) -> Iterator[str]:
    """Each file that changes, and what it needs beside it."""
    for result in run.results:
        if result.changed:
            needs = (
                f" (with {', '.join(emitted.name_for_reader(result.support))})"
                if result.support
                else ""
            )
            verb = paint(run.choose_verb(result), "rewritten")
            words = spell_counts(result.findings)
            if find_status(result) is Status.COMPAT:
                words = Status.COMPAT.words
            yield f"{verb} {display_path(result.path)}: {words}{needs}"


def write_statistics(run: Run, paint: Paint = leave_plain) -> Iterator[str]:
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
