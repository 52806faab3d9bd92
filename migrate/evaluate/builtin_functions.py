"""Python's builtin functions, on what build time knows."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any

from migrate.evaluate import (
    builtin_objects,
    calls,
    containers,
    externals,
    objects,
    operators,
)
from migrate.evaluate.builtin_table import HANDLERS, Handler, register_handler
from migrate.evaluate.hosts import describe
from migrate.evaluate.truth import find_truth
from migrate.graph.values import (
    NONE,
    Array,
    Builtin,
    Const,
    Dimension,
    Host,
    Reference,
    Slice,
    Tuple,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    from migrate.evaluate.machine import Machine

# Functions that give constants for constants.
_PURE = {
    "abs",
    "bin",
    "bool",
    "bytes",
    "chr",
    "complex",
    "divmod",
    "float",
    "format",
    "hash",
}
_PURE |= {
    "hex",
    "int",
    "oct",
    "ord",
    "pow",
    "round",
    "str",
    "len",
    "max",
    "min",
    "sum",
    "sorted",
}
_PURE |= {"all", "any", "repr", "ascii"}
# Functions whose result only a run knows.
_OPAQUE = {
    "open",
    "input",
    "id",
    "dir",
    "vars",
    "globals",
    "locals",
    "compile",
    "memoryview",
}
_OPAQUE |= {
    "bytearray",
    "__import__",
    "exec",
    "eval",
    "raw_input",
    "unicode",
    "xrange",
    "reload",
}
_OPAQUE |= {
    "file",
    "long",
    "basestring",
    "unichr",
    "execfile",
    "cmp",
    "reduce",
    "help",
    "exit",
    "quit",
}


def call_builtin(
    m: Machine, name: str, given: list[Value], named: dict[str, Value]
) -> Value:
    """A call of a builtin."""
    for value in given:
        if isinstance(value, Unknown) and name not in (
            "isinstance",
            "print",
            "hasattr",
            "type",
        ):
            return value
    found = builtin_objects.find(name)
    if found is not None:
        return found(m, given, named)
    return _call_default(m, name, given, named)


def _call_default(
    m: Machine, name: str, given: list[Value], named: dict[str, Value]
) -> Value:
    if name in ("exit", "quit"):
        return externals.stop(m)
    if name in _PURE:
        try:
            arguments = [containers.convert_to_python(m, v) for v in given]
            options = {k: containers.convert_to_python(m, v) for k, v in named.items()}
            return containers.convert_from_python(
                m, getattr(builtins, name)(*arguments, **options)
            )
        except containers.NotConstant:
            pass
        except (
            Exception
        ):  # Whatever Python says of these constants, the program would hear.
            return m.make_unknown(f"{name} of these values")
    if name in ("abs", "pow", "round", "divmod", "max", "min") and given:
        found = (
            m.library.apply_unary(m, name, given[0])
            if name in ("abs", "round")
            else None
        )
        if found is not None:
            return found
    exception = getattr(builtins, name, None)
    if isinstance(exception, type) and issubclass(exception, BaseException):
        return objects.make_object(m, Builtin(name))
    for value in given:
        if name not in ("str", "repr", "format", "id") and containers.mentions_graph(
            m, value
        ):
            return m.make_unknown(f"{name} of something of a graph")
    what = f"{name}({', '.join(map(describe, given))})"
    if name in _OPAQUE:
        return m.hosts.make_fresh(what)
    return m.hosts.make(name, *given, what=what)


@register_handler("print")
def _call_print(m: Machine, given: list[Value], named: dict[str, Value]) -> Value:
    return NONE


@register_handler("len")
def _call_len(m: Machine, given: list[Value], named: dict[str, Value]) -> Value:
    value = given[0]
    items = containers.list_elements(m, value)
    if items is None:
        items = m.library.list_elements(m, value)
    if items is not None:
        return Const(len(items))
    special = objects.find_special(m, value, "__len__")
    if special is not None:
        return calls.call_value(m, special, [], {})
    if isinstance(value, Host) and value.array is not None and value.array.shape:
        return containers.make_dimension(value.array.shape[0])
    if isinstance(value, (Host, Reference)):
        return m.hosts.make("len", value, what=f"len({describe(value)})")
    return m.make_unknown(f"the length of {describe(value)}")


@register_handler("range")
def _call_range(m: Machine, given: list[Value], named: dict[str, Value]) -> Value:
    numbers: list[int] = []
    for value in given:
        if isinstance(value, Dimension):
            value = containers.make_dimension(value.value)
        if not (isinstance(value, Const) and isinstance(value.value, int)):
            return m.hosts.make(
                "range", *given, what=f"range({', '.join(map(describe, given))})"
            )
        numbers.append(value.value)
    try:
        return Const(range(*numbers))
    except (TypeError, ValueError):
        return m.make_unknown("a range")


HANDLERS["xrange"] = _call_range


def _list_columns(m: Machine, given: list[Value]) -> list[list[Value]] | None:
    found: list[list[Value]] = []
    for value in given:
        items = calls.iterate_over(m, value)
        if items is None:
            return None
        found.append(items)
    return found


@register_handler("zip")
def _call_zip(m: Machine, given: list[Value], named: dict[str, Value]) -> Value:
    columns = _list_columns(m, given)
    if columns is not None:
        return containers.make_list(m, [Tuple(row) for row in zip(*columns)])
    parts = [
        containers.find_element(m, v, f"an element of {describe(v)}") for v in given
    ]
    return containers.make_list(m, containers.Summary((Tuple(tuple(parts)),), "zip"))


@register_handler("enumerate")
def _enumerate(m: Machine, given: list[Value], named: dict[str, Value]) -> Value:
    start = given[1] if len(given) > 1 else named.get("start", Const(0))
    items = calls.iterate_over(m, given[0])
    if items is not None and isinstance(start, Const) and isinstance(start.value, int):
        first = start.value
        pairs = [Tuple((Const(first + i), item)) for i, item in enumerate(items)]
        return containers.make_list(m, pairs)
    item = containers.find_element(m, given[0], f"an element of {describe(given[0])}")
    pair = Tuple((m.hosts.make_fresh("an index"), item))
    return containers.make_list(m, containers.Summary((pair,), "enumerate"))


@register_handler("map")
def _call_map(m: Machine, given: list[Value], named: dict[str, Value]) -> Value:
    columns = _list_columns(m, given[1:])
    if columns is None:
        parts = [
            containers.find_element(m, v, f"an element of {describe(v)}")
            for v in given[1:]
        ]
        result = calls.call_value(m, given[0], parts, {})
        if isinstance(result, (Host, Const)):
            return m.hosts.make_fresh("map(...)")
        return containers.make_list(m, containers.Summary((result,), "map"))
    return containers.make_list(
        m, [calls.call_value(m, given[0], list(row), {}) for row in zip(*columns)]
    )


@register_handler("filter")
def _call_filter(m: Machine, given: list[Value], named: dict[str, Value]) -> Value:
    items = calls.iterate_over(m, given[1])
    if items is None:
        return m.hosts.make_fresh("filter(...)")
    kept: list[Value] = []
    for item in items:
        found = find_truth(
            m, item if given[0] == NONE else calls.call_value(m, given[0], [item], {})
        )
        if not isinstance(found, bool):
            return m.make_unknown("which elements a filter keeps")
        if found:
            kept.append(item)
    return containers.make_list(m, kept)


@register_handler("reversed")
def _reverse_items(m: Machine, given: list[Value], named: dict[str, Value]) -> Value:
    items = calls.iterate_over(m, given[0])
    if items is None:
        return given[0]
    return containers.make_list(m, items[::-1])


@register_handler("sorted")
def _sort_items(m: Machine, given: list[Value], named: dict[str, Value]) -> Value:
    items = calls.iterate_over(m, given[0])
    if items is None:
        return m.hosts.make_fresh("sorted(...)")
    key = named.get("key", NONE)
    keys = items if key == NONE else [calls.call_value(m, key, [i], {}) for i in items]
    try:
        order: list[Any] = [containers.convert_to_python(m, k) for k in keys]
        places = sorted(range(len(items)), key=lambda i: order[i])
    except (containers.NotConstant, TypeError):
        if all(isinstance(i, (Host, Const)) for i in items):
            return m.hosts.make_fresh("sorted(...)")
        return m.make_unknown("the order of what is sorted")
    if find_truth(m, named.get("reverse", Const(False))) is True:
        places.reverse()
    return containers.make_list(m, [items[i] for i in places])


@register_handler("sum")
def _call_sum(m: Machine, given: list[Value], named: dict[str, Value]) -> Value:
    import ast

    items = calls.iterate_over(m, given[0])
    if items is None:
        return m.hosts.make("sum", given[0], what="sum(...)")
    total: Value = given[1] if len(given) > 1 else named.get("start", Const(0))
    for item in items:
        total = operators.apply_binary(m, ast.Add, total, item)
    return total


@register_handler("list")
def _call_list(m: Machine, given: list[Value], named: dict[str, Value]) -> Value:
    if not given:
        return containers.make_list(m, ())
    items = calls.iterate_over(m, given[0])
    if items is not None:
        return containers.make_list(m, items)
    value = given[0]
    if isinstance(value, Reference) and value.kind in ("list", "set"):
        found = containers.read_contents(m, value)
        if isinstance(found, containers.Summary):
            return containers.make_list(m, found)
    if isinstance(value, Host):
        return m.hosts.make(
            "list", value, what=f"list({value.what})", array=value.array
        )
    return m.make_unknown("the elements of a list")


@register_handler("tuple")
def _call_tuple(m: Machine, given: list[Value], named: dict[str, Value]) -> Value:
    if not given:
        return Tuple(())
    items = calls.iterate_over(m, given[0])
    if items is not None:
        return Tuple(tuple(items))
    if isinstance(given[0], Host):
        return m.hosts.make("tuple", given[0], what="tuple(...)", array=given[0].array)
    return m.make_unknown("the elements of a tuple")


@register_handler("set")
def _set(m: Machine, given: list[Value], named: dict[str, Value]) -> Value:
    items = calls.iterate_over(m, given[0]) if given else []
    return (
        m.hosts.make_fresh("set(...)")
        if items is None
        else containers.make_set(m, items)
    )


HANDLERS["frozenset"] = _set


@register_handler("dict")
def _call_dict(m: Machine, given: list[Value], named: dict[str, Value]) -> Value:
    pairs: list[tuple[Value, Value]] = []
    if given:
        value = given[0]
        found: object = None
        if isinstance(value, Reference) and value.kind == "dict":
            found = containers.read_pairs(m, value)
        else:
            items = calls.iterate_over(m, value)
            if items is not None:
                rows = [calls.iterate_over(m, i) for i in items]
                if all(row is not None and len(row) == 2 for row in rows):
                    found = tuple((row[0], row[1]) for row in rows if row is not None)
        if not isinstance(found, tuple):
            return m.hosts.make_fresh("dict(...)")
        pairs += found
    pairs += [(Const(key), item) for key, item in named.items()]
    return containers.make_dict(m, pairs)


@register_handler("iter")
def _call_iter(m: Machine, given: list[Value], named: dict[str, Value]) -> Value:
    return given[0]


@register_handler("next")
def _call_next(m: Machine, given: list[Value], named: dict[str, Value]) -> Value:
    special = objects.find_special(m, given[0], "__next__")
    if special is not None:
        return calls.call_value(m, special, [], {})
    items = calls.iterate_over(m, given[0])
    if items is not None and any(containers.mentions_graph(m, i) for i in items):
        return m.make_unknown("which of a generator's values is next")
    return m.hosts.make_fresh(f"next({describe(given[0])})")


@register_handler("slice")
def _call_slice(m: Machine, given: list[Value], named: dict[str, Value]) -> Value:
    parts = [NONE, *given, NONE] if len(given) == 1 else [*given, NONE, NONE]
    return Slice(parts[0], parts[1], parts[2])


@register_handler("int")
def _call_int(m: Machine, given: list[Value], named: dict[str, Value]) -> Value:
    if given and isinstance(given[0], Dimension):
        found = containers.make_dimension(given[0].value)
        return (
            found
            if found != NONE
            else m.make_unknown("int of a dimension that is not known")
        )
    return _call_default(m, "int", given, named)


@register_handler("abs")
def _call_abs(m: Machine, given: list[Value], named: dict[str, Value]) -> Value:
    return _call_default(m, "abs", given, named)


def _make_any_or_all(is_all: bool) -> Handler:
    def handle_call(m: Machine, given: list[Value], named: dict[str, Value]) -> Value:
        items = calls.iterate_over(m, given[0])
        if items is None:
            return m.hosts.make_fresh("all(...)" if is_all else "any(...)")
        found = [find_truth(m, item) for item in items]
        if (not is_all) in found:
            return Const(not is_all)
        if all(isinstance(f, bool) for f in found):
            return Const(is_all)
        return m.hosts.make("all" if is_all else "any", *items, what="a test of all")

    return handle_call


HANDLERS["all"] = _make_any_or_all(True)
HANDLERS["any"] = _make_any_or_all(False)


@register_handler("object")
def _call_object(m: Machine, given: list[Value], named: dict[str, Value]) -> Value:
    return objects.make_object(m, Builtin("object"))


@register_handler("locals")
def _call_locals(m: Machine, given: list[Value], named: dict[str, Value]) -> Value:
    frame = m.frame
    pairs = [
        (Const(k), m.store.get((frame.number, k)))
        for k in m.store.list_keys(frame.number)
    ]
    return containers.make_dict(m, [(k, v) for k, v in pairs if isinstance(v, Value)])


@register_handler("float")
def _call_float(m: Machine, given: list[Value], named: dict[str, Value]) -> Value:
    if given and isinstance(given[0], Host):
        value = given[0]
        return m.hosts.make(
            "float", value, what=f"float({value.what})", array=Array((), None)
        )
    return _call_default(m, "float", given, named)


_EXCEPTIONS = {
    name
    for name in dir(builtins)
    if isinstance(getattr(builtins, name), type)
    and issubclass(getattr(builtins, name), BaseException)
}
NAMES = frozenset(HANDLERS) | _PURE | _OPAQUE | _EXCEPTIONS
NAMES |= {"property", "staticmethod", "classmethod", "super", "Ellipsis"}
