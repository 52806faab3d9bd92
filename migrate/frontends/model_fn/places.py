"""Where in a statement a layer is made: in loops, under conditions, in variable scopes."""

from __future__ import annotations

import ast
import dataclasses

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.model_fn.modes import is_scope


@dataclasses.dataclass(frozen=True)
class Place:
    """Where a call stands in a statement.

    Attributes:
      within: the scopes around it in the statement, outermost first.
      repeated: whether a loop or a condition is around it.
      conditional: whether a condition is.
      apart: whether each loop around it has a scope of its own for every round, named by
        what it counts.
    """

    within: tuple[ast.With, ...]
    repeated: bool
    conditional: bool
    apart: bool


def place(call: ast.Call, statement: ast.stmt, scopes: Scopes) -> Place:
    """Where a call stands in a statement of a network.

    Args:
      statement: or one made of a returned value, which stands for it.
    """
    known = statement in scopes.parents
    top = statement if known else next(ast.iter_child_nodes(statement))
    within: list[ast.With] = []
    read: set[str] = set()
    loops, apart, conditional = False, True, False
    node: ast.AST | None = call
    while node is not None:
        if isinstance(node, ast.With) and is_scope(node, scopes):
            within.insert(0, node)
            for item in node.items:
                read |= names.reads(item.context_expr)
        elif isinstance(node, ast.For):
            loops = True
            apart = apart and bool(read & names.binds(node.target))
        elif isinstance(node, ast.If):
            conditional = True
        if node is top:
            break
        node = scopes.parents.get(node)
    return Place(tuple(within), loops or conditional, conditional, apart)
