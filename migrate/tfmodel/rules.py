"""Rules of shapes: how an operation's result follows from what it is given."""

from __future__ import annotations

from collections.abc import Callable

from migrate.evaluate import containers
from migrate.graph import shapes
from migrate.graph.shapes import Shape
from migrate.graph.values import NONE, Const, Dim, HostDim, Tensor
from migrate.tfmodel import tensors
from migrate.tfmodel.registry import Call

Rule = Callable[[Call, str], Shape | None]


def shape_of(call: Call, *parameters: str) -> Shape | None:
    """The static shape of an argument."""
    return tensors.about(call.m, call.get(*parameters)).shape


def axes_of(call: Call, rank: int, *parameters: str) -> list[int] | None:
    """Axes that an argument names, from 0; None where they are not known."""
    value = call.get(*parameters)
    if value == NONE:
        return list(range(rank))
    items = containers.list_elements(call.m, value)
    found: list[int] = []
    for item in (
        items if items is not None and not isinstance(value, Const) else [value]
    ):
        number = tensors.constant_of(call.m, item)
        if not isinstance(number, int):
            return None
        found.append(number % rank if rank else number)
    return found


def infer_same_shape(call: Call, first: str) -> Shape | None:
    return shape_of(call, first)


def infer_no_shape(call: Call, first: str) -> Shape | None:
    return None


def infer_scalar_shape(call: Call, first: str) -> Shape | None:
    return ()


def infer_vector_shape(call: Call, first: str) -> Shape | None:
    return (None,)


def infer_broadcast_shape(call: Call, first: str) -> Shape | None:
    other = [p for p in call.given if p not in (first, "name")]
    second = "y" if "y" in other else other[0] if other else first
    return shapes.broadcast(shape_of(call, first), shape_of(call, second))


def infer_samples_shape(call: Call, first: str) -> Shape | None:
    shape = shape_of(call, first)
    count = tensors.dimension_argument(call.m, call.get("num_samples"))
    return (shape[0] if shape else None, count)


def infer_linspace_shape(call: Call, first: str) -> Shape | None:
    return (tensors.dimension_argument(call.m, call.get("num")),)


def infer_reduced_shape(call: Call, first: str) -> Shape | None:
    shape = shape_of(call, first)
    keep = call.flag("keepdims", "keep_dims") or False
    if call.get("axis", "reduction_indices", "axes", "dim") == NONE and not keep:
        return ()
    if shape is None:
        return None
    axes = axes_of(call, len(shape), "axis", "reduction_indices", "axes", "dim")
    if axes is None:
        return None
    if keep:
        return tuple(1 if i in axes else d for i, d in enumerate(shape))
    return tuple(d for i, d in enumerate(shape) if i not in axes)


def infer_argmax_shape(call: Call, first: str) -> Shape | None:
    shape = shape_of(call, first)
    if shape is None:
        return None
    axis = call.get("axis", "dimension")
    place = 0 if axis == NONE else tensors.constant_of(call.m, axis)
    if not isinstance(place, int) or not shape:
        return (None,) * (len(shape) - 1) if shape else None
    place %= len(shape)
    return shape[:place] + shape[place + 1 :]


def infer_matmul_shape(call: Call, first: str) -> Shape | None:
    a, b = shape_of(call, "a"), shape_of(call, "b")
    if a is None or b is None or len(a) < 2 or len(b) < 2:
        return None
    if call.flag("transpose_a", "adjoint_a"):
        a = (*a[:-2], a[-1], a[-2])
    if call.flag("transpose_b", "adjoint_b"):
        b = (*b[:-2], b[-1], b[-2])
    return (*a[:-1], b[-1])


