"""Constants, placeholders, and functions that give several tensors."""

from __future__ import annotations

from migrate.evaluate import containers
from migrate.graph.record import Placeholder
from migrate.graph.shapes import Shape
from migrate.graph.values import (
    NONE,
    Dim,
    ShapeValue,
    Tensor,
    Tuple,
    Unknown,
    Value,
    VariableValue,
)
from migrate.tfmodel import graphs, rules, tensors
from migrate.tfmodel.registry import Call, as_list, class_, function


@function("tf.placeholder")
def _placeholder(call: Call) -> Value:
    m = call.m
    given = call.get("shape")
    shape = call.dims("shape")
    if given != NONE and shape is None and not isinstance(given, ShapeValue):
        # None of its own is a shape that TensorFlow does not know either.
        call.problem("its shape is unknown")
    whole = call.name_of("Placeholder")
    dtype = call.dtype("dtype")
    node = call.node()
    m.record.placeholders.append(
        Placeholder(
            node, graphs.current(m), whole, dtype, shape, m.guard, m.make_origin()
        )
    )
    return call.tensor(node, dtype, shape, whole)


@function("tf.placeholder_with_default")
def _placeholder_with_default(call: Call) -> Value:
    m = call.m
    shape = call.dims("shape")
    dtype = tensors.about(m, call.get("input")).dtype
    whole = call.name_of("PlaceholderWithDefault")
    node = call.node()
    m.record.placeholders.append(
        Placeholder(
            node, graphs.current(m), whole, dtype, shape, m.guard, m.make_origin()
        )
    )
    return call.tensor(node, dtype, shape, whole)


@function("tf.sparse_placeholder")
def _sparse_placeholder(call: Call) -> Value:
    m = call.m
    dtype = call.dtype("dtype")
    shape = call.dims("shape")
    node = call.node()
    name = call.text("name")
    rank = len(shape) if shape is not None else None
    graph = graphs.current(m)
    parts: list[Value] = []
    inner: tuple[tuple[str, str | None, Shape | None], ...] = (
        ("indices", "int64", (None, rank)),
        ("values", dtype, (None,)),
        ("shape", "int64", (rank,)),
    )
    for key, kind, dims in inner:
        if key == "shape" and shape is not None and None not in shape:
            whole = graphs.unique(m, "Const" if name is None else f"{name}/{key}")
        else:
            whole = graphs.unique(m, "Placeholder" if name is None else f"{name}/{key}")
            m.record.placeholders.append(
                Placeholder(node, graph, whole, kind, dims, m.guard, m.make_origin())
            )
        full = None if whole is None else whole + ":0"
        parts.append(Tensor(node, key, kind, dims, full, graph))
    return sparse(parts[0], parts[1], parts[2])


def sparse(indices: Value, values: Value, dense_shape: Value) -> Tuple:
    """A SparseTensor."""
    return Tuple(
        (indices, values, dense_shape),
        ("indices", "values", "dense_shape"),
        "SparseTensor",
    )


@class_("tf.SparseTensor")
def _sparse_tensor(call: Call) -> Value:
    parts = [call.get(p) for p in ("indices", "values", "dense_shape")]
    node = call.node()
    made: list[Value] = []
    for key, part in zip(("indices", "values", "dense_shape"), parts):
        about = tensors.about(call.m, part)
        kind = about.dtype if key == "values" else "int64"
        known = isinstance(part, (Tensor, VariableValue))
        made.append(part if known else call.tensor(node, kind, about.shape, None, key))
    return sparse(*made)


@function("tf.constant")
def _constant(call: Call) -> Value:
    value = call.get("value")
    if isinstance(value, Unknown):
        return value
    about = tensors.about(call.m, value)
    shape = call.dims("shape") if call.get("shape") != NONE else about.shape
    if tensors.is_symbolic(value):
        return call.problem("a constant of a tensor")
    whole = call.name_of("Const")
    return call.tensor(call.node(), call.dtype("dtype") or about.dtype, shape, whole)


@function("tf.convert_to_tensor")
def _convert(call: Call) -> Value:
    value = call.get("value")
    if isinstance(value, (Tensor, Unknown)):
        return value
    if isinstance(value, VariableValue):
        return value
    about = tensors.about(call.m, value)
    whole = call.name_of("Const")
    dtype = call.dtype("dtype", "preferred_dtype") or about.dtype
    return call.tensor(call.node(), dtype, about.shape, whole)


def _cast_sparse(call: Call, value: Value, dtype: str | None, name: str) -> Value:
    """Values of another type at the same places."""
    assert isinstance(value, Tuple)
    indices, values, dense_shape = value.items
    shape = tensors.about(call.m, values).shape
    made = call.tensor(call.node(), dtype, shape, call.name_of(name))
    return sparse(indices, made, dense_shape)


