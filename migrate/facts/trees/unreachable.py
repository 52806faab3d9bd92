"""Finds statements that can never run: below a `return`, and under `if False:`."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator

from migrate.facts import names
from migrate.source.nodes import walk_breadth_first

_ENDS = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_SCOPES = (*_FUNCTIONS, ast.ClassDef)


@dataclasses.dataclass(frozen=True)
class Unreachable:
    """Statements of one suite that can never run.

    Attributes:
      first, last: their lines.
      stands: the text that replaces them, so that their suite is not empty.
    """

    first: int
    last: int
    stands: str

    def holds(self, line: int) -> bool:
        return self.first <= line <= self.last


def find_unreachable(tree: ast.Module, text: str) -> list[Unreachable]:
    """Returns the statements of a file that can be left out because they never run.

    It leaves those that change the meaning of code that does run: a `yield` makes its
    function a generator, and a name that is bound anywhere in a function is local to it.
    """
    lines = text.split("\n")
    return [
        Unreachable(_find_first_line(suite[0]), suite[-1].end_lineno or 0, stands)
        for scope, suite, stands in _find_suites(tree, tree)
        if _is_apart(suite, lines) and not _is_meant(scope, suite)
    ]


def find_unreachable_statements(tree: ast.Module) -> set[ast.AST]:
    """Returns the statements of a file that never run."""
    return {
        statement
        for scope, suite, _ in _find_suites(tree, tree)
        if not _is_meant(scope, suite)
        for statement in suite
    }


def _find_suites(
    scope: ast.AST, top: ast.AST
) -> Iterator[tuple[ast.AST, list[ast.stmt], str]]:
    """Yields suites, or ends of suites, that never run, and the text that replaces them."""
    for _, suite in _list_own_suites(top):
        for at, statement in enumerate(suite):
            dead = _find_never_run_suite(statement)
            if dead:
                yield scope, dead, f"{' ' * dead[0].col_offset}pass"
            else:
                inner = statement if isinstance(statement, _SCOPES) else scope
                yield from _find_suites(inner, statement)
            if isinstance(statement, _ENDS) and suite[at + 1 :]:
                yield scope, suite[at + 1 :], ""
                break


def _list_own_suites(node: ast.AST) -> list[tuple[str, list[ast.stmt]]]:
    if isinstance(node, ast.Module):
        return [("body", node.body)]
    return names.list_suites(node) if isinstance(node, ast.stmt) else []


def _find_never_run_suite(statement: ast.stmt) -> list[ast.stmt]:
    """Returns the suite of an `if` or a `while` that a constant test keeps from running."""
    if not isinstance(statement, (ast.If, ast.While)):
        return []
    test, denied = statement.test, False
    while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test, denied = test.operand, not denied
    if not isinstance(test, ast.Constant):
        return []
    if bool(test.value) is denied:
        return statement.body
    return statement.orelse if isinstance(statement, ast.If) else []


def _is_apart(suite: list[ast.stmt], lines: list[str]) -> bool:
    """Whether statements have lines of their own; an `elif` has none."""
    first, last = suite[0], suite[-1]
    before = lines[_find_first_line(first) - 1].encode()[: first.col_offset]
    after = lines[(last.end_lineno or 0) - 1].encode()[last.end_col_offset :].strip()
    whole = lines[first.lineno - 1].encode()[first.col_offset :]
    return not (
        before.strip() or whole.startswith(b"elif") or (after and after[:1] != b"#")
    )


def _find_first_line(statement: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(d.lineno for d in decorators)])


def _is_meant(scope: ast.AST, suite: list[ast.stmt]) -> bool:
    """Whether code that does run depends on statements that do not."""
    if not isinstance(scope, _FUNCTIONS):
        return False
    inside = {node for statement in suite for node in walk_breadth_first(statement)}
    if any(
        isinstance(
            node, (ast.Yield, ast.YieldFrom, ast.Await, ast.Global, ast.Nonlocal)
        )
        for node in inside
    ):
        return True
    bound = {name for statement in suite for name in names.find_binds(statement)}
    return any(
        isinstance(node, ast.Name) and node.id in bound and node not in inside
        for node in walk_breadth_first(scope)
    )
