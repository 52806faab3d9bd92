"""What a file is told at its lines, and what it asked not to be told."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from typing import TypeGuard

from migrate.codes.merged import MERGED
from migrate.findings import Finding, Outcome
from migrate.options import Options
from migrate.plan import Plan
from migrate.source.nodes import all_nodes

_IGNORE = re.compile(r"#\s*tf1to2:\s*ignore\[([A-Z0-9, ]+)\]")


_LINE = re.compile(r"\bline \d+")

TODO = "# TODO(tf1to2):"


def ignored_lines(text: str) -> dict[int, frozenset[str]]:
    """Line -> the codes that a comment there asks to be left alone by."""
    found = {}
    if "tf1to2" in text:
        for number, line in enumerate(text.split("\n"), 1):
            match = _IGNORE.search(line)
            if match:
                codes = match[1].replace(" ", "").split(",")
                found[number] = frozenset(MERGED.get(code, code) for code in codes)
    return found


def leave_alone(
    plan: Plan, findings: list[Finding], ignored: Mapping[int, frozenset[str]]
) -> list[Finding]:
    """Takes out of a plan what comments ask to leave, and gives the other findings.

    Of a program that is refused the reason stays, whatever its line asks for: its other
    lines cannot be migrated without that one. So does a finding about a statement that
    becomes part of something else.
    """
    refused = any(f.code == "N100" for f in findings)
    at = {(n.lineno, n.col_offset + 1): n for n in plan.expressions if _is_placed(n)}
    kept = []
    for finding in findings:
        asked = finding.code in ignored.get(finding.line, ())
        node = at.get((finding.line, finding.column))
        if asked and finding.outcome is Outcome.REWRITTEN and node is not None:
            del plan.expressions[node]
        elif not asked or refused or finding.outcome is Outcome.REWRITTEN:
            kept.append(finding)
    return kept


def _is_placed(node: ast.AST) -> TypeGuard[ast.expr]:
    return isinstance(node, ast.expr)


def add_notes(
    plan: Plan,
    tree: ast.Module,
    findings: Iterable[Finding],
    text: str,
    options: Options,
) -> None:
    """One comment above each refused statement, once however often the tool runs."""
    lines = text.split("\n")
    refused = [
        f
        for f in findings
        if f.outcome is Outcome.REFUSED and f.code != "N100" and options.reports(f.code)
    ]
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
        # Notes move the lines that other notes name.
        told = {_LINE.sub("", one) for one in (*above, *notes)}
        if _LINE.sub("", note) not in told:
            notes.append(note)
        if not notes:
            del plan.notes[statement]
