"""Places of a text as nodes, which edits take."""

from __future__ import annotations

import ast


def find_begin(node: ast.AST) -> tuple[int, int]:
    return node.lineno, node.col_offset  # type: ignore[attr-defined]


def find_end(node: ast.AST) -> tuple[int, int]:
    return node.end_lineno, node.end_col_offset  # type: ignore[attr-defined]


def make_point(line: int, column: int) -> ast.AST:
    """Makes a node of no width at a place."""
    return make_span((line, column), (line, column))


def make_span(begin: tuple[int, int], end: tuple[int, int]) -> ast.AST:
    """Makes a node that spans a place."""
    node = ast.Constant(None)
    node.lineno, node.col_offset = begin
    node.end_lineno, node.end_col_offset = end
    return node
