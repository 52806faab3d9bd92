"""Recurrent cells and the functions that run them along a sequence."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING

from migrate.evaluate import calls, containers, objects
from migrate.graph.values import (
    NONE,
    Const,
    Dim,
    Reference,
    Symbol,
    Tensor,
    Tuple,
    Unknown,
    Value,
)
from migrate.tfmodel import graphs, scopes, tensors, variables
from migrate.tfmodel.layers import Weight
from migrate.tfmodel.registry import (
    CLASSES,
    PARENTS,
    Call,
    attribute,
    class_,
    fields_of,
    keep,
    label_of,
    method,
)

if TYPE_CHECKING:
    from migrate.evaluate.machine import Machine

CELL = "tf.nn.rnn_cell.RNNCell"


def _self(call: Call) -> Reference:
    assert isinstance(call.receiver, Reference)
    return call.receiver


def add(one: Dim, other: Dim) -> Dim:
    return one + other if isinstance(one, int) and isinstance(other, int) else None


def times(one: Dim, count: int) -> Dim:
    return one * count if isinstance(one, int) else None


@dataclasses.dataclass(frozen=True, slots=True)
class Cell:
    """A kind of cell.

    Attributes:
      scope: the name of its scope.
      weights: its variables for an input's width.
      states: widths of its state's parts, by name; one part alone is no tuple.
    """

    scope: str
    weights: Callable[[Call, Dim, Dim], list[Weight]]
    states: tuple[str, ...]


def _lstm(call: Call, width: Dim, units: Dim) -> list[Weight]:
    start = _field(call, "initializer")
    projected = _units(call, "num_proj")
    inner = projected if projected is not None else units
    found = [
        Weight("kernel", (add(width, inner), times(units, 4)), start),
        Weight("bias", (times(units, 4),), Const("zeros")),
    ]
    if _field(call, "use_peepholes") == Const(True):
        found += [Weight(f"w_{g}_diag", (units,), start) for g in ("f", "i", "o")]
    if projected is not None:
        found.append(Weight("projection/kernel", (units, projected), start))
    return found


def _gru(call: Call, width: Dim, units: Dim) -> list[Weight]:
    kernel, bias = _field(call, "kernel_initializer"), _field(call, "bias_initializer")
    return [
        Weight("gates/kernel", (add(width, units), times(units, 2)), kernel),
        Weight(
            "gates/bias", (times(units, 2),), Const("ones") if bias == NONE else bias
        ),
        Weight("candidate/kernel", (add(width, units), units), kernel),
        Weight("candidate/bias", (units,), Const("zeros") if bias == NONE else bias),
    ]


def _basic(call: Call, width: Dim, units: Dim) -> list[Weight]:
    return [
        Weight("kernel", (add(width, units), units), NONE),
        Weight("bias", (units,), Const("zeros")),
    ]


CELLS: dict[str, Cell] = {
    "tf.nn.rnn_cell.BasicLSTMCell": Cell("basic_lstm_cell", _lstm, ("c", "h")),
    "tf.nn.rnn_cell.LSTMCell": Cell("lstm_cell", _lstm, ("c", "h")),
    "tf.nn.rnn_cell.GRUCell": Cell("gru_cell", _gru, ("",)),
    "tf.nn.rnn_cell.BasicRNNCell": Cell("basic_rnn_cell", _basic, ("",)),
}


def _field(call: Call, name: str) -> Value:
    return fields_of(call.m, _self(call), name)


def _units(call: Call, *names: str) -> Dim:
    for name in names:
        found = _field(call, name)
        if found != NONE:
            return tensors.dimension_argument(call.m, found)
    return None


def _keep_arguments(call: Call) -> Value:
    keep(call.m, _self(call), **call.given)
    return NONE


for _symbol in (*CELLS, CELL):
    CLASSES[label_of(_symbol)] = _keep_arguments
    if _symbol != CELL:
        PARENTS[label_of(_symbol)] = label_of(CELL)


def cell_of(m: Machine, value: Value) -> Cell | None:
    """The kind of a cell that TensorFlow defines."""
    cls = objects.find_class(m, value)
    if isinstance(cls, Symbol):
        for known, row in CELLS.items():
            if label_of(known) == label_of(cls.path):
                return row
    return None


@method(CELL, "__call__", "call", "apply")
def call_cell(call: Call) -> Value:
    """One step of a cell: its output, and its state."""
    m, own = call.m, _self(call)
    row = cell_of(m, own)
    if row is None:
        return call.problem("a cell of another kind")
    inputs, state = call.get("inputs"), call.get("state")
    for one in (inputs, state):
        if isinstance(one, Unknown):
            return one
    width = _last(m, inputs)
    units = _units(call, "num_units")
    node = call.node()
    made = build(call, row, width, units, node)
    if isinstance(made, Unknown):
        return made
    about = tensors.about(m, inputs)
    batch = about.shape[0] if about.shape else None
    output = _units(call, "num_proj") or units
    graph = graphs.current(m)
    name = f"{graphs.scope(m)}/{row.scope}" if graphs.scope(m) else row.scope
    del name
    result = Tensor(node, "0", about.dtype, (batch, output), None, graph)
    return Tuple((result, _state(call, node, row, about.dtype, batch, units, output)))


def _last(m: Machine, value: Value) -> Dim:
    shape = tensors.about(m, value).shape
    return shape[-1] if shape else None


def _state(
    call: Call,
    node: int,
    row: Cell,
    dtype: str | None,
    batch: Dim,
    units: Dim,
    output: Dim,
) -> Value:
    graph = graphs.current(call.m)
    if row.states == ("",):
        return Tensor(node, "1", dtype, (batch, output), None, graph)
    if _field(call, "state_is_tuple") == Const(False):
        return Tensor(node, "1", dtype, (batch, times(units, 2)), None, graph)
    c = Tensor(node, "1.0", dtype, (batch, units), None, graph)
    h = Tensor(node, "1.1", dtype, (batch, output), None, graph)
    return Tuple((c, h), ("c", "h"), "LSTMStateTuple")


def build(
    call: Call, row: Cell, width: Dim, units: Dim, node: int
) -> tuple[Value, ...] | Unknown:
    """A cell's variables: made at its first step, and the same ones afterwards."""
    m, own = call.m, _self(call)
    key = (own.address, "weights", graphs.current(m))
    known = m.store.get(key, None)
    if not isinstance(known, tuple):
        scope = graphs.text_of(_field(call, "name")) or row.scope
        given = call.get("scope")
        name = graphs.text_of(given)
        held = scopes.of_object(m, given) if given != NONE and name is None else None
        reuse = scopes.reuse_of(call, _field(call, "_reuse"))
        if reuse == "no":
            reuse = scopes.reuse_of(call, _field(call, "reuse"))
        opened, inside = scopes.enter(m, held or name or None, scope, reuse=reuse)
        control = graphs.control(m)
        graphs.set_control(m, ())
        made: list[Value] = []
        for weight in row.weights(call, width, units):
            one = variables.obtain(
                call,
                weight.name,
                weight.shape,
                "float32",
                weight.initializer,
                trainable=weight.trainable,
                scope=inside,
                node=node,
            )
            if isinstance(one, Unknown):
                scopes.leave(m, opened)
                graphs.set_control(m, control)
                return one
            made.append(one)
        graphs.set_control(m, control)
        scopes.leave(m, opened)
        known = tuple(made)
        m.store.set(key, known)
    record = m.record.nodes
    record[node] = dataclasses.replace(
        record[node], needs=(*record[node].needs, *known)
    )
    return known


