"""The report as SARIF 2.1.0, for code scanning services and editors."""

from __future__ import annotations

import json
import os
import pathlib
import urllib.parse
from typing import Any

import migrate
from migrate.codes import CODES
from migrate.codes.pages import locate_page
from migrate.file_result import FileResult
from migrate.findings import Finding, Outcome
from migrate.report import json_report
from migrate.report.summary import Run, select_shown, spell_statement, summarise

# Kept places need no change, so they are no alerts. The other reports list them.
_LEVELS = {
    Outcome.FAILED: "error",
    Outcome.REFUSED: "warning",
    Outcome.WARNED: "warning",
    Outcome.REWRITTEN: "note",
}


def _write_uri(path: pathlib.Path) -> str:
    spelled = os.fsencode(path.as_posix())
    return ("file://" if path.is_absolute() else "") + urllib.parse.quote(spelled)


def _write_rule(code: str) -> dict[str, Any]:
    row = CODES.get(code)
    rule: dict[str, Any] = {"id": code}
    if row is not None:
        rule["shortDescription"] = {"text": row.title}
        rule["fullDescription"] = {"text": row.explanation}
        parts = (row.explanation, row.why, row.recipe, row.promise)
        rule["help"] = {"text": "\n".join(filter(None, parts))}
        rule["helpUri"] = locate_page(code)
    return rule


def _write_location(path: pathlib.Path, finding: Finding) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": {"uri": _write_uri(path)}}
    location: dict[str, Any] = {"physicalLocation": physical}
    if finding.cell is None:
        physical["region"] = {"startLine": finding.line, "startColumn": finding.column}
    else:  # A notebook's file has no such line, so a name says where it is.
        name = f"cell {finding.cell + 1}, line {finding.line}"
        location["logicalLocations"] = [{"name": name, "kind": "module"}]
    return location


def _write_result(
    result: FileResult, finding: Finding, rules: list[str]
) -> dict[str, Any]:
    text = spell_statement(finding) or finding.outcome.value
    return {
        "ruleId": finding.code,
        "ruleIndex": rules.index(finding.code),
        "level": _LEVELS[finding.outcome],
        "message": {"text": f"{text}\n{finding.recipe}".strip()},
        "locations": [_write_location(result.path, finding)],
        "properties": {"outcome": finding.outcome.value},
    }


def render(run: Run) -> str:
    """One SARIF log with one run."""
    summary = summarise(run.results, run.accepts_compat)
    rules = [row.code for row in summary.codes]
    log = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "tf1to2",
                        "version": migrate.__version__,
                        "semanticVersion": migrate.__version__,
                        "rules": [_write_rule(code) for code in rules],
                    }
                },
                "invocations": [
                    {
                        "executionSuccessful": not run.interrupted,
                        "exitCode": 2 if run.interrupted else summary.exit_code,
                    }
                ],
                "columnKind": "unicodeCodePoints",
                "results": [
                    _write_result(result, finding, rules)
                    for result in run.results
                    for finding in select_shown(result)
                    if finding.outcome in _LEVELS
                ],
                # The outcome of each program, as in the JSON report.
                "properties": {"programs": json_report.list_programs(summary)},
            }
        ],
    }
    return json.dumps(log, indent=1) + "\n"
