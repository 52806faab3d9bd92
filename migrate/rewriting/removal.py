"""Takes statements out of a text, with each `try` that only held them.

try:
    from tensorflow.contrib import slim  # It goes, so nothing here can fail any more.
except ImportError:
    slim = None
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator

from migrate.facts.scopes import Scopes
from migrate.source.nodes import walk_breadth_first

# Between two statements of one line.
_JOINED = re.compile(rb"[ \t\f]*;(?:[ \t\f]|\\\r?\n)*")
_REST = re.compile(rb"[ \t\f]*;?[ \t\f]*(?:#[^\r\n]*)?")
# What a function is, or what a name means in it, because a statement has it.
_OF_FUNCTION = (ast.Yield, ast.YieldFrom, ast.Await, ast.Global, ast.Nonlocal)
_SUITES = ("body", "orelse", "finalbody")
_Span = tuple[int, int, bytes]


def add_emptied(
    scopes: Scopes, gone: Collection[ast.stmt], needed: Collection[str]
) -> set[ast.stmt]:
    """Statements that go, and each `try` that has nothing else to do.

    Args:
      needed: names that must stay bound, besides those that the file reads.
    """
    found = set(gone)
    while more := [
        node
        for node in scopes.walk()
        if isinstance(node, ast.Try)
        and node not in found
        and found.issuperset([*node.body, *node.orelse, *node.finalbody])
        and not _needs_handlers(scopes, node, needed)
    ]:
        found.update(more)
    return found


def _needs_handlers(scopes: Scopes, node: ast.Try, needed: Collection[str]) -> bool:
    """Whether a `try` needs handlers that never run: they make a name local, say."""
    inside = set(walk_breadth_first(node))
    for inner in inside:
        if isinstance(inner, _OF_FUNCTION):
            return True
        if isinstance(inner, ast.alias) and inner.name == "*":
            return True
    lost = {
        name
        for name, made in scopes.find_scope(node).bindings.items()
        if inside.issuperset(made)
    }
    read = {
        n.id
        for n in scopes.walk()
        if isinstance(n, ast.Name)
        and not isinstance(n.ctx, ast.Store)
        and n not in inside
    }
    return bool(lost & (read | set(needed)))


def remove_statements(text: str, tree: ast.Module, gone: Collection[ast.stmt]) -> str:
    """The text without statements; a suite of nothing else becomes `pass`."""
    data = text.encode()
    for start, end, new in sorted(_Remover(data, tree, gone).find(), reverse=True):
        data = data[:start] + new + data[end:]
    return data.decode()


class _Remover:
    """Finds what is cut out of a text."""

    def __init__(
        self, data: bytes, tree: ast.Module, gone: Collection[ast.stmt]
    ) -> None:
        self._data, self._tree, self._gone = data, tree, gone
        self._starts = [0]
        for line in data.split(b"\n"):
            self._starts.append(self._starts[-1] + len(line) + 1)

    def find(self) -> Iterator[_Span]:
        """Yields (first byte, byte behind the last, replacement) of each removal."""
        todo: list[ast.AST] = [self._tree]
        while todo:
            node = todo.pop()
            for field in _SUITES:
                suite = getattr(node, field, None)
                if isinstance(suite, list):
                    yield from self._find_in_suite(node, suite)
            todo += [n for n in ast.iter_child_nodes(node) if n not in self._gone]

    def _find_in_suite(self, owner: ast.AST, suite: list[ast.stmt]) -> Iterator[_Span]:
        if not self._gone or not any(node in self._gone for node in suite):
            return
        stays = [node not in self._gone for node in suite]
        if not any(stays) and owner is not self._tree:
            stays[0] = True  # As `pass`.
            yield self._write_pass(suite)
        for line in self._list_lines(suite):
            if not any(stays[i] for i in line):
                yield self._cut_lines(suite[line[0]], suite[line[-1]])
                continue
            for i in line:
                if stays[i]:
                    continue
                if any(stays[j] for j in line if j > i):
                    yield (
                        self._find_start(suite[i]),
                        self._find_start(suite[i + 1]),
                        b"",
                    )
                else:
                    yield self._find_end(suite[i - 1]), self._find_end(suite[i]), b""

    def _list_lines(self, suite: list[ast.stmt]) -> list[list[int]]:
        """The positions of a suite's statements, those of one line together."""
        lines = [[0]]
        for i in range(1, len(suite)):
            start, end = self._find_end(suite[i - 1]), self._find_start(suite[i])
            if _JOINED.fullmatch(self._data, start, end):
                lines[-1].append(i)
            else:
                lines.append([i])
        return lines

    def _write_pass(self, suite: list[ast.stmt]) -> _Span:
        start, end = self._find_start(suite[0]), self._find_end(suite[0])
        if len(self._list_lines(suite)[0]) == 1 and self._begins_line(suite[0]):
            end = self._find_rest(end)
        return start, end, b"pass"

    def _cut_lines(self, first: ast.stmt, last: ast.stmt) -> _Span:
        """The whole lines of statements; of the blank lines around a block, those on one side."""
        above, below = first.lineno - 1, last.end_lineno or last.lineno
        if isinstance(first, ast.Try):
            before = self._count_blank_lines(range(above - 1, -1, -1))
            behind = self._count_blank_lines(range(below, len(self._starts) - 2))
            if before == above:  # Nothing stands above.
                below += behind
            at_end = below + behind >= len(self._starts) - 2
            above -= before if at_end else min(before, behind)
        return self._starts[above], min(self._starts[below], len(self._data)), b""

    def _count_blank_lines(self, lines: range) -> int:
        """Counts the blank lines at the beginning of some lines."""
        for count, line in enumerate(lines):
            if self._data[self._starts[line] : self._starts[line + 1]].strip():
                return count
        return len(lines)

    def _find_start(self, node: ast.stmt) -> int:
        return self._starts[node.lineno - 1] + node.col_offset

    def _find_end(self, node: ast.stmt) -> int:
        assert node.end_lineno is not None and node.end_col_offset is not None
        return self._starts[node.end_lineno - 1] + node.end_col_offset

    def _find_rest(self, end: int) -> int:
        """Finds the end of a line whose last statement ends at this offset."""
        found = _REST.match(self._data, end)
        assert found is not None
        return found.end()

    def _begins_line(self, node: ast.stmt) -> bool:
        before = self._data[self._starts[node.lineno - 1] : self._find_start(node)]
        return not before.strip()
