"""The state of a graph while it is built: names, scopes, devices, collections, control dependencies.

All of it is in the evaluator's store, below the graph's number, so that a fork takes it along.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from migrate.evaluate import containers
from migrate.evaluate.joins import Diverged
from migrate.evaluate.store import MISSING
from migrate.graph.record import Node
from migrate.graph.values import (
    Choice,
    Operation,
    Tensor,
    Unknown,
    Value,
    VariableValue,
)

if TYPE_CHECKING:
    from migrate.evaluate.machine import Machine

_STACK = ("graphs", "stack")
_FIRST = ("graphs", "default")


def current(m: Machine) -> int:
    """The number of the default graph."""
    stack = m.store.get(_STACK, ())
    if stack:
        return int(stack[-1])
    found = m.store.get(_FIRST)
    if found is MISSING:
        found = m.store.allocate()
        m.store.set(_FIRST, found)
    return int(found)


def push(m: Machine, graph: int) -> None:
    """Makes a graph the default one."""
    m.store.set(_STACK, (*m.store.get(_STACK, ()), graph))


def pop(m: Machine) -> None:
    stack = m.store.get(_STACK, ())
    m.store.set(_STACK, stack[:-1])


def reset(m: Machine) -> None:
    """`tf.reset_default_graph()`."""
    m.store.set(_FIRST, m.store.allocate())


@contextlib.contextmanager
def default(m: Machine, graph: int) -> Iterator[None]:
    """A graph is the default one meanwhile."""
    push(m, graph)
    try:
        yield
    finally:
        pop(m)


# -- names --


def scope(m: Machine) -> str:
    """The scope of names, "a/b" or ""."""
    return str(m.store.get((current(m), "scope"), ""))


def set_scope(m: Machine, name: str) -> None:
    m.store.set((current(m), "scope"), name)


def unique(m: Machine, name: str, *, use: bool = True) -> str | None:
    """Returns the whole, unique name of an operation; None if it is not known."""
    graph = current(m)
    prefix = scope(m)
    whole = f"{prefix}/{name}" if prefix else name
    return _unique(m, graph, whole, use)


def _unique(m: Machine, graph: int, name: str, use: bool) -> str | None:
    key = name.lower()
    count = m.read((graph, "used", key), 0)
    if isinstance(count, (Diverged, Choice)):
        return None
    if use:
        m.store.set((graph, "used", key), count + 1)
    if not count:
        return None if m.repeated else name
    number = count
    while True:
        tried = f"{key}_{number}"
        taken = m.read((graph, "used", tried), 0)
        if isinstance(taken, (Diverged, Choice)):
            return None
        number += 1
        if not taken:
            break
    if use:
        m.store.set((graph, "used", tried), 1)
    # A loop that is evaluated once makes a name in every round.
    return None if m.repeated else f"{name}_{number - 1}"


def enter_scope(m: Machine, name: str | None, default: str | None = None) -> str:
    """`with tf.name_scope(...)`: the scope that was there before."""
    old = scope(m)
    name = default if name is None else name
    if name is None:
        return old
    if not name:
        set_scope(m, "")
    elif name.endswith("/"):
        set_scope(m, name[:-1])
    else:
        set_scope(m, unique(m, name) or f"{old}/{name}?".lstrip("/"))
    return old


@contextlib.contextmanager
def open_scope(m: Machine, name: str | None, default: str) -> Iterator[str]:
    """A scope of names meanwhile; its whole name."""
    old = enter_scope(m, name, default)
    try:
        yield scope(m)
    finally:
        set_scope(m, old)


# -- devices and control dependencies --


def device(m: Machine) -> tuple[Value, ...]:
    """Returns the arguments of the open `tf.device` calls, the outermost first."""
    found: tuple[Value, ...] = m.store.get((current(m), "device"), ())
    return found


def set_device(m: Machine, stack: tuple[Value, ...]) -> None:
    m.store.set((current(m), "device"), stack)


def control(m: Machine) -> tuple[Value, ...]:
    """Returns what a new operation waits for here by control dependencies."""
    found: tuple[Value, ...] = m.store.get((current(m), "control"), ())
    return found


def set_control(m: Machine, inputs: tuple[Value, ...]) -> None:
    m.store.set((current(m), "control"), inputs)


# -- collections --


def collection(
    m: Machine, key: str, graph: int | None = None
) -> tuple[Value, ...] | None:
    """The members of a collection; None where they differ by a test."""
    found = m.read((current(m) if graph is None else graph, "collection", key), ())
    return None if isinstance(found, (Diverged, Choice)) else found


def collect(m: Machine, key: str, value: Value, graph: int | None = None) -> None:
    """Adds to a collection."""
    graph = current(m) if graph is None else graph
    found = m.store.get((graph, "collection", key), ())
    if isinstance(found, tuple):
        m.store.set((graph, "collection", key), (*found, value))
    known = collection_keys(m, graph)
    if key not in known:
        m.store.set((graph, "collections"), (*known, key))


def collection_keys(m: Machine, graph: int) -> tuple[str, ...]:
    """The collections that something was added to, on either side of a test."""
    return _unite_sides(m.store.get((graph, "collections"), ()))


def _unite_sides(found: tuple[str, ...] | Diverged) -> tuple[str, ...]:
    if isinstance(found, Diverged):
        both = (*_unite_sides(found.yes), *_unite_sides(found.no))
        return tuple(dict.fromkeys(both))
    return found


# -- nodes --


def add(
    m: Machine,
    label: str,
    symbol: str,
    given: Mapping[str, Value],
    needs: tuple[Value, ...] = (),
) -> int:
    """A node for a call; its number."""
    from migrate.tfmodel import devices

    number = len(m.record.nodes)
    m.record.nodes.append(
        Node(
            number=number,
            graph=current(m),
            label=label,
            symbol=symbol,
            given=frozen(m, given),
            needs=needs,
            after=control(m),
            scope=scope(m),
            device=devices.text(m),
            guard=m.guard,
            origin=m.make_origin(),
            repeated=bool(m.repeated),
            parent=int(m.store.get((current(m), "parent"), -1)),
        )
    )
    return number


def frozen(m: Machine, given: Mapping[str, Value]) -> dict[str, Value]:
    """Copies arguments as they are now, because Python may change containers later."""
    return {name: freeze(m, value) for name, value in given.items()}


def freeze(m: Machine, value: Value, depth: int = 0) -> Value:
    """Replaces the addresses of containers in a value by their contents."""
    from migrate.graph.values import Reference, Tuple

    if depth > 6:
        return value
    if isinstance(value, Tuple):
        items = tuple(freeze(m, v, depth + 1) for v in value.items)
        return Tuple(items, value.names, value.kind)
    if isinstance(value, Reference) and value.kind in ("list", "set"):
        found = containers.read_contents(m, value)
        if isinstance(found, tuple):
            return Tuple(tuple(freeze(m, v, depth + 1) for v in found), (), "list")
    if isinstance(value, Reference) and value.kind == "dict":
        pairs = containers.read_pairs(m, value)
        if isinstance(pairs, tuple):
            rows = tuple(Tuple((k, freeze(m, v, depth + 1))) for k, v in pairs)
            return Tuple(rows, (), "dict")
    return value


def is_graph_value(value: Value) -> bool:
    return isinstance(value, (Tensor, Operation, VariableValue))


def text_of(value: Value | None) -> str | None:
    """A string constant's text."""
    from migrate.graph.values import Const

    if isinstance(value, Const) and isinstance(value.value, str):
        return value.value
    return None


def unknown_among(values: Any) -> Unknown | None:
    """The first value that nobody knows."""
    return next((v for v in values if isinstance(v, Unknown)), None)
