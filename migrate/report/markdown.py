"""The report as Markdown, for a pull request or an issue."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from migrate.findings import Outcome
from migrate.report import display
from migrate.report.summary import (
    Run,
    counts_in_words,
    listed,
    part_of_refused,
    sentence,
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
    if summary.codes:
        shown = [o for o in Outcome if summary.outcomes[o]]
        yield _row(["code", "", *(o.value for o in shown)])
        yield "|---|---|" + "---:|" * len(shown)
        for row in summary.codes:
            numbers = (row.outcomes[o] or "" for o in shown)
            yield _row([row.code, row.title, *numbers])
        yield ""
    for result in run.results:
        if not result.findings and not result.changed:
            continue
        verb = f"{run.action.value}; " if result.changed else ""
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
        more = part_of_refused(result)
        if more:
            yield from (f"{more} more uses are in the refused program (N100).", "")
