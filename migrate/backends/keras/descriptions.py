"""Changes a model_fn's docstring for the class that replaces the model_fn.

A class returns nothing, and its constructor gets no labels and no mode. So the docstring of the
class leaves out what the docstring says about these, in Google's form (`Args:`, `Returns:`) and
in Sphinx's form (`:param labels:`).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Sequence

from migrate.plan import Item, Keep, New
from migrate.program.code import make_code

_HEADER = re.compile(r"\s*(Args|Arguments|Parameters|Returns?|Yields|Raises):\s*$")
_GIVEN = ("Args", "Arguments", "Parameters")
_ENTRY = re.compile(r"\s*\*{0,2}(\w+)\s*(\([^)]*\))?\s*:")
_FIELD = re.compile(r"\s*:(param|type|returns?|rtype)\b(?:[^:]*?(\w+))?\s*:")


def describe_class(statement: ast.stmt, parameters: Collection[str]) -> Item:
    """The docstring of a class whose constructor has only these parameters of the function."""
    assert isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    text = str(statement.value.value)
    new = drop_sections(text, parameters)
    if new == text or "\\" in text or '"""' in text or not new.strip():
        return Keep(statement)
    return New(make_code(f'"""{new}"""'), statement)


def drop_sections(text: str, parameters: Collection[str]) -> str:
    """The text without the parts about other parameters and about the returned value."""
    lines = text.split("\n")
    kept: list[str] = []
    at = 0
    while at < len(lines):
        end = at + 1
        header, field = _HEADER.match(lines[at]), _FIELD.match(lines[at])
        if header or field:
            while end < len(lines) and _is_within(lines, end, _indent(lines[at])):
                end += 1
        part = lines[at:end]
        if header and header[1] in _GIVEN:
            part = _keep_entries(part, parameters)
        elif header and header[1] != "Raises":
            part = []
        elif field:
            named = field[1] in ("param", "type") and field[2] in parameters
            part = part if named else []
        kept += part
        at = end
    if kept == lines:
        return text
    closing = lines[-1] if not lines[-1].strip() and len(lines) > 1 else None
    # Keep one of the blank lines around a removed part.
    kept = [
        line for above, line in zip(["", *kept], kept) if line.strip() or above.strip()
    ]
    while kept and not kept[-1].strip():
        kept.pop()
    several = len(kept) > 1 and closing is not None
    return "\n".join([*kept, closing or ""] if several else kept)


def _keep_entries(lines: Sequence[str], parameters: Collection[str]) -> list[str]:
    """The section with the entries of these parameters only; empty if no entry is left."""
    depth = next((_indent(line) for line in lines[1:] if line.strip()), 0)
    kept, taken, found = [lines[0]], True, False
    for line in lines[1:]:
        if line.strip() and _indent(line) <= depth:
            entry = _ENTRY.match(line)
            taken = entry is None or entry[1] in parameters
            found = found or taken
        if taken:
            kept.append(line)
    return kept if found else []


def _is_within(lines: Sequence[str], at: int, depth: int) -> bool:
    """Whether a line belongs to the section above it, whose header has this indentation."""
    following = next((line for line in lines[at:] if line.strip()), None)
    if following is None:
        return False
    if not lines[at].strip():
        return _indent(following) > depth
    return _indent(lines[at]) > depth


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
