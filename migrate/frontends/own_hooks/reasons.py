"""Defines the error that says why a program's own hook is refused."""

from __future__ import annotations

import ast

from migrate.tables.hooks import CALLBACK, SESSION_HOOK


class NotMapped(Exception):
    """A hook does what its session cannot do here.

    Attributes:
      node: where.
      reason: what.
      recipe: what to do instead.
    """

    def __init__(self, node: ast.AST, reason: str, recipe: str = "") -> None:
        super().__init__(reason)
        self.node, self.reason = node, reason
        recipe = f"{recipe} " if recipe else ""
        self.recipe = f"{recipe}{SESSION_HOOK} {CALLBACK}"
