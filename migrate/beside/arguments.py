"""Removes arguments of classes and functions from the text of an emitted file."""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Iterator, Sequence

_WIDTH = 88
_ENTRY = re.compile(r"( {6,})(\w+(?:, \w+)*): ")


def find_function(node: ast.stmt, method: str) -> ast.FunctionDef:
    """Returns a method of a class, `__init__` for ""; of a function, the function."""
    if isinstance(node, ast.FunctionDef):
        return node
    return next(
        item
        for item in (node.body if isinstance(node, ast.ClassDef) else ())
        if isinstance(item, ast.FunctionDef) and item.name == (method or "__init__")
    )


def drop_arguments(
    function: ast.FunctionDef,
    described: ast.stmt,
    source: Sequence[str],
    gone: Container[str],
) -> Iterator[tuple[int, int, Sequence[str]]]:
    """Replaces what says that a function takes some arguments.

    Args:
      described: the function, or the class whose docstring describes the arguments.
      source: the lines of its file.
      gone: the names of the arguments.

    Yields:
      Ranges of lines, from 0, and what stands there instead.
    """
    for node in dict.fromkeys((described, function)):
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            yield from _drop_entries(node, source, gone)
    first = function.lineno - 1
    last = first
    while not source[last].endswith("):"):
        last += 1
    yield first, last + 1, _write_head(function, gone)


def find_arguments_used(function: ast.FunctionDef, dropped: Container[int]) -> set[str]:
    """The names that a function mentions outside of some lines, from 0."""
    found: set[str] = set()
    work: list[ast.AST] = list(function.body)
    while work:
        inner = work.pop()
        if isinstance(inner, ast.stmt) and inner.lineno - 1 in dropped:
            work.extend(getattr(inner, "body", ()))
            continue
        if isinstance(inner, ast.Name):
            found.add(inner.id)
        work.extend(ast.iter_child_nodes(inner))
    return found


def find_constants(function: ast.FunctionDef) -> dict[str, ast.Constant]:
    """Returns the arguments that have a constant as default, and that nothing rebinds."""
    places = [*function.args.posonlyargs, *function.args.args]
    pairs: list[tuple[ast.arg, ast.expr | None]] = [
        *zip(reversed(places), reversed(function.args.defaults)),
        *zip(function.args.kwonlyargs, function.args.kw_defaults),
    ]
    bound = {
        inner.id if isinstance(inner, ast.Name) else inner.arg
        for item in function.body
        for inner in ast.walk(item)
        if (isinstance(inner, ast.Name) and not isinstance(inner.ctx, ast.Load))
        or isinstance(inner, ast.arg)
    }
    return {
        argument.arg: default
        for argument, default in pairs
        if isinstance(default, ast.Constant) and argument.arg not in bound
    }


# Where a constant reads well. Elsewhere it would decide something: the argument stays.
_PLACES = (ast.Call, ast.keyword, ast.Assign, ast.Tuple)


def put_constant(
    function: ast.FunctionDef,
    name: str,
    value: ast.Constant,
    source: Sequence[str],
    dropped: Container[int],
) -> list[tuple[int, int, int, str]] | None:
    """Returns the changes of lines that put a constant in the place of an argument.

    Args:
      source: the lines of its file.
      dropped: lines, from 0, that do not stay.

    Returns:
      Lines, from 0, with the ends of what is replaced, and what stands there instead;
      None if the constant would decide something.
    """
    found: list[tuple[int, int, int, str]] = []
    work: list[tuple[ast.AST, ast.AST, ast.AST]] = [
        (item, function, function) for item in function.body
    ]
    while work:
        inner, parent, above = work.pop()
        if isinstance(inner, ast.stmt) and inner.lineno - 1 in dropped:
            work += [(item, inner, parent) for item in getattr(inner, "body", ())]
            continue
        if isinstance(inner, ast.Name) and inner.id == name:
            change = None
            if isinstance(parent, ast.BoolOp):
                if parent.lineno == parent.end_lineno:
                    line = source[parent.lineno - 1]
                    change = _leave_out(inner, parent, above, bool(value.value), line)
            elif (
                isinstance(parent, _PLACES) and getattr(parent, "func", 0) is not inner
            ):
                change = inner.col_offset, inner.col_offset + len(name), _quote(value)
            if change is None:
                return None
            found.append((inner.lineno - 1, *change))
        children = ast.iter_child_nodes(inner)
        work += [(child, inner, parent) for child in children]
    return found


