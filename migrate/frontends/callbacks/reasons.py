"""Defines the error that says why a hook stays a hook."""

from __future__ import annotations

import ast


class NoCallback(Exception):
    """A hook does what a callback of Keras cannot.

    Attributes:
      node: where.
      reason: what.
    """

    def __init__(self, node: ast.AST, reason: str) -> None:
        super().__init__(reason)
        self.node, self.reason = node, reason
