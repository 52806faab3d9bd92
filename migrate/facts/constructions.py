"""Where a class of the file is made, if that is all that is done with it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts.reach import find_definitions
from migrate.facts.scopes import Scopes

# Builtins that may be given a class: what they do with it is known.
_KNOWN = ("super", "isinstance")


class Escapes(Exception):
    """The class may be made where that is not seen.

    Args:
      node: where it gets away.
      reason: how.
    """

    def __init__(self, node: ast.AST, reason: str) -> None:
        super().__init__(reason)
        self.node, self.reason = node, reason


def find_constructions(scopes: Scopes, class_: ast.ClassDef) -> Iterator[ast.Call]:
    """The calls of a class, in no order.

    Raises:
      Escapes: it is derived from, given away or kept.
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
