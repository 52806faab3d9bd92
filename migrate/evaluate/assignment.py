"""Assignments: to names, fields, items and patterns."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrate.evaluate import attributes, calls, containers, joins, subscripts
from migrate.graph.values import Choice, Const, Host, Tensor, Tuple, Unknown, Value

if TYPE_CHECKING:
    from migrate.evaluate.machine import Machine


def assign_value(m: Machine, target: ast.expr, value: Value) -> None:
    """`target = value`."""
    from migrate.evaluate.expressions import evaluate

    if isinstance(target, ast.Name):
        bind(m, target.id, value)
    elif isinstance(target, (ast.Tuple, ast.List)):
        _unpack(m, target, value)
    elif isinstance(target, ast.Attribute):
        attributes.put(m, evaluate(m, target.value), target.attr, value)
    elif isinstance(target, ast.Subscript):
        base = evaluate(m, target.value)
        subscripts.put(m, base, evaluate(m, target.slice), value)
    elif isinstance(target, ast.Starred):
        assign_value(m, target.value, value)


def bind(m: Machine, name: str, value: Value) -> None:
    """Sets a name of the innermost frame, or of the one it is declared to be of."""
    m.store.set((m.frame.find_home(name).number, name), value)


def _unpack(m: Machine, target: ast.Tuple | ast.List, value: Value) -> None:
    starred = [i for i, t in enumerate(target.elts) if isinstance(t, ast.Starred)]
    count = len(target.elts)
    if starred:
        items = calls.iterate_over(m, value)
        if items is None or len(items) < count - 1:
            values: list[Value] = [m.make_unknown("a value that is unpacked")] * count
        else:
            at, more = starred[0], len(items) - count + 1
            middle = containers.make_list(m, items[at : at + more])
            values = [*items[:at], middle, *items[at + more :]]
    else:
        values = unpack_parts(m, value, count)
    for part, item in zip(target.elts, values):
        assign_value(m, part, item)


def unpack_parts(m: Machine, value: Value, count: int) -> list[Value]:
    """The values that one of a known number of elements is unpacked into."""
    if isinstance(value, Choice):
        return [
            joins.map_choices(m, value, lambda v, i=i: unpack_parts(m, v, count)[i])  # type: ignore[misc]
            for i in range(count)
        ]
    if isinstance(value, Unknown):
        return [value] * count
    items = calls.iterate_over(m, value)
    if items is not None and len(items) == count:
        return items
    if items is not None:
        return [m.make_unknown(f"{len(items)} values for {count} names")] * count
    if isinstance(value, Host):
        return [
            m.hosts.make("item", value, Const(i), what=f"{value.what}[{i}]")
            for i in range(count)
        ]
    if isinstance(value, Tensor):
        return [m.make_unknown("a tensor that is unpacked")] * count
    if isinstance(value, Tuple):
        return [m.make_unknown("a tuple of another length")] * count
    return [containers.find_element(m, value, "a value that is unpacked")] * count
