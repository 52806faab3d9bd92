"""Functions that run a recurrent cell along a sequence."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from migrate.evaluate import calls, containers
from migrate.graph.shapes import Shape
from migrate.graph.values import (
    NONE,
    Choice,
    Const,
    Dim,
    Tensor,
    Tuple,
    Unknown,
    Value,
)
from migrate.tfmodel import graphs, scopes, tensors
from migrate.tfmodel.registry import (
    Call,
    function,
)

if TYPE_CHECKING:
    from migrate.evaluate.machine import Machine
from migrate.tfmodel.recurrent import add, ask


def _enter(
    call: Call, base: str
) -> tuple[scopes.Opened, scopes.VariableScope] | Unknown:
    given = call.get("scope")
    name = graphs.text_of(given)
    held = scopes.of_object(call.m, given) if given != NONE and name is None else None
    if given != NONE and name is None and held is None:
        return call.problem("the scope is unknown")
    return scopes.enter(call.m, held or name or base)


@function("tf.nn.dynamic_rnn")
def _dynamic_rnn(call: Call) -> Value:
    m = call.m
    inputs = call.get("inputs")
    for one in (inputs, call.get("cell")):
        if isinstance(one, Unknown):
            return one
    opened = _enter(call, "rnn")
    if isinstance(opened, Unknown):
        return opened
    entered, _ = opened
    node = call.node()
    result = _unroll(call, node, call.get("cell"), inputs, call.get("initial_state"))
    scopes.leave(m, entered)
    return result


def _unroll(call: Call, node: int, cell: Value, inputs: Value, begin: Value) -> Value:
    """A cell along the time of a tensor: outputs for each step, and the last state."""
    m = call.m
    about = tensors.about(m, inputs)
    major = call.flag("time_major") is True
    shape = about.shape
    if shape is not None and len(shape) < 3:
        return call.unknown("the rank of its input")
    time, batch = (
        (shape[:2] if major else (shape[1], shape[0])) if shape else (None, None)
    )
    graph = graphs.current(m)
    step_shape: Shape | None = None if shape is None else (batch, *shape[2:])
    step = Tensor(node, "in", about.dtype, step_shape, None, graph)
    outer = m.store.get((graph, "parent"), -1)
    state = begin
    if state == NONE:
        rows = _batch_value(m, batch)
        dtype = call.get("dtype")
        state = ask(m, cell, "zero_state", [rows, dtype])
    if isinstance(state, Unknown):
        return state
    m.store.set((graph, "parent"), node)
    result = calls.call_value(m, cell, [step, state], {})
    m.store.set((graph, "parent"), outer)
    parts = containers.list_elements(m, result)
    if isinstance(result, Unknown) or parts is None or len(parts) != 2:
        return (
            result if isinstance(result, Unknown) else call.unknown("the cell's result")
        )
    absorb(call, node, (begin,) if begin != NONE else ())
    one = tensors.about(m, parts[0])
    tail = one.shape[1:] if one.shape is not None else None
    whole: Shape | None = None
    if tail is not None:
        whole = (time, batch, *tail) if major else (batch, time, *tail)
    outputs = Tensor(node, "0", one.dtype, whole, None, graph)
    return Tuple((outputs, _last_state(call, node, parts[1], "1")))


def _batch_value(m: Machine, batch: Dim) -> Value:
    if batch is None:
        return Const(None)
    return containers.make_dimension(batch)


def absorb(call: Call, node: int, more: tuple[Value, ...]) -> None:
    """The nodes that a function adds inside are its own: it needs what they need.

    A cell's step is part of the loop: TensorFlow's own cells add to the call that runs them.
    """
    m = call.m
    nodes = m.record.nodes
    inner = [n for n in nodes[node + 1 :] if n.parent == node]
    needs: list[Value] = list(nodes[node].needs)
    for one in inner:
        needs += one.needs
    kept = tuple(dict.fromkeys((*needs, *more)))
    nodes[node] = dataclasses.replace(nodes[node], needs=kept)


def _last_state(call: Call, node: int, value: Value, output: str) -> Value:
    m = call.m
    value = m.resolve(value)
    if isinstance(value, Tuple):
        parts = tuple(
            _last_state(call, node, v, f"{output}.{i}")
            for i, v in enumerate(value.items)
        )
        return Tuple(parts, value.names, value.kind)
    if isinstance(value, (Unknown, Choice)):
        return value
    about = tensors.about(m, value)
    return Tensor(node, output, about.dtype, about.shape, None, graphs.current(m))


@function("tf.nn.static_rnn", "tf.contrib.legacy_seq2seq.rnn_decoder")
def _static_rnn(call: Call) -> Value:
    m = call.m
    steps = call.items("inputs", "decoder_inputs")
    if steps is None:
        return call.unknown("its inputs")
    for one in (*steps, call.get("cell")):
        if isinstance(one, Unknown):
            return one
    is_decoder = call.symbol.endswith("rnn_decoder")
    opened = _enter(call, "rnn_decoder" if is_decoder else "rnn")
    if isinstance(opened, Unknown):
        return opened
    entered, _ = opened
    node = call.node()
    result = _steps(call, node, call.get("cell"), steps, call.get("initial_state"))
    scopes.leave(m, entered)
    return result


def _steps(
    call: Call, node: int, cell: Value, steps: list[Value], begin: Value
) -> Value:
    m = call.m
    graph = graphs.current(m)
    about = tensors.about(m, steps[0])
    batch = about.shape[0] if about.shape else None
    state = begin
    if state == NONE:
        state = ask(m, cell, "zero_state", [_batch_value(m, batch), call.get("dtype")])
    if isinstance(state, Unknown):
        return state
    outer = m.store.get((graph, "parent"), -1)
    m.store.set((graph, "parent"), node)
    result = calls.call_value(
        m, cell, [Tensor(node, "in", about.dtype, about.shape, None, graph), state], {}
    )
    m.store.set((graph, "parent"), outer)
    parts = containers.list_elements(m, result)
    if isinstance(result, Unknown) or parts is None or len(parts) != 2:
        return (
            result if isinstance(result, Unknown) else call.unknown("the cell's result")
        )
    absorb(call, node, (begin,) if begin != NONE else ())
    one = tensors.about(m, parts[0])
    outputs = [
        Tensor(node, f"0.{i}", one.dtype, one.shape, None, graph)
        for i in range(len(steps))
    ]
    last = _last_state(call, node, parts[1], "1")
    return Tuple((containers.make_list(m, outputs), last))


@function("tf.nn.bidirectional_dynamic_rnn")
def _bidirectional(call: Call) -> Value:
    m = call.m
    inputs = call.get("inputs")
    for one in (inputs, call.get("cell_fw"), call.get("cell_bw")):
        if isinstance(one, Unknown):
            return one
    opened = _enter(call, "bidirectional_rnn")
    if isinstance(opened, Unknown):
        return opened
    entered, _ = opened
    node = call.node()
    both: list[Value] = []
    for way in ("fw", "bw"):
        below, _ = scopes.enter(m, way)
        result = _unroll(
            call,
            node,
            call.get(f"cell_{way}"),
            inputs,
            call.get(f"initial_state_{way}"),
        )
        scopes.leave(m, below)
        if isinstance(result, Unknown):
            scopes.leave(m, entered)
            return result
        both.append(_under(result, way))
    scopes.leave(m, entered)
    first, second = (b.items for b in both if isinstance(b, Tuple))
    return Tuple((Tuple((first[0], second[0])), Tuple((first[1], second[1]))))


def _under(value: Value, way: str) -> Value:
    """Outputs of one direction, told apart from the other's."""
    if isinstance(value, Tuple):
        return Tuple(
            tuple(_under(v, way) for v in value.items), value.names, value.kind
        )
    if isinstance(value, Tensor):
        return dataclasses.replace(value, output=f"{way}.{value.output}")
    return value


