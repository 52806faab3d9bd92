"""The report as Markdown, for a pull request or an issue."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from migrate.findings import Outcome
from migrate.outcomes import find_status
from migrate.report.paths import display
from migrate.report.summary import (
    Run,
    Summary,
    counts_in_words,
    listed,
    reason_in_words,
    sentence,
    shown,
    summarise,
)


def _row(cells: Iterable[object]) -> str:
    texts = (str(c).replace("|", "\\|").replace("\n", "<br>") for c in cells)
    return f"| {' | '.join(texts)} |"


def _prose(text: str) -> str:
    """Text in which nothing is a tag."""
    return text.replace("&", "&amp;").replace("<", "&lt;")


def _code(text: str) -> str:
    """A code span; one that holds backticks needs longer fences."""
    if not text:
        return ""
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def render(run: Run) -> str:
    """Counts, then a section for each file with what was refused in it."""
    return "\n".join(_lines(run)) + "\n"


def _lines(run: Run) -> Iterator[str]:
    yield from ("# Migration report", "", sentence(run), "")
    summary = summarise(run.results)
    yield from _programs(summary)
    if summary.codes:
        columns = [o for o in Outcome if summary.outcomes[o]]
        yield _row(["code", "", *(o.value for o in columns)])
        yield "|---|---|" + "---:|" * len(columns)
        for row in summary.codes:
            numbers = (row.outcomes[o] or "" for o in columns)
            yield _row([row.code, row.title, *numbers])
        yield ""
    for result in run.results:
        status = find_status(result)
        if not shown(result) and not status:
            continue
        verb = f"{status.words}; " if status else ""
        yield from (
            f"## {_code(display(result.path))}",
            "",
            f"{verb}{counts_in_words(result.findings)}",
            "",
        )
        loud = listed(result)
        if loud:
            yield _row(["line", "code", "symbol", "reason", "what to do"])
            yield "|---|---|---|---|---|"
            for f in loud:
                cell = f"cell {f.cell + 1}, " if f.cell is not None else ""
                words = (_prose(f.reason), _prose(f.recipe))
                yield _row([f"{cell}{f.line}", f.code, _code(f.symbol), *words])
            yield ""


def _programs(summary: Summary) -> Iterator[str]:
    if not summary.programs:
        return
    yield _row(["program", "files", "outcome", "why"])
    yield "|---|---:|---|---|"
    for program in summary.programs:
        name, why = _code(display(program.path)), _prose(reason_in_words(program))
        yield _row([name, len(program.results), program.status.words, why])
    yield ""
