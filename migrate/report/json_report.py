"""The report as JSON; `schema.json` beside this file says what is in it."""

from __future__ import annotations

import json
from typing import Any

import migrate
from migrate.findings import Finding, Outcome
from migrate.report import display
from migrate.report.summary import Run, count, summarise

# Raised when a field is taken away or changes its meaning; new fields do not count.
FORMAT = 1


def _outcomes(counts: dict[Outcome, int]) -> dict[str, int]:
    return {outcome.value: number for outcome, number in counts.items()}


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "line": finding.line,
        "column": finding.column,
        "cell": finding.cell,
        "code": finding.code,
        "outcome": finding.outcome.value,
        "symbol": finding.symbol,
        "reason": finding.reason,
        "recipe": finding.recipe,
    }


def render(run: Run) -> str:
    """One object: tool, summary, codes, and per file its findings."""
    summary = summarise(run.results)
    report = {
        "tool": "tf1to2",
        "version": migrate.__version__,
        "format": FORMAT,
        "written": run.action.name == "WRITE",
        "interrupted": run.interrupted,
        "summary": {
            "files": summary.files,
            "concerned": summary.concerned,
            "changed": summary.changed,
            "failed": summary.failed,
            "findings": _outcomes(summary.outcomes),
        },
        "codes": [
            {"code": row.code, "title": row.title, "findings": _outcomes(row.outcomes)}
            for row in summary.codes
        ],
        "files": [
            {
                "path": display(result.path),
                "changed": result.changed,
                "failed": result.failed,
                "support": list(result.support),
                "counts": _outcomes(count(result.findings)),
                "findings": [_finding(f) for f in result.findings],
            }
            for result in run.results
            if result.findings or result.changed
        ],
    }
    return json.dumps(report, indent=1, ensure_ascii=False) + "\n"
