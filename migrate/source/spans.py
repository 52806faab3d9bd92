"""JSON with the place of every value, so that one can be replaced in the text alone."""

from __future__ import annotations

import dataclasses
import json
import re
from typing import Any

_SPACE = re.compile(r"[ \t\n\r]*")
_SCALAR = re.compile(r"[-+.\w]+")
_STRING = json.JSONDecoder().raw_decode


@dataclasses.dataclass(frozen=True)
class Span:
    """One JSON value and the slice of the text that spells it.

    Attributes:
      start, end: the slice.
      value: a dict or a list of spans, or a string; None for other scalars.
    """

    start: int
    end: int
    value: Any

    def get(self, key: str) -> Span | None:
        """The member of an object; None where there is none, or this is no object."""
        if not isinstance(self.value, dict):
            return None
        member = self.value.get(key)
        assert member is None or isinstance(member, Span)
        return member

    @property
    def items(self) -> list[Span]:
        """The elements of an array; none if this is no array."""
        return self.value if isinstance(self.value, list) else []


def parse(text: str) -> Span:
    """Parses a JSON text.

    Raises:
      ValueError: it is not JSON.
    """
    json.loads(text)  # Judges the text with the library's messages.
    return _read_value(text, _skip(text, 0))


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    assert match is not None  # It matches the empty string.
    return match.end()


def _read_value(text: str, start: int) -> Span:
    opening = text[start]
    if opening == '"':
        string, end = _STRING(text, start)
        return Span(start, end, string)
    if opening not in "{[":
        scalar = _SCALAR.match(text, start)
        assert scalar is not None
        return Span(start, scalar.end(), None)
    members: dict[str, Span] = {}
    elements: list[Span] = []
    at = _skip(text, start + 1)
    while text[at] not in "}]":
        if opening == "{":
            key, at = _STRING(text, at)
            at = _skip(text, _skip(text, at) + 1)  # Past the colon.
            member = members[key] = _read_value(text, at)
        else:
            member = _read_value(text, at)
            elements.append(member)
        at = _skip(text, member.end)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return Span(start, at + 1, members if opening == "{" else elements)
