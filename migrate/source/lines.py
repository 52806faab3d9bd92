"""Finds the lines of a text that begin a statement, without parsing it.

The text may not be Python 3 at all (a notebook's magics, a Python 2 file), so the
parser cannot be asked. Strings, brackets and backslashes are found by their characters
alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

# What changes the state of a line: a comment, a quote, a bracket.
_EVENT = re.compile(
    r"""(?P<comment>\#)|(?P<quote>'''|\"\"\"|'|")|(?P<open>[\[({])|[\])}]"""
)
_CLOSING = {
    quote: re.compile(r"(?s:\\.|[^\\])*?" + quote) for quote in ("'''", '"""', "'", '"')
}


def _is_blank(line: str) -> bool:
    return False


def find_logical_starts(
    lines: Sequence[str], opaque: Callable[[str], bool] = _is_blank
) -> Iterator[bool]:
    """Whether each line begins a logical line, rather than continues one.

    Args:
      lines: physical lines without their newlines.
      opaque: tells of a line that begins a logical line whether its text is not
        Python; its quotes and brackets then mean nothing, its backslash still does.
    """
    depth = 0
    quote = ""
    continued = False
    foreign = False
    for line in lines:
        start = not (depth or quote or continued)
        yield start
        foreign = opaque(line) if start else foreign and continued
        if foreign:
            continued = line.endswith("\\")
            continue
        depth, quote = _scan(line, depth, quote)
        continued = line.endswith("\\")
        if quote in ("'", '"') and not continued:
            quote = ""  # Not closed on its line: a syntax error, which ends there.


def _scan(line: str, depth: int, quote: str) -> tuple[int, str]:
    """The bracket depth and the open quote after a line."""
    position = 0
    while True:
        if quote:
            closing = _CLOSING[quote].match(line, position)
            if closing is None:
                return depth, quote
            position, quote = closing.end(), ""
        event = _EVENT.search(line, position)
        if event is None or event["comment"]:
            return depth, ""
        position = event.end()
        if event["quote"]:
            quote = event["quote"]
        elif event["open"]:
            depth += 1
        else:
            depth = max(0, depth - 1)