def infer_reshaped_shape(call: Call, first: str) -> Shape | None:
    wanted = call.dims("shape")
    value = call.get("shape")
    if wanted is None:
        return None
    if isinstance(value, Tensor):
        return wanted
    old = shape_of(call, first)
    holes = [
        i
        for i, v in enumerate(containers.list_elements(call.m, value) or [value])
        if v == Const(-1)
    ]
    if len(holes) == 1 and old is not None:
        whole = shapes.compute_size(old)
        rest = shapes.compute_size(d for i, d in enumerate(wanted) if i != holes[0])
        if isinstance(whole, int) and isinstance(rest, int) and rest:
            return tuple(
                whole // rest if i == holes[0] else d for i, d in enumerate(wanted)
            )
        found = _cancel_dimensions(old, wanted, holes[0])
        if found is not None:
            return found
    return wanted


def _cancel_dimensions(old: Shape, wanted: Shape, hole: int) -> Shape | None:
    """Fills the hole in a shape if the other dimensions cancel: [n, k] to [-1, k]."""
    rest = [d for i, d in enumerate(wanted) if i != hole]
    left = list(old)
    for dim in rest:
        if dim in left and dim is not None:
            left.remove(dim)
        elif dim != 1:
            return None
    left = [d for d in left if d != 1]
    if not left:
        return tuple(1 if i == hole else d for i, d in enumerate(wanted))
    if len(left) == 1 and isinstance(left[0], HostDim):
        return tuple(left[0] if i == hole else d for i, d in enumerate(wanted))
    return None


def infer_transposed_shape(call: Call, first: str) -> Shape | None:
    shape = shape_of(call, first)
    if shape is None:
        return None
    value = call.get("perm")
    if value == NONE:
        return shape[::-1]
    items = containers.list_elements(call.m, value)
    if items is None or len(items) != len(shape):
        return (None,) * len(shape)
    places = [tensors.constant_of(call.m, i) for i in items]
    return tuple(shape[p] if isinstance(p, int) else None for p in places)


def infer_expanded_shape(call: Call, first: str) -> Shape | None:
    shape = shape_of(call, first)
    place = tensors.constant_of(call.m, call.get("axis", "dim"))
    if shape is None or not isinstance(place, int):
        return None
    place = place if place >= 0 else len(shape) + 1 + place
    return (*shape[:place], 1, *shape[place:])


def infer_squeezed_shape(call: Call, first: str) -> Shape | None:
    shape = shape_of(call, first)
    if shape is None:
        return None
    value = call.get("axis", "squeeze_dims")
    if value == NONE or containers.list_elements(call.m, value) == []:
        return None if None in shape else tuple(d for d in shape if d != 1)
    axes = axes_of(call, len(shape), "axis", "squeeze_dims")
    return (
        None if axes is None else tuple(d for i, d in enumerate(shape) if i not in axes)
    )


def infer_concatenated_shape(call: Call, first: str) -> Shape | None:
    parts = call.items("values", "concat_dim")
    if parts is None:
        return None
    found = [tensors.about(call.m, p).shape for p in parts]
    known = [s for s in found if s is not None]
    if not known:
        return None
    axis = tensors.constant_of(call.m, call.get("axis"))
    rank = len(known[0])
    if not isinstance(axis, int) or not rank:
        return (None,) * rank
    axis %= rank
    merged = known[0]
    for one in known[1:]:
        merged = tuple(a if a is not None else b for a, b in zip(merged, one))
    total: Dim = 0
    for shape in found:
        dim = shape[axis] if shape is not None else None
        total = total + dim if isinstance(total, int) and isinstance(dim, int) else None
    if total is None and len(found) == 1 and found[0] is not None:
        total = found[0][axis]
    return (*merged[:axis], total, *merged[axis + 1 :])


def infer_stacked_shape(call: Call, first: str) -> Shape | None:
    parts = call.items("values")
    if not parts:
        return None
    known = [
        s for s in (tensors.about(call.m, p).shape for p in parts) if s is not None
    ]
    axis = tensors.constant_of(call.m, call.get("axis"))
    if not known or not isinstance(axis, int):
        return None
    shape = known[0]
    axis = axis if axis >= 0 else len(shape) + 1 + axis
    return (*shape[:axis], len(parts), *shape[axis:])