def _cast(symbol: str, dtype: str, name: str) -> None:
    def handler(call: Call) -> Value:
        value = call.get("x")
        if isinstance(value, Unknown):
            return value
        if tensors.is_sparse(value):
            return _cast_sparse(call, value, dtype, name)
        about = tensors.about(call.m, value)
        if about.dtype == dtype and isinstance(value, Tensor):
            return value
        whole = call.name_of(name)
        return call.tensor(call.node(), dtype, about.shape, whole)

    function(symbol)(handler)


for _symbol, _dtype, _name in (
    ("tf.to_float", "float32", "ToFloat"),
    ("tf.to_double", "float64", "ToDouble"),
    ("tf.to_int32", "int32", "ToInt32"),
    ("tf.to_int64", "int64", "ToInt64"),
    ("tf.to_bfloat16", "bfloat16", "ToBFloat16"),
):
    _cast(_symbol, _dtype, _name)


@function("tf.cast")
def _cast_to(call: Call) -> Value:
    value = call.get("x")
    if isinstance(value, Unknown):
        return value
    about = tensors.about(call.m, value)
    dtype = call.dtype("dtype")
    if tensors.is_sparse(value):
        return _cast_sparse(call, value, dtype, "Cast")
    if dtype is not None and about.dtype == dtype and isinstance(value, Tensor):
        # The same tensor: nothing is added, but its scope of names is.
        call.name_of("Cast")
        return value
    whole = call.name_of("Cast")
    return call.tensor(call.node(), dtype, about.shape, whole)


@function("tf.split")
def _split(call: Call) -> Value:
    value = call.get("value")
    if isinstance(value, Unknown):
        return value
    about = tensors.about(call.m, value)
    axis = tensors.constant_of(call.m, call.get("axis", "split_dim"))
    sizes = call.get("num_or_size_splits", "num_split")
    listed = containers.list_elements(call.m, sizes)
    number = tensors.constant_of(call.m, sizes)
    if listed is None and not isinstance(number, int):
        return call.unknown("the number of parts is unknown")
    parts: list[Dim] = []
    if listed is not None:
        parts = [tensors.dimension_argument(call.m, s) for s in listed]
    elif isinstance(number, int):
        place = axis if isinstance(axis, int) else 0
        whole = about.shape[place] if about.shape else None
        each = whole // number if isinstance(whole, int) else None
        parts = [each] * number
    named = call.name_of("split")
    node = call.node()
    made: list[Value] = []
    for index, size in enumerate(parts):
        shape = about.shape
        if shape is not None and isinstance(axis, int):
            place = axis % len(shape)
            shape = (*shape[:place], size, *shape[place + 1 :])
        made.append(call.tensor(node, about.dtype, shape, named, str(index), index))
    return containers.make_list(call.m, made)


@function("tf.unstack")
def _unstack(call: Call) -> Value:
    value = call.get("value")
    if isinstance(value, Unknown):
        return value
    about = tensors.about(call.m, value)
    axis = call.number("axis") or 0
    number = tensors.constant_of(call.m, call.get("num"))
    count: object = number
    if count is None and about.shape is not None:
        count = about.shape[axis]
    if not isinstance(count, int):
        return call.unknown("the number of parts is unknown")
    named = call.name_of("unstack")
    node = call.node()
    shape = about.shape
    if shape is not None:
        place = axis % len(shape)
        shape = shape[:place] + shape[place + 1 :]
    made = [
        call.tensor(node, about.dtype, shape, named, str(i), i) for i in range(count)
    ]
    return containers.make_list(call.m, made)


@function("tf.nn.moments")
def _moments(call: Call) -> Value:
    value = call.get("x")
    if isinstance(value, Unknown):
        return value
    about = tensors.about(call.m, value)
    shape = rules.infer_reduced_shape(call, "x")
    named = call.name_of("moments")
    node = call.node()
    inner = (
        ("mean", "variance")
        if call.flag("keep_dims", "keepdims")
        else ("Squeeze", "Squeeze_1")
    )
    pair = [
        call.tensor(
            node, about.dtype, shape, None if named is None else f"{named}/{i}", str(k)
        )
        for k, i in enumerate(inner)
    ]
    return Tuple(tuple(pair))


@function("tf.nn.top_k")
def _top_k(call: Call) -> Value:
    value = call.get("input")
    about = tensors.about(call.m, value)
    shape = rules.infer_top_k_shape(call, "input")
    named = call.name_of("TopKV2")
    node = call.node()
    made = (
        call.tensor(node, about.dtype, shape, named, "0", 0),
        call.tensor(node, "int32", shape, named, "1", 1),
    )
    return Tuple(made, ("values", "indices"), "TopKV2")


@function("tf.meshgrid")
def _meshgrid(call: Call) -> Value:
    count = len(containers.list_elements(call.m, call.get("args")) or [])
    call.name_of("meshgrid")
    node = call.node()
    made = [call.tensor(node, None, None, None, str(i)) for i in range(count)]
    return containers.make_list(call.m, made)


