"""A function that returns an update in each of its branches, as one that ends in returns.

if name == "adam":                                 if name == "adam":
    return tf.train.AdamOptimizer(r)...                return tf.train.AdamOptimizer(r)...
return tf.train.GradientDescentOptimizer(r)...     else:
                                                       return tf.train.Gradient...
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts.scopes import Scopes, build_scopes
from migrate.normalise.calls.early_returns import add_else
from migrate.normalise.text import Text
from migrate.source.nodes import parse_source


def find_ends(body: list[ast.stmt]) -> Iterator[ast.Return]:
    """The returns that a suite ends in."""
    last = body[-1] if body else None
    if isinstance(last, ast.Return):
        yield last
    elif isinstance(last, ast.If):
        yield from find_ends(last.body)
        yield from find_ends(last.orelse)


def falls(body: list[ast.stmt]) -> bool:
    """Whether a suite may end without a return or an error."""
    last = body[-1] if body else None
    if isinstance(last, ast.If):
        return falls(last.body) or falls(last.orelse)
    return not isinstance(last, (ast.Return, ast.Raise))


def move_returns_to_end(
    function: ast.FunctionDef, text: Text, scopes: Scopes
) -> tuple[ast.FunctionDef, Text, Scopes]:
    """The function with all that stands after a branch that returns in its `else`."""
    while (early := _find_early_return(function.body, text)) is not None:
        branch, rest = early
        if len(rest) == 1 or _returns(rest[0]):
            text = _chain_condition(text, rest[0]) or add_else(text, branch, rest)
        else:
            text = add_else(text, branch, rest)
        scopes = build_scopes(parse_source(text.source))
        (function,) = (
            node
            for node in scopes.walk()
            if isinstance(node, ast.FunctionDef)
            and (node.name, node.lineno) == (function.name, function.lineno)
        )
    return function, text, scopes


def _chain_condition(text: Text, following: ast.stmt) -> Text | None:
    """The text with a condition that follows a branch as its `elif`."""
    line = text.lines[following.lineno - 1]
    if not isinstance(following, ast.If) or not line.strip().startswith("if"):
        return None
    at = following.lineno
    line = line.replace("if", "elif", 1)
    return text.splice(at, at, [line], [text.origins[at - 1]])


def _returns(statement: ast.stmt) -> bool:
    """Whether a condition without `else` returns wherever it is true."""
    while isinstance(statement, ast.If) and isinstance(statement.body[-1], ast.Return):
        if not statement.orelse:
            return True
        (statement, *others) = statement.orelse
        if others:
            break
    return False


def _find_early_return(
    body: list[ast.stmt], text: Text
) -> tuple[ast.If, list[ast.stmt]] | None:
    """A branch that returns at its end, and what stands after it."""
    for index, statement in enumerate(body[:-1]):
        rest = body[index + 1 :]
        if isinstance(statement, ast.If) and _returns(statement):
            if all(text.is_alone(part) for part in rest):
                return statement, rest
    last = body[-1] if body else None
    if isinstance(last, ast.If):
        return _find_early_return(last.body, text) or _find_early_return(
            last.orelse, text
        )
    return None