def infer_requested_shape(call: Call, first: str) -> Shape | None:
    return call.dims("shape", "dims")


def infer_gathered_shape(call: Call, first: str) -> Shape | None:
    table, ids = shape_of(call, "params"), shape_of(call, "indices", "ids")
    if table is None or ids is None:
        return None
    return (*ids, *table[1:])


def infer_embedding_lookup_shape(call: Call, first: str) -> Shape | None:
    # A tensor is one table; a list has its shards.
    given = call.get("params")
    parts = None if tensors.is_symbolic(given) else call.items("params")
    table = tensors.about(call.m, parts[0]).shape if parts else shape_of(call, "params")
    ids = shape_of(call, "ids")
    if table is None or ids is None:
        return None
    return (*ids, *table[1:])


def infer_one_hot_shape(call: Call, first: str) -> Shape | None:
    shape = shape_of(call, "indices")
    if shape is None:
        return None
    depth = tensors.dimension_argument(call.m, call.get("depth"))
    axis = call.number("axis")
    place = len(shape) if axis in (None, -1) else axis
    assert place is not None
    return (*shape[:place], depth, *shape[place:])


def infer_tiled_shape(call: Call, first: str) -> Shape | None:
    shape = shape_of(call, first)
    times = call.dims("multiples")
    if shape is None:
        return None
    if times is None or len(times) != len(shape):
        return (None,) * len(shape)
    return tuple(
        d * t if isinstance(d, int) and isinstance(t, int) else d if t == 1 else None
        for d, t in zip(shape, times)
    )


def infer_padded_shape(call: Call, first: str) -> Shape | None:
    shape = shape_of(call, "tensor", "input")
    pairs = containers.list_elements(call.m, call.get("paddings"))
    if shape is None:
        return None
    if pairs is None or len(pairs) != len(shape):
        return (None,) * len(shape)
    found: list[Dim] = []
    for dim, pair in zip(shape, pairs):
        both = [
            tensors.constant_of(call.m, p)
            for p in containers.list_elements(call.m, pair) or []
        ]
        if (
            isinstance(dim, int)
            and len(both) == 2
            and all(isinstance(b, int) for b in both)
        ):
            found.append(dim + sum(b for b in both if isinstance(b, int)))
        else:
            found.append(dim if both == [0, 0] else None)
    return tuple(found)


def infer_sliced_shape(call: Call, first: str) -> Shape | None:
    shape, begin, size = shape_of(call, first), call.get("begin"), call.get("size")
    sizes = containers.list_elements(call.m, size)
    begins = containers.list_elements(call.m, begin)
    if sizes is None:
        return (None,) * len(shape) if shape is not None else None
    found: list[Dim] = []
    for i, one in enumerate(sizes):
        number = tensors.constant_of(call.m, one)
        if number == -1:
            start = (
                tensors.constant_of(call.m, begins[i]) if begins is not None else None
            )
            dim = shape[i] if shape is not None else None
            found.append(
                dim - start if isinstance(dim, int) and isinstance(start, int) else None
            )
        else:
            found.append(tensors.dimension_argument(call.m, one))
    return tuple(found)


def infer_diagonal_shape(call: Call, first: str) -> Shape | None:
    shape = shape_of(call, first)
    return None if shape is None else (*shape, shape[-1] if shape else None)


def infer_range_shape(call: Call, first: str) -> Shape | None:
    numbers = [
        tensors.constant_of(call.m, call.get(p)) for p in ("start", "limit", "delta")
    ]
    if numbers[1] is None and "limit" not in call.given:
        numbers = [0, numbers[0], 1]
    whole = [n for n in numbers if isinstance(n, int)]
    if len(whole) == 3 and whole[2]:
        return (len(range(*whole)),)
    return (None,)


def infer_shape_of_shape(call: Call, first: str) -> Shape | None:
    shape = shape_of(call, first)
    return (None if shape is None else len(shape),)


