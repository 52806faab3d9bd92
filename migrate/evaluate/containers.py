"""Lists, dicts and sets of the program: their contents in the store, and what iteration gives."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import TYPE_CHECKING

from migrate.evaluate.joins import Diverged
from migrate.evaluate.store import MISSING
from migrate.graph.values import (
    NONE,
    Choice,
    Const,
    Host,
    HostDim,
    Reference,
    ShapeValue,
    Tensor,
    Tuple,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    from migrate.evaluate.machine import Machine

# A range of more numbers is iterated as one of unknown length.
_LONGEST = 100_000


@dataclasses.dataclass(frozen=True, slots=True)
class Summary:
    """Contents of unknown number: each element may be any of these values."""

    items: tuple[Value, ...]
    what: str


Pairs = tuple[tuple[Value, Value], ...]


def make_list(m: Machine, items: Iterable[Value] | Summary) -> Reference:
    """A list at a fresh address."""
    address = m.store.allocate()
    contents = items if isinstance(items, Summary) else tuple(items)
    m.store.set((address, "items"), contents)
    return Reference(address, "list")


def make_set(m: Machine, items: Iterable[Value]) -> Reference:
    """A set at a fresh address."""
    address = m.store.allocate()
    m.store.set((address, "items"), tuple(dict.fromkeys(items)))
    return Reference(address, "set")


def make_dict(m: Machine, pairs: Iterable[tuple[Value, Value]] | Summary) -> Reference:
    """Makes a dict at a fresh address; the last value of an equal key counts."""
    address = m.store.allocate()
    contents: Pairs | Summary
    if isinstance(pairs, Summary):
        contents = pairs
    else:
        listed = list(pairs)
        if any(_is_unknown_key(key) for key, _ in listed):
            # Which keys are equal, nobody knows.
            contents = _make_summary(tuple(v for _, v in listed), ())
        else:
            contents = tuple(dict(listed).items())
    m.store.set((address, "items"), contents)
    return Reference(address, "dict")


def read_contents(m: Machine, value: Reference) -> tuple[Value, ...] | Summary | None:
    """Returns the elements of a list or set; None if they depend on a test."""
    found = m.read((value.address, "items"), ())
    if isinstance(found, (Diverged, Choice)):
        return None
    if value.kind == "dict" and not isinstance(found, Summary):
        return tuple(key for key, _ in found)
    result: tuple[Value, ...] | Summary = found
    return result


def read_pairs(m: Machine, value: Reference) -> Pairs | Summary | None:
    """Returns the items of a dict; None if they depend on a test."""
    found = m.read((value.address, "items"), ())
    if isinstance(found, (Diverged, Choice)):
        return None
    result: Pairs | Summary = found
    return result


def put(
    m: Machine, value: Reference, found: tuple[Value, ...] | Pairs | Summary
) -> None:
    """Sets the contents of a container."""
    m.store.set((value.address, "items"), found)


def set_item(m: Machine, value: Reference, key: Value, item: Value) -> None:
    """`value[key] = item`."""
    if value.kind == "dict":
        found = read_pairs(m, value)
        if isinstance(found, tuple) and isinstance(
            key, (Const, Tensor, Tuple, Reference)
        ):
            put(m, value, tuple(dict([*found, (key, item)]).items()))
            return
        if isinstance(found, tuple) and not _is_unknown_key(key):
            put(m, value, tuple(dict([*found, (key, item)]).items()))
            return
        put(m, value, _make_summary(found, (item,)))
        return
    items = read_contents(m, value)
    if (
        isinstance(items, tuple)
        and isinstance(key, Const)
        and isinstance(key.value, int)
    ):
        if -len(items) <= key.value < len(items):
            changed = list(items)
            changed[key.value] = item
            put(m, value, tuple(changed))
            return
    put(m, value, _make_summary(items, (item,)))


def _is_unknown_key(key: Value) -> bool:
    return isinstance(key, (Host, Unknown, Choice))


def _make_summary(
    found: tuple[object, ...] | Summary | None, more: tuple[Value, ...]
) -> Summary:
    old: tuple[Value, ...] = ()
    if isinstance(found, Summary):
        old = found.items
    elif found is not None:
        old = tuple(
            v
            for item in found
            for v in (item if isinstance(item, tuple) else (item,))
            if isinstance(v, Value)
        )
    # The same host value need not be listed twice.
    kept = tuple(dict.fromkeys((*old, *more)))
    return Summary(kept[:16], "items")


def append(m: Machine, value: Reference, more: Iterable[Value]) -> None:
    """`value.append(...)`, `value.extend(...)`."""
    items = read_contents(m, value)
    if isinstance(items, tuple):
        put(m, value, (*items, *more))
    else:
        put(m, value, _make_summary(items, tuple(more)))


def list_elements(m: Machine, value: Value) -> list[Value] | None:
    """Lists the values that iterating over a value gives; None if not known."""
    if isinstance(value, Tuple):
        return list(value.items)
    if isinstance(value, Reference) and value.kind in ("list", "set", "dict"):
        items = read_contents(m, value)
        return list(items) if isinstance(items, tuple) else None
    if isinstance(value, Const) and isinstance(value.value, (str, bytes)):
        return [Const(v) for v in value.value]
    if isinstance(value, Const) and isinstance(value.value, range):
        return [Const(v) for v in value.value] if len(value.value) <= _LONGEST else None
    if isinstance(value, ShapeValue) and value.dims is not None:
        from migrate.graph.values import Dimension

        return [Dimension(d) for d in value.dims]
    if isinstance(value, Reference):
        iterated = m.store.get((value.address, "iterates"))
        if iterated is not MISSING:
            return list_elements(m, iterated)
    return None


def find_element(m: Machine, value: Value, what: str) -> Value:
    """Returns one element of a container whose number of elements is not known."""
    if isinstance(value, Reference) and value.kind in ("list", "set", "dict"):
        items = m.read((value.address, "items"), ())
        if isinstance(items, Summary):
            graph = [v for v in items.items if not isinstance(v, (Host, Const))]
            if not graph:
                return m.hosts.make_fresh(what)
            if len(graph) == 1:
                return graph[0]
        return m.make_unknown(f"which of the elements of {what} it is")
    if isinstance(value, Unknown):
        return value
    if isinstance(value, Tensor):
        return m.make_unknown("an element of a tensor that is iterated over")
    return m.hosts.make_fresh(what)


def convert_from_python(m: Machine, value: object) -> Value:
    """Converts a Python value of constants; lists become lists of the program."""
    if isinstance(value, tuple):
        return Tuple(tuple(convert_from_python(m, v) for v in value))
    if isinstance(value, list):
        return make_list(m, [convert_from_python(m, v) for v in value])
    if isinstance(value, dict):
        return make_dict(
            m,
            [
                (convert_from_python(m, k), convert_from_python(m, v))
                for k, v in value.items()
            ],
        )
    return Const(value)


class NotConstant(Exception):
    """A value is not made of constants alone."""


def convert_to_python(m: Machine, value: Value) -> object:
    """Returns the Python value of constants.

    Raises:
      NotConstant: a part of the value is no constant.
    """
    if isinstance(value, Const):
        return value.value
    if isinstance(value, Tuple):
        return tuple(convert_to_python(m, v) for v in value.items)
    if isinstance(value, Reference) and value.kind in ("list", "set"):
        items = read_contents(m, value)
        if isinstance(items, tuple):
            return [convert_to_python(m, v) for v in items]
    if isinstance(value, Reference) and value.kind == "dict":
        found = read_pairs(m, value)
        if isinstance(found, tuple):
            return {
                _make_hashable(convert_to_python(m, k)): convert_to_python(m, v)
                for k, v in found
            }
    raise NotConstant


def _make_hashable(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


def mentions_graph(m: Machine, value: Value, depth: int = 0) -> bool:
    """Whether a value is, or holds, something of a graph."""
    from migrate.graph.values import Operation, VariableValue

    if isinstance(value, (Tensor, Operation, VariableValue)):
        return True
    if depth > 4:
        return False
    if isinstance(value, Tuple):
        return any(mentions_graph(m, v, depth + 1) for v in value.items)
    if isinstance(value, Choice):
        return mentions_graph(m, value.yes, depth + 1) or mentions_graph(
            m, value.no, depth + 1
        )
    if isinstance(value, Reference):
        if value.kind == "object":
            return m.store.get((value.address, "class")) is not MISSING
        found = m.store.get((value.address, "items"), ())
        if isinstance(found, Summary):
            return any(mentions_graph(m, v, depth + 1) for v in found.items)
        if isinstance(found, tuple):
            flat = (
                v
                for item in found
                for v in (item if isinstance(item, tuple) else (item,))
            )
            return any(
                mentions_graph(m, v, depth + 1) for v in flat if isinstance(v, Value)
            )
    return False


def make_dimension(value: int | HostDim | None) -> Value:
    """A dimension as Python's code sees its `value`."""
    if value is None:
        return NONE
    return value.host if isinstance(value, HostDim) else Const(value)
