"""Decorators: Python's own, and functions of the program."""

from __future__ import annotations

from typing import TYPE_CHECKING

from migrate.evaluate import calls, joins
from migrate.graph.values import (
    Builtin,
    Choice,
    External,
    Host,
    Own,
    Unknown,
    Value,
    Wrapped,
)

if TYPE_CHECKING:
    from migrate.evaluate.machine import Machine

_KINDS = {"property", "staticmethod", "classmethod"}
_MANAGERS = {"contextlib.contextmanager"}
# Decorators that leave the function what it is, as far as anybody asks here.
_TRANSPARENT = {
    "functools.lru_cache",
    "functools.cache",
    "functools.wraps",
    "functools.total_ordering",
    "abc.abstractmethod",
    "six.add_metaclass",
    "numba.jit",
    "typing.no_type_check",
    "atexit.register",
    "dataclasses.dataclass",
}


def apply(m: Machine, decorator: Value, function: Value) -> Value:
    """The value of a function under a decorator."""
    if isinstance(decorator, Choice):
        return joins.map_choices(m, decorator, lambda d: apply(m, d, function))
    if isinstance(decorator, Builtin) and decorator.name in _KINDS:
        return Wrapped(decorator.name, function)
    if isinstance(decorator, External):
        if decorator.path in _MANAGERS:
            return Wrapped("contextmanager", function)
        if decorator.path in ("abc.abstractproperty", "functools.cached_property"):
            return Wrapped("property", function)
        if decorator.path in _TRANSPARENT:
            return function
        return m.report_problem(f"the decorator {decorator.path}")
    if isinstance(decorator, Host):
        # `@wraps(function)`, `@lru_cache(maxsize=None)`: a call of one of the above.
        return function
    if isinstance(decorator, Unknown):
        return m.report_problem(f"a decorator that is not known: {decorator.reason}")
    if isinstance(decorator, Own) and decorator.name in ("setter", "getter", "deleter"):
        calls.call_value(m, decorator, [function], {})
        return decorator.receiver
    return calls.call_value(m, decorator, [function], {})
