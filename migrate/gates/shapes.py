"""Whether two programs differ in no more than what they call of TensorFlow.

Then no effect can have moved, and nothing more has to be compared.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts.scopes import Scopes
from migrate.gates.origins import is_tensorflow
from migrate.source.nodes import list_children, walk_breadth_first

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def differ(old: Scopes, new: Scopes) -> bool:
    """Whether a statement is gone, moved or added, or calls something else."""
    return _differ_in_statements(old.tree.body, new.tree.body, old, new)


def _differ_in_statements(
    one: list[ast.stmt], other: list[ast.stmt], old: Scopes, new: Scopes
) -> bool:
    one, other = _drop_imports(one), _drop_imports(other)
    return len(one) != len(other) or any(
        _differ(a, b, old, new) for a, b in zip(one, other)
    )


def _differ(one: ast.AST, other: ast.AST, old: Scopes, new: Scopes) -> bool:
    if type(one) is not type(other):
        return True
    if isinstance(one, _DEFINITIONS) and one.name != other.name:  # type: ignore[attr-defined]
        return True
    heads: list[list[str]] = [[], []]
    for found, node, scopes in ((heads[0], one, old), (heads[1], other, new)):
        for child in list_children(node):
            if not isinstance(child, (ast.stmt, ast.excepthandler)):
                found += _find_calls(child, scopes)
    if heads[0] != heads[1]:
        return True
    for name in ("body", "orelse", "finalbody"):
        first, second = getattr(one, name, None), getattr(other, name, None)
        if isinstance(first, list) and _differ_in_statements(
            first, second or [], old, new
        ):
            return True
    handlers = getattr(one, "handlers", []), getattr(other, "handlers", [])
    return len(handlers[0]) != len(handlers[1]) or any(
        _differ(a, b, old, new) for a, b in zip(*handlers)
    )


def _drop_imports(suite: list[ast.stmt]) -> list[ast.stmt]:
    return [
        s
        for s in suite
        if not isinstance(s, (ast.Import, ast.ImportFrom)) and not _is_import(s)
    ]


def _is_import(statement: ast.stmt) -> bool:
    """`try: import a`, `except ImportError: from . import a`."""
    return isinstance(statement, ast.Try) and all(
        isinstance(s, (ast.Import, ast.ImportFrom)) for s in statement.body
    )


def _find_calls(node: ast.AST, scopes: Scopes) -> Iterator[str]:
    """The calls that are not of TensorFlow, in an order: their names, and what is in them."""
    for inner in walk_breadth_first(node):
        if not isinstance(inner, ast.Call):
            continue
        called = inner.func
        if isinstance(called, ast.Attribute):
            if is_tensorflow(scopes.find_dotted_path(called) or ""):
                continue
            yield called.attr
        elif isinstance(called, ast.Name):
            yield called.id
        for part in walk_breadth_first(inner):
            if isinstance(part, ast.Name):
                yield part.id
            elif isinstance(part, ast.Constant):
                yield repr(part.value)