def infer_convolved_shape(call: Call, first: str) -> Shape | None:
    """Infers the shape that a sliding window gives; filters are the last dimension."""
    shape = shape_of(call, "input", "value")
    kernel = shape_of(call, "filter", "filters")
    strides = call.items("strides")
    padding = call.text("padding")
    if shape is None or kernel is None or strides is None or padding is None:
        return (None,) * 4 if shape is None or len(shape) == 4 else None
    steps = [tensors.constant_of(call.m, s) for s in strides]
    if (call.text("data_format") or "NHWC") != "NHWC" or len(shape) != len(steps):
        return (None,) * len(shape)
    middle = [
        shapes.compute_window(d, k, s, padding) if isinstance(s, int) else None
        for d, k, s in zip(shape[1:-1], kernel, steps[1:-1])
    ]
    return (shape[0], *middle, kernel[-1])


def infer_depthwise_shape(call: Call, first: str) -> Shape | None:
    found = infer_convolved_shape(call, first)
    kernel = shape_of(call, "filter")
    if found is None or kernel is None:
        return found
    return (*found[:-1], shapes.compute_size(kernel[2:4]))


def infer_conv2d_transpose_shape(call: Call, first: str) -> Shape | None:
    return call.dims("output_shape", "output_shape_")


def infer_pooled_shape(call: Call, first: str) -> Shape | None:
    shape = shape_of(call, "value", "input")
    kernel, strides = call.items("ksize"), call.items("strides")
    padding = call.text("padding")
    if shape is None or kernel is None or strides is None or padding is None:
        return None if shape is None else (None,) * len(shape)
    sizes = [tensors.constant_of(call.m, k) for k in kernel]
    steps = [tensors.constant_of(call.m, s) for s in strides]
    if len(sizes) != len(shape) or len(steps) != len(shape):
        return (None,) * len(shape)
    return tuple(
        d
        if (k, s) == (1, 1)
        else shapes.compute_window(d, k, s, padding)
        if isinstance(k, int) and isinstance(s, int)
        else None
        for d, k, s in zip(shape, sizes, steps)
    )


def infer_resized_shape(call: Call, first: str) -> Shape | None:
    shape = shape_of(call, "images", "image")
    size = call.dims("size")
    if size is None and "target_height" in call.given:
        size = tuple(
            tensors.dimension_argument(call.m, call.get(p))
            for p in ("target_height", "target_width")
        )
    if shape is None or size is None or len(size) != 2:
        return None if shape is None else (*shape[:-3], None, None, shape[-1])
    return (*shape[:-3], *size, shape[-1])


def infer_shape_without_last(call: Call, first: str) -> Shape | None:
    shape = shape_of(call, first)
    return None if shape is None else shape[:-1]


def infer_first_dimension(call: Call, first: str) -> Shape | None:
    shape = shape_of(call, first)
    return None if shape is None else shape[:1]


def infer_selected_shape(call: Call, first: str) -> Shape | None:
    if call.get("x") == NONE:
        shape = shape_of(call, "condition")
        return (None, None if shape is None else len(shape))
    return shapes.merge(shape_of(call, "x"), shape_of(call, "y"))


def infer_merged_shape(call: Call, first: str) -> Shape | None:
    parts = call.items("inputs")
    found: Shape | None = None
    for part in parts or []:
        found = shapes.merge(found, tensors.about(call.m, part).shape)
    return found


def infer_constant_shape(call: Call, first: str) -> Shape | None:
    """The shape of a constant: its argument, or the value's."""
    return call.dims("shape") if call.get("shape") != NONE else shape_of(call, "value")


def infer_top_k_shape(call: Call, first: str) -> Shape | None:
    shape = shape_of(call, "input", "values")
    count = (
        tensors.dimension_argument(call.m, call.get("k")) if "k" in call.given else 1
    )
    return None if shape is None else (*shape[:-1], count)


def infer_dense_shape(call: Call, first: str) -> Shape | None:
    x, w = shape_of(call, "x"), shape_of(call, "weights")
    return (x[0] if x else None, w[1] if w and len(w) > 1 else None)
