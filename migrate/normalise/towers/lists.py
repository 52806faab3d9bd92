"""The lists that a loop over towers fills, its gradients' among them."""

from __future__ import annotations

import ast
import dataclasses

from migrate.facts import names
from migrate.normalise.towers import averages
from migrate.normalise.towers.view import Unclear, View
from migrate.source.nodes import walk_breadth_first

# What gives one tensor of many gradients.
_TENSORS = frozenset(
    {"tf.global_norm", "tf.norm", "tf.add_n", "tf.reduce_sum", "tf.reduce_mean"}
    | {"tf.reduce_max", "tf.sqrt", "tf.stack", "tf.concat"}
)


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


def read_append(view: View, statement: ast.stmt) -> tuple[str, str] | None:
    """`losses.append(loss)` as (list, value)."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if (
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr == "append"
        and isinstance(call.func.value, ast.Name)
        and len(call.args) == 1
    ):
        return call.func.value.id, view.flatten_expression(call.args[0])
    return None


def find_filled_lists(view: View, body: list[ast.stmt]) -> dict[str, ast.Assign]:
    """The lists, each with the statement that makes it empty, before the loop.

    Raises:
      Unclear: one is used otherwise in the loop, or not seen to be empty before it.
    """
    found: dict[str, ast.Assign] = {}
    scope = view.scopes.find_scope(view.loop)
    for statement in body:
        listed = read_append(view, statement)
        if listed is None:
            continue
        made = [
            b
            for b in scope.bindings.get(listed[0], [])
            if isinstance(b, ast.Assign)
            and isinstance(b.value, ast.List)
            and not b.value.elts
            and b.lineno < view.loop.lineno
            and view.text.is_alone(b)
        ]
        uses = [n for n in view.inside if isinstance(n, ast.Name) and n.id == listed[0]]
        if len(made) != 1 or len(uses) != 1 or listed[0] in found:
            raise Unclear
        found[listed[0]] = made[0]
    return found


def find_gradients(view: View, body: list[ast.stmt], count: str) -> list[Gradients]:
    """Finds a tower's gradients, and the average of each list of all towers'.

    Raises:
      Unclear: they are in no list, or its average is not seen.
    """
    computed = _find_computed_names(view, body)
    found: list[Gradients] = []
    for statement in body:
        listed = read_append(view, statement)
        if listed is None:
            continue
        assert isinstance(statement, ast.Expr)
        assert isinstance(statement.value, ast.Call)
        value = statement.value.args[0]
        if not (names.find_reads(value) & computed or _computes(view, value)):
            continue
        average = averages.find(view.scopes, view.loop, listed[0], count)
        average = average or averages.find(
            view.scopes, view.loop, listed[0], count, pairs=False
        )
        if average is None:
            if _is_tensor(view, value):
                continue  # A norm of theirs.
            raise Unclear(
                "the program does not average the towers' gradients, or only some of "
                "them"
            )
        own = value.id if isinstance(value, ast.Name) else None
        name = own or _find_free_name(view, found)
        made = None if own else listed[1]
        found.append(Gradients(name, made, statement, listed[0], average))
    if not found:
        raise Unclear
    return found


def _find_free_name(view: View, found: list[Gradients]) -> str:
    """A name for gradients that have none."""
    name = view.choose_free_name("tower_gradients")
    number = 2
    while name in {gradients.name for gradients in found}:
        name, number = view.choose_free_name(f"tower_gradients_{number}"), number + 1
    return name


def _find_computed_names(view: View, body: list[ast.stmt]) -> set[str]:
    """Names of a tower's gradients, and of what it makes of them."""
    found: set[str] = set()
    for statement in body:
        if isinstance(statement, ast.Assign) and (
            _computes(view, statement.value)
            or names.find_reads(statement.value) & found
        ):
            found |= names.find_binds(statement)
    return found


def _computes(view: View, value: ast.expr) -> bool:
    return any(view.computes(node) for node in walk_breadth_first(value))


def _is_tensor(view: View, value: ast.expr) -> bool:
    """Whether a value is seen to be one tensor: what a function of TensorFlow gives."""
    if isinstance(value, ast.Name):
        bound = [
            s.value
            for s in view.scopes.find_scope(view.loop).bindings.get(value.id, [])
            if isinstance(s, ast.Assign)
        ]
        return len(bound) == 1 and _is_tensor(view, bound[0])
    return (
        isinstance(value, ast.Call)
        and (view.scopes.resolve(value.func) or "") in _TENSORS
    )
