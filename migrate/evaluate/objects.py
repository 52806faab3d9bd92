"""Classes and objects of the program: fields, inheritance, properties."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from migrate.evaluate.store import MISSING
from migrate.graph.values import (
    Const,
    External,
    Function,
    Method,
    Reference,
    Super,
    Symbol,
    Value,
    Wrapped,
)

if TYPE_CHECKING:
    from migrate.evaluate.machine import Machine


def make_class(m: Machine, name: str, bases: tuple[Value, ...]) -> Reference:
    """A class at a fresh address."""
    address = m.store.allocate()
    made = Reference(address, "class")
    m.store.set((address, "name"), Const(name))
    m.store.set((address, "bases"), bases)
    return made


def make_object(m: Machine, cls: Value) -> Reference:
    """An object at a fresh address, without fields."""
    address = m.store.allocate()
    m.store.set((address, "class"), cls)
    return Reference(address, "object")


def find_class(m: Machine, value: Value) -> Value | None:
    """The class of an object: the program's, or the library's symbol."""
    if isinstance(value, Reference) and value.kind == "object":
        found = m.store.get((value.address, "class"))
        return found if isinstance(found, Value) else None
    return None


def get_field(m: Machine, value: Reference, name: str) -> Value | None:
    """Returns an object's own field, or a class's own member; None if it has none."""
    found = m.read((value.address, "." + name))
    return found if isinstance(found, Value) else None


def set_field(m: Machine, value: Reference, name: str, item: Value) -> None:
    m.store.set((value.address, "." + name), item)


def delete_field(m: Machine, value: Reference, name: str) -> None:
    m.store.set((value.address, "." + name), MISSING)


def list_bases(m: Machine, cls: Value) -> tuple[Value, ...]:
    if isinstance(cls, Reference):
        found = m.store.get((cls.address, "bases"), ())
        return found if isinstance(found, tuple) else ()
    return ()


def resolve_bases(m: Machine, cls: Value) -> list[Value]:
    """A class and those it inherits from, in the order in which members are looked for."""
    found = _order_bases(m, cls, 0)
    return found if found is not None else [cls]


def _order_bases(m: Machine, cls: Value, depth: int) -> list[Value] | None:
    above = list_bases(m, cls)
    if not above or depth > 30:
        return [cls]
    lists: list[list[Value]] = []
    for base in above:
        one = _order_bases(m, base, depth + 1)
        if one is None:
            return None
        lists.append(one)
    lists.append(list(above))
    result = [cls]
    while any(lists):
        for one in lists:
            if one and not any(one[0] in other[1:] for other in lists):
                head = one[0]
                break
        else:
            return None
        result.append(head)
        for one in lists:
            if one and one[0] == head:
                del one[0]
    return result


def find_member(
    m: Machine, cls: Value, name: str, after: Value | None = None
) -> Value | None:
    """Finds a member of a class or of its bases; None if the program's classes lack it.

    Args:
      after: a class of the order after which the search begins.
    """
    order = resolve_bases(m, cls)
    if after is not None and after in order:
        order = order[order.index(after) + 1 :]
    for one in order:
        if isinstance(one, Reference):
            found = get_field(m, one, name)
            if found is not None:
                return found
    return None


def find_libraries(
    m: Machine, cls: Value, after: Value | None = None
) -> Iterator[Symbol]:
    """The library's classes among those that a class inherits from."""
    order = resolve_bases(m, cls)
    if after is not None and after in order:
        order = order[order.index(after) + 1 :]
    for one in order:
        if isinstance(one, Symbol):
            yield one


def inherits_unseen(m: Machine, cls: Value) -> bool:
    """Whether a class inherits from a class whose code is not available."""
    return any(
        not isinstance(one, (Reference, Symbol))
        and not (isinstance(one, External) and one.path in ("object", "abc.ABC"))
        and not _is_plain(one)
        for one in resolve_bases(m, cls)
    )


def _is_plain(value: Value) -> bool:
    from migrate.graph.values import Builtin

    return isinstance(value, Builtin)


def bind(m: Machine, member: Value, receiver: Value, cls: Value) -> Value:
    """A member as it is seen through an object."""
    if isinstance(member, Function):
        return Method(receiver, member)
    if isinstance(member, Wrapped):
        if member.kind == "property":
            from migrate.evaluate import calls

            return calls.call_value(m, member.function, [receiver], {})
        if member.kind == "staticmethod":
            return member.function
        if member.kind == "classmethod":
            return Method(cls, member.function)
        return Method(receiver, member)
    return member


def find_special(m: Machine, value: Value, name: str) -> Value | None:
    """A special method that the program's class of a value has, bound to it."""
    cls = find_class(m, value)
    if cls is None:
        return None
    member = find_member(m, cls, name)
    if member is None:
        return None
    return bind(m, member, value, cls)


def find_super_member(m: Machine, value: Super, name: str) -> Value | None:
    """Returns the member that `super().name` finds."""
    receiver = value.receiver
    is_class = isinstance(receiver, Reference) and receiver.kind == "class"
    cls = receiver if is_class else find_class(m, receiver)
    if cls is None:
        return None
    after = Reference(value.after, "class")
    member = find_member(m, cls, name, after)
    if member is None:
        return None
    if is_class and isinstance(member, Function):
        return Method(receiver, member)
    return bind(m, member, receiver, cls)


def is_subclass(m: Machine, cls: Value, other: Value) -> bool:
    return other in resolve_bases(m, cls)
