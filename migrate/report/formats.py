"""Reports as text, JSON, SARIF, Markdown and HTML."""

from __future__ import annotations

import html
import json
from collections.abc import Callable, Sequence

import migrate
from migrate.codes import CODES
from migrate.findings import Outcome
from migrate.pipeline import FileResult
from migrate.report import place, sentence, summarise

_LOUD = (Outcome.REFUSED, Outcome.FAILED)


def text(results: Sequence[FileResult]) -> str:
    """Refusals and failures one a line, then the counts."""
    lines = []
    for result in results:
        for f in result.findings:
            if f.outcome in _LOUD and f.code != "N100":
                symbol = f" {f.symbol}:" if f.symbol else ""
                lines.append(
                    f"{place(result, f.line, f.column, f.cell)}: {f.code} "
                    f"{f.outcome.value}:{symbol} {f.reason}"
                )
                if f.recipe:
                    lines.append(f"    {f.recipe}")
    lines.append(sentence(summarise(results), "changed"))
    return "\n".join(lines) + "\n"


def as_json(results: Sequence[FileResult]) -> str:
    """One object: version, summary, and per file its findings."""
    summary = summarise(results)
    return json.dumps(
        {
            "tool": "tf1to2",
            "version": migrate.__version__,
            "summary": {
                "files": summary.files,
                "changed": summary.changed,
                **summary.outcomes,
            },
            "files": [
                {
                    "path": str(r.path),
                    "changed": r.changed,
                    "findings": [
                        {
                            "line": f.line,
                            "column": f.column,
                            "cell": f.cell,
                            "code": f.code,
                            "outcome": f.outcome.value,
                            "symbol": f.symbol,
                            "reason": f.reason,
                            "recipe": f.recipe,
                        }
                        for f in r.findings
                    ],
                }
                for r in results
                if r.findings or r.changed
            ],
        },
        indent=1,
    ) + "\n"


def sarif(results: Sequence[FileResult]) -> str:
    """SARIF 2.1.0; kept symbols are left out."""
    codes = sorted({f.code for r in results for f in r.findings})
    levels = {
        Outcome.FAILED: "error",
        Outcome.REFUSED: "warning",
        Outcome.REWRITTEN: "note",
    }
    return json.dumps(
        {
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
            "version": "2.1.0",
            "runs": [
                {
                    "tool": {
                        "driver": {
                            "name": "tf1to2",
                            "version": migrate.__version__,
                            "rules": [
                                {
                                    "id": c,
                                    "shortDescription": {
                                        "text": CODES[c].title if c in CODES else c
                                    },
                                }
                                for c in codes
                            ],
                        }
                    },
                    "results": [
                        {
                            "ruleId": f.code,
                            "level": levels[f.outcome],
                            "message": {"text": f.reason},
                            "locations": [
                                {
                                    "physicalLocation": {
                                        "artifactLocation": {"uri": r.path.as_posix()},
                                        "region": {
                                            "startLine": f.line,
                                            "startColumn": f.column,
                                        },
                                    }
                                }
                            ],
                        }
                        for r in results
                        for f in r.findings
                        if f.outcome in levels
                    ],
                }
            ],
        },
        indent=1,
    ) + "\n"


def markdown(results: Sequence[FileResult]) -> str:
    """A table per file of what was refused, and the counts."""
    lines = ["# Migration report", "", sentence(summarise(results), "changed"), ""]
    for result in results:
        loud = [f for f in result.findings if f.outcome in _LOUD]
        if not loud:
            continue
        lines += [f"## {result.path}", "", "| line | code | symbol | reason | what to do |"]
        lines.append("|---|---|---|---|---|")
        for f in loud:
            cells = (str(f.line), f.code, f.symbol, f.reason, f.recipe)
            lines.append("| " + " | ".join(c.replace("|", "\\|") for c in cells) + " |")
        lines.append("")
    return "\n".join(lines)


_STYLE = """
:root { color-scheme: light dark; --line: #8884; --muted: #888; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; margin: .5rem 0 2rem; }
td, th { border-bottom: 1px solid var(--line); padding: .35rem .6rem; text-align: left; vertical-align: top; }
code { font-size: .92em; } .recipe { color: var(--muted); }
.refused { color: #c60; } .failed { color: #d22; } .rewritten { color: #27a; } .kept { color: var(--muted); }
h2 { font-size: 1.05rem; margin-bottom: 0; }
"""


def page(results: Sequence[FileResult]) -> str:
    """A self-contained page, light or dark as the reader's system is."""
    escape = html.escape
    parts = [
        "<!doctype html><meta charset='utf-8'><meta name='viewport' "
        "content='width=device-width'><title>tf1to2 report</title>",
        f"<style>{_STYLE}</style><h1>Migration report</h1>",
        f"<p>{escape(sentence(summarise(results), 'changed'))}</p>",
    ]
    for result in results:
        shown = [f for f in result.findings if f.outcome is not Outcome.KEPT]
        if not shown:
            continue
        kept = len(result.findings) - len(shown)
        parts.append(f"<h2><code>{escape(str(result.path))}</code></h2>")
        parts.append(f"<p class='kept'>{kept} uses kept as they are</p><table>")
        parts.append("<tr><th>line<th>code<th>outcome<th>symbol<th>reason</tr>")
        for f in shown:
            where = f"cell {f.cell}, {f.line}" if f.cell is not None else str(f.line)
            recipe = f"<div class='recipe'>{escape(f.recipe)}</div>" if f.recipe else ""
            parts.append(
                f"<tr><td>{where}<td>{f.code}<td class='{f.outcome.value}'>"
                f"{f.outcome.value}<td><code>{escape(f.symbol)}</code>"
                f"<td>{escape(f.reason)}{recipe}</tr>"
            )
        parts.append("</table>")
    return "\n".join(parts) + "\n"


BY_SUFFIX: dict[str, Callable[[Sequence[FileResult]], str]] = {
    ".txt": text,
    ".json": as_json,
    ".sarif": sarif,
    ".md": markdown,
    ".html": page,
}
