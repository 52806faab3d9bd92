"""`value[index]`: reading, setting and deleting."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from migrate.evaluate import containers, joins, objects
from migrate.evaluate.hosts import describe
from migrate.graph.values import (
    Array,
    Choice,
    Const,
    Dimension,
    Host,
    Reference,
    ShapeValue,
    Slice,
    Tuple,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    from migrate.evaluate.machine import Machine


def get(m: Machine, value: Value, index: Value) -> Value:
    """`value[index]`."""
    if isinstance(value, Unknown):
        return value
    if isinstance(value, Choice):
        return joins.map_choices(m, value, lambda v: get(m, v, index))
    found = m.library.get_item(m, value, index)
    if found is not None:
        return found
    if isinstance(index, Unknown):
        return index
    if isinstance(index, Choice):
        return joins.map_choices(m, index, lambda v: get(m, value, v))
    if isinstance(index, Dimension):
        index = containers.make_dimension(index.value)
    if isinstance(value, (Tuple, ShapeValue)) or _is(value, "list"):
        return _get_sequence_item(m, value, index)
    if _is(value, "dict"):
        assert isinstance(value, Reference)
        return _get_dict_item(m, value, index)
    if isinstance(value, Const):
        return _get_constant_item(m, value, index)
    special = objects.find_special(m, value, "__getitem__")
    if special is not None:
        from migrate.evaluate import calls

        return calls.call_value(m, special, [index], {})
    if isinstance(value, Reference):
        return m.make_unknown("an item of an object")
    array = _slice_array(value.array, index) if isinstance(value, Host) else None
    what = f"{describe(value)}[{describe(index)}]"
    return m.hosts.make("[]", value, index, what=what, array=array)


def _is(value: Value, kind: str) -> bool:
    return isinstance(value, Reference) and value.kind == kind


def convert_bounds(index: Slice) -> slice | None:
    """Converts a slice of constants to Python's; None if a bound is no constant."""
    parts: list[Any] = []
    for part in (index.start, index.stop, index.step):
        if isinstance(part, Dimension):
            part = containers.make_dimension(part.value)
        if not isinstance(part, Const):
            return None
        parts.append(part.value)
    return slice(*parts)


def _get_sequence_item(m: Machine, value: Value, index: Value) -> Value:
    items = containers.list_elements(m, value)
    if items is None:
        if isinstance(index, Slice):
            return value
        return containers.find_element(m, value, f"an element at {describe(index)}")
    if isinstance(index, Slice):
        cut = convert_bounds(index)
        if cut is None:
            return m.make_unknown("a part of a list, by bounds that are not known")
        part = items[cut]
        if isinstance(value, Tuple):
            return Tuple(tuple(part))
        if isinstance(value, ShapeValue):
            return ShapeValue(tuple(p.value for p in part if isinstance(p, Dimension)))
        return containers.make_list(m, part)
    if isinstance(index, Const) and isinstance(index.value, int):
        if -len(items) <= index.value < len(items):
            return items[index.value]
        return m.make_unknown(f"element {index.value} of {len(items)}")
    if all(isinstance(item, (Host, Const)) for item in items):
        return m.hosts.make(
            "[]", *items, index, what=f"an element at {describe(index)}"
        )
    return m.make_unknown(f"the element at {describe(index)}")


def _get_dict_item(m: Machine, value: Reference, index: Value) -> Value:
    pairs = containers.read_pairs(m, value)
    if isinstance(pairs, tuple):
        found = dict(pairs).get(index)
        if found is not None:
            return m.resolve(found)
        if isinstance(index, Const):
            default = m.store.get((value.address, "default"), None)
            if default is not None:
                from migrate.evaluate import calls

                made = calls.call_value(m, default, [], {})
                containers.set_item(m, value, index, made)
                return made
        if isinstance(index, Host) and all(
            isinstance(v, (Host, Const)) for _, v in pairs
        ):
            what = f"an item at {describe(index)}"
            return m.hosts.make(
                "[]", *(v for pair in pairs for v in pair), index, what=what
            )
        return m.make_unknown(f"the item at {describe(index)}")
    if isinstance(pairs, containers.Summary):
        if all(isinstance(v, (Host, Const)) for v in pairs.items):
            return m.hosts.make_fresh(f"an item at {describe(index)}")
    return m.make_unknown(f"the item at {describe(index)}")


def _get_constant_item(m: Machine, value: Const, index: Value) -> Value:
    container: Any = value.value
    try:
        if isinstance(index, Slice):
            cut = convert_bounds(index)
            if cut is None:
                return m.hosts.make("[]", value, index, what=f"{describe(value)}[:]")
            return Const(container[cut])
        if isinstance(index, Const):
            return Const(container[index.value])
    except (TypeError, IndexError, KeyError):
        return m.make_unknown(f"an item of {describe(value)}")
    return m.hosts.make(
        "[]", value, index, what=f"{describe(value)}[{describe(index)}]"
    )


def _slice_array(array: Array | None, index: Value) -> Array | None:
    """Returns the known shape and type of a part of an array."""
    if array is None or array.shape is None:
        return None
    dims = list(array.shape)
    parts = list(index.items) if isinstance(index, Tuple) else [index]
    if any(part == Const(Ellipsis) for part in parts):
        return None
    used = [part for part in parts if part != Const(None)]
    if len(used) > len(dims):
        return None
    kept: list[Any] = []
    left = iter(dims)
    for part in parts:
        if part == Const(None):
            kept.append(1)
            continue
        dim = next(left)
        if isinstance(part, Slice):
            cut = convert_bounds(part)
            if cut is None or not isinstance(dim, int):
                kept.append(None if cut != slice(None) else dim)
            else:
                kept.append(len(range(*cut.indices(dim))))
        elif not (isinstance(part, Const) and isinstance(part.value, int)):
            return None
    return Array((*kept, *left), array.dtype)


def put(m: Machine, value: Value, index: Value, item: Value) -> None:
    """`value[index] = item`."""
    if isinstance(value, Choice):

        def put_one(one: Value) -> Value:
            put(m, one, index, item)
            return Const(None)

        joins.map_choices(m, value, put_one)
        return
    if isinstance(value, Reference) and value.kind in ("list", "dict"):
        containers.set_item(m, value, index, item)
        return
    special = objects.find_special(m, value, "__setitem__")
    if special is not None:
        from migrate.evaluate import calls

        calls.call_value(m, special, [index, item], {})
        return
    if containers.mentions_graph(m, item) and not isinstance(value, Unknown):
        m.report_problem("a tensor is put into something that is not looked into")


def delete(m: Machine, value: Value, index: Value) -> None:
    """`del value[index]`."""
    if not (isinstance(value, Reference) and isinstance(index, (Const, Tuple))):
        return
    if value.kind == "dict":
        pairs = containers.read_pairs(m, value)
        if isinstance(pairs, tuple):
            containers.put(m, value, tuple(p for p in pairs if p[0] != index))
    elif (
        value.kind == "list"
        and isinstance(index, Const)
        and isinstance(index.value, int)
    ):
        items = containers.read_contents(m, value)
        if isinstance(items, tuple) and -len(items) <= index.value < len(items):
            changed = list(items)
            del changed[index.value]
            containers.put(m, value, tuple(changed))
