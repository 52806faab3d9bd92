"""Blocks that the migration wrote, indented as those of the file are."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator

from migrate.source.nodes import parse_source, walk_breadth_first

_SUITES = ("body", "orelse", "finalbody")
_MOST = 50


def indent_blocks(old: str, new: str) -> str:
    """The new text, whose blocks are as deep as all of the old text's are."""
    depths = {depth for _, depth in _list_blocks(old)}
    if len(depths) != 1 or "\t" in new:
        return new
    (wanted,) = depths
    found = new
    for _ in range(_MOST):
        wrong = next((b for b in _list_blocks(found) if b[1] != wanted), None)
        if wrong is None:
            break
        suite, depth = wrong
        found = _shift(found, suite, wanted - depth)
    same = ast.dump(ast.parse(found)) == ast.dump(ast.parse(new))
    return found if same else new


def _list_blocks(text: str) -> Iterator[tuple[list[ast.stmt], int]]:
    """Suites on lines of their own, outer ones first, and how much deeper each is."""
    for node in walk_breadth_first(parse_source(text)):
        for field in _SUITES:
            suite = getattr(node, field, None)
            begin = getattr(
                node, "lineno", None
            )  # The module has none, nor has a case.
            if not isinstance(suite, list) or not suite or begin is None:
                continue
            first, column = suite[0], getattr(node, "col_offset", 0)
            if first.lineno > begin and first.col_offset > column:
                yield suite, first.col_offset - column


def _shift(text: str, suite: list[ast.stmt], by: int) -> str:
    lines, inner = text.split("\n"), _find_lines_of_strings(text)
    column = suite[0].col_offset
    start = min(
        [suite[0].lineno, *(d.lineno for d in getattr(suite[0], "decorator_list", ()))]
    )
    while start > 1 and _is_comment(lines[start - 2], column):
        start -= 1
    for number in range(start, (suite[-1].end_lineno or suite[-1].lineno) + 1):
        line = lines[number - 1]
        if line.strip() and number not in inner:
            depth = max(0, len(line) - len(line.lstrip()) + by)
            lines[number - 1] = " " * depth + line.lstrip()
    return "\n".join(lines)


def _is_comment(line: str, column: int) -> bool:
    return line.lstrip().startswith("#") and len(line) - len(line.lstrip()) == column


def _find_lines_of_strings(text: str) -> set[int]:
    """The lines that begin within a text of several lines."""
    found: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.STRING:
            found.update(range(token.start[0] + 1, token.end[0] + 1))
    return found
