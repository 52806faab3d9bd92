"""Empty lines around what was written, as the rest of a file has them."""

from __future__ import annotations

import ast
from collections.abc import Collection


def space_text(text: str, functions: Collection[str]) -> str:
    """The text with empty lines around functions that were written, and few elsewhere.

    Args:
      functions: their names.
    """
    lines = text.split("\n")
    tree = ast.parse(text)
    pairs: list[tuple[ast.stmt, ast.stmt, int]] = []
    for node in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            suite = getattr(node, field, None)
            if not isinstance(suite, list) or len(suite) < 2:
                continue
            for one, other in zip(suite, suite[1:]):
                if _is_one_of(one, functions) or _is_one_of(other, functions):
                    at_top = isinstance(node, ast.Module)
                    pairs.append((one, other, 2 if at_top else 1))
    for one, other, wanted in sorted(pairs, key=lambda p: -(p[0].end_lineno or 0)):
        assert one.end_lineno is not None
        first, last = one.end_lineno, _find_first_line(other)
        while last > first and lines[last - 1].lstrip().startswith("#"):
            last -= 1
        if all(not line.strip() for line in lines[first:last]):
            lines[first:last] = [""] * wanted
    return "\n".join(lines)


def _is_one_of(node: ast.stmt, functions: Collection[str]) -> bool:
    return isinstance(node, ast.FunctionDef) and node.name in functions


def _find_first_line(node: ast.stmt) -> int:
    """The index of a statement's first line, decorators included."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(d.lineno for d in decorators)]) - 1
