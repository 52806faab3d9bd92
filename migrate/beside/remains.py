"""Writes the text of an emitted file without the units that nobody reaches.

The rest stays as it was, with comments and docstrings: the tool removes lines, and
writes an import anew with fewer names. The docstring of a package has a table of its
files. It loses the rows of files that are not written.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from migrate import emitted
from migrate.beside import units
from migrate.beside.arguments import (
    drop_arguments,
    find_arguments_used,
    find_constants,
    find_function,
    put_constant,
)
from migrate.beside.folding import count_mentions, fold_variables
from migrate.beside.reach import Reached
from migrate.beside.reserved import (
    find_first_line,
    find_reserved,
    find_told,
    list_heads,
    list_overridden,
    list_reserved_nodes,
    list_returned,
    list_told,
    list_told_lines,
)

_WIDTH = 88
_IMPORTS = (ast.Import, ast.ImportFrom, ast.Try)
_ROW = re.compile(r" {4}(\w+) {2,}\S")


def write_remains(name: str, reached: Reached) -> bytes:
    """Returns the text of an emitted file without the units that nobody reaches."""
    remains = _Remains(name, reached)
    text = "\n".join(remains.list_lines()) + "\n"
    return (_fold(name, text) if remains.is_shorter else text).encode()


@functools.lru_cache(maxsize=256)
def _fold(name: str, text: str) -> str:
    """Returns the text of an emitted file without variables that it needs no more."""
    told = functools.partial(find_told, name)
    return fold_variables(text, _count_mentions(name), list_told(name), told)


@functools.cache
def _count_mentions(name: str) -> Mapping[str, Counter[str]]:
    return count_mentions(units.read_file(name).tree)


@dataclasses.dataclass(frozen=True)
class _Part:
    """One statement, with the lines before it.

    Attributes:
      lines: the lines that remain of it and of the comments right above it; none if it goes.
      blank: the number of empty lines above these comments.
      banner: comments further above, which head all that follows, and the empty lines
        above them.
      node: the statement.
    """

    lines: Sequence[str]
    blank: int
    banner: Sequence[str]
    node: ast.stmt


class _Remains:
    def __init__(self, name: str, reached: Reached) -> None:
        self._names = reached.names[name]
        self._methods = reached.methods[name]
        package, slash, _ = name.rpartition("/")
        files = emitted.list_files(package) if slash else ()
        self._gone = {units.strip_name(f) for f in files if f not in reached.names}
        self._file = units.read_file(name)
        self._source = emitted.read_source(name).decode().split("\n")
        self._moved: set[int] = set()  # Lines whose indentation is one level less.
        self._dropped = self._find_dropped_lines(name, reached)
        # Lines of statements by which a later run sees what the file was written for.
        self._told = set(list_told_lines(name, self._file.tree))
        self._changes: list[tuple[int, int, int, str]] = []
        # First removed line -> the lines that replace it and those after it.
        self._instead: dict[int, Sequence[str]] = {}
        for begin, end, lines in self._list_shorter_functions():
            self._dropped.update(range(begin, end))
            self._instead[begin] = lines
        self._change_lines()
        for one, after in list_returned(self._file.tree, self._dropped):
            begin, end = one.lineno - 1, after.end_lineno or after.lineno
            if one.end_lineno == one.lineno:
                head = " " * one.col_offset + "return "
                value = self._source[begin][one.value.col_offset :]
                self._instead[begin] = [head + value]
                self._dropped.update(range(begin, end))

    @property
    def is_shorter(self) -> bool:
        """Whether functions have lost statements."""
        return bool(self._dropped)

    def list_lines(self) -> list[str]:
        body = self._file.tree.body
        lines = list(_join_parts(self._list_parts(body, 0, self._write_statement)))
        text = "\n".join(lines)
        unused = {
            name
            for name, definition in self._file.definitions.items()
            if name[0] == "_" and name in self._names and _is_mark(definition.node)
            if len(re.findall(rf"\b{name}\b", text)) == 1
        }
        if unused:  # Only arguments that have gone had it as their default value.
            self._names = self._names - unused
            parts = self._list_parts(body, 0, self._write_statement)
            return list(_join_parts(parts))
        return lines

    def _find_dropped_lines(self, name: str, reached: Reached) -> set[int]:
        """Returns the lines, from 0, that are reserved for units that nobody reaches."""
        places = find_reserved(name)
        dropped: set[int] = set()
        for node in list_reserved_nodes(name, self._file.tree):
            one = places[find_first_line(node)]
            if reached.has_needed(one.groups):
                continue
            last = node.end_lineno or one.begin
            if one.head:
                first = max(part.end_lineno or 0 for part in list_heads(node))
                self._moved.update(range(first, last))
                last = first
            dropped.update(range(one.begin - 1, last))
        if dropped:  # Otherwise the file stays as it is.
            for begin, end in list_overridden(self._file.tree, dropped):
                dropped.update(range(begin, end))
        return dropped

    def _list_shorter_functions(self) -> Iterator[tuple[int, int, Sequence[str]]]:
        """Yields what stands instead of ranges of lines, where arguments go."""
        for name, definition in self._file.definitions.items():
            node = definition.node
            if name not in self._names or not definition.arguments:
                continue
            for method in {method for method, _ in definition.arguments}:
                function = find_function(node, method)
                gone = {
                    argument
                    for owner, argument in definition.arguments
                    if owner == method
                    and (name, f"{method}({argument})") not in self._methods
                }
                used = gone & find_arguments_used(function, self._dropped)
                constants = find_constants(function)
                for argument in sorted(used):
                    changes = argument in constants and put_constant(
                        function,
                        argument,
                        constants[argument],
                        self._source,
                        self._dropped,
                    )
                    if changes and self._told.isdisjoint(c[0] for c in changes):
                        self._changes += changes
                    else:
                        gone.remove(argument)
                if gone:
                    described = node if method == "" else function
                    yield from drop_arguments(function, described, self._source, gone)

    def _change_lines(self) -> None:
        """Puts constants in the places of arguments; the last place of a line first."""
        for place, begin, end, text in sorted(self._changes, reverse=True):
            line = self._source[place]
            self._source[place] = line[:begin] + text + line[end:]

    def _take_lines(self, begin: int, end: int | None) -> list[str]:
        """Returns the lines of a range that stay, without empty lines that are needless
        now.
        """
        taken: list[str] = []
        after_gap = False
        for place, line in enumerate(self._source[begin:end], begin):
            if place in self._dropped:
                taken += self._instead.get(place, ())
                after_gap = True
                continue
            needless = not taken or not taken[-1] or taken[-1].endswith(":")
            if not line and after_gap and needless:
                continue
            taken.append(line.removeprefix("    ") if place in self._moved else line)
            after_gap = after_gap and not line
        while taken and not taken[-1]:
            taken.pop()
        return taken

    def _list_parts(
        self,
        body: Iterable[ast.stmt],
        above: int,
        remaining: Callable[[ast.stmt], Sequence[str]],
    ) -> Iterator[_Part]:
        """Yields the statements of a block.

        Args:
          above: the last line before the block.
          remaining: returns the lines that remain of a statement.
        """
        for node in body:
            first = find_first_line(node) - 1
            comments = first
            while comments > above and _is_comment(self._source[comments - 1]):
                comments -= 1
            head = comments
            while head > above and not self._source[head - 1].strip():
                head -= 1
            lines = remaining(node)
            if lines:
                lines = [*self._take_lines(comments, first), *lines]
            yield _Part(lines, comments - head, self._source[above:head], node)
            above = node.end_lineno or above

    def _write_statement(self, node: ast.stmt) -> Sequence[str]:
        if isinstance(node, ast.ClassDef):
            return self._list_class_lines(node) if node.name in self._names else ()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return self._list_whole(node) if node.name in self._names else ()
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            return self._write_import(node)
        if isinstance(node, ast.Try):
            return self._write_tried_import(node)
        for effect in self._file.effects:
            if effect.node is node:
                kept = not effect.owner or effect.owner in self._names
                return self._list_whole(node) if kept else ()
        if isinstance(node, ast.Expr):
            return [line for line in self._shorten_docstring(node)]
        kept = any(
            definition.node is node and name in self._names
            for name, definition in self._file.definitions.items()
        )
        return self._list_whole(node) if kept else ()

    def _list_whole(self, node: ast.stmt) -> Sequence[str]:
        lines = self._take_lines(find_first_line(node) - 1, node.end_lineno)
        body = node.body if isinstance(node, ast.FunctionDef) else ()
        if body and all(map(self._is_gone, body)):
            lines.append(" " * body[0].col_offset + "pass")
        return lines

    def _is_gone(self, node: ast.stmt) -> bool:
        """Whether nothing remains of a statement."""
        body = getattr(node, "body", ())
        gone = find_first_line(node) - 1 in self._dropped
        return gone and all(map(self._is_gone, body))

    def _shorten_docstring(self, node: ast.Expr) -> Iterator[str]:
        """Returns the docstring's lines without the rows of files that are not written."""
        gone = False
        for line in self._list_whole(node):
            row = _ROW.match(line)
            if row:
                gone = row[1] in self._gone
            elif not line.startswith(" " * 8):  # What goes on from the row above.
                gone = False
            if not gone:
                yield line

    def _list_class_lines(self, node: ast.ClassDef) -> Sequence[str]:
        first = node.body[0]
        begin = find_first_line(first) - 1
        while begin and _is_comment(self._source[begin - 1]):
            begin -= 1
        while not self._source[begin - 1].strip():
            begin -= 1

        def list_remaining(item: ast.stmt) -> Sequence[str]:
            first = find_first_line(item) - 1
            if first in self._dropped and first not in self._instead:
                return ()
            if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef)):
                if (node.name, item.name) not in self._methods:
                    return ()
            return self._list_whole(item)

        body = list(_join_parts(self._list_parts(node.body, begin, list_remaining)))
        while body and not body[0].strip():
            del body[0]
        head = self._source[find_first_line(node) - 1 : begin]
        return [*head, *(body or [" " * (node.col_offset + 4) + "pass"])]

    def _write_import(self, node: ast.Import | ast.ImportFrom) -> Sequence[str]:
        if getattr(node, "module", "") == "__future__":
            return self._list_whole(node)
        kept = [
            alias
            for alias in node.names
            if (alias.asname or alias.name.partition(".")[0]) in self._names
        ]
        if len(kept) == len(node.names):
            return self._list_whole(node)
        return _spell_import(node, kept) if kept else ()

    def _write_tried_import(self, node: ast.Try) -> Sequence[str]:
        """Returns the lines of a `try` of an import, with its `except`."""
        body = [line for item in node.body for line in self._write_statement(item)]
        if not body:
            return ()
        lines = ["try:", *body]
        for handler in node.handlers:
            lines += self._source[handler.lineno - 1 : handler.body[0].lineno - 1]
            for item in handler.body:
                is_import = isinstance(item, (ast.Import, ast.ImportFrom))
                lines += (
                    self._write_statement(item) if is_import else self._list_whole(item)
                )
        return lines


