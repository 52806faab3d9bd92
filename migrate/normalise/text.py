"""Source text by AST positions, with every line's place in the file it came from."""

from __future__ import annotations

import ast
import dataclasses
import functools
import io
import tokenize
from collections.abc import Callable, Sequence
from typing import Any

from migrate.facts.scopes import build_scopes
from migrate.source.nodes import parse_source, walk_breadth_first


@dataclasses.dataclass(frozen=True)
class Edit:
    """Replaces what `node` spans by one line of text."""

    node: ast.AST
    new: str


@dataclasses.dataclass(frozen=True)
class Text:
    """Lines of source and, for each, the line (from 1) of the original it stands for."""

    lines: tuple[str, ...]
    origins: tuple[int, ...]

    @classmethod
    def read_source(cls, source: str) -> Text:
        lines = tuple(source.split("\n"))
        return cls(lines, tuple(range(1, len(lines) + 1)))

    @property
    def source(self) -> str:
        return "\n".join(self.lines)

    def find_column(self, line: int, byte: int) -> int:
        """The character column of an AST column, which counts UTF-8 bytes."""
        return len(self.lines[line - 1].encode()[:byte].decode())

    def find_segment(self, node: ast.AST) -> str:
        """The text of an expression or statement."""
        start, end = self._find_span(node)
        if start[0] == end[0]:
            return self.lines[start[0] - 1][start[1] : end[1]]
        middle = self.lines[start[0] : end[0] - 1]
        return "\n".join(
            [
                self.lines[start[0] - 1][start[1] :],
                *middle,
                self.lines[end[0] - 1][: end[1]],
            ]
        )

    def flatten_segment(self, node: ast.expr) -> str:
        """The text of an expression, in one line."""
        segment = self.find_segment(node)
        return segment if "\n" not in segment else ast.unparse(node)

    def find_indentation(self, statement: ast.stmt) -> str:
        """Returns the spaces or tabs at the start of a statement's first line."""
        line = self.lines[statement.lineno - 1]
        return line[: len(line) - len(line.lstrip())]

    def _find_span(self, node: ast.AST) -> tuple[tuple[int, int], tuple[int, int]]:
        line, end = node.lineno, node.end_lineno  # type: ignore[attr-defined]
        return (
            (line, self.find_column(line, node.col_offset)),  # type: ignore[attr-defined]
            (end, self.find_column(end, node.end_col_offset)),  # type: ignore[attr-defined]
        )

    def apply_edits(self, edits: Sequence[Edit]) -> Text:
        """The text after edits that do not overlap; every line stays a line.

        A node that spans lines leaves its later lines empty, so that positions of
        other statements hold.
        """
        lines = list(self.lines)
        for edit in sorted(edits, key=lambda e: self._find_span(e.node), reverse=True):
            (first, start), (last, end) = self._find_span(edit.node)
            if first == last:
                line = lines[first - 1]
                lines[first - 1] = line[:start] + edit.new + line[end:]
            else:
                lines[first - 1] = lines[first - 1][:start] + edit.new
                lines[first - 1] += lines[last - 1][end:]
                for between in range(first, last):
                    lines[between] = ""
        return Text(tuple(lines), self.origins)

    def splice(
        self, start: int, end: int, lines: Sequence[str], origins: Sequence[int]
    ) -> Text:
        """Lines `start` to `end` (from 1, both included) replaced by others."""
        return Text(
            (*self.lines[: start - 1], *lines, *self.lines[end:]),
            (*self.origins[: start - 1], *origins, *self.origins[end:]),
        )

    def indent_statements(
        self, statements: Sequence[ast.stmt], indent: str, step: str
    ) -> tuple[list[str], list[int]]:
        """Statements one step deeper: their lines, with comments above, and origins.

        Args:
          statements: of one suite, in their order.
          indent: the suite's.
        """
        first = statements[0]
        decorators = getattr(first, "decorator_list", [])
        begin = min([first.lineno, *(d.lineno for d in decorators)])
        while begin > 1 and self.lines[begin - 2].strip().startswith("#"):
            begin -= 1  # Its comment goes with it.
        end = statements[-1].end_lineno or statements[-1].lineno
        verbatim = set().union(*[find_lines_inside_strings(s) for s in statements])
        lines = []
        for number in range(begin, end + 1):
            line = self.lines[number - 1]
            if number not in verbatim and line.strip():
                inside = line.startswith(indent)
                line = indent + step + line[len(indent) :] if inside else step + line
            lines.append(line)
        return lines, list(self.origins[begin - 1 : end])

    def find_lines_begun_in_strings(self) -> frozenset[int]:
        """Lines that begin within a string, whose indentation is a part of it.

        Strings that only follow each other over several lines are several.
        """
        return _find_lines_begun_in_strings(self.source)

    def is_alone(self, statement: ast.stmt) -> bool:
        """Whether a statement shares its lines with no other code."""
        (first, start), (last, end) = self._find_span(statement)
        after = self.lines[last - 1][end:].strip()
        return not self.lines[first - 1][:start].strip() and (
            not after or after.startswith("#")
        )


