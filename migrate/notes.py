"""Write refusals into a file, as comments at its lines."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from migrate.findings import Finding, Outcome
from migrate.ignoring import read_ignored
from migrate.options import Options
from migrate.plan import Plan
from migrate.source.nodes import walk_breadth_first

_LINE = re.compile(r"\bline \d+")

TODO = "# TODO(tf1to2):"


def add_notes(
    plan: Plan,
    tree: ast.Module,
    findings: Iterable[Finding],
    text: str,
    options: Options,
) -> None:
    """One comment above each refused statement, once however often the tool runs."""
    lines = text.split("\n")
    ignored = read_ignored(text)
    refused = [
        f
        for f in findings
        if f.outcome is Outcome.REFUSED
        and f.code != "N100"
        and options.reports(f.code)
        and not ignored.asks_for(f)
    ]
    if not refused:
        return
    starts: dict[int, ast.stmt] = {}
    for node in walk_breadth_first(tree):
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
        # Notes move the lines that other notes name.
        told = {_LINE.sub("", one) for one in (*above, *notes)}
        if _LINE.sub("", note) not in told:
            notes.append(note)
        if not notes:
            del plan.notes[statement]
