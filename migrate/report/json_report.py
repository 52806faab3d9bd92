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
from migrate.report.paths import display_path
from migrate.report.summary import Run, Summary, count_outcomes, select_shown, summarise

# Raised when a field is taken away or changes its meaning; new fields do not count.
FORMAT = 1


def _map_outcomes(counts: dict[Outcome, int]) -> dict[str, int]:
    return {outcome.value: number for outcome, number in counts.items()}


def _map_finding(finding: Finding) -> dict[str, Any]:
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


def _map_program(program: Program) -> dict[str, Any]:
    return {
        "path": display_path(program.path),
        "files": [display_path(result.path) for result in program.results],
        "outcome": program.status.value,
        "reason": _map_reason(program.reason),
    }


def list_programs(summary: Summary) -> list[dict[str, Any]]:
    """Lists the programs of a run, each with its status and reason."""
    return [_map_program(program) for program in summary.programs]


def _triage(found: triage.Triage) -> dict[str, Any]:
    return {
        "verdict": triage.write_verdict(found),
        "left_by_hand": found.places,
        "entry_points": [
            {
                "path": display_path(entry.path),
                "program": display_path(entry.program.path),
                "starts": entry.starts,
                "kind": entry.kind.name,
                "becomes": entry.becomes,
                "outcome": entry.status.value,
                "waits": entry.waits,
                "places": entry.places,
                "reason": _map_reason(entry.reason if not entry.ready else None),
            }
            for entry in found.entries
        ],
        "blockers": [dataclasses.asdict(blocker) for blocker in found.blockers],
    }


def _map_reason(reason: tuple[pathlib.Path, Finding] | None) -> dict[str, Any] | None:
    if reason is None:
        return None
    path, finding = reason
    return {"path": display_path(path), **_map_finding(finding)}


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
            "findings": _map_outcomes(summary.outcomes),
        },
        "triage": _triage(triage.triage(run)),
        "codes": [
            {
                "code": row.code,
                "title": row.title,
                "page": locate_page(row.code) if row.code in CODES else None,
                "findings": _map_outcomes(row.outcomes),
            }
            for row in summary.codes
        ],
        "programs": list_programs(summary),
        "files": [
            {
                "path": display_path(result.path),
                "program": display_path(result.program) if result.program else None,
                "outcome": status.value if status else None,
                "changed": result.changed,
                "noted": bool(result.noted),
                "failed": result.failed,
                "support": list(result.support),
                "installed": list(result.installed),
                "counts": _map_outcomes(count_outcomes(result.findings)),
                "findings": [_map_finding(f) for f in select_shown(result)],
            }
            for result in run.results
            for status in [find_status(result)]
            if select_shown(result) or status
        ],
    }
    return json.dumps(report, indent=1, ensure_ascii=False) + "\n"
