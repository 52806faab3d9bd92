"""Blank lines around what takes a session's place."""

from __future__ import annotations

import ast

_IMPORTS = (ast.Import, ast.ImportFrom)


def space_statements(text: str, functions: set[str], spaced: bool) -> str:
    """Puts two blank lines around some of the module's functions, and one below its imports.

    Args:
      text: the module's.
      functions: names of these functions.
      spaced: whether a blank line was below the imports.
    """
    lines = text.split("\n")
    body = ast.parse(text).body
    for before, after in reversed(list(zip(body, body[1:]))):
        assert before.end_lineno is not None
        if not any(
            isinstance(n, ast.FunctionDef) and n.name in functions
            for n in (before, after)
        ):
            imports = _imports(before) and not _imports(after)
            if spaced and imports and after.lineno == before.end_lineno + 1:
                lines.insert(before.end_lineno, "")
            continue
        first = before.end_lineno
        while first < len(lines) and not lines[first].strip():
            first += 1
        if not lines[before.end_lineno - 1].rstrip().endswith(";"):
            lines[before.end_lineno : first] = ["", ""]
    return "\n".join(lines)


def has_spaced_imports(text: str) -> bool:
    """Whether a blank line stands below the first imports of a module."""
    lines, body = text.split("\n"), ast.parse(text).body
    for before, after in zip(body, body[1:]):
        if _imports(before) and not _imports(after):
            assert before.end_lineno is not None
            return not lines[before.end_lineno].strip()
    return False


def _imports(statement: ast.stmt) -> bool:
    """Whether a statement is an import, or tries two forms of one."""
    if isinstance(statement, ast.Try):
        return all(isinstance(inner, _IMPORTS) for inner in statement.body)
    return isinstance(statement, _IMPORTS)
