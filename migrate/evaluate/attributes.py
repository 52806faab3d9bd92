"""`value.name`: what it is, by the kind of the value."""

from __future__ import annotations

import ast
import math
from typing import TYPE_CHECKING

from migrate.evaluate import arguments_of, externals, joins, objects
from migrate.evaluate.hosts import describe
from migrate.evaluate.store import MISSING
from migrate.graph.values import (
    Builtin,
    Choice,
    Const,
    Dimension,
    External,
    Function,
    Host,
    Method,
    Module,
    Own,
    Partial,
    Reference,
    Slice,
    Super,
    Symbol,
    Tuple,
    Unknown,
    Value,
    Wrapped,
)

if TYPE_CHECKING:
    from migrate.evaluate.machine import Machine

_CONSTANTS = {"True": True, "False": False, "None": None, "NotImplemented": None}
_NUMBERS = {
    "math.pi": math.pi,
    "math.e": math.e,
    "numpy.pi": math.pi,
    "numpy.newaxis": None,
    "numpy.e": math.e,
}
# Objects that the evaluator makes for Python's own classes; their methods it knows.
_METHODS_OF = {"argparse.ArgumentParser", "generator"}
_NUMBERS |= {"numpy.inf": math.inf, "math.inf": math.inf, "sys.maxsize": 2**63 - 1}


def find_builtin(name: str) -> Value | None:
    """A name of Python's own."""
    from migrate.evaluate.builtin_functions import NAMES

    if name in _CONSTANTS:
        return Const(_CONSTANTS[name])
    return Builtin(name) if name in NAMES else None


def get(m: Machine, value: Value, name: str, node: ast.AST | None = None) -> Value:
    """`value.name`."""
    if isinstance(value, Unknown):
        return value
    if isinstance(value, Choice):
        return joins.map_choices(m, value, lambda v: get(m, v, name, node))
    if node is not None:
        m.at = node
    if isinstance(value, Module):
        return _get_module_attribute(m, value, name)
    if isinstance(value, Symbol):
        return m.library.find_symbol(m, f"{value.path}.{name}")
    if isinstance(value, External):
        return _get_external_attribute(m, value, name)
    if isinstance(value, Reference) and value.kind == "object":
        return _get_object_attribute(m, value, name)
    if isinstance(value, Reference) and value.kind == "class":
        return _get_class_attribute(m, value, name)
    if isinstance(value, Super):
        return _get_super_attribute(m, value, name)
    return _get_plain_attribute(m, value, name)


def _get_module_attribute(m: Machine, value: Module, name: str) -> Value:
    found = m.read((value.number, name))
    if isinstance(found, Value):
        return found
    if name == "__name__":
        return Const(value.name)
    from migrate.evaluate import imports

    below = imports.find_submodule(m, value, name)
    if below is not None:
        return below
    return m.make_unknown(f"`{name}` of the module {value.name}")


def _get_external_attribute(m: Machine, value: External, name: str) -> Value:
    path = f"{value.path}.{name}"
    if path in _NUMBERS:
        return Const(_NUMBERS[path])
    return externals.find_attribute(m, path)


def _get_object_attribute(m: Machine, value: Reference, name: str) -> Value:
    if name in ("__class__", "__dict__"):
        cls = objects.find_class(m, value)
        if name == "__class__" and cls is not None:
            return cls
        return m.make_unknown(f"an object's {name}")
    cls = objects.find_class(m, value)
    member = objects.find_member(m, cls, name) if cls is not None else None
    if isinstance(member, Wrapped) and member.kind == "property":
        return objects.bind(m, member, value, cls)  # type: ignore[arg-type]
    found = objects.get_field(m, value, name)
    if found is not None:
        return found
    if member is not None and cls is not None:
        return objects.bind(m, member, value, cls)
    library = m.library.find_attribute(m, value, name)
    if library is not None:
        return library
    if isinstance(cls, External) and cls.path in _METHODS_OF:
        return Own(value, name)
    if cls is None:
        return m.make_unknown(
            f"`.{name}` of an object whose class the evaluator does not have"
        )
    asked = objects.find_special(m, value, "__getattr__")
    if asked is not None:
        from migrate.evaluate import calls

        return calls.call_value(m, asked, [Const(name)], {})
    contents = m.read((value.address, "." + name))
    if contents is not MISSING:
        return m.make_unknown(f"`.{name}` differs by a test")
    if objects.inherits_unseen(m, cls):
        return m.make_unknown(
            f"`.{name}` of a class whose base class the evaluator does not have"
        )
    return m.make_unknown(f"an object has no `.{name}`")


