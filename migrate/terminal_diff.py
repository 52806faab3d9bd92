"""A program before and after, for a terminal: side by side, or one below the other.

No line is cut: one that is too long goes on in the next row.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Sequence

from migrate.report.side_by_side import Row, read_rows

Paint = Callable[[str, str], str]
_GAP = " | "
_NARROW = 120  # Columns below which two programs do not fit beside each other.
_LEAST = 20  # Characters of a piece of a line, however narrow the terminal is.


def show_both(
    before: str, after: str, width: int, paint: Paint = lambda text, role: text
) -> Iterator[str]:
    """The lines of two texts, all of them.

    Args:
      width: of the terminal.
      paint: colours a text by its role: removed, added, bold or dim.
    """
    rows = read_rows(before, after)
    if width < _NARROW:
        yield from _print_one_below_the_other(rows, width, paint)
    else:
        yield from _print_side_by_side(rows, width, paint)


def _print_one_below_the_other(
    rows: Sequence[Row], width: int, paint: Paint
) -> Iterator[str]:
    old = [(row.old[1], row.same) for row in rows if row.old]
    new = [(row.new[1], row.same) for row in rows if row.new]
    for heading, lines, role in (
        ("TensorFlow 1", old, "removed"),
        ("TensorFlow 2", new, "added"),
    ):
        yield paint(heading, "bold")
        yield paint("-" * width, "dim")
        for line, same in lines:
            for piece in wrap_code(line, width):
                yield piece if same else paint(piece, role)
        if role == "removed":
            yield ""


def _print_side_by_side(rows: Sequence[Row], width: int, paint: Paint) -> Iterator[str]:
    room = width - len(_GAP)
    longest = max((len(_expand(row.old[1])) for row in rows if row.old), default=0)
    left = min(longest, room // 2)
    right = room - left
    rule = paint("-" * width, "dim")
    yield _put_beside("TensorFlow 1", "TensorFlow 2", left, "bold", "bold", paint)
    yield rule
    for row in rows:
        old = wrap_code(row.old[1], left) if row.old else [""]
        new = wrap_code(row.new[1], right) if row.new else [""]
        roles = ("", "") if row.same else ("removed", "added")
        for one, other in itertools.zip_longest(old, new, fillvalue=""):
            yield _put_beside(one, other, left, *roles, paint)
    yield rule


def _put_beside(
    one: str, other: str, width: int, one_role: str, other_role: str, paint: Paint
) -> str:
    padding = " " * (width - len(one))
    before = paint(one, one_role) if one and one_role else one
    after = paint(other, other_role) if other and other_role else other
    return f"{before}{padding}{paint(_GAP, 'dim')}{after}".rstrip()


def wrap_code(line: str, width: int) -> list[str]:
    """A line in pieces that are no longer than `width`; the later ones are indented."""
    line = _expand(line)
    pieces = []
    indent = re.match(" *", line)[0] + "    "  # type: ignore[index]
    indent = indent if len(indent) + _LEAST <= width else ""
    while len(line) > max(width, _LEAST):
        limit = max(width, _LEAST)
        # At the last space, or behind the last bracket or comma; else in a word.
        ends = [m.end() for m in re.finditer(r"(?<=\S) |[(\[{,]", line[:limit])]
        end = ends[-1] if ends and ends[-1] > len(indent) else limit
        pieces.append(line[:end].rstrip())
        line = indent + line[end:].lstrip()
    return [*pieces, line]


def _expand(line: str) -> str:
    return line.expandtabs(4)
