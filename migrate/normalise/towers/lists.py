"""The lists that a loop over towers fills, its gradients' among them."""

from __future__ import annotations

import ast
import dataclasses

from migrate.facts import names
from migrate.normalise.towers import averages
from migrate.normalise.towers.view import Unclear, View


@dataclasses.dataclass(frozen=True)
class Gradients:
    """A tower's gradients.

    Attributes:
      name: their name in a tower.
      made: how they are made, where that is no statement of its own.
      appended: the statement that puts them into the list of all towers.
      listed: that list's name.
      average: where they are averaged.
    """

    name: str
    made: str | None
    appended: ast.stmt
    listed: str
    average: averages.Average


def appended(view: View, statement: ast.stmt) -> tuple[str, str] | None:
    """`losses.append(loss)` as (list, value)."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if (
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr == "append"
        and isinstance(call.func.value, ast.Name)
        and len(call.args) == 1
    ):
        return call.func.value.id, view.flat(call.args[0])
    return None


def filled(view: View, body: list[ast.stmt]) -> dict[str, ast.Assign]:
    """The lists, each with the statement that makes it empty, before the loop.

    Raises:
      Unclear: one is used otherwise in the loop, or not seen to be empty before it.
    """
    found: dict[str, ast.Assign] = {}
    scope = view.scopes.scope_of(view.loop)
    for statement in body:
        listed = appended(view, statement)
        if listed is None:
            continue
        made = [
            b
            for b in scope.bindings.get(listed[0], [])
            if isinstance(b, ast.Assign)
            and isinstance(b.value, ast.List)
            and not b.value.elts
            and b.lineno < view.loop.lineno
            and view.text.alone(b)
        ]
        uses = [n for n in view.inside if isinstance(n, ast.Name) and n.id == listed[0]]
        if len(made) != 1 or len(uses) != 1 or listed[0] in found:
            raise Unclear
        found[listed[0]] = made[0]
    return found


def gradients(view: View, body: list[ast.stmt], count: str) -> Gradients:
    """A tower's gradients, and what becomes of all towers'.

    Raises:
      Unclear: they are in no list, or its average is not seen.
    """
    made = {
        name
        for s in body
        if isinstance(s, ast.Assign) and view.computes(s.value)
        for name in names.binds(s)
    }
    for statement in body:
        listed = appended(view, statement)
        if listed is None:
            continue
        assert isinstance(statement, ast.Expr)
        assert isinstance(statement.value, ast.Call)
        value = statement.value.args[0]
        own = isinstance(value, ast.Name) and value.id in made
        if not (own or view.computes(value)):
            continue
        average = averages.find(view.scopes, view.loop, listed[0], count)
        if average is None:
            raise Unclear("the towers' gradients are not averaged, or not as a whole")
        if isinstance(value, ast.Name):
            return Gradients(value.id, None, statement, listed[0], average)
        name = view.fresh("tower_gradients")
        return Gradients(name, listed[1], statement, listed[0], average)
    raise Unclear