@method(CELL, "zero_state")
def _zero_state(call: Call) -> Value:
    m = call.m
    row = cell_of(m, call.receiver)
    if row is None:
        return _zero_of_wrapped(call)
    batch = tensors.dimension_argument(m, call.get("batch_size"))
    if isinstance(call.get("batch_size"), Unknown):
        return call.get("batch_size")
    units = _units(call, "num_units")
    kind = objects.find_class(m, call.receiver)
    name = kind.path.rpartition(".")[2] if isinstance(kind, Symbol) else "Cell"
    graphs.unique(m, f"{name}ZeroState")
    node = call.node()
    output = _units(call, "num_proj") or units
    return _state(call, node, row, call.dtype("dtype"), batch, units, output)


def _zero_of_wrapped(call: Call) -> Value:
    """The state of a cell that holds others."""
    m, own = call.m, _self(call)
    given = [call.get("batch_size"), call.get("dtype")]
    inner = fields_of(m, own, "cell")
    if inner != NONE:
        return ask(m, inner, "zero_state", given)
    many = fields_of(m, own, "cells")
    if many != NONE:
        parts = [
            ask(m, c, "zero_state", given) for c in calls.iterate_over(m, many) or []
        ]
        for part in parts:
            if isinstance(part, Unknown):
                return part
        return Tuple(tuple(parts))
    size = _attribute(m, own, "state_size")
    units = tensors.dimension_argument(m, size)
    batch = tensors.dimension_argument(m, call.get("batch_size"))
    node = call.node()
    parts_of = containers.list_elements(m, size)
    if parts_of is not None and not isinstance(size, Const):
        made = [
            call.tensor(
                node,
                call.dtype("dtype"),
                (batch, tensors.dimension_argument(m, s)),
                None,
                str(i),
            )
            for i, s in enumerate(parts_of)
        ]
        names = size.names if isinstance(size, Tuple) else ()
        return Tuple(tuple(made), names, "LSTMStateTuple" if names else "")
    return call.tensor(node, call.dtype("dtype"), (batch, units), None)