@function("tf.unique")
def _unique(call: Call) -> Value:
    about = tensors.about(call.m, call.get("x"))
    named = call.name_of("Unique")
    node = call.node()
    made = (
        call.tensor(node, about.dtype, (None,), named, "0", 0),
        call.tensor(node, "int32", (None,), named, "1", 1),
    )
    return Tuple(made, ("y", "idx"), "Unique")


@function("tf.nn.fused_batch_norm")
def _evaluate_fused_batch_norm(call: Call) -> Value:
    about = tensors.about(call.m, call.get("x"))
    call.name_of("FusedBatchNorm")
    node = call.node()
    made = [
        call.tensor(node, about.dtype, about.shape if i == 0 else None, None, str(i))
        for i in range(3)
    ]
    return Tuple(tuple(made))


@function("tf.svd", "tf.qr", "tf.self_adjoint_eig", "tf.linalg.eigh")
def _decompositions(call: Call) -> Value:
    about = tensors.about(call.m, call.get("tensor", "input"))
    call.name_of(call.symbol.rpartition(".")[2])
    node = call.node()
    count = 3 if call.symbol.endswith("svd") else 2
    made = [call.tensor(node, about.dtype, None, None, str(i)) for i in range(count)]
    return Tuple(tuple(made))


@class_("tf.TensorShape")
def _tensor_shape(call: Call) -> Value:
    return ShapeValue(call.dims("dims"))


@class_("tf.Dimension")
def _dimension(call: Call) -> Value:
    from migrate.graph.values import Dimension

    return Dimension(tensors.dimension_argument(call.m, call.get("value")))


@function("tf.clip_by_global_norm")
def _clip_by_global_norm(call: Call) -> Value:
    parts = call.items("t_list")
    if parts is None:
        return call.unknown("what is clipped")
    for part in parts:
        if isinstance(part, Unknown):
            return part
    named = call.name_of("clip_by_global_norm")
    node = call.node()
    made: list[Value] = []
    for index, part in enumerate(parts):
        if part == NONE:
            made.append(NONE)
            continue
        about = tensors.about(call.m, part)
        whole = (
            None if named is None else f"{named}/{named.rpartition('/')[2]}/_{index}"
        )
        made.append(call.tensor(node, about.dtype, about.shape, whole, str(index)))
    norm = call.get("use_norm")
    if norm == NONE:
        dtype = tensors.about(call.m, parts[0]).dtype if parts else "float32"
        norm = call.tensor(node, dtype, (), None, "norm")
    return Tuple((containers.make_list(call.m, made), norm))


@function("tf.nn.embedding_lookup")
def _embedding(call: Call) -> Value:
    shape = rules.infer_embedding_lookup_shape(call, "params")
    first = as_list(call.m, call.get("params"))
    for one in (*first, call.get("ids")):
        if isinstance(one, Unknown):
            return one
    dtype = tensors.about(call.m, first[0]).dtype if first else None
    named = call.name_of("embedding_lookup")
    whole = None if named is None else f"{named}/Identity"
    return call.tensor(call.node(), dtype, shape, whole)


@function("tf.sparse_reorder", "tf.sparse_reset_shape", "tf.sparse_retain")
def _sparse_of_sparse(call: Call) -> Value:
    given = call.get("sp_input")
    if not (isinstance(given, Tuple) and given.kind == "SparseTensor"):
        return call.unknown("a sparse tensor")
    call.name_of(call.symbol.rpartition(".")[2])
    node = call.node()
    made = [
        call.tensor(node, tensors.about(call.m, p).dtype, None, None, str(i))
        for i, p in enumerate(given.items)
    ]
    return sparse(*made)


@function(
    "tf.string_split", "tf.nn.ctc_greedy_decoder", "tf.nn.ctc_beam_search_decoder"
)
def _sparse_results(call: Call) -> Value:
    call.name_of(call.symbol.rpartition(".")[2])
    node = call.node()
    dtype = "string" if call.symbol.endswith("split") else "int64"
    kinds = ("int64", dtype, "int64")
    made = [call.tensor(node, k, None, None, str(i)) for i, k in enumerate(kinds)]
    one = sparse(*made)
    if call.symbol.endswith("split"):
        return one
    score = call.tensor(node, "float32", None, None, "score")
    return Tuple((containers.make_list(call.m, [one]), score))


@function("tf.dynamic_partition")
def _dynamic_partition(call: Call) -> Value:
    count = call.number("num_partitions") or 0
    named = call.name_of("DynamicPartition")
    node = call.node()
    dtype = tensors.about(call.m, call.get("data")).dtype
    made = [call.tensor(node, dtype, None, named, str(i), i) for i in range(count)]
    return containers.make_list(call.m, made)


@function("tf.dynamic_stitch")
def _dynamic_stitch(call: Call) -> Value:
    named = call.name_of("DynamicStitch")
    data = call.items("data")
    dtype = tensors.about(call.m, data[0]).dtype if data else None
    return call.tensor(call.node(), dtype, None, named)