def _leave_out(
    node: ast.Name, parent: ast.BoolOp, above: ast.AST, holds: bool, line: str
) -> tuple[int, int, str] | None:
    """Returns the change of a line that takes an operand from `and` or `or`, None if none.

    Args:
      above: what the operation is a part of.
      holds: whether the operand is true.
      line: the one that has the operation.
    """
    if holds is not isinstance(parent.op, ast.And):
        return None
    word = " and " if holds else " or "
    place, end = parent.values.index(node), node.col_offset + len(node.id)
    if place + 1 < len(parent.values):
        after = parent.values[place + 1].col_offset
        # Between them may be a bracket, too.
        return (node.col_offset, after, "") if line[end:after] == word else None
    before = parent.values[place - 1].end_col_offset or 0
    if isinstance(above, ast.If) and line[before : node.col_offset] == word:
        return before, end, ""
    return None


def _write_head(node: ast.FunctionDef, gone: Container[str]) -> Sequence[str]:
    """The lines of a function's head, as a formatter writes them."""
    indentation = " " * node.col_offset
    names = list(_list_arguments(node.args, gone))
    line = f"{indentation}def {node.name}({', '.join(names)}):"
    if len(line) <= _WIDTH:
        return [line]
    rows = [f"{indentation}    {name}," for name in names]
    return [f"{indentation}def {node.name}(", *rows, f"{indentation}):"]


def _list_arguments(node: ast.arguments, gone: Container[str]) -> Iterator[str]:
    places = [*node.posonlyargs, *node.args]
    without = len(places) - len(node.defaults)
    for place, argument in enumerate(places):
        default = node.defaults[place - without] if place >= without else None
        if argument.arg not in gone:
            yield _spell(argument, default)
    if node.vararg:
        yield f"*{node.vararg.arg}"
    elif any(argument.arg not in gone for argument in node.kwonlyargs):
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
    node: ast.ClassDef | ast.FunctionDef, source: Sequence[str], gone: Container[str]
) -> Iterator[tuple[int, int, Sequence[str]]]:
    """Replaces what a docstring says of arguments; in one line if a line is left."""
    first = node.body[0]
    if not isinstance(first, ast.Expr) or ast.get_docstring(node) is None:
        return
    place, end = first.lineno - 1, first.end_lineno or first.lineno
    ranges = list(_list_entries(source, place, end, gone))
    removed = {line for begin, after, _ in ranges for line in range(begin, after)}
    joined = source[place] + source[end - 1].strip()
    if len(removed) == end - place - 2 > 0 and len(joined) <= _WIDTH:
        yield place, end, [joined]
    else:
        yield from ranges


def _list_entries(
    source: Sequence[str], place: int, end: int, gone: Container[str]
) -> Iterator[tuple[int, int, Sequence[str]]]:
    """Yields the changes of the lists of arguments in a docstring."""
    head, kept = -1, False  # The line "Args:", and whether an entry below it stays.
    while place < end:
        if source[place].strip().endswith(":") and not _ENTRY.match(source[place]):
            head, kept = place, False
        entry = _ENTRY.match(source[place])
        below = place + 1
        if entry:
            deeper = entry[1] + "  "
            while below < end and source[below].startswith(deeper):
                below += 1
            names = entry[2].split(", ")
            left = [name for name in names if name not in gone]
            kept = kept or bool(left)
            if not left and not kept and not _has_entry(source, below, end):
                yield head - 1, below, ()
            elif not left:
                yield place, below, ()
            elif left != names:
                line = f"{entry[1]}{', '.join(left)}:{source[place][entry.end() - 1 :]}"
                yield place, place + 1, [line]
        place = below


def _has_entry(source: Sequence[str], place: int, end: int) -> bool:
    """Whether another entry of the same list of a docstring follows."""
    return place < end and bool(_ENTRY.match(source[place]))
