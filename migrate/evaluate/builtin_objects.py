"""Python's builtins that ask about objects and classes, and that reach their fields."""

from __future__ import annotations

from typing import TYPE_CHECKING

from migrate.evaluate import (
    attributes,
    containers,
    externals,
    objects,
)
from migrate.evaluate.builtin_table import HANDLERS, Handler, register_handler
from migrate.evaluate.hosts import describe
from migrate.evaluate.store import MISSING
from migrate.graph.values import (
    NONE,
    Builtin,
    Const,
    External,
    Function,
    Host,
    Method,
    Own,
    Partial,
    Reference,
    Symbol,
    Tuple,
    Unknown,
    Value,
    Wrapped,
)

if TYPE_CHECKING:
    from migrate.evaluate.machine import Machine


@register_handler("isinstance")
def _call_isinstance(m: Machine, given: list[Value], named: dict[str, Value]) -> Value:
    classes = given[1].items if isinstance(given[1], Tuple) else (given[1],)
    found = [is_instance(m, given[0], cls) for cls in classes]
    if True in found:
        return Const(True)
    if None not in found:
        return Const(False)
    what = f"isinstance({describe(given[0])})"
    return m.hosts.make("isinstance", *given, what=what)


_TYPES: dict[str, tuple[type, ...]] = {
    "int": (int,),
    "float": (float,),
    "str": (str,),
    "bytes": (bytes,),
    "bool": (bool,),
    "complex": (complex,),
    "basestring": (str,),
    "unicode": (str,),
    "long": (int,),
    "object": (object,),
}


def is_instance(m: Machine, value: Value, cls: Value) -> bool | None:
    """Whether a value is of a class; None where that is not known."""
    if isinstance(cls, Symbol):
        return m.library.is_instance(m, value, cls)
    if isinstance(value, (Host, Unknown)):
        return None
    if isinstance(cls, Builtin):
        if isinstance(value, Const) and cls.name in _TYPES:
            return isinstance(value.value, _TYPES[cls.name])
        kinds = {"list": "list", "dict": "dict", "set": "set"}
        if cls.name in kinds:
            return isinstance(value, Reference) and value.kind == kinds[cls.name]
        if cls.name == "tuple":
            return isinstance(value, Tuple)
        if cls.name == "object":
            return True
        found = objects.find_class(m, value)
        return found is not None and objects.is_subclass(m, found, cls)
    if isinstance(cls, Reference):
        found = objects.find_class(m, value)
        return found is not None and objects.is_subclass(m, found, cls)
    if isinstance(cls, External):
        return externals.is_instance(value, cls.path)
    return None


@register_handler("issubclass")
def _call_issubclass(m: Machine, given: list[Value], named: dict[str, Value]) -> Value:
    return Const(objects.is_subclass(m, given[0], given[1]))


@register_handler("type")
def _call_type(m: Machine, given: list[Value], named: dict[str, Value]) -> Value:
    if len(given) == 3 and isinstance(given[0], Const):
        bases = containers.list_elements(m, given[1]) or []
        return objects.make_class(m, str(given[0].value), tuple(bases))
    value = given[0]
    cls = objects.find_class(m, value)
    if cls is not None:
        return cls
    if isinstance(value, Const):
        return Builtin(type(value.value).__name__)
    if isinstance(value, Reference) and value.kind in ("list", "dict", "set"):
        return Builtin(value.kind)
    if isinstance(value, Tuple):
        return Builtin("tuple")
    return m.hosts.make("type", value, what=f"type({describe(value)})")


@register_handler("callable")
def _call_callable(m: Machine, given: list[Value], named: dict[str, Value]) -> Value:
    value = given[0]
    if isinstance(value, (Function, Method, Symbol, Builtin, Partial, Wrapped, Own)):
        return Const(True)
    if isinstance(value, Reference):
        return Const(
            value.kind == "class"
            or objects.find_special(m, value, "__call__") is not None
        )
    if isinstance(value, Host):
        return m.hosts.make("callable", value, what=f"callable({value.what})")
    return Const(False)


def _find_field_name(value: Value) -> str | None:
    return (
        value.value
        if isinstance(value, Const) and isinstance(value.value, str)
        else None
    )


@register_handler("getattr")
def _call_getattr(m: Machine, given: list[Value], named: dict[str, Value]) -> Value:
    name = _find_field_name(given[1])
    if name is None:
        return m.make_unknown("an attribute whose name is not known")
    found = attributes.get(m, given[0], name)
    if isinstance(found, Unknown) and len(given) > 2:
        return given[2]
    return found


@register_handler("hasattr")
def _call_hasattr(m: Machine, given: list[Value], named: dict[str, Value]) -> Value:
    name, value = _find_field_name(given[1]), given[0]
    if name is None or isinstance(value, (Host, External)):
        return m.hosts.make("hasattr", *given, what="hasattr(...)")
    if isinstance(value, Reference) and value.kind == "object":
        if m.store.get((value.address, "." + name)) is not MISSING:
            return Const(True)
        cls = objects.find_class(m, value)
        if cls is not None and objects.find_member(m, cls, name) is not None:
            return Const(True)
        return Const(m.library.find_attribute(m, value, name) is not None)
    return Const(not isinstance(attributes.get(m, value, name), Unknown))


@register_handler("setattr")
def _call_setattr(m: Machine, given: list[Value], named: dict[str, Value]) -> Value:
    name = _find_field_name(given[1])
    if name is None:
        return m.report_problem("an attribute is set whose name is not known")
    attributes.put(m, given[0], name, given[2])
    return NONE


def find(name: str) -> Handler | None:
    """The function that answers a call, of this module or another one."""
    return HANDLERS.get(name)
