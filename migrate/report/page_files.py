"""The files of the HTML report: each side by side, with its findings at their lines."""

from __future__ import annotations

import itertools
import pathlib
from collections.abc import Iterable, Iterator
from html import escape

from migrate import emitted, outcomes
from migrate.codes import CODES
from migrate.codes.terminal import read_example
from migrate.file_result import FileResult
from migrate.findings import Finding, Outcome
from migrate.outcomes import Status, find_status
from migrate.report.paths import display_path
from migrate.report.prose import render_html
from migrate.report.side_by_side import Row, Section, read_sections
from migrate.report.summary import (
    LOUD,
    Run,
    count_parts,
    select_listed,
    select_shown,
    spell_counts,
    spell_plural,
)

CLASSES = {
    Status.MIGRATED: "ready",
    Status.COMPAT: "compat",
    Status.REFUSED: "refused",
    Status.FAILED: "failed",
}
_BADGES = {
    Status.MIGRATED: "migrated",
    Status.COMPAT: "compat.v1",
    Status.REFUSED: "unchanged",
    Status.FAILED: "failed",
}


class Files:
    """The files of a run that have something to show.

    Attributes:
      concerned: those files.
      ids: where each stands in the page.
    """

    def __init__(self, run: Run) -> None:
        self.concerned = [r for r in run.results if select_shown(r) or find_status(r)]
        self.ids: dict[pathlib.Path, str] = {
            result.path: f"file-{number}"
            for number, result in enumerate(self.concerned, 1)
        }

    def show(self) -> Iterator[str]:
        """The HTML of all of them."""
        for result in self.concerned:
            yield from self._write_file(result)

    def _write_file(self, result: FileResult) -> Iterator[str]:
        status = find_status(result)
        told = [f for f in select_shown(result) if f.code != outcomes.HELD]
        findings = [f for f in told if f.outcome is not Outcome.KEPT]
        findings += [f for f in select_listed(result) if f.outcome is Outcome.KEPT]
        name = CLASSES[status] if status else ""
        badge = f'<span class="badge">{_BADGES[status]}</span> ' if status else ""
        parts = [spell_counts(told)]
        if less := count_parts([result]):
            parts.append(f"{spell_plural(less, 'more use')} in the refused program")
        if result.support:
            parts.append(f"with {', '.join(emitted.name_for_reader(result.support))}")
        words = "; ".join(part for part in parts if part)
        codes = " ".join(sorted({f.code for f in findings}))
        # A single file is what the page is about.
        shown = " open" if len(self.concerned) == 1 else ""
        yield (
            f'<details class="entry {name} {codes}"{shown}>'
            f"<summary>{badge}<code>{escape(display_path(result.path))}</code>"
            f'<span class="soft">{escape(words)}</span></summary>'
            f"{make_anchor(self.ids[result.path])}"
        )
        explained: set[str] = set()
        for held in (f for f in select_shown(result) if f.code == outcomes.HELD):
            yield f'<p class="note">{render_html(held.reason)}</p>'
        for section in read_sections(result, findings):
            yield from _write_section(section, explained)
        yield "</details>"


def make_anchor(name: str) -> str:
    """Makes a link's target inside folded text, so that the browser unfolds it."""
    return f'<span class="anchor" id="{name}"></span>'


def show_example(before: str, after: str) -> Iterator[str]:
    """A rule's example."""
    yield '<div class="example">'
    for heading, text in (("before", before), ("after", after)):
        if text:
            yield f'<div><span class="soft">{heading}</span>'
            yield f"<pre>{escape(text.rstrip())}</pre></div>"
    yield "</div>"


def _write_section(section: Section, explained: set[str]) -> Iterator[str]:
    if section.title:
        yield f"<h3>{escape(section.title)}</h3>"
    yield from _write_notes(section.others, explained)
    yield '<div class="diff code">'
    for hunk in section.hunks:
        first = next((row.old or row.new for row in hunk if row.old or row.new), None)
        if first is not None:
            yield f'<div class="hunk">line {first[0]}</div>'
        # Lines that follow each other and changed are one block: where the page is narrow,
        # all old ones stand above all new ones.
        for same, rows in itertools.groupby(hunk, key=lambda row: row.same):
            kind = "run same" if same else "run"
            yield f'<div class="{kind if section.changed else "run one"}">'
            for row in rows:
                yield _write_row(row, section.changed)
                yield from _write_notes(row.findings, explained)
            yield "</div>"
    yield "</div>"


def _write_row(row: Row, changed: bool) -> str:
    if not changed:
        assert row.old is not None
        number, text = row.old
        return f"<i>{number}</i><span>{escape(text)}</span>"
    cells = []
    for place, side, mark in (("o", row.old, "r"), ("n", row.new, "a")):
        if side is None:
            cells.append(
                f'<i class="{place} none"></i><span class="{place} none"></span>'
            )
            continue
        number, text = side
        kind = place if row.same else f"{place} {mark}"
        cells.append(
            f'<i class="{place}">{number}</i><span class="{kind}">{escape(text)}</span>'
        )
    return "".join(cells)


def _write_notes(findings: Iterable[Finding], explained: set[str]) -> Iterator[str]:
    """Findings at one place; those that say the same of several symbols are one note."""
    alike: dict[tuple[str, Outcome, str, str], list[str]] = {}
    for f in findings:
        symbols = alike.setdefault((f.code, f.outcome, f.reason, f.recipe), [])
        if f.symbol and f.symbol not in symbols:
            symbols.append(f.symbol)
    for (code, outcome, reason, recipe), symbols in alike.items():
        named = ", ".join(f"<code>{escape(symbol)}</code>" for symbol in symbols)
        row = CODES.get(code)
        title = f" {render_html(row.title)}" if row else ""
        yield (
            f'<div class="note {outcome.value} {code}"><a href="#{code}"><code>'
            f'{code}</code></a><span class="soft">{title}</span><br>'
            f"{named}{': ' * bool(named)}{render_html(reason)}"
        )
        if recipe:
            yield f'<div class="recipe">{render_html(recipe)}</div>'
        # Once in a file: an example twenty times over would hide the code.
        if row and outcome in LOUD and row.id not in explained:
            explained.add(row.id)
            before, after = read_example(row.id)
            if before:
                yield "<details><summary>the rule</summary>"
                yield from show_example(before, after)
                yield "</details>"
        yield "</div>"