def _is_mark(node: ast.stmt) -> bool:
    """Whether a statement gives an object without a value of its own a name."""
    return isinstance(node, ast.Assign) and ast.unparse(node.value) == "object()"


def _join_parts(parts: Iterable[_Part]) -> Iterator[str]:
    """Yields the lines of a block with the empty lines that were between them."""
    blank = 0
    banner: Sequence[str] = ()
    before: ast.stmt | None = None
    gone = False  # Whether a part has been removed since then.
    for part in parts:
        if part.banner:
            banner = part.banner
            blank = part.blank
        blank = max(blank, part.blank)
        if not part.lines:
            gone = True
            continue
        between = [*banner, *[""] * blank]
        at_top = before is None or isinstance(before, (ast.Expr, *_IMPORTS))
        is_value = isinstance(part.node, ast.Assign)
        if gone and at_top and (banner or is_value):
            # A formatter leaves one empty line here.
            head = [line for line in banner if line]
            between = (
                ["", *head, *[""] * (1 if blank and is_value else blank)]
                if head
                else [""]
            )
        if before or banner:
            yield from between
        yield from part.lines
        blank, banner, before, gone = 0, (), part.node, False


def _spell_import(
    node: ast.Import | ast.ImportFrom, names: Sequence[ast.alias]
) -> list[str]:
    """Spells an import of some names as a formatter does."""
    indentation = " " * node.col_offset
    if isinstance(node, ast.Import):
        return [indentation + ast.unparse(ast.Import(list(names)))]
    line = indentation + ast.unparse(
        ast.ImportFrom(node.module, list(names), node.level)
    )
    if len(line) <= _WIDTH:
        return [line]
    head = f"{indentation}from {'.' * node.level}{node.module or ''} import ("
    rows = [f"{indentation}    {ast.unparse(alias)}," for alias in names]
    return [head, *rows, f"{indentation})"]


def _is_comment(line: str) -> bool:
    return line.lstrip().startswith("#")
