"""Finds the calls that make a class of the file, if the class is used in no other way."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts.reach import find_definitions
from migrate.facts.scopes import Scopes

# Builtins that may get a class as an argument, because their effect is known.
_KNOWN = ("super", "isinstance")


class Escapes(Exception):
    """Code that the tool does not see may make objects of the class.

    Args:
      node: the place where the class is passed on.
      reason: how it is passed on.
    """

    def __init__(self, node: ast.AST, reason: str) -> None:
        super().__init__(reason)
        self.node, self.reason = node, reason


def find_constructions(scopes: Scopes, class_: ast.ClassDef) -> Iterator[ast.Call]:
    """Yields the calls of a class, in no order.

    Raises:
      Escapes: another class derives from it, or the program passes it on or stores it.
    """
    for node in scopes.walk():
        if not isinstance(node, ast.Name) or node.id != class_.name:
            continue
        if class_ not in find_definitions(scopes, node):
            continue
        parent = scopes.parents[node]
        if isinstance(parent, ast.Call) and parent.func is node:
            yield parent
        elif isinstance(parent, ast.ClassDef):
            raise Escapes(parent, "another class derives from it")
        elif isinstance(parent, ast.Call):
            if getattr(parent.func, "id", "") not in _KNOWN:
                raise Escapes(node, "the program passes the class itself to other code")
        elif not isinstance(parent, ast.Attribute):
            raise Escapes(node, "the program stores the class itself")
