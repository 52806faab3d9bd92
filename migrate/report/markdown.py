"""The report as Markdown, for a pull request or an issue."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from migrate.codes import CODES
from migrate.codes.pages import locate_page
from migrate.findings import Outcome
from migrate.outcomes import find_status
from migrate.report import triage
from migrate.report.paths import display_path
from migrate.report.prose import render_markdown
from migrate.report.summary import (
    Run,
    select_listed,
    select_shown,
    spell_counts,
    summarise,
    write_sentence,
)


def _write_row(cells: Iterable[object]) -> str:
    texts = (str(c).replace("|", "\\|").replace("\n", "<br>") for c in cells)
    return f"| {' | '.join(texts)} |"


def _write_code(text: str) -> str:
    """A code span; one that holds backticks needs longer fences."""
    if not text:
        return ""
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def _write_rule(code: str) -> str:
    """Writes a code, with a link to its explanation."""
    return f"[{code}]({locate_page(code)})" if code in CODES else code


def render(run: Run) -> str:
    """Counts, then a section for each file with what was refused in it."""
    return "\n".join(_write_lines(run)) + "\n"


def _write_lines(run: Run) -> Iterator[str]:
    yield from ("# Migration report", "")
    yield from _write_programs(run)
    yield from (write_sentence(run), "")
    summary = summarise(run.results)
    if summary.codes:
        columns = [o for o in Outcome if summary.outcomes[o]]
        yield _write_row(["code", "", *(o.value for o in columns)])
        yield "|---|---|" + "---:|" * len(columns)
        for row in summary.codes:
            numbers = (row.outcomes[o] or "" for o in columns)
            yield _write_row([_write_rule(row.code), row.title, *numbers])
        yield ""
    for result in run.results:
        status = find_status(result)
        if not select_shown(result) and not status:
            continue
        verb = f"{status.words}; " if status else ""
        yield from (
            f"## {_write_code(display_path(result.path))}",
            "",
            f"{verb}{spell_counts(result.findings)}",
            "",
        )
        loud = select_listed(result)
        if loud:
            yield _write_row(["line", "code", "symbol", "reason", "what to do"])
            yield "|---|---|---|---|---|"
            for f in loud:
                cell = f"cell {f.cell + 1}, " if f.cell is not None else ""
                words = (render_markdown(f.reason), render_markdown(f.recipe))
                yield _write_row(
                    [
                        f"{cell}{f.line}",
                        _write_rule(f.code),
                        _write_code(f.symbol),
                        *words,
                    ]
                )
            yield ""


def _write_programs(run: Run) -> Iterator[str]:
    """The first page: the entry points in the order to take them, and what blocks them."""
    found = triage.triage(run)
    yield f"**{triage.write_verdict(found)}**"
    yield ""
    if not found.entries:
        return
    yield _write_row(["", "program", "is", "becomes", "why not"])
    yield "|---|---|---|---|---|"
    for entry in found.entries:
        name, why = (
            _write_code(display_path(entry.path)),
            render_markdown(triage.explain_block(found, entry)),
        )
        kind = triage.describe_kind(entry)
        yield _write_row(
            [triage.choose_badge(found, entry), name, kind, entry.becomes, why]
        )
    yield ""
    if found.blockers:
        yield _write_row(["what blocks", "", "programs", "only blocker", "places"])
        yield "|---|---|---:|---:|---:|"
        for b in found.blockers:
            yield _write_row(
                [_write_rule(b.code), b.title, b.entries, b.alone or "", b.places]
            )
        yield ""
    if told := triage.write_estimate(found):
        yield told
        yield ""
