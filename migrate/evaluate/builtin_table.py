"""Registers the functions that evaluate calls of Python's builtins."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from migrate.graph.values import Value

if TYPE_CHECKING:
    from migrate.evaluate.machine import Machine

Handler = Callable[["Machine", list[Value], dict[str, Value]], Value]
HANDLERS: dict[str, Handler] = {}


def register_handler(name: str) -> Callable[[Handler], Handler]:
    def register(function: Handler) -> Handler:
        HANDLERS[name] = function
        return function

    return register
