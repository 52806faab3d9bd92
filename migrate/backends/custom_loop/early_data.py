"""Datasets that a program makes before its server.

TensorFlow has its collectives from its first tensor on, or never: the strategy of workers
comes before all that computes. A dataset of TF1 was part of the graph.
"""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.source.nodes import all_nodes

_DATA = "tf.data."
_DEFINITIONS = (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)


def made(statements: list[ast.stmt], scopes: Scopes) -> list[ast.stmt]:
    """The statements that make datasets, and those that need what these bind."""
    found: list[ast.stmt] = []
    bound: set[str] = set()
    for statement in statements:
        if isinstance(statement, _DEFINITIONS):
            continue
        needs = (names.reads(statement) | names.binds(statement)) & bound
        if needs or _makes(statement, scopes, set()):
            found.append(statement)
            bound |= names.binds(statement)
    return found


def _makes(node: ast.AST, scopes: Scopes, seen: set[ast.AST]) -> bool:
    """Whether code, or a function of the file that it calls, names tf.data."""
    for inner in all_nodes(node):
        if isinstance(inner, ast.Attribute):
            if (scopes.resolve(inner) or "").startswith(_DATA):
                return True
        if isinstance(inner, ast.Call):
            function = scopes.function(inner.func)
            if function is not None and function not in seen:
                seen.add(function)
                if _makes(function, scopes, seen):
                    return True
    return False
