"""The report as one HTML page that needs nothing else: light or dark, with the diffs."""

from __future__ import annotations

import os
from collections.abc import Iterator
from html import escape

from migrate.codes import CODES
from migrate.diff import unified
from migrate.findings import Finding, Outcome
from migrate.outcomes import Status, find_status
from migrate.pipeline import FileResult
from migrate.report.paths import display
from migrate.report.summary import (
    PART_OF_REFUSED,
    Run,
    counts_in_words,
    reason_in_words,
    sentence,
    shown,
    summarise,
)

_CLASSES = {
    Status.MIGRATED: "rewritten",
    Status.COMPAT: "refused",
    Status.REFUSED: "refused",
    Status.FAILED: "failed",
}

_STYLE = """
:root { color-scheme: light dark; --back: #fff; --ink: #1c2024; --soft: #60656c;
  --line: #e2e5e9; --card: #f7f8fa; --rewritten: #0b6bcb; --kept: #60656c;
  --refused: #b45309; --failed: #c62828; --added: #e6f6ea; --removed: #fdeaea; }
@media (prefers-color-scheme: dark) { :root { --back: #16181b; --ink: #e6e8eb;
  --soft: #9aa1a9; --line: #2e3338; --card: #1e2125; --rewritten: #6cb2f7;
  --kept: #9aa1a9; --refused: #f2b45f; --failed: #ff8a80; --added: #15301f;
  --removed: #3a1d1d; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 72rem; padding: 2rem 1.25rem 4rem;
  font: 15px/1.55 system-ui, sans-serif; background: var(--back); color: var(--ink); }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; } h2 { font-size: 1.1rem; margin: 2.5rem 0 .5rem; }
p { margin: .25rem 0 1rem; color: var(--soft); }
code, pre { font: .9em/1.45 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
.tiles { display: flex; flex-wrap: wrap; gap: .75rem; margin: 1.25rem 0; }
.tile { flex: 1 1 8rem; padding: .75rem 1rem; border: 1px solid var(--line);
  border-radius: .5rem; background: var(--card); }
.tile b { display: block; font-size: 1.6rem; line-height: 1.2; font-weight: 600; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: .4rem .6rem; text-align: left; vertical-align: top;
  border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: 500; } td.n, th.n { text-align: right; }
details { border: 1px solid var(--line); border-radius: .5rem; margin: .5rem 0; }
details details { margin: .75rem; }
summary { cursor: pointer; padding: .55rem .9rem; }
summary span { color: var(--soft); margin-left: .75rem; }
.rewritten { color: var(--rewritten); } .kept { color: var(--kept); }
.refused { color: var(--refused); } .failed { color: var(--failed); }
.recipe { color: var(--soft); white-space: pre-wrap; margin-top: .2rem; }
pre { margin: 0; padding: .75rem 0; overflow-x: auto; }
pre span { display: block; padding: 0 .9rem; white-space: pre; min-height: 1.45em; }
pre .a { background: var(--added); } pre .r { background: var(--removed); }
pre .h { color: var(--soft); }
"""


def render(run: Run) -> str:
    """The page."""
    return "\n".join(_page(run)) + "\n"


def _page(run: Run) -> Iterator[str]:
    yield "<!doctype html>"
    yield '<html lang="en"><head><meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>tf1to2 report</title><style>{_STYLE}</style></head><body>"
    yield f"<h1>Migration report</h1><p>{escape(sentence(run))}</p>"
    yield from _tiles(run)
    yield from _programs(run)
    yield from _codes(run)
    concerned = [r for r in run.results if shown(r) or find_status(r)]
    if concerned:
        yield "<h2>Files</h2>"
    for result in concerned:
        yield from _file(run, result)
    yield "</body></html>"


def _tiles(run: Run) -> Iterator[str]:
    summary = summarise(run.results)
    yield '<div class="tiles">'
    yield f'<div class="tile"><b>{summary.files}</b>files read</div>'
    yield f'<div class="tile"><b>{summary.changed}</b>{run.action.value}</div>'
    for outcome, number in summary.outcomes.items():
        name = outcome.value
        yield f'<div class="tile"><b class="{name}">{number}</b>{name}</div>'
    yield "</div>"


