"""Statements of a driver: all of them, and those before its graph."""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.facts.scopes import Scopes


def list_all_statements(body: list[ast.stmt]) -> list[ast.stmt]:
    found: list[ast.stmt] = []
    for statement in body:
        found.append(statement)
        for _, suite in names.list_suites(statement):
            found.extend(list_all_statements(suite))
    return found


def list_statements_before(
    body: list[ast.stmt],
    path: list[tuple[ast.stmt, str]],
) -> list[ast.stmt]:
    """Statements of the outer suites that run before the home suite."""
    found: list[ast.stmt] = []
    suite = body
    for statement, field in path:
        found.extend(suite[: suite.index(statement)])
        suite = dict(names.list_suites(statement))[field]
    return found


def list_enclosing(scopes: Scopes, node: ast.AST) -> list[ast.AST]:
    """The node and all that it stands in, from the inside to the module."""
    chain = [node]
    while chain[-1] in scopes.parents:
        chain.append(scopes.parents[chain[-1]])
    return chain
