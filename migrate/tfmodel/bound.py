"""Arguments by parameter, as TensorFlow 1.15.5's signatures have them."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from migrate.graph.values import Tuple, Unknown, Value
from migrate.tfmodel import method_signatures, names
from migrate.tfmodel.registry import Call, default_of

if TYPE_CHECKING:
    from migrate.evaluate.machine import Machine


@functools.cache
def _parse_parameters(
    parameters: tuple[str, ...],
) -> tuple[tuple[str, ...], dict[str, Value], str, str]:
    """Returns positional names, defaults, and the names of `*args` and `**kwargs`."""
    by_place: list[str] = []
    defaults: dict[str, Value] = {}
    more, others = "", ""
    for one in parameters:
        if one.startswith("**"):
            others = one[2:]
        elif one.startswith("*"):
            more = one[1:]
        else:
            name, _, default = one.partition("=")
            by_place.append(name)
            value = default_of(default) if default else None
            if value is not None:
                defaults[name] = value
    return tuple(by_place), defaults, more, others


def bind(
    m: Machine, symbol: str, label: str, given: list[Value], named: dict[str, Value]
) -> Call | Unknown:
    """A call of a function or a class."""
    parameters = names.parameters(symbol)
    return _bind(m, symbol, label, parameters or (), given, named)


def bind_method(
    m: Machine,
    symbol: str,
    owner: str,
    method: str,
    given: list[Value],
    named: dict[str, Value],
) -> Call | Unknown:
    """A call of a method; `owner` is the label of the class that has it."""
    parameters = method_signatures.of(owner, method)
    return _bind(m, f"{symbol}.{method}", f"{owner}.{method}", parameters, given, named)


def _bind(
    m: Machine,
    symbol: str,
    label: str,
    parameters: tuple[str, ...],
    given: list[Value],
    named: dict[str, Value],
) -> Call | Unknown:
    by_place, defaults, more, others = _parse_parameters(parameters)
    found: dict[str, Value] = dict(zip(by_place, given))
    rest = given[len(by_place) :]
    if rest and more:
        found[more] = Tuple(tuple(rest))
    elif rest and others:
        pass
    elif rest:
        return m.report_problem(f"{symbol} gets more arguments than it has parameters")
    for name, value in named.items():
        if name not in by_place and not others and parameters:
            return m.report_problem(f"{symbol} takes no argument `{name}`")
        found[name] = value
    return Call(m, symbol, label, found, defaults)
