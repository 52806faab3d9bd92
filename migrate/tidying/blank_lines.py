"""Writes blank lines below functions and classes that the migration has moved."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.source.nodes import parse_source, walk_breadth_first

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_SUITES = ("body", "orelse", "finalbody")


def add_blank_lines(old: str, new: str) -> str:
    """The text with one blank line below a definition, and two at the top of the module.

    What stands so below a definition in the old text already stays so. A comment between
    them stays where it is: it may begin a cell of a notebook.
    """
    author = {(text, between) for _, text, between, _ in _list_pairs(old)}
    lines = new.split("\n")
    wanted = {
        start: count - between
        for start, text, between, count in _list_pairs(new)
        if between < count and (text, between) not in author
    }
    for start in sorted(wanted, reverse=True):
        lines[start - 1 : start - 1] = [""] * wanted[start]
    return "\n".join(lines)


def _list_pairs(text: str) -> Iterator[tuple[int, str, int, int]]:
    """Yields lines below definitions, with their blank lines and the right number."""
    tree, lines = parse_source(text), text.split("\n")
    for node in walk_breadth_first(tree):
        for field in _SUITES:
            suite = getattr(node, field, None)
            if not isinstance(suite, list):
                continue
            for first, second in zip(suite, suite[1:]):
                if not _ends_with_definition(first):
                    continue
                last = first.end_lineno or first.lineno
                start = _find_first_line(second)
                if not any(line.strip() for line in lines[last : start - 1]):
                    own = node is tree and isinstance(first, _DEFINITIONS)
                    said = lines[start - 1].strip()
                    yield start, said, start - 1 - last, 2 if own else 1


def _ends_with_definition(node: ast.stmt) -> bool:
    """Whether the last line of a statement is a definition's, or of one within it."""
    while not isinstance(node, _DEFINITIONS):
        suites = [s for f in _SUITES if isinstance(s := getattr(node, f, None), list)]
        last = [suite[-1] for suite in suites if suite]
        if not last:
            return False
        node = last[-1]
    return node.lineno != node.end_lineno


def _find_first_line(node: ast.stmt) -> int:
    if not isinstance(node, _DEFINITIONS):
        return node.lineno
    return min([node.lineno, *(d.lineno for d in node.decorator_list)])
