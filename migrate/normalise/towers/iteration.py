"""Reads a loop over towers: their count, and the value of each name of the loop."""

from __future__ import annotations

import ast
import dataclasses

from migrate.facts import names
from migrate.normalise.towers.view import Unclear, View
from migrate.rules.mistakes.mistake import find_binding

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
        if any(p.index is not None for p in parts):
            raise Unclear
        values = tuple(v for p in parts for v in p.values)
        return Iterated(parts[0].count, None, values)
    raise Unclear


def _write_length(view: View, over: ast.expr) -> str:
    """Writes the count of a graph's list, or Python's `len` of another list."""
    if isinstance(over, ast.Name):
        owner = view.scopes.find_scope(over).find_owner(over.id)
        bindings = owner.bindings[over.id] if owner is not None else []
        if len(bindings) == 1 and isinstance(bindings[0], ast.Assign):
            made = bindings[0].value
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


def _check_count(view: View, count: ast.expr) -> None:
    """Refuses the sizes of the parts in place of their count.

    Raises:
      Unclear: it is a list of sizes.
    """
    made = find_binding(view.scopes, count) or count
    if isinstance(made, (ast.List, ast.Tuple, ast.ListComp)):
        raise Unclear
