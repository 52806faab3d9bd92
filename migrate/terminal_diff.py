"""A program before and after, side by side, for a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from migrate.report.side_by_side import read_rows

Paint = Callable[[str, str], str]
_GAP = " | "


def side_by_side(
    before: str, after: str, width: int, paint: Paint = lambda text, role: text
) -> Iterator[str]:
    """The lines of two texts beside each other, all of them.

    Args:
      width: of the terminal; longer lines are cut, which "…" says.
      paint: colours a text by its role: removed, added or dim.
    """
    half = (width - len(_GAP)) // 2
    rule = paint("-" * (2 * half + len(_GAP)), "dim")
    yield _beside("TensorFlow 1", "TensorFlow 2", half, "dim", "dim", paint)
    yield rule
    for row in read_rows(before, after):
        old = row.old[1] if row.old else ""
        new = row.new[1] if row.new else ""
        roles = ("", "") if row.same else ("removed", "added")
        yield _beside(old, new, half, *roles, paint)
    yield rule


def _beside(
    left: str, right: str, half: int, left_role: str, right_role: str, paint: Paint
) -> str:
    left, right = _fit(left, half), _fit(right, half)
    one = paint(left, left_role) if left_role else left
    two = paint(right, right_role) if right_role else right
    return f"{one}{paint(_GAP, 'dim')}{two}".rstrip()


def _fit(text: str, width: int) -> str:
    text = text.expandtabs(4)
    return text.ljust(width) if len(text) <= width else text[: width - 1] + "…"