def repeat_step(text: Text, step: Callable[[Text], Text | None], *marks: str) -> Text:
    """The text after as many steps as there are to take.

    Args:
      step: gives the next text; None if nothing is left to be done.
      marks: a text without one of these is left as it is.
    """
    while all(mark in text.source for mark in marks):
        new = step(text)
        if new is None:
            break
        text = new
    return text


_COMPOUND: tuple[Any, ...] = (ast.FunctionDef, ast.AsyncFunctionDef)
_COMPOUND += (
    ast.ClassDef,
    ast.With,
    ast.AsyncWith,
    ast.If,
    ast.While,
    ast.For,
    ast.AsyncFor,
)


def close_headers(text: Text) -> Text:
    """Joins the end of each header to the line before it.

        def build(images,                       def build(images,
                  units=3,                                units=3):
        ):

    Passes assume that a suite begins after the last expression of its header.
    """
    lines, origins = list(text.lines), list(text.origins)
    closing = [number for number in _find_closing_lines(text) if number > 1]
    for number in sorted(closing, reverse=True):
        before, tail = lines[number - 2], lines[number - 1].strip()
        code, comment = _split_comment(before)
        if not code.strip() or code.endswith("\\"):
            continue
        lines[number - 2] = code + tail.partition("#")[0].rstrip() + comment
        del lines[number - 1], origins[number - 1]
    return Text(tuple(lines), tuple(origins))


@functools.lru_cache(maxsize=16)
def _find_lines_begun_in_strings(source: str) -> frozenset[int]:
    found: set[int] = set()
    formatted: list[int] = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        kind = tokenize.tok_name[token.type]
        if kind == "STRING":
            found.update(range(token.start[0] + 1, token.end[0] + 1))
        elif kind == "FSTRING_START":
            formatted.append(token.start[0])
        elif kind == "FSTRING_END":
            found.update(range(formatted.pop() + 1, token.end[0] + 1))
    return frozenset(found)


def _find_closing_lines(text: Text) -> set[int]:
    """Lines of headers that begin with a closing bracket, without a comment of their own."""
    spans = {
        number
        for node in walk_breadth_first(parse_source(text.source))
        if isinstance(node, _COMPOUND) and node.body[0].lineno > node.lineno + 1
        for number in range(node.lineno + 1, node.body[0].lineno)
        if text.lines[number - 1].lstrip().startswith((")", "]", "}"))
        and "#" not in text.lines[number - 1]
    }
    return spans - text.find_lines_begun_in_strings() if spans else set()


def _split_comment(line: str) -> tuple[str, str]:
    """A line's code, and its comment with the space before it."""
    if "#" in line:
        try:
            for token in tokenize.generate_tokens(io.StringIO(line).readline):
                if token.type == tokenize.COMMENT:
                    code = line[: token.start[1]].rstrip()
                    return code, line[len(code) :]
        except tokenize.TokenError:  # It is not the whole of a statement.
            at = line.rindex("#")
            code = line[:at].rstrip()
            return code, line[len(code) :]
    return line.rstrip(), ""


def find_lines_inside_strings(node: ast.AST) -> set[int]:
    """Lines that begin within a string of several lines."""
    found: set[int] = set()
    for child in walk_breadth_first(node):
        if isinstance(child, ast.JoinedStr) or (
            isinstance(child, ast.Constant) and isinstance(child.value, (str, bytes))
        ):
            found.update(range(child.lineno + 1, (child.end_lineno or 0) + 1))
    return found


class ParsedText:
    """A text with its tree and its scopes: what most passes begin with."""

    def __init__(self, text: Text) -> None:
        self._text = text
        self._tree = parse_source(text.source)
        self._scopes = build_scopes(self._tree)

    def _indent(self, statement: ast.stmt) -> str:
        """Returns the text before a statement on its line."""
        return self._text.lines[statement.lineno - 1][: statement.col_offset]

    def _join_lines(self, value: ast.expr) -> str:
        """Returns an expression's text, joined to one line if it has several."""
        segment = self._text.find_segment(value)
        return segment if "\n" not in segment else ast.unparse(value)

    def _is_bound_once(self, name: ast.Name) -> bool:
        owner = self._scopes.find_scope(name).find_owner(name.id)
        return owner is not None and len(owner.bindings.get(name.id, [])) == 1
