"""Removes arguments of a class from the text of an emitted file."""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Iterator, Sequence

_WIDTH = 88
_ENTRY = re.compile(r"( {6,})(\w+(?:, \w+)*):")


def drop_arguments(
    node: ast.ClassDef, source: Sequence[str], gone: frozenset[str]
) -> Iterator[tuple[int, int, Sequence[str]]]:
    """Replaces what says that a class takes some arguments.

    Args:
      node: the class.
      source: the lines of its file.
      gone: the names of the arguments.

    Yields:
      Ranges of lines, from 0, and what stands there instead.
    """
    yield from _drop_entries(node, source, gone)
    for item in node.body:
        if isinstance(item, ast.FunctionDef) and item.name == "__init__":
            yield from _drop_entries(item, source, gone)
            first = item.lineno - 1
            last = first
            while not source[last].endswith("):"):
                last += 1
            yield first, last + 1, _write_head(item, gone)


def find_arguments_used(node: ast.ClassDef, dropped: Container[int]) -> set[str]:
    """The names that `__init__` of a class mentions outside of some lines, from 0."""
    found: set[str] = set()
    work: list[ast.AST] = [
        statement
        for item in node.body
        if isinstance(item, ast.FunctionDef) and item.name == "__init__"
        for statement in item.body
    ]
    while work:
        inner = work.pop()
        if isinstance(inner, ast.stmt) and inner.lineno - 1 in dropped:
            continue
        if isinstance(inner, ast.Name):
            found.add(inner.id)
        work.extend(ast.iter_child_nodes(inner))
    return found


def _write_head(node: ast.FunctionDef, gone: frozenset[str]) -> Sequence[str]:
    """The lines of a function's head, as a formatter writes them."""
    indentation = " " * node.col_offset
    names = list(_list_arguments(node.args, gone))
    line = f"{indentation}def {node.name}({', '.join(names)}):"
    if len(line) <= _WIDTH:
        return [line]
    rows = [f"{indentation}    {name}," for name in names]
    return [f"{indentation}def {node.name}(", *rows, f"{indentation}):"]


def _list_arguments(node: ast.arguments, gone: frozenset[str]) -> Iterator[str]:
    places = [*node.posonlyargs, *node.args]
    without = len(places) - len(node.defaults)
    for place, argument in enumerate(places):
        default = node.defaults[place - without] if place >= without else None
        if argument.arg not in gone:
            yield _spell(argument, default)
    if node.vararg:
        yield f"*{node.vararg.arg}"
    elif node.kwonlyargs:
        yield "*"
    for argument, default in zip(node.kwonlyargs, node.kw_defaults):
        if argument.arg not in gone:
            yield _spell(argument, default)
    if node.kwarg:
        yield f"**{node.kwarg.arg}"


def _spell(argument: ast.arg, default: ast.expr | None) -> str:
    return argument.arg if default is None else f"{argument.arg}={_quote(default)}"


def _quote(node: ast.expr) -> str:
    """An expression, with the quotes that a formatter writes."""
    text = ast.unparse(node)
    return f'"{text[1:-1]}"' if text[:1] == "'" and '"' not in text else text


def _drop_entries(
    node: ast.ClassDef | ast.FunctionDef, source: Sequence[str], gone: frozenset[str]
) -> Iterator[tuple[int, int, Sequence[str]]]:
    """Without what a docstring says of arguments."""
    first = node.body[0]
    if not isinstance(first, ast.Expr) or ast.get_docstring(node) is None:
        return
    place, end = first.lineno - 1, first.end_lineno or first.lineno
    while place < end:
        entry = _ENTRY.match(source[place])
        below = place + 1
        if entry:
            deeper = entry[1] + "  "
            while below < end and source[below].startswith(deeper):
                below += 1
            names = entry[2].split(", ")
            left = [name for name in names if name not in gone]
            if not left:
                yield place, below, ()
            elif left != names:
                line = f"{entry[1]}{', '.join(left)}:{source[place][entry.end() :]}"
                yield place, place + 1, [line]
        place = below
