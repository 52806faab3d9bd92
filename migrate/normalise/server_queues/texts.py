"""The text without the queues, with `server.join()` where a server waited."""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.normalise.server_queues.empty_blocks import Emptied
from migrate.normalise.server_queues.program import Unclear
from migrate.normalise.text import Text
from migrate.source.nodes import walk_breadth_first

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class Written(Emptied):
    """Puts the rest together."""

    def _join_for(self, wait: ast.stmt) -> None:
        """Places `server.join()` for a wait, or for the outermost loop around it.

        Raises:
          Unclear: it is not only a parameter server that waits.
        """
        top: ast.AST = wait
        for outer in self._scopes.walk_above(wait):
            if isinstance(outer, ast.If) and self._serves(top):
                break
            if isinstance(outer, _FUNCTIONS):
                for call in self._list_calls(outer):
                    self._join_for(call)
                return
            if isinstance(outer, ast.Module):
                break
            if isinstance(outer, (ast.For, ast.While)):
                top = outer
        if not self._serves(wait):
            raise Unclear(wait, "others than parameter servers wait for it")
        assert isinstance(top, ast.stmt)
        self._joins[top] = None

    def _write_text(self, server: str) -> Text:
        gone = {
            number
            for statement in self._gone
            for number in range(
                self._find_first_line(statement), (statement.end_lineno or 0) + 1
            )
        }
        for statement in self._gone:
            if isinstance(
                statement, _FUNCTIONS
            ):  # With the lines between it and the next.
                after = (statement.end_lineno or 0) + 1
                while (
                    after <= len(self._text.lines)
                    and not self._text.lines[after - 1].strip()
                ):
                    gone.add(after)
                    after += 1
        inserted: dict[int, list[str]] = {}
        dedent: dict[int, int] = {}
        for block in self._dissolved:
            gone.update(range(block.lineno, block.body[0].lineno))
            if block in self._gone:
                continue
            by = block.body[0].col_offset - block.col_offset
            for number in range(block.body[0].lineno, (block.end_lineno or 0) + 1):
                dedent[number] = dedent.get(number, 0) + by
        for statement in self._joins:
            outer = [
                b for b in self._scopes.walk_above(statement) if b in self._dissolved
            ]
            indent = self._indent(outer[-1] if outer else statement)
            inserted.setdefault(self._find_first_line(statement), []).append(
                f"{indent}{server}.join()"
            )
        for node in walk_breadth_first(self._tree):
            if isinstance(node, ast.stmt) and node not in self._gone:
                self._fill(node, inserted)
        edited = self._text.apply_edits(
            [e for e in self._edits if not self._is_lost(e.node)]
        )
        lines: list[str] = []
        origins: list[int] = []
        for number, line in enumerate(edited.lines, 1):
            new = inserted.get(number, [])
            if number not in gone:
                cut = dedent.get(number, 0)
                new = [*new, line[cut:] if not line[:cut].strip() else line]
            lines += new
            origins += [edited.origins[number - 1]] * len(new)
        return Text(tuple(lines), tuple(origins))

    def _fill(self, node: ast.stmt, inserted: dict[int, list[str]]) -> None:
        """`pass` where a suite has lost all of its statements."""
        for _, suite in names.list_suites(node):
            if node in self._dissolved or not all(s in self._gone for s in suite):
                continue
            if not any(s in self._joins for s in suite):
                first = suite[0]
                inserted.setdefault(self._find_first_line(first), []).append(
                    self._indent(first) + "pass"
                )

    def _find_first_line(self, statement: ast.stmt) -> int:
        decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
        return min([statement.lineno, *[d.lineno for d in decorators]])

    def _indent(self, statement: ast.AST) -> str:
        assert isinstance(statement, ast.stmt)
        return self._text.lines[statement.lineno - 1][: statement.col_offset]
