"""A program's text with its tree and its scopes, for a pass that reads all three."""

from __future__ import annotations

import ast

from migrate.facts.scopes import build_scopes
from migrate.normalise.text import Text
from migrate.source.nodes import parse_source


class ParsedText:
    """What most passes begin with."""

    def __init__(self, text: Text) -> None:
        self._text = text
        self._tree = parse_source(text.source)
        self._scopes = build_scopes(self._tree)

    def _indent(self, statement: ast.stmt) -> str:
        """What stands before a statement on its line."""
        return self._text.lines[statement.lineno - 1][: statement.col_offset]

    def _join_lines(self, value: ast.expr) -> str:
        """An expression as it is spelled, or as one line."""
        segment = self._text.find_segment(value)
        return segment if "\n" not in segment else ast.unparse(value)

    def _is_bound_once(self, name: ast.Name) -> bool:
        owner = self._scopes.find_scope(name).find_owner(name.id)
        return owner is not None and len(owner.bindings.get(name.id, [])) == 1
