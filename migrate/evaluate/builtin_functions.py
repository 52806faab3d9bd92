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
from migrate.evaluate.builtin_table import HANDLERS, Handler, handler
from migrate.evaluate.hosts import describe
from migrate.evaluate.truth import truth
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


def call(m: Machine, name: str, given: list[Value], named: dict[str, Value]) -> Value:
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
    return _default(m, name, given, named)


def _default(
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
        found = m.library.unary(m, name, given[0]) if name in ("abs", "round") else None
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
        return m.hosts.fresh(what)
    return m.hosts.make(name, *given, what=what)


@handler("print")
def _print(m: Machine, given: list[Value], named: dict[str, Value]) -> Value:
    return NONE


@handler("len")
def _len(m: Machine, given: list[Value], named: dict[str, Value]) -> Value:
    value = given[0]
    items = containers.elements(m, value)
    if items is None:
        items = m.library.elements(m, value)
    if items is not None:
        return Const(len(items))
    special = objects.special(m, value, "__len__")
    if special is not None:
        return calls.call(m, special, [], {})
    if isinstance(value, Host) and value.array is not None and value.array.shape:
        return containers.dimension(value.array.shape[0])
    if isinstance(value, (Host, Reference)):
        return m.hosts.make("len", value, what=f"len({describe(value)})")
    return m.make_unknown(f"the length of {describe(value)}")


@handler("range")
def _range(m: Machine, given: list[Value], named: dict[str, Value]) -> Value:
    numbers: list[int] = []
    for value in given:
        if isinstance(value, Dimension):
            value = containers.dimension(value.value)
        if not (isinstance(value, Const) and isinstance(value.value, int)):
            return m.hosts.make(
                "range", *given, what=f"range({', '.join(map(describe, given))})"
            )
        numbers.append(value.value)
    try:
        return Const(range(*numbers))
    except (TypeError, ValueError):
        return m.make_unknown("a range")


HANDLERS["xrange"] = _range


def _columns(m: Machine, given: list[Value]) -> list[list[Value]] | None:
    found: list[list[Value]] = []
    for value in given:
        items = calls.iterate(m, value)
        if items is None:
            return None
        found.append(items)
    return found


@handler("zip")
def _zip(m: Machine, given: list[Value], named: dict[str, Value]) -> Value:
    columns = _columns(m, given)
    if columns is not None:
        return containers.make_list(m, [Tuple(row) for row in zip(*columns)])
    parts = [containers.element_of(m, v, f"an element of {describe(v)}") for v in given]
    return containers.make_list(m, containers.Summary((Tuple(tuple(parts)),), "zip"))


@handler("enumerate")
def _enumerate(m: Machine, given: list[Value], named: dict[str, Value]) -> Value:
    start = given[1] if len(given) > 1 else named.get("start", Const(0))
    items = calls.iterate(m, given[0])
    if items is not None and isinstance(start, Const) and isinstance(start.value, int):
        first = start.value
        pairs = [Tuple((Const(first + i), item)) for i, item in enumerate(items)]
        return containers.make_list(m, pairs)
    item = containers.element_of(m, given[0], f"an element of {describe(given[0])}")
    pair = Tuple((m.hosts.fresh("an index"), item))
    return containers.make_list(m, containers.Summary((pair,), "enumerate"))


@handler("map")
def _map(m: Machine, given: list[Value], named: dict[str, Value]) -> Value:
    columns = _columns(m, given[1:])
    if columns is None:
        parts = [
            containers.element_of(m, v, f"an element of {describe(v)}")
            for v in given[1:]
        ]
        result = calls.call(m, given[0], parts, {})
        if isinstance(result, (Host, Const)):
            return m.hosts.fresh("map(...)")
        return containers.make_list(m, containers.Summary((result,), "map"))
    return containers.make_list(
        m, [calls.call(m, given[0], list(row), {}) for row in zip(*columns)]
    )


@handler("filter")
def _filter(m: Machine, given: list[Value], named: dict[str, Value]) -> Value:
    items = calls.iterate(m, given[1])
    if items is None:
        return m.hosts.fresh("filter(...)")
    kept: list[Value] = []
    for item in items:
        found = truth(
            m, item if given[0] == NONE else calls.call(m, given[0], [item], {})
        )
        if not isinstance(found, bool):
            return m.make_unknown("which elements a filter keeps")
        if found:
            kept.append(item)
    return containers.make_list(m, kept)


@handler("reversed")
def _reverse_items(m: Machine, given: list[Value], named: dict[str, Value]) -> Value:
    items = calls.iterate(m, given[0])
    if items is None:
        return given[0]
    return containers.make_list(m, items[::-1])


@handler("sorted")
def _sort_items(m: Machine, given: list[Value], named: dict[str, Value]) -> Value:
    items = calls.iterate(m, given[0])
    if items is None:
        return m.hosts.fresh("sorted(...)")
    key = named.get("key", NONE)
    keys = items if key == NONE else [calls.call(m, key, [i], {}) for i in items]
    try:
        order: list[Any] = [containers.convert_to_python(m, k) for k in keys]
        places = sorted(range(len(items)), key=lambda i: order[i])
    except (containers.NotConstant, TypeError):
        if all(isinstance(i, (Host, Const)) for i in items):
            return m.hosts.fresh("sorted(...)")
        return m.make_unknown("the order of what is sorted")
    if truth(m, named.get("reverse", Const(False))) is True:
        places.reverse()
    return containers.make_list(m, [items[i] for i in places])


@handler("sum")
def _sum(m: Machine, given: list[Value], named: dict[str, Value]) -> Value:
    import ast

    items = calls.iterate(m, given[0])
    if items is None:
        return m.hosts.make("sum", given[0], what="sum(...)")
    total: Value = given[1] if len(given) > 1 else named.get("start", Const(0))
    for item in items:
        total = operators.binary(m, ast.Add, total, item)
    return total


@handler("list")
def _list(m: Machine, given: list[Value], named: dict[str, Value]) -> Value:
    if not given:
        return containers.make_list(m, ())
    items = calls.iterate(m, given[0])
    if items is not None:
        return containers.make_list(m, items)
    value = given[0]
    if isinstance(value, Reference) and value.kind in ("list", "set"):
        found = containers.contents(m, value)
        if isinstance(found, containers.Summary):
            return containers.make_list(m, found)
    if isinstance(value, Host):
        return m.hosts.make(
            "list", value, what=f"list({value.what})", array=value.array
        )
    return m.make_unknown("the elements of a list")


@handler("tuple")
def _tuple(m: Machine, given: list[Value], named: dict[str, Value]) -> Value:
    if not given:
        return Tuple(())
    items = calls.iterate(m, given[0])
    if items is not None:
        return Tuple(tuple(items))
    if isinstance(given[0], Host):
        return m.hosts.make("tuple", given[0], what="tuple(...)", array=given[0].array)
    return m.make_unknown("the elements of a tuple")


@handler("set")
def _set(m: Machine, given: list[Value], named: dict[str, Value]) -> Value:
    items = calls.iterate(m, given[0]) if given else []
    return m.hosts.fresh("set(...)") if items is None else containers.make_set(m, items)


HANDLERS["frozenset"] = _set


@handler("dict")
def _dict(m: Machine, given: list[Value], named: dict[str, Value]) -> Value:
    pairs: list[tuple[Value, Value]] = []
    if given:
        value = given[0]
        found: object = None
        if isinstance(value, Reference) and value.kind == "dict":
            found = containers.pairs(m, value)
        else:
            items = calls.iterate(m, value)
            if items is not None:
                rows = [calls.iterate(m, i) for i in items]
                if all(row is not None and len(row) == 2 for row in rows):
                    found = tuple((row[0], row[1]) for row in rows if row is not None)
        if not isinstance(found, tuple):
            return m.hosts.fresh("dict(...)")
        pairs += found
    pairs += [(Const(key), item) for key, item in named.items()]
    return containers.make_dict(m, pairs)


@handler("iter")
def _iter(m: Machine, given: list[Value], named: dict[str, Value]) -> Value:
    return given[0]


@handler("next")
def _next(m: Machine, given: list[Value], named: dict[str, Value]) -> Value:
    special = objects.special(m, given[0], "__next__")
    if special is not None:
        return calls.call(m, special, [], {})
    items = calls.iterate(m, given[0])
    if items is not None and any(containers.mentions_graph(m, i) for i in items):
        return m.make_unknown("which of a generator's values is next")
    return m.hosts.fresh(f"next({describe(given[0])})")


@handler("slice")
def _slice(m: Machine, given: list[Value], named: dict[str, Value]) -> Value:
    parts = [NONE, *given, NONE] if len(given) == 1 else [*given, NONE, NONE]
    return Slice(parts[0], parts[1], parts[2])


@handler("int")
def _int(m: Machine, given: list[Value], named: dict[str, Value]) -> Value:
    if given and isinstance(given[0], Dimension):
        found = containers.dimension(given[0].value)
        return (
            found
            if found != NONE
            else m.make_unknown("int of a dimension that is not known")
        )
    return _default(m, "int", given, named)


@handler("abs")
def _abs(m: Machine, given: list[Value], named: dict[str, Value]) -> Value:
    return _default(m, "abs", given, named)


def _one_of(is_all: bool) -> Handler:
    def handler(m: Machine, given: list[Value], named: dict[str, Value]) -> Value:
        items = calls.iterate(m, given[0])
        if items is None:
            return m.hosts.fresh("all(...)" if is_all else "any(...)")
        found = [truth(m, item) for item in items]
        if (not is_all) in found:
            return Const(not is_all)
        if all(isinstance(f, bool) for f in found):
            return Const(is_all)
        return m.hosts.make("all" if is_all else "any", *items, what="a test of all")

    return handler


HANDLERS["all"] = _one_of(True)
HANDLERS["any"] = _one_of(False)


@handler("object")
def _object(m: Machine, given: list[Value], named: dict[str, Value]) -> Value:
    return objects.make_object(m, Builtin("object"))


@handler("locals")
def _locals(m: Machine, given: list[Value], named: dict[str, Value]) -> Value:
    frame = m.frame
    pairs = [
        (Const(k), m.store.get((frame.number, k)))
        for k in m.store.keys_of(frame.number)
    ]
    return containers.make_dict(m, [(k, v) for k, v in pairs if isinstance(v, Value)])


@handler("float")
def _float(m: Machine, given: list[Value], named: dict[str, Value]) -> Value:
    if given and isinstance(given[0], Host):
        value = given[0]
        return m.hosts.make(
            "float", value, what=f"float({value.what})", array=Array((), None)
        )
    return _default(m, "float", given, named)


_EXCEPTIONS = {
    name
    for name in dir(builtins)
    if isinstance(getattr(builtins, name), type)
    and issubclass(getattr(builtins, name), BaseException)
}
NAMES = frozenset(HANDLERS) | _PURE | _OPAQUE | _EXCEPTIONS
NAMES |= {"property", "staticmethod", "classmethod", "super", "Ellipsis"}
