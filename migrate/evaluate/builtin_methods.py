"""Methods of Python's own types: lists, dicts, sets, strings, tuples, numbers."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from migrate.evaluate import calls, containers, subscripts
from migrate.evaluate.hosts import describe
from migrate.graph.values import (
    NONE,
    Const,
    Module,
    Reference,
    Tuple,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    from migrate.evaluate.machine import Machine

Handler = Callable[["Machine", Reference, list[Value], dict[str, Value]], Value]


def call_method(
    m: Machine, receiver: Value, name: str, given: list[Value], named: dict[str, Value]
) -> Value:
    """`receiver.name(...)`."""
    if isinstance(receiver, Reference) and receiver.kind in _METHODS:
        handler = _METHODS[receiver.kind].get(name)
        if handler is not None:
            return handler(m, receiver, given, named)
        return m.make_unknown(f"`.{name}` of a {receiver.kind}")
    if isinstance(receiver, Const):
        return _call_constant_method(m, receiver, name, given, named)
    if isinstance(receiver, Tuple):
        return _call_tuple_method(m, receiver, name, given, named)
    if isinstance(receiver, Module):
        return m.make_unknown(f"`{name}` of a module")
    return m.make_unknown(f"`.{name}` of {describe(receiver)}")


def _call_constant_method(
    m: Machine, receiver: Const, name: str, given: list[Value], named: dict[str, Value]
) -> Value:
    method = getattr(receiver.value, name, None)
    if method is None:
        return m.make_unknown(f"`.{name}` of {describe(receiver)}")
    try:
        arguments = [containers.convert_to_python(m, v) for v in given]
        options = {k: containers.convert_to_python(m, v) for k, v in named.items()}
        return containers.convert_from_python(m, method(*arguments, **options))
    except containers.NotConstant:
        for value in (*given, *named.values()):
            if isinstance(value, Unknown):
                return value
        what = f"{describe(receiver)}.{name}(...)"
        return m.hosts.make(name, receiver, *given, *named.values(), what=what)
    except Exception:  # What Python says of constants, the program would hear.
        return m.make_unknown(f"`.{name}` of {describe(receiver)}")


def _call_tuple_method(
    m: Machine, receiver: Tuple, name: str, given: list[Value], named: dict[str, Value]
) -> Value:
    if name == "index" and given and given[0] in receiver.items:
        return Const(receiver.items.index(given[0]))
    if name == "count" and given:
        return Const(receiver.items.count(given[0]))
    if name == "_replace" and receiver.names:
        items = [named.get(n, v) for n, v in zip(receiver.names, receiver.items)]
        return Tuple(tuple(items), receiver.names, receiver.kind)
    if name == "_asdict" and receiver.names:
        pairs = [(Const(n), v) for n, v in zip(receiver.names, receiver.items)]
        return containers.make_dict(m, pairs)
    return m.make_unknown(f"`.{name}` of a tuple")


# -- lists --


def _append(
    m: Machine, value: Reference, given: list[Value], named: dict[str, Value]
) -> Value:
    containers.append(m, value, given[:1])
    return NONE


def _extend(
    m: Machine, value: Reference, given: list[Value], named: dict[str, Value]
) -> Value:
    items = calls.iterate_over(m, given[0])
    if items is not None:
        containers.append(m, value, items)
        return NONE
    old = containers.read_contents(m, value)
    known = old if isinstance(old, tuple) else old.items if old is not None else ()
    more = containers.find_element(m, given[0], "an element")
    containers.put(m, value, containers.Summary((*known, more), "items"))
    return NONE


def _insert(
    m: Machine, value: Reference, given: list[Value], named: dict[str, Value]
) -> Value:
    items = containers.read_contents(m, value)
    if isinstance(items, tuple) and isinstance(given[0], Const):
        place: Any = given[0].value
        changed = list(items)
        changed.insert(place, given[1])
        containers.put(m, value, tuple(changed))
    else:
        containers.append(m, value, given[1:])
    return NONE


def _pop_from_list(
    m: Machine, value: Reference, given: list[Value], named: dict[str, Value]
) -> Value:
    items = containers.read_contents(m, value)
    index = given[0] if given else Const(-1)
    if (
        isinstance(items, tuple)
        and isinstance(index, Const)
        and isinstance(index.value, int)
    ):
        if -len(items) <= index.value < len(items):
            changed = list(items)
            found = changed.pop(index.value)
            containers.put(m, value, tuple(changed))
            return found
    return containers.find_element(m, value, "an element that is taken out")


def _remove(
    m: Machine, value: Reference, given: list[Value], named: dict[str, Value]
) -> Value:
    items = containers.read_contents(m, value)
    if isinstance(items, tuple) and given[0] in items:
        changed = list(items)
        changed.remove(given[0])
        containers.put(m, value, tuple(changed))
    return NONE


def _reverse_items(
    m: Machine, value: Reference, given: list[Value], named: dict[str, Value]
) -> Value:
    items = containers.read_contents(m, value)
    if isinstance(items, tuple):
        containers.put(m, value, items[::-1])
    return NONE


def _sort(
    m: Machine, value: Reference, given: list[Value], named: dict[str, Value]
) -> Value:
    from migrate.evaluate import builtin_functions

    found = builtin_functions.call_builtin(m, "sorted", [value], named)
    items = containers.list_elements(m, found)
    if items is not None:
        containers.put(m, value, tuple(items))
    return NONE


def _find_index(
    m: Machine, value: Reference, given: list[Value], named: dict[str, Value]
) -> Value:
    items = containers.read_contents(m, value)
    if isinstance(items, tuple) and given[0] in items:
        return Const(items.index(given[0]))
    return m.hosts.make("index", value, given[0], what="an index")


def _count_item(
    m: Machine, value: Reference, given: list[Value], named: dict[str, Value]
) -> Value:
    items = containers.read_contents(m, value)
    if isinstance(items, tuple) and all(isinstance(i, Const) for i in items):
        return Const(items.count(given[0]))
    return m.hosts.make_fresh("a count")


def _clear(
    m: Machine, value: Reference, given: list[Value], named: dict[str, Value]
) -> Value:
    containers.put(m, value, ())
    return NONE


def _copy(
    m: Machine, value: Reference, given: list[Value], named: dict[str, Value]
) -> Value:
    address = m.store.allocate()
    m.store.set((address, "items"), m.read((value.address, "items"), ()))
    return Reference(address, value.kind)


# -- dicts --


def _get(
    m: Machine, value: Reference, given: list[Value], named: dict[str, Value]
) -> Value:
    default = given[1] if len(given) > 1 else named.get("default", NONE)
    pairs = containers.read_pairs(m, value)
    if isinstance(pairs, tuple) and isinstance(given[0], Const):
        found = dict(pairs).get(given[0])
        return default if found is None else m.resolve(found)
    found = subscripts.get(m, value, given[0])
    return found


def _list_items(
    m: Machine, value: Reference, given: list[Value], named: dict[str, Value]
) -> Value:
    pairs = containers.read_pairs(m, value)
    if isinstance(pairs, tuple):
        return containers.make_list(m, [Tuple(pair) for pair in pairs])
    return m.hosts.make_fresh("items of a dict")


def _list_keys(
    m: Machine, value: Reference, given: list[Value], named: dict[str, Value]
) -> Value:
    pairs = containers.read_pairs(m, value)
    if isinstance(pairs, tuple):
        return containers.make_list(m, [key for key, _ in pairs])
    return m.hosts.make_fresh("keys of a dict")


def _list_values(
    m: Machine, value: Reference, given: list[Value], named: dict[str, Value]
) -> Value:
    pairs = containers.read_pairs(m, value)
    if isinstance(pairs, tuple):
        return containers.make_list(m, [item for _, item in pairs])
    if isinstance(pairs, containers.Summary):
        return containers.make_list(m, pairs)
    return m.make_unknown("values of a dict")


def _update_dict(
    m: Machine, value: Reference, given: list[Value], named: dict[str, Value]
) -> Value:
    from migrate.evaluate import builtin_functions

    made = builtin_functions.call_builtin(m, "dict", given, named)
    more = containers.read_pairs(m, made) if isinstance(made, Reference) else None
    old = containers.read_pairs(m, value)
    if isinstance(more, tuple) and isinstance(old, tuple):
        containers.put(m, value, tuple(dict([*old, *more]).items()))
    else:
        containers.put(
            m, value, containers.Summary((m.hosts.make_fresh("an item"),), "update")
        )
    return NONE


def _set_default(
    m: Machine, value: Reference, given: list[Value], named: dict[str, Value]
) -> Value:
    pairs = containers.read_pairs(m, value)
    if isinstance(pairs, tuple) and given[0] in dict(pairs):
        return dict(pairs)[given[0]]
    item = given[1] if len(given) > 1 else NONE
    containers.set_item(m, value, given[0], item)
    return item


def _pop_item(
    m: Machine, value: Reference, given: list[Value], named: dict[str, Value]
) -> Value:
    if not given:
        return m.make_unknown("an item that is taken out")
    found = _get(m, value, given, named)
    subscripts.delete(m, value, given[0])
    return found


# -- sets --


def _add(
    m: Machine, value: Reference, given: list[Value], named: dict[str, Value]
) -> Value:
    items = containers.read_contents(m, value)
    if isinstance(items, tuple):
        containers.put(m, value, tuple(dict.fromkeys((*items, given[0]))))
    return NONE


def _make_operator(kind: type[ast.operator]) -> Handler:
    def handle_call(
        m: Machine, value: Reference, given: list[Value], named: dict[str, Value]
    ) -> Value:
        from migrate.evaluate import builtin_functions, operators

        other = builtin_functions.call_builtin(m, "set", given[:1], {})
        return operators.apply_binary(m, kind, value, other)

    return handle_call


_LIST: dict[str, Handler] = {
    "append": _append,
    "extend": _extend,
    "insert": _insert,
    "pop": _pop_from_list,
    "remove": _remove,
    "reverse": _reverse_items,
    "sort": _sort,
    "index": _find_index,
    "count": _count_item,
    "clear": _clear,
    "copy": _copy,
    "popleft": lambda m, value, given, named: _pop_from_list(
        m, value, [Const(0)], named
    ),
    "appendleft": lambda m, value, given, named: _insert(
        m, value, [Const(0), *given], named
    ),
}
_DICT: dict[str, Handler] = {
    "get": _get,
    "items": _list_items,
    "iteritems": _list_items,
    "keys": _list_keys,
    "iterkeys": _list_keys,
    "values": _list_values,
    "itervalues": _list_values,
    "update": _update_dict,
    "setdefault": _set_default,
    "pop": _pop_item,
    "copy": _copy,
    "clear": _clear,
    "has_key": lambda m, value, given, named: m.hosts.make_fresh("has_key"),
}
_SET: dict[str, Handler] = {
    "add": _add,
    "update": _extend,
    "discard": _remove,
    "remove": _remove,
    "copy": _copy,
    "union": _make_operator(ast.BitOr),
    "difference": _make_operator(ast.Sub),
    "intersection": _make_operator(ast.BitAnd),
}
_METHODS = {"list": _LIST, "dict": _DICT, "set": _SET}
