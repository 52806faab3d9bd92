"""Refusals, gathered on the way."""

from __future__ import annotations

import ast

from migrate.findings import Finding, Outcome


class Diagnostics:
    """Refusals gathered on the way; a program with any is not rewritten."""

    def __init__(self) -> None:
        self.findings: list[Finding] = []

    @property
    def refused(self) -> bool:
        return any(f.outcome is Outcome.REFUSED for f in self.findings)

    def refuse(
        self, code_: str, node: ast.AST, reason: str, recipe: str = "", symbol: str = ""
    ) -> None:
        finding = Finding(
            getattr(node, "lineno", 1),
            getattr(node, "col_offset", 0) + 1,
            code_,
            Outcome.REFUSED,
            symbol,
            reason,
            recipe,
        )
        if finding not in self.findings:
            self.findings.append(finding)
