"""A verdict as one HTML page, which needs nothing beside it."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence

from reference.verify import curves
from reference.verify.rows import Row
from reference.verify.verdict import Outcome, Verdict

_STYLE = """
:root { color-scheme: light dark; --line: #8885; --equal: #1d7a3e; --different: #b3261e;
  --unknown: #8a6100; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 62rem;
  padding: 0 1rem; }
.verdict { border-left: .5rem solid; padding: .6rem 1rem; font-size: 1.1rem; }
.equal { border-color: var(--equal); } .different { border-color: var(--different); }
.unknown { border-color: var(--unknown); }
pre { white-space: pre-wrap; margin: 0; font: inherit; }
svg { width: 100%; height: auto; margin: .5rem 0; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: right; padding: .25rem .6rem; border-bottom: 1px solid var(--line);
  font-variant-numeric: tabular-nums; vertical-align: top; }
th:first-child, td:first-child, td.text { text-align: left; }
tr.wrong td { background: #b3261e22; }
code { font-size: .92em; }
"""


def to_html(verdict: Verdict, old: str, new: str | None) -> str:
    """The page: the verdict, where it differs, curves, every value, what is not proved."""
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{verdict.outcome.value}: {_text(old)}</title>",
        f"<style>{_STYLE}</style></head><body>",
        f"<h1>{_text(verdict.outcome.value.capitalize())}</h1>",
        f'<div class="verdict {_class(verdict)}"><pre>{_text(verdict.line)}</pre></div>',
        f"<p>Original: <code>{_text(old)}</code>. Migration: "
        f"<code>{_text(new or 'made by tf1to2 migrate')}</code>.</p>",
        *_parted(verdict),
    ]
    rows = verdict.comparison.rows if verdict.comparison else []
    loss = curves.loss_of(rows)
    if loss is not None:
        parts += ["<h2>Loss</h2>", curves.curves(loss), curves.differences(loss)]
    shown = verdict.variable
    if shown is not None and len(shown.curve) > 1:
        parts += [curves.curves(shown), curves.differences(shown)]
    if rows:
        parts += ["<h2>Values</h2>", *_table(rows)]
    parts += _list("What was made comparable", verdict.reduced)
    parts += _list("What is not proved", verdict.unproven)
    return "\n".join([*parts, "</body></html>", ""])


def _class(verdict: Verdict) -> str:
    return "unknown" if verdict.outcome is Outcome.UNKNOWN else verdict.outcome.value


def _text(value: object) -> str:
    return html.escape(str(value), quote=True)


def _parted(verdict: Verdict) -> Iterator[str]:
    if verdict.first is None:
        return
    yield "<h2>Where they part</h2><ul>"
    for title, row in (
        ("First value", verdict.first),
        ("First variable", verdict.variable),
    ):
        if row is not None:
            yield (
                f"<li>{title}: <code>{_text(row.kind)} {_text(row.name)}</code>, step "
                f"{row.first}: {_text(row.what)}. Original: <code>"
                f"{_text(row.old_at or '?')}</code>, migrated: <code>"
                f"{_text(row.new_at or '?')}</code>.</li>"
            )
    if verdict.stage:
        yield f"<li>{_text(verdict.stage)}</li>"
    yield from (f"<li>{_text(line)}</li>" for line in verdict.codes)
    yield "</ul>"


def _table(rows: Sequence[Row]) -> Iterator[str]:
    yield (
        "<table><thead><tr><th>value</th><th>compared</th><th>largest difference</th>"
        "<th>ULPs</th><th>allowed</th><th>first wrong step</th><th>original</th>"
        "<th>migrated</th></tr></thead><tbody>"
    )
    for row in sorted(rows, key=lambda r: (not r.wrong, r.kind, r.name)):
        yield (
            f"<tr{' class=wrong' if row.wrong else ''}>"
            f"<td>{_text(row.kind)} <code>{_text(row.name)}</code></td>"
            f"<td>{row.steps}</td><td>{row.difference:.3g}</td>"
            f"<td>{'' if row.ulps is None else row.ulps}</td><td>{row.allowed:.3g}</td>"
            f"<td>{'' if row.first is None else row.first}</td>"
            f"<td class=text><code>{_text(row.old_at)}</code></td>"
            f"<td class=text><code>{_text(row.new_at)}</code></td></tr>"
        )
    yield "</tbody></table>"


def _list(title: str, items: Sequence[str]) -> list[str]:
    if not items:
        return []
    return [
        f"<h2>{_text(title)}</h2><ul>",
        *(f"<li>{_text(item)}</li>" for item in items),
        "</ul>",
    ]
