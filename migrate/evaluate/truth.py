"""Whether a value counts as true."""

from __future__ import annotations

from typing import TYPE_CHECKING

from migrate.evaluate import containers
from migrate.graph.values import (
    Builtin,
    Choice,
    Const,
    External,
    Function,
    Host,
    Method,
    Module,
    Reference,
    Symbol,
    Tuple,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    from migrate.evaluate.machine import Machine


def find_truth(m: Machine, value: Value) -> bool | Host | Unknown:
    """True, False, or the host value that a run tests."""
    if isinstance(value, Const):
        return bool(value.value)
    if isinstance(value, (Host, Unknown)):
        return value
    if isinstance(value, Tuple):
        return bool(value.items)
    if isinstance(value, (Function, Method, Module, Symbol, External, Builtin)):
        return True
    if isinstance(value, Choice):
        return _decide_choice(m, value)
    if isinstance(value, Reference):
        if value.kind in ("list", "dict", "set"):
            items = containers.read_contents(m, value)
            if isinstance(items, tuple):
                return bool(items)
            return m.hosts.make_fresh("whether there are any")
        if value.kind == "class":
            return True
    found = m.library.find_truth(m, value)
    return True if found is None else found


def _decide_choice(m: Machine, value: Choice) -> bool | Host | Unknown:
    yes, no = find_truth(m, m.resolve(value.yes)), find_truth(m, m.resolve(value.no))
    if isinstance(yes, bool) and yes is no:
        return yes
    test = Host(value.test, m.hosts.describe_host(value.test))
    if yes is True and no is False:
        return test
    if yes is False and no is True:
        return m.hosts.make_negation(test)
    for one in (yes, no):
        if isinstance(one, Unknown):
            return one
    parts = [Const(p) if isinstance(p, bool) else p for p in (yes, no)]
    return m.hosts.make("choice", test, *parts, what=f"a value by {test.what}")
