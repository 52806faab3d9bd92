"""Reads a loop over towers: their count, and the value of each name of the loop."""

from __future__ import annotations

import ast
import dataclasses

from migrate.facts import names
from migrate.facts.scopes import Scope, Scopes, build_scopes
from migrate.normalise.text import Edit, Text
from migrate.normalise.towers.view import Unclear, View
from migrate.rules.mistakes.mistake import find_binding
from migrate.source.nodes import parse_source, walk_breadth_first

_RANGES = frozenset({"range", "xrange"})


@dataclasses.dataclass(frozen=True)
class Iterated:
    """One loop's count of towers, and the values of its names.

    Attributes:
      count: how many towers there are, an expression of the text's.
      index: the name that a tower's number has in it; None if it has none.
      values: other names of the loop, each with what it is for tower `{index}`.
    """

    count: str
    index: str | None
    values: tuple[tuple[str, str], ...]


def read_iteration(view: View, target: ast.expr, over: ast.expr) -> Iterated:
    """Reads the count of towers and the names' values from `for target in over`.

    Raises:
      Unclear: it is none of `range`, `enumerate`, `zip` and lists.
    """
    if isinstance(over, ast.Call) and isinstance(over.func, ast.Name):
        return _read_iteration(view, target, over, over.func.id)
    if isinstance(target, ast.Name) and isinstance(over, (ast.List, ast.Tuple)):
        if any(not isinstance(names.read_literal(e), str) for e in over.elts):
            raise Unclear
        value = (
            target.id,
            f"{view.flatten_expression(over)}[{{index}}]",
        )  # Devices, by their names.
        return Iterated(str(len(over.elts)), None, (value,))
    if isinstance(over, ast.Call) and isinstance(target, ast.Name):
        count = names.find_argument(over, "num_or_size_splits", 1)
        if view.scopes.resolve(over.func) != "tf.split" or count is None:
            raise Unclear
        _check_count(view, count)
        value = (target.id, f"{view.flatten_expression(over)}[{{index}}]")
        return Iterated(view.flatten_expression(count), None, (value,))
    if not isinstance(target, ast.Name) or names.find_key(over) is None:
        raise Unclear
    shown = view.flatten_expression(over)
    value = (target.id, f"{shown}[{{index}}]")
    return Iterated(_write_length(view, over), None, (value,))


def _read_iteration(
    view: View, target: ast.expr, over: ast.Call, name: str
) -> Iterated:
    if name in _RANGES and len(over.args) == 1 and isinstance(target, ast.Name):
        return Iterated(view.flatten_expression(over.args[0]), target.id, ())
    if (
        name == "enumerate"
        and len(over.args) == 1
        and isinstance(target, ast.Tuple)
        and len(target.elts) == 2
        and isinstance(target.elts[0], ast.Name)
    ):
        inner = read_iteration(view, target.elts[1], over.args[0])
        if inner.index is not None:
            raise Unclear
        return dataclasses.replace(inner, index=target.elts[0].id)
    if name == "zip" and isinstance(target, ast.Tuple):
        if len(target.elts) != len(over.args):
            raise Unclear
        parts = [
            read_iteration(view, t, a)
            for t, a in zip(target.elts, over.args, strict=True)
        ]
        counted = [p for p in parts if p.index is not None]
        if len(counted) > 1:
            raise Unclear
        listed = [p for p in parts if p.index is None] or parts
        values = tuple(v for p in parts for v in p.values)
        index = counted[0].index if counted else None
        return Iterated(listed[0].count, index, values)
    raise Unclear


def _write_length(view: View, over: ast.expr) -> str:
    """Writes the count of a graph's list, or Python's `len` of another list."""
    if isinstance(over, ast.Name):
        owner = view.scopes.find_scope(over).find_owner(over.id)
        bindings = owner.bindings[over.id] if owner is not None else []
        if len(bindings) == 1 and isinstance(bindings[0], ast.Assign):
            made = _find_own_value(bindings[0], over.id)
            if isinstance(made, ast.ListComp) and len(made.generators) == 1:
                counted = made.generators[0].iter
                if (
                    not made.generators[0].ifs
                    and isinstance(counted, ast.Call)
                    and names.find_key(counted.func) in _RANGES
                    and len(counted.args) == 1
                    and isinstance(counted.args[0], (ast.Name, ast.Constant))
                ):
                    return view.flatten_expression(counted.args[0])
            if isinstance(made, ast.Call):
                symbol = view.scopes.resolve(made.func) or ""
                count = names.find_argument(made, "num_or_size_splits", 1)
                if symbol == "tf.split" and count is not None:
                    _check_count(view, count)
                    return view.flatten_expression(count)
                if symbol.startswith("tf."):
                    raise Unclear
    return f"len({view.flatten_expression(over)})"


