"""The report as one HTML page that needs nothing else: programs, then files side by side."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from html import escape

import migrate
from migrate import outcomes
from migrate.codes import CODES
from migrate.codes.pages import locate_page
from migrate.codes.terminal import read_example
from migrate.report import triage
from migrate.report.page_files import CLASSES, Files, make_anchor, show_example
from migrate.report.page_style import STYLE
from migrate.report.paths import display_path
from migrate.report.prose import render_html
from migrate.report.summary import LOUD, CodeCount, Run, summarise, write_sentence


def render(run: Run) -> str:
    """The page."""
    return "\n".join(_write_page(run)) + "\n"


def _write_page(run: Run) -> Iterator[str]:
    found = triage.triage(run)
    files = Files(run)
    codes = [c for c in summarise(run.results).codes if c.code != outcomes.HELD]
    day = datetime.datetime.now().astimezone()
    project = escape(run.project or "this run")
    yield "<!doctype html>"
    yield '<html lang="en"><head><meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{project}: tf1to2</title>"
    yield f"<style>{STYLE}{_filter_style(codes)}</style></head><body>"
    yield f"<header><h1>{project}</h1>"
    yield f'<p class="verdict">{escape(triage.write_verdict(found))}</p>'
    yield (
        f'<p class="soft">tf1to2 {migrate.__version__}, '
        f'<time datetime="{day:%Y-%m-%dT%H:%M}">{day:%Y-%m-%d %H:%M}</time>. '
        f"{escape(write_sentence(run))}</p>"
    )
    if told := triage.write_estimate(found):
        yield f"<p>{escape(told)}</p>"
    yield "</header>"
    yield from _write_entries(found, files)
    yield from _write_blockers(found)
    if files.concerned:
        yield "<section><h2>Files</h2>"
        yield from _write_filters(codes)
        yield from files.show()
        yield "</section>"
    yield from _write_rules(codes)
    yield "</body></html>"


def _write_filters(codes: Sequence[CodeCount]) -> Iterator[str]:
    """Writes the filters that choose the shown findings; they need no script."""
    yield '<div class="filters"><label><input type="radio" name="notes" id="all-notes" '
    yield "checked>all findings</label><label>"
    yield '<input type="radio" name="notes" id="only-refusals">what is left to do</label>'
    yield '<select aria-label="findings of one code"><option value="" selected>all codes'
    yield "</option>"
    for count in codes:
        words = f"{count.code} {count.title} ({count.total})"
        yield f'<option value="{count.code}">{escape(words)}</option>'
    yield "</select></div>"


def _filter_style(codes: Sequence[CodeCount]) -> str:
    return "\n".join(
        f'body:has(option[value="{c.code}"]:checked) '
        f":is(.note, details.entry):not(.{c.code}) {{ display: none; }}"
        for c in codes
    )


def _write_entries(found: triage.Triage, files: Files) -> Iterator[str]:
    if not found.entries:
        return
    yield "<section><h2>Programs, in the order to work on them</h2>"
    yield '<div class="filters">'
    filters = [
        ("all", f"all {len(found.entries)}"),
        ("ready", f"{'migrated' if found.written else 'ready'} {len(found.ready)}"),
        ("compat", f"compat.v1 {len(found.through_compat)}"),
        ("blocked", f"blocked {len(found.blocked)}"),
    ]
    for name, words in filters:
        if not words.endswith(" 0"):
            checked = " checked" if name == "all" else ""
            yield (
                f'<label><input type="radio" name="only" id="only-{name}"{checked}>'
                f"{words}</label>"
            )
    yield "</div>"
    for entry in found.entries:
        yield from _write_entry(found, entry, files)
    yield "</section>"


def _write_entry(
    found: triage.Triage, entry: triage.EntryPoint, files: Files
) -> Iterator[str]:
    name = f"<code>{escape(display_path(entry.path))}</code>"
    if entry.path in files.ids:
        name = f'<a href="#{files.ids[entry.path]}">{name}</a>'
    kind = triage.describe_kind(entry)
    yield (
        f'<div class="entry {CLASSES[entry.status]}"><span class="badge">'
        f"{triage.choose_badge(found, entry)}</span>{name}"
        f"<span>{escape(kind)} &rarr; {escape(entry.becomes)}</span>"
    )
    if why := triage.explain_block(found, entry):
        yield f'<span class="why">{render_html(why)}</span>'
        if entry.reason is not None and (recipe := entry.reason[1].recipe):
            yield f'<span class="why recipe">{render_html(recipe)}</span>'
    yield "</div>"


def _write_blockers(found: triage.Triage) -> Iterator[str]:
    if not found.blockers:
        return
    yield '<section><h2>What blocks them</h2><div class="scroll"><table><thead><tr>'
    yield '<th>code</th><th></th><th class="n">programs</th>'
    yield '<th class="n">only blocker</th><th class="n">places</th></tr></thead>'
    yield "<tbody>"
    for b in found.blockers:
        yield (
            f'<tr><td><a href="#{b.code}"><code>{b.code}</code></a></td>'
            f'<td>{render_html(b.title)}</td><td class="n">{b.entries}</td>'
            f'<td class="n">{b.alone or ""}</td><td class="n">{b.places}</td></tr>'
        )
    yield "</tbody></table></div></section>"


def _write_rules(codes: Sequence[CodeCount]) -> Iterator[str]:
    """Every code of the run once, with how often it occurred.

    Open are those that leave something to do: the others would hide them.
    """
    if not codes:
        return
    yield "<section><h2>Rules of these findings</h2>"
    for count in codes:
        row = CODES.get(count.code)
        numbers = ", ".join(f"{n} {o.value}" for o, n in count.outcomes.items() if n)
        code = f"<code>{count.code}</code>"
        if row is not None:
            code = f'<a href="{locate_page(row.id)}">{code}</a>'
        shown = " open" if any(count.outcomes.get(o) for o in LOUD) else ""
        yield f'<details class="rule"{shown}><summary>{code} '
        yield f"<b>{render_html(count.title)}</b> "
        yield f'<span class="soft">{numbers}</span></summary>{make_anchor(count.code)}'
        if row is not None:
            yield f"<p>{render_html(row.explanation)}</p>"
            if row.why:
                yield f"<p>Why: {render_html(row.why)}</p>"
            if row.recipe:
                yield f"<p>What to do: {render_html(row.recipe)}</p>"
            if row.promise:
                yield f"<p>Promise: {render_html(row.promise)}</p>"
            before, after = read_example(row.id)
            if before:
                yield from show_example(before, after)
        yield "</details>"
    yield "</section>"
