"""The report as one HTML page that needs nothing else: programs, then files side by side."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from html import escape

import migrate
from migrate import emitted, outcomes
from migrate.codes import CODES
from migrate.codes.pages import locate_page
from migrate.findings import Finding, Outcome
from migrate.outcomes import Status, find_status
from migrate.pipeline import FileResult
from migrate.report import triage
from migrate.report.page_style import STYLE
from migrate.report.paths import display
from migrate.report.side_by_side import Row, Section, read_sections
from migrate.report.summary import (
    LOUD,
    Run,
    counts_in_words,
    listed,
    plural,
    sentence,
    shown,
    summarise,
)

_CLASSES = {
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
# Consequences of other refusals: no findings to a reader.
_CONSEQUENCES = (outcomes.PART, outcomes.HELD)


def render(run: Run) -> str:
    """The page."""
    return "\n".join(_page(run)) + "\n"


def _page(run: Run) -> Iterator[str]:
    found = triage.triage(run)
    day = datetime.datetime.now().astimezone()
    project = escape(run.project or "this run")
    yield "<!doctype html>"
    yield '<html lang="en"><head><meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{project}: tf1to2</title><style>{STYLE}</style></head><body>"
    yield f"<header><h1>{project}</h1>"
    yield f'<p class="verdict">{escape(triage.verdict(found))}</p>'
    yield (
        f'<p class="soft">tf1to2 {migrate.__version__}, '
        f'<time datetime="{day:%Y-%m-%dT%H:%M}">{day:%Y-%m-%d %H:%M}</time>. '
        f"{escape(sentence(run))}</p>"
    )
    if told := triage.estimate(found):
        yield f"<p>{escape(told)}</p>"
    yield "</header>"
    yield from _entries(found)
    yield from _blockers(found)
    yield from _files(run)
    yield from _rules(run)
    yield "</body></html>"


def _entries(found: triage.Triage) -> Iterator[str]:
    if not found.entries:
        return
    yield "<section><h2>Programs, in the order to take them</h2>"
    yield '<div class="filters">'
    filters = [
        ("all", f"all {len(found.entries)}"),
        ("ready", f"ready {len(found.ready)}"),
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
        kind = triage.describe_kind(entry)
        yield (
            f'<div class="entry {_CLASSES[entry.status]}"><span class="badge">'
            f"{triage.badge(entry)}</span>"
            f"<code>{escape(found.shorten(entry.path))}</code>"
            f"<span>{escape(kind)} &rarr; {escape(entry.becomes)}</span>"
        )
        if why := triage.why(found, entry):
            yield f'<span class="why">{escape(why)}</span>'
        yield "</div>"
    yield "</section>"


def _blockers(found: triage.Triage) -> Iterator[str]:
    if not found.blockers:
        return
    yield '<section><h2>What blocks</h2><div class="scroll"><table><thead><tr>'
    yield '<th>code</th><th></th><th class="n">programs</th>'
    yield '<th class="n">blocked by nothing else</th><th class="n">places</th></tr></thead><tbody>'
    for b in found.blockers:
        yield (
            f'<tr><td><a href="#{b.code}"><code>{b.code}</code></a></td>'
            f'<td>{escape(b.title)}</td><td class="n">{b.entries}</td>'
            f'<td class="n">{b.alone or ""}</td><td class="n">{b.places}</td></tr>'
        )
    yield "</tbody></table></div></section>"


def _files(run: Run) -> Iterator[str]:
    concerned = [r for r in run.results if shown(r) or find_status(r)]
    if not concerned:
        return
    yield "<section><h2>Files</h2>"
    yield '<div class="filters"><label><input type="radio" name="notes" id="all-notes" '
    yield "checked>all findings</label><label>"
    yield '<input type="radio" name="notes" id="only-refusals">what is left to do</label>'
    yield "</div>"
    for result in concerned:
        yield from _file(run, result)
    yield "</section>"


def _file(run: Run, result: FileResult) -> Iterator[str]:
    status = find_status(result)
    findings = [
        f
        for f in shown(result)
        if f.code not in _CONSEQUENCES and f.outcome is not Outcome.KEPT
    ] + [f for f in listed(result) if f.outcome is Outcome.KEPT]
    name = _CLASSES[status] if status else ""
    badge = f'<span class="badge">{_BADGES[status]}</span> ' if status else ""
    parts = [counts_in_words([f for f in shown(result) if f.code not in _CONSEQUENCES])]
    if less := sum(f.code == outcomes.PART for f in shown(result)):
        parts.append(f"{plural(less, 'more use')} in the refused program")
    if result.support:
        parts.append(f"with {', '.join(emitted.shown(result.support))}")
    words = "; ".join(part for part in parts if part)
    yield f'<details class="entry {name}"><summary>{badge}'
    yield f"<code>{escape(display(result.path))}</code>"
    yield f'<span class="soft">{escape(words)}</span></summary>'
    explained: set[str] = set()
    for held in (f for f in shown(result) if f.code == outcomes.HELD):
        yield f'<p class="note">{escape(held.reason)}</p>'
    for section in read_sections(result, findings):
        yield from _section(section, explained)
    yield "</details>"


def _section(section: Section, explained: set[str]) -> Iterator[str]:
    if section.title:
        yield f"<h3>{escape(section.title)}</h3>"
    for finding in section.others:
        yield from _note(finding, explained)
    yield '<div class="diff code">'
    for hunk in section.hunks:
        first = next((row.old or row.new for row in hunk if row.old or row.new), None)
        if first is not None:
            yield f'<div class="hunk">line {first[0]}</div>'
        for row in hunk:
            yield _row(row, section.changed)
            for finding in row.findings:
                yield from _note(finding, explained)
    yield "</div>"


def _row(row: Row, changed: bool) -> str:
    if not changed:
        assert row.old is not None
        number, text = row.old
        return f'<div class="row one"><i>{number}</i><span>{escape(text)}</span></div>'
    sides = []
    for side, kind in ((row.old, "r"), (row.new, "a")):
        shown_as, text = (str(side[0]), side[1]) if side else ("", "")
        mark = "" if row.same or side is None else f' class="{kind}"'
        none = "" if side else ' class="none"'
        sides.append(f"<i{none}>{shown_as}</i><span{mark}>{escape(text)}</span>")
    same = " same" if row.same else ""
    return f'<div class="row{same}">{"".join(sides)}</div>'


def _note(finding: Finding, explained: set[str]) -> Iterator[str]:
    symbol = f"<code>{escape(finding.symbol)}</code>: " if finding.symbol else ""
    row = CODES.get(finding.code)
    title = f" {escape(row.title)}" if row else ""
    yield (
        f'<div class="note {finding.outcome.value}"><a href="#{finding.code}"><code>'
        f'{finding.code}</code></a><span class="soft">{title}</span><br>'
        f"{symbol}{escape(finding.reason)}"
    )
    if finding.recipe:
        yield f'<div class="recipe">{escape(finding.recipe)}</div>'
    # Once in a file: an example twenty times over would hide the code.
    if row and row.before and finding.outcome in LOUD and row.id not in explained:
        explained.add(row.id)
        yield "<details><summary>the rule</summary>"
        yield from _example(row.before, row.after)
        yield "</details>"
    yield "</div>"


def _example(before: str, after: str) -> Iterator[str]:
    yield '<div class="example">'
    for heading, text in (("before", before), ("after", after)):
        if text:
            yield f'<div><span class="soft">{heading}</span>'
            yield f"<pre>{escape(text.rstrip())}</pre></div>"
    yield "</div>"


def _rules(run: Run) -> Iterator[str]:
    """Every code of the run once, with how often it occurred."""
    codes = [c for c in summarise(run.results).codes if c.code not in _CONSEQUENCES]
    if not codes:
        return
    yield "<section><h2>Rules of these findings</h2>"
    for count in codes:
        row = CODES.get(count.code)
        numbers = ", ".join(f"{n} {o.value}" for o, n in count.outcomes.items() if n)
        code = f"<code>{count.code}</code>"
        if row is not None:
            code = f'<a href="{locate_page(row.id)}">{code}</a>'
        yield f'<div class="rule" id="{count.code}">{code} '
        yield f'<b>{escape(count.title)}</b> <span class="soft">{numbers}</span>'
        if row is not None:
            yield f"<p>{escape(row.explanation)}</p>"
            if row.promise:
                yield f"<p>Promise: {escape(row.promise)}</p>"
            if row.before:
                yield from _example(row.before, row.after)
        yield "</div>"
    yield "</section>"
