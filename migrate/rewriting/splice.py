"""Applies a plan of expressions and notes alone, by their positions in the text.

Most files of a tree have nothing else. Everything that is not replaced stays byte for
byte because it is never taken apart; what moves statements is `migrate.rewriting.rewrite`'s, as is
the little that positions do not tell.
"""

from __future__ import annotations

import ast

from migrate.plan import Plan
from migrate.program.code import Code
from migrate.source.nodes import walk_breadth_first

# As an argument, or as an operand, these need the parentheses that positions leave out.
_PARENTHESISED = (ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await)
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def splice_text(text: str, tree: ast.Module, plan: Plan) -> str | None:
    """Splices the rewritten lines into the text; None if that needs a syntax tree."""
    if plan.suites or plan.statements:
        return None
    return _Splicer(text, plan).run(tree)


class _Splicer:
    def __init__(self, text: str, plan: Plan) -> None:
        self._data = text.encode()
        self._plan = plan
        self._starts = [0]
        for line in self._data.split(b"\n"):
            self._starts.append(self._starts[-1] + len(line) + 1)
        # Edited expressions as (start, -end, node): an outer one before its parts.
        self._edits = sorted(
            ((*self._find_span(node), node) for node in plan.expressions),
            key=lambda edit: (edit[0], -edit[1]),
        )

    def _find_offset(self, line: int, column: int) -> int:
        return self._starts[line - 1] + column

    def _find_span(self, node: ast.AST) -> tuple[int, int]:
        assert isinstance(node, ast.expr)
        assert node.end_lineno is not None and node.end_col_offset is not None
        start = self._find_offset(node.lineno, node.col_offset)
        return start, self._find_offset(node.end_lineno, node.end_col_offset)

    def run(self, tree: ast.Module) -> str | None:
        edited = set(map(id, self._plan.expressions))
        for node in walk_breadth_first(tree):
            # Before Python 3.12 what is in an f-string has another's positions.
            if isinstance(node, ast.JoinedStr):
                if any(id(inner) in edited for inner in walk_breadth_first(node)):
                    return None
        inserted: dict[int, bytes] = {}
        for statement, notes in self._plan.notes.items():
            line = statement.lineno
            if isinstance(statement, _DEFINITIONS) and statement.decorator_list:
                line = statement.decorator_list[0].lineno
            start = self._starts[line - 1]
            code = self._data[start : self._starts[line] - 1]
            indent = code[: len(code) - len(code.lstrip())]
            if line == statement.lineno and len(indent) != statement.col_offset:
                return None  # Another statement ends on its line.
            above = b"".join(indent + note.encode() + b"\n" for note in notes)
            inserted[start] = inserted.get(start, b"") + above
        return self._write_text(0, len(self._data), None, inserted).decode()

    def _write_text(
        self,
        start: int,
        end: int,
        without: ast.AST | None,
        inserted: dict[int, bytes] | None = None,
    ) -> bytes:
        """The source of a range, its edits applied and lines inserted."""
        parts: list[bytes] = []
        position = start
        inside = [e for e in self._edits if start <= e[0] and e[1] <= end]
        lines = sorted((inserted or {}).items())
        for first, last, node in inside:
            if first < position or node is without:
                continue
            position = self._copy_bytes(parts, position, first, lines)
            parts.append(self._encode_new(node, self._plan.expressions[node]))
            # Notes of a statement within what was replaced: none starts there.
            position = last
        self._copy_bytes(parts, position, end, lines)
        return b"".join(parts)

    def _copy_bytes(
        self, parts: list[bytes], start: int, end: int, lines: list[tuple[int, bytes]]
    ) -> int:
        while lines and lines[0][0] <= end:
            at, line = lines.pop(0)
            parts += [self._data[start:at], line]
            start = at
        parts.append(self._data[start:end])
        return end

    def _encode_new(self, node: ast.AST, new: Code) -> bytes:
        return b"".join(self._write_part(part, node) for part in new.parts)

    def _write_part(self, part: object, node: ast.AST) -> bytes:
        if isinstance(part, str):
            return part.encode()
        if isinstance(part, Code):
            return self._encode_new(node, part)
        assert isinstance(part, ast.AST)
        start, end = self._find_span(part)
        found = self._write_text(start, end, node)
        return b"(" + found + b")" if isinstance(part, _PARENTHESISED) else found
