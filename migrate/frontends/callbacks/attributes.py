"""Lists what a class assigns to its attributes, and where it reads them."""

from __future__ import annotations

import ast
import dataclasses

from migrate.facts.scopes import Scopes
from migrate.source.nodes import walk_breadth_first


@dataclasses.dataclass(frozen=True, eq=False)
class Kept:
    """One assignment to an attribute.

    Attributes:
      value: what is kept; None if it is not plainly said.
      statement: the assignment; None if it is another statement.
      method: in which it is.
    """

    value: ast.expr | None
    statement: ast.Assign | None
    method: ast.FunctionDef


class Attributes:
    """The attributes that the methods of a class bind and read through `self`."""

    def __init__(self, class_: ast.ClassDef, scopes: Scopes) -> None:
        self._kept: dict[str, list[Kept]] = {}
        self._reads: dict[str, list[ast.Attribute]] = {}
        for method in class_.body:
            if not isinstance(method, ast.FunctionDef) or not method.args.args:
                continue
            own = method.args.args[0].arg
            for node in walk_breadth_first(method):
                if (
                    isinstance(node, ast.Attribute)
                    and isinstance(node.value, ast.Name)
                    and node.value.id == own
                ):
                    if isinstance(node.ctx, ast.Load):
                        self._reads.setdefault(node.attr, []).append(node)
                    else:
                        kept = _read_kept_value(node, method, scopes)
                        self._kept.setdefault(node.attr, []).append(kept)

    @property
    def names(self) -> set[str]:
        """Returns the names of all attributes, methods too."""
        return {*self._kept, *self._reads}

    def find_kept(self, name: str) -> list[Kept]:
        """Returns the assignments to an attribute, without those of None."""
        return [
            kept
            for kept in self._kept.get(name, ())
            if not (isinstance(kept.value, ast.Constant) and kept.value.value is None)
        ]

    def find_assignments(self, name: str) -> list[Kept]:
        """Returns every assignment to an attribute."""
        return self._kept.get(name, [])

    def reads(self, name: str) -> list[ast.Attribute]:
        """Returns the expressions that read an attribute."""
        return self._reads.get(name, [])


def _read_kept_value(
    node: ast.Attribute, method: ast.FunctionDef, scopes: Scopes
) -> Kept:
    parent = scopes.parents[node]
    if isinstance(parent, ast.Assign) and parent.targets == [node]:
        return Kept(parent.value, parent, method)
    if isinstance(parent, ast.Tuple):
        outer = scopes.parents[parent]
        value = find_paired_value(outer, parent, parent.elts.index(node))
        return Kept(value, None, method)
    return Kept(None, None, method)


def find_paired_value(
    statement: ast.AST, targets: ast.expr, index: int
) -> ast.expr | None:
    """Returns the value that one of several targets gets in `self.a, self.b = a, b`."""
    if (
        isinstance(statement, ast.Assign)
        and statement.targets == [targets]
        and isinstance(targets, ast.Tuple)
        and isinstance(statement.value, ast.Tuple)
        and len(targets.elts) == len(statement.value.elts)
        and not any(isinstance(e, ast.Starred) for e in targets.elts)
    ):
        return statement.value.elts[index]
    return None
