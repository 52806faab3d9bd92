"""docs/pictures/demo.svg: what `tf1to2 demo` shows, without the flags and the start.

docs/pictures/demo-narrow.svg is the same for narrow screens.

A dark terminal, so that it can be read on light and dark pages alike.
"""

from __future__ import annotations

import html
import textwrap
from collections.abc import Iterator, Sequence

from migrate.compiler import migrate_text
from migrate.demo_command import read_program, read_proof
from migrate.options import Options

# The first and the last line of what is shown of each program.
_OLD = ("with tf.device(", "print(")
_NEW = ("strategy = ", "replicas.run(")
_FONT, _ROW, _MARGIN, _GAP = 12, 15.5, 18, 26
_SHOWN = 680  # The width that it has in the README, where there is room for it.
_NARROW = 58  # Characters of a line that a telephone shows.
_CHARACTER = 7.23  # The width of one, whatever font there is: see `textLength`.
_BACK, _INK, _SOFT, _OLD_INK, _NEW_INK, _LINE = (
    *("#14171a", "#e4e7eb", "#9ba4ae"),
    *("#ff8d80", "#5fd07a", "#2d333a"),
)


def write_picture() -> str:
    """The picture for a wide screen: the programs beside each other."""
    old, new = _list_programs()
    middle = _MARGIN + max(map(len, old)) * _CHARACTER + _GAP
    width = middle + max(map(len, new)) * _CHARACTER + _MARGIN
    first = _MARGIN + 2 * _ROW
    rows = max(len(old), len(new))
    height = first + rows * _ROW + _MARGIN
    proof = _wrap_proof(max(map(len, old)))
    below = first + (rows - len(proof)) * _ROW
    line = middle - _GAP / 2
    return _draw(
        width,
        height,
        [
            f'<path d="M{line:.0f} {_MARGIN + _ROW:.0f}V{height - _MARGIN:.0f}" '
            f'stroke="{_LINE}"/>',
            write_text("$ tf1to2 demo", _MARGIN, _MARGIN + 0.5 * _ROW, _INK),
            write_text("TensorFlow 1", _MARGIN, _MARGIN + 1.6 * _ROW, _SOFT),
            write_text("TensorFlow 2", middle, _MARGIN + 1.6 * _ROW, _SOFT),
            *_column(old, _MARGIN, first, _OLD_INK),
            *_column(new, middle, first, _NEW_INK),
            write_text("The proof", _MARGIN, below, _SOFT),
            *_column(proof, _MARGIN, below, _INK),
        ],
    )


def write_narrow_picture() -> str:
    """The picture for a telephone: the programs below each other."""
    old, new = (
        [part for line in lines for part in _fold(line)] for lines in _list_programs()
    )
    columns = max(map(len, (*old, *new)))
    parts = [write_text("$ tf1to2 demo", _MARGIN, _MARGIN + 0.5 * _ROW, _INK)]
    y = _MARGIN + 1.6 * _ROW
    for title, lines, ink in (
        ("TensorFlow 1", old, _OLD_INK),
        ("TensorFlow 2", new, _NEW_INK),
        ("The proof", _wrap_proof(columns), _INK),
    ):
        parts += [
            write_text(title, _MARGIN, y, _SOFT),
            *_column(lines, _MARGIN, y, ink),
        ]
        y += (len(lines) + 1.8) * _ROW
    width = 2 * _MARGIN + columns * _CHARACTER
    return _draw(width, y - 1.8 * _ROW + _MARGIN, parts)


def _list_programs() -> tuple[Sequence[str], Sequence[str]]:
    """Returns the shown lines of the program, before and after."""
    program = read_program()
    migrated = migrate_text(program, Options(), "train.py").text
    return _cut(program, *_OLD), _cut(migrated, *_NEW)


def _wrap_proof(columns: int) -> list[str]:
    lines = read_proof()["lines"]
    return [piece for line in lines for piece in textwrap.wrap(line, columns)]


def _fold(line: str) -> Sequence[str]:
    """A line, as two where it is too long: broken in its outermost parentheses."""
    depth, places = 0, []
    for place, character in enumerate(line[:_NARROW], 1):
        depth += (character in "([") - (character in ")]")
        if character == "(" or (character == "," and depth):
            places.append((-depth, place))
    if len(line) <= _NARROW or not places:
        return [line]
    place = max(places)[1]
    indent = len(line) - len(line.lstrip()) + 4
    return [line[:place], " " * indent + line[place:].lstrip()]


def _draw(width: float, height: float, parts: Sequence[str]) -> str:
    """A dark picture with some parts."""
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{_SHOWN}" '
            f'viewBox="0 0 {width:.0f} {height:.0f}" '
            f'font-size="{_FONT}" '
            "font-family=\"ui-monospace, 'SF Mono', Menlo, Consolas, "
            "'DejaVu Sans Mono', monospace\">",
            "<title>tf1to2 demo: a program for parameter servers before and after</title>",
            f'<rect width="100%" height="100%" rx="8" fill="{_BACK}"/>',
            *parts,
            "</svg>\n",
        )
    )


def _cut(text: str, start: str, end: str) -> Sequence[str]:
    """The lines of a text from the one with `start` on to the last one with `end`."""
    lines = text.split("\n")
    first = next(n for n, line in enumerate(lines) if line.strip().startswith(start))
    last = max(n for n, line in enumerate(lines) if line.strip().startswith(end))
    indent = min(len(x) - len(x.lstrip()) for x in lines[first : last + 1] if x.strip())
    return [line[indent:].rstrip() for line in lines[first : last + 1]]


def _column(lines: Sequence[str], x: float, y: float, color: str) -> Iterator[str]:
    for number, line in enumerate(lines, 1):
        if line:
            yield write_text(line, x, y + number * _ROW, color)


def write_text(line: str, x: float, y: float, color: str, bold: bool = False) -> str:
    """A line of text; its indentation is a distance, which no renderer drops."""
    shown = line.lstrip()
    x += (len(line) - len(shown)) * _CHARACTER
    length = len(shown) * _CHARACTER
    weight = ' font-weight="bold"' if bold else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" fill="{color}" textLength="{length:.1f}"{weight}>'
        f"{html.escape(shown, quote=False)}</text>"
    )
