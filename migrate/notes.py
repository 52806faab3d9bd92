"""What a file is told at its lines, and what it asked not to be told."""

from __future__ import annotations

import ast
import re

from migrate.findings import Finding, Outcome
from migrate.options import Options
from migrate.plan import Plan
from migrate.source.nodes import all_nodes

_IGNORE = re.compile(r"#\s*tf1to2:\s*ignore\[([A-Z0-9, ]+)\]")


TODO = "# TODO(tf1to2):"


def filtered(findings: list[Finding], options: Options, text: str) -> list[Finding]:
    lines = text.split("\n")
    kept = []
    for finding in findings:
        if options.select and not finding.code.startswith(options.select):
            continue
        if options.ignore and finding.code.startswith(options.ignore):
            continue
        line = lines[finding.line - 1] if finding.line <= len(lines) else ""
        match = _IGNORE.search(line)
        if match and finding.code in match[1].replace(" ", "").split(","):
            continue
        kept.append(finding)
    return kept


def add_notes(plan: Plan, tree: ast.Module, findings: list[Finding], text: str) -> None:
    """One comment above each refused statement, once however often the tool runs."""
    lines = text.split("\n")
    refused = [f for f in findings if f.outcome is Outcome.REFUSED and f.code != "N100"]
    if not refused:
        return
    starts: dict[int, ast.stmt] = {}
    for node in all_nodes(tree):
        if isinstance(node, ast.stmt):
            for line in range(node.lineno, (node.end_lineno or node.lineno) + 1):
                known = starts.get(line)
                if known is None or known.lineno < node.lineno:
                    starts[line] = node
    for finding in refused:
        statement = starts.get(finding.line)
        if statement is None or statement in plan.statements:
            continue
        note = f"{TODO} {finding.code} {finding.reason}"
        above = []
        row = statement.lineno - 2
        if (
            isinstance(statement, (ast.FunctionDef, ast.ClassDef))
            and statement.decorator_list
        ):
            row = statement.decorator_list[0].lineno - 2
        while row >= 0 and lines[row].strip().startswith("#"):
            above.append(lines[row].strip())
            row -= 1
        notes = plan.notes.setdefault(statement, [])
        if note not in above and note not in notes:
            notes.append(note)
        if not notes:
            del plan.notes[statement]
