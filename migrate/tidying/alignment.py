"""Lines within parentheses stay below what they stood below.

`tf.truncated_normal(shape,` becomes longer, and what is aligned with its parenthesis moves by as
much. An expression that moved to another depth takes its lines along. Only the space before such
lines changes, never the program.
"""

from __future__ import annotations

import ast
import collections
import dataclasses
import io
import tokenize

_OPEN, _CLOSE = frozenset("([{"), frozenset(")]}")
_LONGEST = 100
_HANG = 4


@dataclasses.dataclass
class _Line:
    """A line within parentheses.

    Attributes:
      number: from 1.
      opened: the line and column of the innermost parenthesis around its beginning.
      hanging: nothing stands behind that parenthesis.
      closing: it begins with the other one.
    """

    number: int
    opened: tuple[int, int]
    hanging: bool
    closing: bool


def align_lines(old: str, new: str) -> str:
    """Aligns the new text's lines with their parentheses, as in the old text."""
    lines = new.split("\n")
    inner = _find_inner_lines(new)
    if not inner:
        return new
    aligned, depths = _find_aligned(old), _find_depths(old)
    around: dict[tuple[int, int], list[_Line]] = collections.defaultdict(list)
    for line in inner:
        around[line.opened].append(line)
    longest = max(_LONGEST, *(len(line) for line in lines))
    shift: dict[int, int] = {}
    for line in inner:
        above = shift.get(line.opened[0], 0)
        indent = _indent(lines[line.number - 1])
        by = above
        if line.hanging:
            by += _find_way_back(around[line.opened], lines, depths)
        elif _was_aligned(around[line.opened], lines, aligned):
            by = line.opened[1] + 1 + above - indent
        long = by > 0 and len(lines[line.number - 1]) + by > longest
        if by and not long and indent + by >= 0:
            shift[line.number] = by
    if not shift:
        return new
    for number, by in shift.items():
        text = lines[number - 1]
        if text.strip():
            lines[number - 1] = " " * (_indent(text) + by) + text.lstrip()
    found = "\n".join(lines)
    return found if ast.dump(ast.parse(found)) == ast.dump(ast.parse(new)) else new


def _find_way_back(
    inside: list[_Line], lines: list[str], depths: set[tuple[str, int]]
) -> int:
    """Returns by how many columns to move the lines below a hanging parenthesis.

    The lines belong deeper than the line that opens the parenthesis. The closing
    parenthesis belongs below the beginning of that line, or of the lines. Lines that
    stand so in the old text are the author's, and stay.
    """
    first = lines[inside[0].opened[0] - 1]
    begin = _indent(first)
    texts = [(line, lines[line.number - 1]) for line in inside]
    if any((text.strip(), _indent(text) - begin) in depths for _, text in texts):
        return 0
    within = [_indent(text) for line, text in texts if not line.closing]
    closing = [_indent(text) for line, text in texts if line.closing]
    if within and within[0] <= begin:
        return begin + _HANG - within[0]
    if closing and within and closing[0] not in (begin, within[0]):
        return begin - closing[0]
    return 0


def _find_depths(text: str) -> set[tuple[str, int]]:
    """Lines below hanging parentheses, and how much deeper than those they stand."""
    lines = text.split("\n")
    return {
        (code.strip(), _indent(code) - _indent(lines[line.opened[0] - 1]))
        for line in _find_inner_lines(text)
        if line.hanging and (code := lines[line.number - 1]).strip() not in _CLOSE
    }


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _was_aligned(
    lines: list[_Line], texts: list[str], aligned: dict[str, int | None]
) -> bool:
    """Whether the lines within a parenthesis are the old text's, and stood below it."""
    known = [
        aligned[text]
        for line in lines
        if (text := texts[line.number - 1].strip()) in aligned
    ]
    return bool(known) and all(by == 0 for by in known)


def _find_aligned(text: str) -> dict[str, int | None]:
    """Lines within parentheses -> 0 where they stand right below, None elsewhere."""
    lines = text.split("\n")
    found: dict[str, int | None] = {}
    for line in _find_inner_lines(text):
        code = lines[line.number - 1]
        below = not line.hanging and _indent(code) == line.opened[1] + 1
        key = code.strip()
        found[key] = 0 if below and found.get(key, 0) == 0 else None
    return found


def _find_inner_lines(text: str) -> list[_Line]:
    """The lines that begin within parentheses, not within a text of several lines."""
    found: list[_Line] = []
    stack: list[tuple[int, int, bool]] = []
    seen = 0
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, IndentationError, SyntaxError):
        return []
    for index, token in enumerate(tokens):
        row, column = token.start
        blank = token.type in (tokenize.NL, tokenize.NEWLINE)
        if stack and row > seen and not blank:
            line, at, hanging = stack[-1]
            if "\t" not in token.line[:column] and token.line.isascii():
                closing = token.type == tokenize.OP and token.string in _CLOSE
                found.append(_Line(row, (line, at), hanging, closing))
        seen = max(seen, token.end[0] if not blank else row)
        if token.type == tokenize.OP and token.string in _OPEN:
            after = tokens[index + 1].type
            stack.append((row, column, after in (tokenize.NL, tokenize.COMMENT)))
        elif token.type == tokenize.OP and token.string in _CLOSE and stack:
            stack.pop()
    return found
