"""Methods of tensors, variables and operations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from migrate.graph.shapes import merge
from migrate.graph.values import (
    NONE,
    Operation,
    ShapeValue,
    Tensor,
    Unknown,
    Value,
    VariableValue,
)
from migrate.tfmodel import graphs, tensors

if TYPE_CHECKING:
    from migrate.evaluate.machine import Machine

_ASSIGNS = {"assign": "Assign", "assign_add": "AssignAdd", "assign_sub": "AssignSub"}
_OPERATORS = {
    "__add__": "add",
    "__sub__": "sub",
    "__mul__": "mul",
    "__truediv__": "truediv",
    "__div__": "truediv",
    "__mod__": "mod",
    "__pow__": "pow",
    "__gt__": "gt",
    "__lt__": "lt",
    "__ge__": "ge",
    "__le__": "le",
}


def call(
    m: Machine,
    receiver: Tensor | VariableValue | Operation,
    name: str,
    given: list[Value],
    named: dict[str, Value],
) -> Value:
    """`receiver.name(...)`."""
    if name in ("eval", "run"):
        from migrate.tfmodel import sessions

        # A variable's `eval` has no feeds.
        place = 0 if isinstance(receiver, VariableValue) else 1
        session = named.get("session", given[place] if len(given) > place else NONE)
        feeds = named.get("feed_dict", given[0] if given and place else NONE)
        return sessions.run_by_method(m, session, receiver, feeds)
    if isinstance(receiver, Operation):
        return m.make_unknown(f"`.{name}` of an operation")
    if name == "get_shape":
        return ShapeValue(receiver.shape)
    if name in _OPERATORS:
        from migrate.tfmodel import operators

        found = operators.binary(m, _OPERATORS[name], receiver, given[0])
        return m.make_unknown(name) if found is None else found
    if isinstance(receiver, VariableValue):
        return _of_variable(m, receiver, name, given, named)
    if name == "set_shape":
        return _set_shape(m, receiver, given)
    if name in ("consumers", "__hash__"):
        return m.make_unknown(f"`.{name}` of a tensor")
    return m.make_unknown(f"`.{name}` of a tensor")


def _set_shape(m: Machine, receiver: Tensor, given: list[Value]) -> Value:
    """Merges a shape into a tensor, in every name that has the tensor."""
    wanted = tensors.shape_argument(m, given[0]) if given else None
    better = merge(receiver.shape, wanted)
    if better == receiver.shape:
        return NONE
    new = Tensor(
        receiver.node,
        receiver.output,
        receiver.dtype,
        better,
        receiver.name,
        receiver.graph,
    )
    m.store.replace(receiver, new)
    return NONE


def _of_variable(
    m: Machine,
    receiver: VariableValue,
    name: str,
    given: list[Value],
    named: dict[str, Value],
) -> Value:
    label = f"{tensors.VARIABLE}.{name}"
    if name in _ASSIGNS:
        return assign(m, receiver, name, given, named, label)
    if name in ("value", "read_value", "initialized_value"):
        if name == "value":
            return receiver
        node = graphs.add(m, label, f"variable.{name}", {"self": receiver}, (receiver,))
        return Tensor(node, "0", receiver.dtype, receiver.shape, None, receiver.graph)
    if name == "load":
        m.report_problem("a variable is loaded by hand")
        return NONE
    if name == "op":
        return Operation(-1, receiver.name, receiver.graph)
    if name == "set_shape":
        return NONE
    if name in ("scatter_update", "scatter_add", "scatter_sub", "count_up_to"):
        node = graphs.add(
            m, label, f"variable.{name}", {"self": receiver, **named}, (receiver,)
        )
        return Tensor(node, "0", receiver.dtype, receiver.shape, None, receiver.graph)
    return m.make_unknown(f"`.{name}` of a variable")


def assign(
    m: Machine,
    receiver: Value,
    name: str,
    given: list[Value],
    named: dict[str, Value],
    label: str,
) -> Value:
    """An assignment: its result is the variable's new value."""
    value = given[0] if given else named.get("value", named.get("delta", NONE))
    for one in (receiver, value):
        if isinstance(one, Unknown):
            return one
    own = graphs.text_of(named.get("name", given[2] if len(given) > 2 else NONE))
    whole = graphs.unique(m, own or _ASSIGNS[name])
    node = graphs.add(
        m, label, f"variable.{name}", {"self": receiver, "value": value}, (receiver,)
    )
    found = tensors.about(m, receiver)
    full = None if whole is None else f"{whole}:0"
    return Tensor(node, "0", found.dtype, found.shape, full, graphs.current(m))