def ask(m: Machine, value: Value, name: str, given: list[Value]) -> Value:
    from migrate.evaluate import attributes

    return calls.call_value(m, attributes.get(m, value, name), given, {})


def _attribute(m: Machine, value: Value, name: str) -> Value:
    from migrate.evaluate import attributes

    return attributes.get(m, value, name)


@attribute(CELL, "output_size", "state_size")
def _sizes(call: Call) -> Value:
    m, own = call.m, _self(call)
    name = call.symbol.rpartition(".")[2]
    inner = fields_of(m, own, "cell")
    if inner != NONE:
        return _attribute(m, inner, name)
    many = fields_of(m, own, "cells")
    if many != NONE:
        parts = [_attribute(m, c, name) for c in calls.iterate_over(m, many) or []]
        return parts[-1] if name == "output_size" and parts else Tuple(tuple(parts))
    row = cell_of(m, own)
    units = fields_of(m, own, "num_units")
    if row is None:
        return call.unknown("its size")
    projected = fields_of(m, own, "num_proj")
    output = units if projected == NONE else projected
    if name == "output_size" or row.states == ("",):
        return output
    return Tuple((units, output), ("c", "h"), "LSTMStateTuple")


# -- cells that hold others --


@class_("tf.nn.rnn_cell.MultiRNNCell", below=CELL)
def _multi(call: Call) -> Value:
    return _keep_arguments(call)


@method("tf.nn.rnn_cell.MultiRNNCell", "__call__", "call")
def _call_multi(call: Call) -> Value:
    m, own = call.m, _self(call)
    cells = calls.iterate_over(m, fields_of(m, own, "cells"))
    state = call.get("state")
    if cells is None:
        return call.unknown("its cells")
    states = containers.list_elements(m, state)
    if states is None or len(states) != len(cells):
        if fields_of(m, own, "state_is_tuple") == Const(False):
            return call.problem("cells whose states are one tensor")
        return call.unknown("its states")
    key = (own.address, "multiscope", graphs.current(m))
    known = m.store.get(key, None)
    if isinstance(known, scopes.VariableScope):
        opened, inside = scopes.enter(m, known)
    else:
        given = graphs.text_of(call.get("scope"))
        opened, inside = scopes.enter(m, given, "multi_rnn_cell")
        m.store.set(key, inside)
    value = call.get("inputs")
    after: list[Value] = []
    for index, (cell, one) in enumerate(zip(cells, states)):
        below, _ = scopes.enter(m, f"cell_{index}")
        result = calls.call_value(m, cell, [value, one], {})
        scopes.leave(m, below)
        parts = containers.list_elements(m, result)
        if parts is None or len(parts) != 2:
            scopes.leave(m, opened)
            return (
                result
                if isinstance(result, Unknown)
                else call.unknown("a cell's result")
            )
        value, new = parts
        after.append(new)
    scopes.leave(m, opened)
    return Tuple((value, Tuple(tuple(after))))


def _wrapper(symbol: str) -> None:
    def call_inner_cell(call: Call) -> Value:
        m, own = call.m, _self(call)
        inner = fields_of(m, own, "cell")
        result = calls.call_value(m, inner, [call.get("inputs"), call.get("state")], {})
        parts = containers.list_elements(m, result)
        if parts is None or len(parts) != 2:
            return result
        return Tuple((_same_as(m, parts[0]), parts[1]))

    class_(symbol, below=CELL)(_keep_arguments)
    method(symbol, "__call__", "call")(call_inner_cell)


def _same_as(m: Machine, value: Value) -> Value:
    return value


_wrapper("tf.nn.rnn_cell.DropoutWrapper")
_wrapper("tf.nn.rnn_cell.DeviceWrapper")
_wrapper("tf.nn.rnn_cell.ResidualWrapper")


@class_("tf.nn.rnn_cell.LSTMStateTuple")
def _state_tuple(call: Call) -> Value:
    return Tuple((call.get("c"), call.get("h")), ("c", "h"), "LSTMStateTuple")