def _find_own_value(statement: ast.Assign, name: str) -> ast.expr:
    """The value of one name, of `xs, ys = tf.split(x, 2), tf.split(y, 2)`."""
    match statement:
        case ast.Assign(
            targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)
        ) if len(targets) == len(values):
            for target, value in zip(targets, values, strict=True):
                if names.find_key(target) == name:
                    return value
    return statement.value


def _check_count(view: View, count: ast.expr) -> None:
    """Refuses the sizes of the parts in place of their count.

    Raises:
      Unclear: it is a list of sizes.
    """
    made = find_binding(view.scopes, count) or count
    if isinstance(made, (ast.List, ast.Tuple, ast.ListComp)):
        raise Unclear


def name_starred_parts(text: Text) -> Text | None:
    """`for args in zip(devices, xs): f(*args)` as `for device, x in ...: f(device, x)`."""
    tree = parse_source(text.source)
    scopes = build_scopes(tree)
    for loop in walk_breadth_first(tree):
        if not isinstance(loop, ast.For):
            continue
        target, over = loop.target, loop.iter
        if (
            isinstance(target, ast.Tuple)
            and len(target.elts) == 2
            and isinstance(over, ast.Call)
            and names.find_key(over.func) == "enumerate"
            and len(over.args) == 1
        ):
            target, over = target.elts[1], over.args[0]
        if not (
            isinstance(target, ast.Name)
            and isinstance(over, ast.Call)
            and names.find_key(over.func) == "zip"
            and over.args
            and not any(isinstance(a, ast.Starred) for a in over.args)
        ):
            continue
        starred = _find_starred(scopes, loop, target)
        if not starred:
            continue
        taken = _list_names_in_sight(scopes, loop)
        wishes = _choose_wishes(scopes, starred, target.id, len(over.args))
        own: list[str] = []
        for wish in wishes:
            own.append(names.choose_free_name(taken, wish))
            taken.add(own[-1])
        listed = ", ".join(own) + "," * (len(own) == 1)
        whole = f"({listed})" if target is not loop.target else listed
        return text.apply_edits(
            [Edit(target, whole), *(Edit(node, ", ".join(own)) for node in starred)]
        )
    return None


def _list_names_in_sight(scopes: Scopes, loop: ast.For) -> set[str]:
    """Lists the names that mean something where a loop stands."""
    scope: Scope | None = scopes.find_scope(loop)
    found: set[str] = set()
    while scope is not None:
        found.update(scope.bindings)
        scope = scope.parent
    return found.union(
        node.id
        for node in walk_breadth_first(scopes.tree)
        if isinstance(node, ast.Name)
        and scopes.find_scope(node).find_owner(node.id) is None
    )


def _find_starred(scopes: Scopes, loop: ast.For, target: ast.Name) -> list[ast.Starred]:
    """Finds the uses `f(*args)` of a loop's name; none if it is used in another way."""
    owner = scopes.find_scope(loop)
    inside = {n for s in loop.body for n in walk_breadth_first(s)}
    found: list[ast.Starred] = []
    for node in walk_breadth_first(scopes.tree):
        if not (isinstance(node, ast.Name) and node.id == target.id):
            continue
        if node is target or scopes.find_scope(node).find_owner(node.id) is not owner:
            continue
        around = scopes.parents[node]
        if not (
            node in inside
            and isinstance(around, ast.Starred)
            and isinstance(call := scopes.parents[around], ast.Call)
            and around in call.args
        ):
            return []
        found.append(around)
    return found


def _choose_wishes(
    scopes: Scopes, starred: list[ast.Starred], name: str, count: int
) -> list[str]:
    """Lists names for the parts: those of the parameters that get them, if it is known."""
    call = scopes.parents[starred[0]]
    assert isinstance(call, ast.Call)
    function = scopes.find_function(call.func)
    if function is not None and not function.args.posonlyargs:
        at = call.args.index(starred[0])
        parameters = [a.arg for a in function.args.args][at : at + count]
        if len(parameters) == count:
            return parameters
    return [f"{name}_{number}" for number in range(count)]
