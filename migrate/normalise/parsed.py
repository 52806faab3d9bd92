"""A program's text with its tree and its scopes, for a pass that reads all three."""

from __future__ import annotations

from migrate.facts.scopes import build_scopes
from migrate.normalise.text import Text
from migrate.source.nodes import parse_source


class ParsedText:
    """What most passes begin with."""

    def __init__(self, text: Text) -> None:
        self._text = text
        self._tree = parse_source(text.source)
        self._scopes = build_scopes(self._tree)
