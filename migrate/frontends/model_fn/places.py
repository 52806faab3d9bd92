"""Finds the loops, conditions and variable scopes in which a layer is made."""

from __future__ import annotations

import ast
import dataclasses

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.model_fn.modes import is_scope
from migrate.source.nodes import list_children

_OPENS = "tf.variable_scope"


@dataclasses.dataclass(frozen=True)
class Place:
    """The place of one call within a statement.

    Attributes:
      within: the scopes around it in the statement, outermost first.
      repeated: whether a loop or a condition is around it.
      conditional: whether a condition is.
      apart: whether each loop around it has a scope of its own for every round, named by
        what it counts.
      rounds: whether a loop makes several in one variable scope, which counts them.
      reopens: whether a loop opens one variable scope again in every round.
    """

    within: tuple[ast.With, ...]
    repeated: bool
    conditional: bool
    apart: bool
    rounds: bool
    reopens: bool


def find_place(call: ast.Call, statement: ast.stmt, scopes: Scopes) -> Place:
    """Finds the place of a call within a statement of a network.

    Args:
      statement: or one made of a returned value, which stands for it.
    """
    known = statement in scopes.parents
    top = statement if known else list_children(statement)[0]
    within: list[ast.With] = []
    read: set[str] = set()
    loops, apart, conditional = False, True, False
    rounds, reopens, scoped = False, False, False
    node: ast.AST | None = call
    while node is not None:
        if isinstance(node, ast.With) and is_scope(node, scopes):
            within.insert(0, node)
            for name in list_variable_scopes(node, scopes):
                scoped = True
                read |= names.find_reads(name)
        elif (counted := _find_loop_bindings(node)) is not None:
            loops = True
            own = bool(read & counted)
            apart = apart and own
            rounds = rounds or not scoped
            reopens = reopens or (scoped and not own)
        elif isinstance(node, ast.If):
            conditional = True
        if node is top:
            break
        node = scopes.parents.get(node)
    return Place(
        tuple(within), loops or conditional, conditional, apart, rounds, reopens
    )


def list_variable_scopes(statement: ast.With, scopes: Scopes) -> list[ast.Call]:
    """The variable scopes that a `with` opens: those that are in variables' names."""
    found = []
    for item in statement.items:
        call = item.context_expr
        if isinstance(call, ast.Call) and scopes.resolve(call.func) == _OPENS:
            first = call.args[0] if call.args else None
            if not isinstance(first, ast.Call) or (
                scopes.resolve(first.func) != "tf.get_variable_scope"
            ):
                found.append(call)
    return found


def _find_loop_bindings(node: ast.AST) -> set[str] | None:
    """Returns the names that a loop binds in every round; None if it is no loop."""
    if isinstance(node, ast.For):
        return names.find_binds(node.target)
    if isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)):
        return {n for one in node.generators for n in names.find_binds(one.target)}
    return None
