"""Calls as a person would break them: on one line where they fit, else one argument a line."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from migrate.program.code import Code, make_code

WIDTH = 80
_HANG = "    "
Argument = tuple[str, ast.AST | Code | str]


def write_call(
    function: str,
    arguments: Sequence[Argument],
    indent: int,
    after: int = 0,
    hang: str = _HANG,
) -> Code:
    """`function(name=value, ...)`.

    Args:
      arguments: (name, value); the name "" is positional.
      indent: columns before the call.
      after: columns that follow on its last line.
      hang: how far arguments on lines of their own are indented.
    """
    parts = [
        make_code(f"{name}=", value) if name else make_code(value)
        for name, value in arguments
    ]
    length = indent + len(function) + 2 + after
    length += sum(
        len(name) + bool(name) + _measure_width(value) + 2 for name, value in arguments
    )
    woven: list[str | ast.AST | Code] = [function, "("]
    fits = length - 2 <= WIDTH or not parts
    for index, part in enumerate(parts):
        if not fits:
            woven.append(f"{',' if index else ''}\n{hang}")
        elif index:
            woven.append(", ")
        woven.append(part)
    woven.append(")")
    return make_code(*woven)


def _measure_width(value: ast.AST | Code | str) -> int:
    if isinstance(value, str):
        return len(value)
    if isinstance(value, Code):
        return sum(_measure_width(part) for part in value.parts)
    return len(ast.unparse(value))