@function("tf.nn.static_bidirectional_rnn")
def _static_bidirectional(call: Call) -> Value:
    m = call.m
    steps = call.items("inputs")
    if steps is None:
        return call.unknown("its inputs")
    opened = _enter(call, "bidirectional_rnn")
    if isinstance(opened, Unknown):
        return opened
    entered, _ = opened
    node = call.node()
    both: list[Tuple] = []
    for way in ("fw", "bw"):
        below, _ = scopes.enter(m, way)
        result = _steps(
            call, node, call.get(f"cell_{way}"), steps, call.get(f"initial_state_{way}")
        )
        scopes.leave(m, below)
        if not isinstance(result, Tuple):
            scopes.leave(m, entered)
            return result
        moved = _under(result, way)
        assert isinstance(moved, Tuple)
        both.append(moved)
    scopes.leave(m, entered)
    graph = graphs.current(m)
    outputs: list[Value] = []
    one = containers.list_elements(m, both[0].items[0]) or []
    two = containers.list_elements(m, both[1].items[0]) or []
    for index, (a, b) in enumerate(zip(one, two)):
        left, right = tensors.about(m, a), tensors.about(m, b)
        width = add(
            left.shape[-1] if left.shape else None,
            right.shape[-1] if right.shape else None,
        )
        shape = (*left.shape[:-1], width) if left.shape else None
        outputs.append(Tensor(node, f"0.{index}", left.dtype, shape, None, graph))
    return Tuple((containers.make_list(m, outputs), both[0].items[1], both[1].items[1]))


@function("tf.nn.raw_rnn")
def _raw(call: Call) -> Value:
    return call.problem("a loop function")
