"""Finds the tensors and variables with a gradient; evaluates `tf.gradients`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from migrate.evaluate import containers
from migrate.graph.values import (
    NONE,
    Choice,
    Const,
    Operation,
    Tensor,
    Tuple,
    Unknown,
    Value,
    VariableValue,
)
from migrate.tfmodel import tensors
from migrate.tfmodel.registry import Call, as_list, function

if TYPE_CHECKING:
    from migrate.evaluate.machine import Machine

# Operations that end a path: their gradient is None.
_STOPS = frozenset(
    {
        "tf.stop_gradient",
        "tf.zeros_like",
        "tf.ones_like",
        "tf.floor",
        "tf.ceil",
        "tf.round",
    }
    | {
        "tf.rint",
        "tf.shape",
        "tf.size",
        "tf.rank",
        "tf.argmax",
        "tf.argmin",
        "tf.one_hot",
    }
    | {"tf.image.draw_bounding_boxes", "tf.histogram_fixed_width", "tf.math.floor"}
)
# Arguments through which no gradient goes.
_BLOCKED = {
    "tf.nn.softmax_cross_entropy_with_logits": ("labels",),
    "tf.losses.softmax_cross_entropy": ("onehot_labels",),
    "tf.where": ("condition",),
}


def _flows(value: Value) -> bool:
    """Whether gradients go through a value of this type."""
    dtype = getattr(value, "dtype", None)
    return dtype is None or str(dtype).startswith(("float", "bfloat", "complex"))


def find_values_with_gradients(
    m: Machine, roots: Iterable[Value]
) -> tuple[set[Value], Unknown | None]:
    """Finds the tensors and variables that have a gradient, and what is not known."""
    found: set[Value] = set()
    nodes: set[int] = set()
    work = list(roots)
    unknown: Unknown | None = None
    while work:
        value = m.resolve(work.pop())
        if isinstance(value, Unknown):
            unknown = unknown or value
        elif isinstance(value, Choice):
            work += [value.yes, value.no]
        elif isinstance(value, Tuple):
            work += value.items
        elif isinstance(value, VariableValue):
            if _flows(value):
                found.add(value)
        elif isinstance(value, Tensor) and _flows(value):
            if value in found:
                continue
            found.add(value)
            if value.node in nodes or value.node < 0:
                continue
            nodes.add(value.node)
            node = m.record.nodes[value.node]
            if node.symbol in _STOPS:
                continue
            blocked = _BLOCKED.get(node.symbol, ())
            work += [v for k, v in node.given.items() if k not in blocked]
            work += node.needs
        elif not isinstance(value, (Operation, Const)):
            # Letters of a text are texts again, without an end.
            items = containers.list_elements(m, value)
            if items is not None:
                work += items
    return found, unknown


def variables_of(m: Machine, found: set[Value]) -> set[int]:
    return {v.number for v in found if isinstance(v, VariableValue)}


@function("tf.gradients", "tf.hessians")
def _gradients(call: Call) -> Value:
    m = call.m
    targets, sources = call.get("ys"), call.get("xs")
    if isinstance(targets, Unknown) or isinstance(sources, Unknown):
        return targets if isinstance(targets, Unknown) else sources
    listed = as_list(m, sources)
    for one in listed:
        if isinstance(one, Unknown):
            return one
    found, unknown = find_values_with_gradients(m, as_list(m, targets))
    if unknown is not None:
        return unknown
    call.name_of("gradients")
    node = call.node()
    numbers = variables_of(m, found)
    made: list[Value] = []
    for index, source in enumerate(listed):
        known = (
            source.number in numbers
            if isinstance(source, VariableValue)
            else any(_same_tensor(source, f) for f in found)
        )
        if not known:
            made.append(NONE)
            continue
        about = tensors.about(m, source)
        made.append(call.tensor(node, about.dtype, about.shape, None, str(index)))
    return containers.make_list(m, made)


def _same_tensor(one: Value, other: Value) -> bool:
    return (
        isinstance(one, Tensor)
        and isinstance(other, Tensor)
        and (one.node, one.output) == (other.node, other.output)
    )