def _get_class_attribute(m: Machine, value: Reference, name: str) -> Value:
    found = objects.find_member(m, value, name)
    if found is not None:
        if isinstance(found, Wrapped) and found.kind == "classmethod":
            return Method(value, found.function)
        if isinstance(found, Wrapped) and found.kind == "staticmethod":
            return found.function
        return found
    if name == "__name__":
        return m.store.get((value.address, "name"), Const("?"))  # type: ignore[no-any-return]
    for symbol in objects.find_libraries(m, value):
        # A method of the library through a class of the program: `Base.__init__(self)`.
        return Own(symbol, name)
    for base in objects.resolve_bases(m, value):
        if isinstance(base, Builtin) and name.startswith("__"):
            return Own(base, name)
    if name.startswith("__"):
        return Own(value, name)
    return m.make_unknown(f"a class has no `{name}`")


def _get_super_attribute(m: Machine, value: Super, name: str) -> Value:
    found = objects.find_super_member(m, value, name)
    if found is not None:
        return found
    return Own(value, name)


def _get_plain_attribute(m: Machine, value: Value, name: str) -> Value:
    if isinstance(value, Function) and name in ("__name__", "__doc__"):
        return Const(value.name if name == "__name__" else "")
    if isinstance(value, (Function, Wrapped, Partial)):
        return _get_function_attribute(m, value, name)
    if isinstance(value, Tuple) and name in value.names:
        return value.items[value.names.index(name)]
    if isinstance(value, Slice):
        parts = {"start": value.start, "stop": value.stop, "step": value.step}
        return parts.get(name, Const(None))
    library = m.library.find_attribute(m, value, name)
    if library is not None:
        return library
    if isinstance(value, Host):
        return externals.find_host_attribute(m, value, name)
    if isinstance(value, Dimension):
        from migrate.evaluate import containers

        return containers.make_dimension(value.value)
    if (
        isinstance(value, Const)
        and isinstance(value.value, (int, float))
        and name == "real"
    ):
        return value
    if isinstance(value, (Const, Reference, Tuple, Builtin, Method)):
        return Own(value, name)
    return m.make_unknown(f"`.{name}` of {describe(value)}")


def _get_function_attribute(m: Machine, value: Value, name: str) -> Value:
    found = m.read((value, "." + name))
    if isinstance(found, Value):
        return found
    if isinstance(value, Wrapped) and value.kind == "property":
        return Own(value, name)
    if isinstance(value, Partial) and name == "func":
        return value.function
    return m.make_unknown(f"`.{name}` of a function")


def put(m: Machine, value: Value, name: str, item: Value) -> None:
    """`value.name = item`."""
    if isinstance(value, Choice):

        def put_one(one: Value) -> Value:
            put(m, one, name, item)
            return Const(None)

        joins.map_choices(m, value, put_one)
    elif isinstance(value, Reference) and value.kind in ("object", "class"):
        cls = objects.find_class(m, value)
        member = objects.find_member(m, cls, name) if cls is not None else None
        if isinstance(member, Wrapped) and member.kind == "property":
            setter = m.read((member, ".setter"))
            if isinstance(setter, Value):
                from migrate.evaluate import calls

                calls.call_value(m, setter, [value, item], {})
            return
        special = objects.find_special(m, value, "__setattr__")
        if special is not None:
            from migrate.evaluate import calls

            calls.call_value(m, special, [Const(name), item], {})
            return
        if not m.library.set_attribute(m, value, name, item):
            objects.set_field(m, value, name, item)
    elif isinstance(value, Module):
        m.store.set((value.number, name), item)
    elif isinstance(value, (Symbol, External)) and value.path.endswith("flags.FLAGS"):
        arguments_of.set_flag(m, name, item)
    elif isinstance(value, (Function, Wrapped)):
        m.store.set((value, "." + name), item)


def call_super(m: Machine, given: list[Value]) -> Value:
    """`super()` and `super(Class, self)`."""
    if len(given) >= 2:
        cls, receiver = given[0], given[1]
        if isinstance(cls, Reference):
            return Super(receiver, cls.address)
    for frame in reversed(m.stack):
        if frame.receiver is not None and frame.owner:
            return Super(frame.receiver, frame.owner)
        if not frame.is_class and frame.names is not None and not frame.is_module:
            if frame.parent is None:
                break
    return m.make_unknown("`super()` outside a method")
