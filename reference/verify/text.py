"""A verdict as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from reference.verify.rows import Row
from reference.verify.verdict import Outcome, Verdict

_MANY = 12


def lines(verdict: Verdict, verbose: bool = False) -> Iterator[str]:
    """The one line, a table, and what was reduced or is not proved."""
    yield verdict.line
    if verdict.outcome is Outcome.DIFFERENT:
        yield ""
        yield from _help(verdict)
    comparison = verdict.comparison
    if comparison is not None and comparison.rows:
        yield ""
        yield from _table(comparison.rows, verbose)
    for heading, items in (
        ("Reduced", verdict.reduced),
        ("Not proved", verdict.unproven),
    ):
        if items:
            yield ""
            yield f"{heading}:"
            shown = items if verbose else items[:_MANY]
            yield from (f"  - {item}" for item in shown)
            if len(items) > len(shown):
                yield f"  - and {len(items) - len(shown)} more (--verbose)"


def _help(verdict: Verdict) -> Iterator[str]:
    for title, row in (
        ("first value", verdict.first),
        ("first variable", verdict.variable),
    ):
        if row is None:
            continue
        yield f"{title}: {row.kind} {row.name}, step {row.first}: {row.what}"
        if row.old_at or row.new_at:
            yield f"  the original: {row.old_at or '?'}; migrated: {row.new_at or '?'}"
    if verdict.stage:
        yield verdict.stage
    yield from verdict.codes


def _table(rows: list[Row], verbose: bool) -> Iterator[str]:
    order = {"fetch": 0, "metric": 1, "prediction": 2, "variable": 3, "read": 4}
    order.update(printed=5, file=6)
    rows = sorted(
        rows,
        key=lambda r: (not r.wrong, order.get(r.kind, 9), -_ratio(r), r.name),
    )
    shown = rows if verbose else rows[: 2 * _MANY]
    width = min(60, max(len(f"{r.kind} {r.name}") for r in shown))
    yield (
        f"{'value':{width}}  {'compared':>8}  {'largest':>9}  {'ULPs':>8}  "
        f"{'allowed':>9}  first"
    )
    for row in shown:
        label = f"{row.kind} {row.name}"[:width]
        first = f"step {row.first}" if row.wrong else "-"
        ulps = "-" if row.ulps is None else str(row.ulps)
        yield (
            f"{label:{width}}  {row.steps:>8}  {row.difference:>9.2g}  {ulps:>8}  "
            f"{row.allowed:>9.2g}  {first}"
        )
    if len(rows) > len(shown):
        yield f"... and {len(rows) - len(shown)} more values within tolerance or later"


def _ratio(row: Row) -> float:
    return row.difference / row.allowed if row.allowed else row.difference
