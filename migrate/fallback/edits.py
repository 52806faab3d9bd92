"""Replacing pieces of a text by their positions; all else stays byte for byte."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterable


@dataclasses.dataclass(frozen=True, order=True)
class Edit:
    """New text for a range, in lines from 1 and columns in bytes from 0, as `ast` counts."""

    line: int
    column: int
    end_line: int
    end_column: int
    new: str

    @classmethod
    def replace_node(cls, node: ast.stmt | ast.expr | ast.alias, new: str) -> Edit:
        """New text for a node."""
        end_line, end_column = node.end_lineno, node.end_col_offset
        assert end_line is not None and end_column is not None
        return cls(node.lineno, node.col_offset, end_line, end_column, new)


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """The text with edits that do not overlap."""
    data = text.encode()
    starts = [0]
    for row in data.split(b"\n"):
        starts.append(starts[-1] + len(row) + 1)
    for edit in sorted(edits, reverse=True):
        first = starts[edit.line - 1] + edit.column
        last = starts[edit.end_line - 1] + edit.end_column
        data = data[:first] + edit.new.encode() + data[last:]
    return data.decode()
