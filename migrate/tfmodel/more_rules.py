"""Rules of shapes of layers, losses and images."""

from __future__ import annotations

from migrate.graph import shapes
from migrate.graph.shapes import Shape
from migrate.graph.values import NONE, Const, Dim, Value
from migrate.tfmodel import rules, tensors
from migrate.tfmodel.registry import Call


def infer_logits_shape(call: Call, first: str) -> Shape | None:
    return rules.shape_of(call, "logits")


def infer_cross_entropy_shape(call: Call, first: str) -> Shape | None:
    shape = shapes.merge(rules.shape_of(call, "logits"), rules.shape_of(call, "labels"))
    axis = call.number("dim", "axis")
    if shape is None:
        return None
    place = len(shape) - 1 if axis is None else axis % max(len(shape), 1)
    return shape[:place] + shape[place + 1 :]


def infer_labels_shape(call: Call, first: str) -> Shape | None:
    shape = rules.shape_of(call, "labels")
    logits = rules.shape_of(call, "logits")
    return shapes.merge(shape, None if logits is None else logits[:-1])


def infer_image_shape(call: Call, first: str) -> Shape | None:
    channels = call.number("channels")
    return (None, None, channels or None)


def infer_cropped_shape(call: Call, first: str) -> Shape | None:
    return call.dims("size")


def infer_where_shape(call: Call, first: str) -> Shape | None:
    return rules.infer_selected_shape(call, first)


def infer_batch_shape(call: Call, first: str) -> Shape | None:
    shape = rules.shape_of(call, "inputs")
    return (None,) if shape is None else shape[:1]


def infer_flat_shape(call: Call, first: str) -> Shape | None:
    shape = rules.shape_of(call, first)
    if shape is None:
        return (None, None)
    if len(shape) == 1:
        return (shape[0], 1)
    return (shape[0], _product(call, shape[1:]))


def _product(call: Call, dims: Shape) -> Dim:
    """The product of dimensions, some of which may be what a run gives."""
    from migrate.evaluate import containers
    from migrate.graph.values import HostDim

    found = shapes.compute_size(dims)
    if found is not None or None in dims:
        return found
    parts = [containers.make_dimension(d) for d in dims]
    return HostDim(call.m.hosts.make("product", *parts, what="a product of dimensions"))


def infer_one_hot_labels_shape(call: Call, first: str) -> Shape | None:
    shape = rules.shape_of(call, "labels")
    depth = tensors.dimension_argument(call.m, call.get("num_classes"))
    return None if shape is None else (*shape, depth)


def pair(call: Call, value: Value, count: int) -> list[Dim]:
    """A number for each spatial dimension, or one for all."""
    dims = tensors.shape_argument(call.m, value)
    if dims is None:
        return [None] * count
    return list(dims) if len(dims) == count else list(dims[:1]) * count


def slide(
    call: Call,
    shape: Shape | None,
    kernel: Value,
    strides: Value,
    padding: str | None,
    channels: Dim,
    *,
    rate: Value = NONE,
    channels_first: bool = False,
) -> Shape | None:
    """The shape after a window has slid over the spatial dimensions."""
    if shape is None or len(shape) < 3:
        return None
    count = len(shape) - 2
    sizes, steps = pair(call, kernel, count), pair(call, strides, count)
    rates = [1] * count if rate == NONE else pair(call, rate, count)
    space = shape[2:] if channels_first else shape[1:-1]
    moved: list[Dim] = []
    for dim, size, step, spread in zip(space, sizes, steps, rates):
        if not isinstance(step, int) or padding is None:
            moved.append(None)
            continue
        moved.append(
            shapes.compute_window(
                dim, size, step, padding, spread if isinstance(spread, int) else 1
            )
        )
    if channels_first:
        return (shape[0], channels, *moved)
    return (shape[0], *moved, channels)


def infer_pooling_layer_shape(call: Call, first: str) -> Shape | None:
    shape = rules.shape_of(call, "inputs")
    front = call.text("data_format") == "channels_first"
    channels = None if shape is None or len(shape) < 3 else shape[1 if front else -1]
    return slide(
        call,
        shape,
        call.get("pool_size"),
        call.get("strides"),
        call.text("padding"),
        channels,
        channels_first=front,
    )


def infer_contrib_pooling_shape(call: Call, first: str) -> Shape | None:
    shape = rules.shape_of(call, "inputs")
    channels = None if shape is None or len(shape) < 3 else shape[-1]
    strides = call.get("stride")
    return slide(
        call,
        shape,
        call.get("kernel_size"),
        Const(2) if strides == NONE else strides,
        call.text("padding"),
        channels,
    )