def _programs(run: Run) -> Iterator[str]:
    programs = summarise(run.results).programs
    if not programs:
        return
    yield '<h2>Programs</h2><div class="scroll"><table><thead><tr><th>program</th>'
    yield '<th class="n">files</th><th>outcome</th><th>why</th></tr></thead><tbody>'
    for program in programs:
        yield (
            f"<tr><td><code>{escape(display(program.path))}</code></td>"
            f'<td class="n">{len(program.results)}</td>'
            f'<td class="{_CLASSES[program.status]}">{program.status.words}</td>'
            f"<td>{escape(reason_in_words(program))}</td></tr>"
        )
    yield "</tbody></table></div>"


def _codes(run: Run) -> Iterator[str]:
    summary = summarise(run.results)
    if not summary.codes:
        return
    columns = [o for o in Outcome if summary.outcomes[o]]
    heads = "".join(f'<th class="n">{o.value}</th>' for o in columns)
    yield '<h2>Codes</h2><div class="scroll"><table>'
    yield f"<thead><tr><th>code</th><th></th>{heads}</tr></thead><tbody>"
    for row in summary.codes:
        numbers = "".join(
            f'<td class="n {o.value}">{row.outcomes[o] or ""}</td>' for o in columns
        )
        meaning = escape(CODES[row.code].explanation) if row.code in CODES else ""
        yield (
            f'<tr id="{row.code}"><td><code>{row.code}</code></td>'
            f'<td title="{meaning}">{escape(row.title)}</td>{numbers}</tr>'
        )
    yield "</tbody></table></div>"


def _file(run: Run, result: FileResult) -> Iterator[str]:
    status = find_status(result)
    findings = shown(result)
    loud = any(f.outcome in (Outcome.REFUSED, Outcome.FAILED) for f in findings)
    verb = f"{status.words}; " if status else ""
    yield f"<details{' open' if loud else ''}><summary>"
    yield f"<code>{escape(display(result.path))}</code>"
    yield f"<span>{verb}{counts_in_words(result.findings)}</span></summary>"
    parts = [f for f in findings if f.code == PART_OF_REFUSED]
    kept = [f for f in findings if f.outcome is Outcome.KEPT]
    yield from _table([f for f in findings if f not in parts and f not in kept])
    for title, less in (
        ("more uses in the refused program", parts),
        ("kept as they are", kept),
    ):
        if less:
            yield f"<details><summary>{len(less)} {title}</summary>"
            yield from _table(less)
            yield "</details>"
    if result.changed:
        yield "<details><summary>diff</summary><pre>"
        name = os.fsencode(result.path)
        for line in unified(result.old, result.new, name):
            text = line.decode("utf-8", "replace").rstrip("\r\n")
            kind = {"+": "a", "-": "r", "@": "h"}.get(text[:1], "")
            yield f'<span class="{kind}">{escape(text)}</span>'
        yield "</pre></details>"
    yield "</details>"


def _table(findings: list[Finding]) -> Iterator[str]:
    if not findings:
        return
    yield '<div class="scroll"><table><thead><tr><th class="n">line</th><th>code</th>'
    yield "<th>outcome</th><th>symbol</th><th>reason</th></tr></thead><tbody>"
    for f in findings:
        cell = f"cell {f.cell + 1}, " if f.cell is not None else ""
        recipe = f'<div class="recipe">{escape(f.recipe)}</div>' if f.recipe else ""
        yield (
            f'<tr><td class="n">{cell}{f.line}</td>'
            f'<td><a href="#{f.code}"><code>{f.code}</code></a></td>'
            f'<td class="{f.outcome.value}">{f.outcome.value}</td>'
            f"<td><code>{escape(f.symbol)}</code></td>"
            f"<td>{escape(f.reason)}{recipe}</td></tr>"
        )
    yield "</tbody></table></div>"
