"""The report as JSON; `schema.json` beside this file says what is in it."""

from __future__ import annotations

import dataclasses
import json
import pathlib
from typing import Any

import migrate
from migrate.codes import CODES
from migrate.codes.pages import locate_page
from migrate.findings import Finding, Outcome
from migrate.outcomes import Program, find_status
from migrate.report import triage
from migrate.report.paths import display
from migrate.report.summary import Run, Summary, count, select_shown, summarise

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
        "unused": finding.unused,
    }


def _program(program: Program) -> dict[str, Any]:
    return {
        "path": display(program.path),
        "files": [display(result.path) for result in program.results],
        "outcome": program.status.value,
        "reason": _reason(program.reason),
    }


def programs(summary: Summary) -> list[dict[str, Any]]:
    """What became of each program, and why."""
    return [_program(program) for program in summary.programs]


def _triage(found: triage.Triage) -> dict[str, Any]:
    return {
        "verdict": triage.verdict(found),
        "left_by_hand": found.places,
        "entry_points": [
            {
                "path": display(entry.path),
                "program": display(entry.program.path),
                "starts": entry.starts,
                "kind": entry.kind.name,
                "becomes": entry.becomes,
                "outcome": entry.status.value,
                "waits": entry.waits,
                "places": entry.places,
                "reason": _reason(entry.reason if not entry.ready else None),
            }
            for entry in found.entries
        ],
        "blockers": [dataclasses.asdict(blocker) for blocker in found.blockers],
    }


def _reason(reason: tuple[pathlib.Path, Finding] | None) -> dict[str, Any] | None:
    if reason is None:
        return None
    path, finding = reason
    return {"path": display(path), **_finding(finding)}


def render(run: Run) -> str:
    """One object: tool, summary, codes, and per file its findings."""
    summary = summarise(run.results, run.accepts_compat)
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
            "noted": summary.noted,
            "failed": summary.failed,
            "exit_code": summary.exit_code,
            "programs": {s.value: n for s, n in summary.count_programs().items()},
            "findings": _outcomes(summary.outcomes),
        },
        "triage": _triage(triage.triage(run)),
        "codes": [
            {
                "code": row.code,
                "title": row.title,
                "page": locate_page(row.code) if row.code in CODES else None,
                "findings": _outcomes(row.outcomes),
            }
            for row in summary.codes
        ],
        "programs": programs(summary),
        "files": [
            {
                "path": display(result.path),
                "program": display(result.program) if result.program else None,
                "outcome": status.value if status else None,
                "changed": result.changed,
                "noted": bool(result.noted),
                "failed": result.failed,
                "support": list(result.support),
                "installed": list(result.installed),
                "counts": _outcomes(count(result.findings)),
                "findings": [_finding(f) for f in select_shown(result)],
            }
            for result in run.results
            for status in [find_status(result)]
            if select_shown(result) or status
        ],
    }
    return json.dumps(report, indent=1, ensure_ascii=False) + "\n"
