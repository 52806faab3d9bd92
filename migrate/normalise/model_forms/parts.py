"""Finds model_fns and free names, and spells new lines, for all these steps."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts.scopes import Scopes
from migrate.frontends.model_fn.signature import is_model_fn
from migrate.normalise.text import Text
from migrate.source.nodes import find_plain_names, walk_breadth_first

_SIMPLE = (ast.Assign, ast.AugAssign, ast.Expr, ast.Return)


def find_model_fns(scopes: Scopes) -> Iterator[ast.FunctionDef]:
    """Functions that take what an Estimator gives a model_fn."""
    for node in scopes.walk():
        if isinstance(node, ast.FunctionDef) and is_model_fn(node):
            yield node


def find_free_name(name: str, function: ast.FunctionDef, scopes: Scopes) -> str:
    """A name that a function neither binds nor reads: `name`, or with a number."""
    taken = find_plain_names(function)
    taken |= {n.arg for n in walk_breadth_first(function) if isinstance(n, ast.arg)}
    taken |= set(scopes.module.bindings)
    number, found = 2, name
    while found in taken:
        found, number = f"{name}_{number}", number + 1
    return found


def find_own_statement(
    node: ast.AST, function: ast.FunctionDef, text: Text, scopes: Scopes
) -> ast.stmt | None:
    """The simple statement of a function that some code stands in.

    None if the code is run otherwise than once with it, or shares its lines.
    """
    current: ast.AST | None = node
    while current is not None and not isinstance(current, ast.stmt):
        if isinstance(current, (ast.Lambda, ast.comprehension, ast.IfExp, ast.BoolOp)):
            if current is not node:
                return None
        current = scopes.parents.get(current)
    if not isinstance(current, _SIMPLE) or not text.is_alone(current):
        return None
    if scopes.find_scope(current).node is not function:
        return None
    return current


def indent(text: Text, statement: ast.stmt) -> str:
    """Returns the indentation of a statement's first line."""
    line = text.lines[statement.lineno - 1]
    return line[: len(line) - len(line.lstrip())]


def spell_expression(text: Text, node: ast.expr) -> str:
    """An expression's text as a statement can have it: in brackets over several lines."""
    value = text.find_segment(node)
    try:
        ast.parse(f"_ = {value}")
    except SyntaxError:
        return f"({value})"
    return value
