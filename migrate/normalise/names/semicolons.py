"""TF1 to TF1: statements that share a line stand in lines of their own.

`net = Net(x); val = Net(vx)`: of a line that is shared nothing can be brought elsewhere.
"""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.normalise.text import Text, find_lines_inside_strings
from migrate.source.nodes import parse_source, walk_breadth_first


def split_lines(text: Text) -> Text:
    """The text with such lines taken apart; a suite on its header's line stays there."""
    if ";" not in text.source:
        return text
    tree = parse_source(text.source)
    shared: list[list[ast.stmt]] = []
    for node in walk_breadth_first(tree):
        if not isinstance(node, (ast.stmt, ast.Module)):
            continue
        suites = (
            [("", node.body)]
            if isinstance(node, ast.Module)
            else names.list_suites(node)
        )
        for _, suite in suites:
            shared += _find_lines(text, suite)
    for statements in sorted(shared, key=lambda s: s[0].lineno, reverse=True):
        first, last = statements[0], statements[-1]
        indent = text.lines[first.lineno - 1][: first.col_offset]
        shown = [text.find_segment(s) for s in statements]
        end = last.end_lineno or last.lineno
        after = text.lines[end - 1]
        comment = after[text.find_column(end, last.end_col_offset or 0) :].strip(" ;")
        if comment:
            shown[-1] += "  " + comment
        lines = [line for s in shown for line in (indent + s).split("\n")]
        origins = [n for s in statements for n in _find_origins(text, s)]
        text = text.splice(first.lineno, end, lines, origins)
    return text


def _find_lines(text: Text, suite: list[ast.stmt]) -> list[list[ast.stmt]]:
    """Statements of a suite that stand in one line, where nothing but a semicolon does."""
    found: list[list[ast.stmt]] = []
    for statement in suite:
        if found and (found[-1][-1].end_lineno == statement.lineno):
            found[-1].append(statement)
        else:
            found.append([statement])
    return [
        statements
        for statements in found
        if (len(statements) > 1 or _ends_with_semicolon(statements[0], text))
        and not text.lines[statements[0].lineno - 1][: statements[0].col_offset].strip()
        and not any(map(find_lines_inside_strings, statements))
    ]


def _ends_with_semicolon(statement: ast.stmt, text: Text) -> bool:
    """Whether it does, and has no suite: the semicolon would be the last statement's there."""
    if names.list_suites(statement):
        return False
    end = statement.end_lineno or statement.lineno
    after = text.lines[end - 1][text.find_column(end, statement.end_col_offset or 0) :]
    return after.lstrip().startswith(";")


def _find_origins(text: Text, statement: ast.stmt) -> tuple[int, ...]:
    return text.origins[statement.lineno - 1 : statement.end_lineno]
