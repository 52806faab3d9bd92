"""What a loop over towers does in each round: asks of its statements."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts.scopes import Scopes
from migrate.normalise.text import Text
from migrate.source.nodes import walk_breadth_first


def find_count(scopes: Scopes, node: ast.AST, index: str) -> str | None:
    """Returns `n` of the loop `for index in range(n)` around a node, as text."""
    while node in scopes.parents:
        node = scopes.parents[node]
        if isinstance(node, (ast.FunctionDef, ast.If, ast.While, ast.Try)):
            return None
        if isinstance(node, ast.For):
            call = node.iter
            over = (
                isinstance(node.target, ast.Name)
                and node.target.id == index
                and isinstance(call, ast.Call)
                and ast.unparse(call.func) in ("range", "xrange")
                and len(call.args) == 1
            )
            return ast.unparse(call.args[0]) if over else None  # type: ignore[attr-defined]
    return None


def walk_unconditional(suite: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yields the statements of a suite, those of `with` blocks among them."""
    for statement in suite:
        if isinstance(statement, ast.With):
            yield from walk_unconditional(statement.body)
        else:
            yield statement


def is_appended(statement: ast.stmt) -> bool:
    """`losses.append(...)` of a list that a name holds."""
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Call)
        and is_method(statement.value, "append")
        and isinstance(statement.value.func, ast.Attribute)
        and isinstance(statement.value.func.value, ast.Name)
        and not statement.value.keywords
        and len(statement.value.args) == 1
    )


def is_method(node: ast.expr, name: str) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == name
    )


def calls(node: ast.AST, method: str) -> bool:
    return any(
        isinstance(n, ast.Call)
        and isinstance(n.func, ast.Attribute)
        and n.func.attr == method
        for n in walk_breadth_first(node)
    )


def is_in_loop(scopes: Scopes, node: ast.AST) -> bool:
    while node in scopes.parents:
        node = scopes.parents[node]
        if isinstance(node, ast.For):
            return True
        if isinstance(node, (ast.FunctionDef, ast.Lambda)):
            return False
    return False


def find_begun_list(
    text: Text, scopes: Scopes, loop: ast.For, name: str
) -> ast.Assign | None:
    """`losses = []` above a loop, if the name has no other value."""
    match scopes.find_scope(loop).bindings.get(name, []):
        case [ast.Assign(targets=[ast.Name()], value=ast.List(elts=[])) as begun]:
            above = begun.lineno <= loop.lineno
            return begun if above and text.is_alone(begun) else None
    return None
