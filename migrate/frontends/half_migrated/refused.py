"""Defines the refusal of a half-migrated program."""

from __future__ import annotations

import ast

from migrate.findings import Finding, Outcome

MIXED = "the program mixes graph code and eager code"


class Refused(ValueError):
    """The program is not taken: a finding's code, place, reason and recipe."""

    def __init__(self, code: str, node: ast.AST, reason: str, recipe: str) -> None:
        super().__init__(reason)
        self.code, self.node, self.reason, self.recipe = code, node, reason, recipe

    def make_finding(self) -> Finding:
        line = getattr(self.node, "lineno", 1)
        column = getattr(self.node, "col_offset", 0) + 1
        return Finding(
            line, column, self.code, Outcome.REFUSED, "", self.reason, self.recipe
        )


def refuse_mixture(call: ast.Call) -> Refused:
    """The refusal of a program that has graph code, too."""
    recipe = "Write the whole model in graph code, or the whole model in eager code."
    return Refused("D121", call, MIXED, recipe)
