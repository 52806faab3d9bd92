"""`tf.data`: data sets by the structure of their elements, and their iterators."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING

from migrate.evaluate import arrays, calls, containers, objects
from migrate.graph.shapes import Shape
from migrate.graph.values import (
    NONE,
    Array,
    Const,
    DType,
    Operation,
    Reference,
    Symbol,
    Tensor,
    Tuple,
    Unknown,
    Value,
)
from migrate.tfmodel import graphs, tensors
from migrate.tfmodel.registry import (
    Call,
    attribute,
    class_,
    fields_of,
    function,
    keep,
    method,
)

if TYPE_CHECKING:
    from migrate.evaluate.machine import Machine

DATASET, ITERATOR = "tf.data.Dataset", "tf.data.Iterator"


@dataclasses.dataclass(frozen=True, slots=True)
class Leaf:
    """A tensor of an element: what is known of it."""

    array: Array


# An element: a leaf, or a tuple or dict of elements.
Element = Leaf | tuple[str, tuple[tuple[str, "Element"], ...]] | None


def _self(call: Call) -> Reference:
    assert isinstance(call.receiver, Reference)
    return call.receiver


def structure(m: Machine, value: Value, change: Callable[[Array], Array]) -> Element:
    """Returns a value's structure, with each leaf changed."""
    value = m.resolve(value)
    if isinstance(value, Unknown):
        return None
    if isinstance(value, Tuple) and value.kind != "SparseTensor":
        parts = tuple(
            (str(i), structure(m, v, change)) for i, v in enumerate(value.items)
        )
        return ("tuple", parts)
    if isinstance(value, Reference) and value.kind == "dict":
        pairs = containers.read_pairs(m, value)
        if isinstance(pairs, tuple):
            found = tuple(
                (str(k.value), structure(m, v, change))
                for k, v in pairs
                if isinstance(k, Const)
            )
            return ("dict", found)
        return None
    about = tensors.about(m, value)
    return Leaf(change(about))


def map_leaves(element: Element, change: Callable[[Array], Array]) -> Element:
    if element is None:
        return None
    if isinstance(element, Leaf):
        return Leaf(change(element.array))
    kind, parts = element
    return (kind, tuple((k, map_leaves(v, change)) for k, v in parts))


def realise(
    m: Machine, element: Element, make: Callable[[Array, str], Value], path: str = "0"
) -> Value:
    """Makes values in the structure of an element."""
    if element is None:
        return m.make_unknown("what a data set's elements are")
    if isinstance(element, Leaf):
        return make(element.array, path)
    kind, parts = element
    values = [(k, realise(m, v, make, f"{path}.{k}")) for k, v in parts]
    if kind == "tuple":
        return Tuple(tuple(v for _, v in values))
    return containers.make_dict(m, [(Const(k), v) for k, v in values])


def _dataset(call: Call, element: Element) -> Reference:
    made = objects.make_object(call.m, Symbol(DATASET))
    node = call.node()
    call.m.store.set((made.address, "element"), element)
    keep(call.m, made, node=Const(node))
    return made


def element_of(m: Machine, value: Value) -> Element:
    if not isinstance(value, Reference):
        return None
    found = m.store.get((value.address, "element"), None)
    return found if isinstance(found, (Leaf, tuple)) else None


def _without_first(array: Array) -> Array:
    return Array(None if array.shape is None else array.shape[1:], array.dtype)


@function("tf.data.Dataset.from_tensor_slices")
def _from_slices(call: Call) -> Value:
    return _dataset(call, structure(call.m, call.get("tensors"), _without_first))


@function("tf.data.Dataset.from_tensors")
def _from_tensors(call: Call) -> Value:
    return _dataset(call, structure(call.m, call.get("tensors"), lambda a: a))


@function("tf.data.Dataset.range")
def _range(call: Call) -> Value:
    return _dataset(call, Leaf(Array((), "int64")))


@function("tf.data.Dataset.from_generator")
def _from_generator(call: Call) -> Value:
    m = call.m
    types, shapes_ = call.get("output_types"), call.get("output_shapes")

    def shape_at(value: Value) -> Shape | None:
        return None if value == NONE else tensors.shape_argument(m, value)

    def build(kind: Value, shape: Value) -> Element:
        if isinstance(kind, Reference) and kind.kind == "dict":
            pairs = containers.read_pairs(m, kind)
            others = (
                containers.read_pairs(m, shape) if isinstance(shape, Reference) else ()
            )
            if isinstance(pairs, tuple):
                dims = dict(others) if isinstance(others, tuple) else {}
                return (
                    "dict",
                    tuple(
                        (str(k.value), build(v, dims.get(k, NONE)))
                        for k, v in pairs
                        if isinstance(k, Const)
                    ),
                )
            return None
        items = containers.list_elements(m, kind)
        if items is not None and not isinstance(kind, (Const, DType)):
            dims_of = containers.list_elements(m, shape) if shape != NONE else None
            parts = dims_of if dims_of is not None else [NONE] * len(items)
            return (
                "tuple",
                tuple(
                    (str(i), build(k, s)) for i, (k, s) in enumerate(zip(items, parts))
                ),
            )
        return Leaf(Array(shape_at(shape), arrays.find_type_name(kind)))

    return _dataset(call, build(types, shapes_))


@function("tf.data.Dataset.zip")
def _zip(call: Call) -> Value:
    given = call.get("datasets")
    items = containers.list_elements(call.m, given)
    if items is None:
        return call.unknown("what is zipped")
    parts = tuple((str(i), element_of(call.m, v)) for i, v in enumerate(items))
    return _dataset(call, ("tuple", parts))


@function("tf.data.Dataset.list_files")
def _list_files(call: Call) -> Value:
    return _dataset(call, Leaf(Array((), "string")))


for _symbol in (
    "tf.data.TextLineDataset",
    "tf.data.TFRecordDataset",
    "tf.data.FixedLengthRecordDataset",
):

    @class_(_symbol, below=DATASET)
    def _records(call: Call) -> Value:
        made = _dataset(call, Leaf(Array((), "string")))
        return made


@class_(DATASET)
def _initialise_dataset(call: Call) -> Value:
    return NONE


def _add_batch_dimension(array: Array, size: int | None) -> Array:
    return Array(None if array.shape is None else (size, *array.shape), array.dtype)


@method(DATASET, "batch")
def _batch(call: Call) -> Value:
    size = call.number("batch_size") if call.flag("drop_remainder") else None
    element = element_of(call.m, call.receiver)
    return _dataset(call, map_leaves(element, lambda a: _add_batch_dimension(a, size)))


@method(DATASET, "padded_batch")
def _evaluate_padded_batch(call: Call) -> Value:
    element = element_of(call.m, call.receiver)

    def pad_and_batch(array: Array) -> Array:
        rank = len(array.shape) if array.shape is not None else None
        return Array(None if rank is None else (None,) * (rank + 1), array.dtype)

    return _dataset(call, map_leaves(element, pad_and_batch))


@method(
    DATASET,
    "shuffle",
    "repeat",
    "prefetch",
    "take",
    "skip",
    "cache",
    "shard",
    "filter",
    "concatenate",
    "with_options",
)
def _same(call: Call) -> Value:
    return _dataset(call, element_of(call.m, call.receiver))


def _call_on(call: Call, function_: Value, element: Element) -> Value:
    """Calls a function on an element, in a graph of its own, and returns its result."""
    m = call.m
    inner = m.store.allocate()
    graph = graphs.current(m)
    mark = len(m.record.nodes)
    with graphs.default(m, inner):
        node = graphs.add(m, "dataset:element", "dataset:element", {})

        def make(array: Array, path: str) -> Value:
            return Tensor(node, path, array.dtype, array.shape, None, inner)

        value = realise(m, element, make)
        given = list(value.items) if isinstance(value, Tuple) else [value]
        if isinstance(value, Unknown):
            return value
        result = calls.call_value(m, function_, given, {})
    del graph, mark
    return result


@method(DATASET, "map", "map_with_legacy_function")
def _map(call: Call) -> Value:
    result = _call_on(call, call.get("map_func"), element_of(call.m, call.receiver))
    if isinstance(result, Unknown):
        return result
    if isinstance(result, Reference) and result.kind == "list":
        items = containers.list_elements(call.m, result)
        result = Tuple(tuple(items)) if items is not None else result
    return _dataset(call, structure(call.m, result, lambda a: a))


@method(DATASET, "flat_map", "interleave")
def _flat_map(call: Call) -> Value:
    result = _call_on(call, call.get("map_func"), element_of(call.m, call.receiver))
    return (
        result
        if isinstance(result, Unknown)
        else _dataset(call, element_of(call.m, result))
    )


@method(DATASET, "apply")
def _apply(call: Call) -> Value:
    result = calls.call_value(
        call.m, call.get("transformation_func"), [call.receiver], {}
    )
    return result


def _transformation(symbol: str, like: str) -> None:
    def handler(call: Call) -> Value:
        made = objects.make_object(call.m, Symbol("tf.data.Options"))
        keep(call.m, made, like=Const(like), **call.given)
        return made

    function(symbol)(handler)


_transformation("tf.data.experimental.shuffle_and_repeat", "shuffle")
_transformation("tf.contrib.data.shuffle_and_repeat", "shuffle")
_transformation("tf.data.experimental.map_and_batch", "map_and_batch")
_transformation("tf.contrib.data.map_and_batch", "map_and_batch")
_transformation("tf.data.experimental.prefetch_to_device", "shuffle")


@class_("tf.data.Options")
def _options(call: Call) -> Value:
    return NONE


@method("tf.data.Options", "__call__")
def _transform(call: Call) -> Value:
    m, own = call.m, _self(call)
    value = next(iter(call.given.values()), NONE)
    value = value.items[0] if isinstance(value, Tuple) and value.items else value
    element = element_of(m, value)
    if fields_of(m, own, "like") == Const("map_and_batch"):
        result = _call_on(call, fields_of(m, own, "map_func"), element)
        if isinstance(result, Unknown):
            return result
        element = structure(m, result, lambda a: _add_batch_dimension(a, None))
    return _dataset(call, element)


@attribute(DATASET, "output_types", "output_shapes", "output_classes")
def _facts(call: Call) -> Value:
    made = objects.make_object(call.m, Symbol("tf.data.experimental.TensorStructure"))
    call.m.store.set((made.address, "element"), element_of(call.m, call.receiver))
    return made


# -- iterators --


def _iterator(call: Call, element: Element, dataset: Value) -> Reference:
    made = objects.make_object(call.m, Symbol(ITERATOR))
    call.m.store.set((made.address, "element"), element)
    keep(call.m, made, dataset=dataset, node=Const(call.node()))
    return made


@method(DATASET, "make_one_shot_iterator", "make_initializable_iterator")
def _make_iterator(call: Call) -> Value:
    return _iterator(call, element_of(call.m, call.receiver), call.receiver)


@function("tf.data.make_one_shot_iterator", "tf.data.make_initializable_iterator")
def _make_iterator_of(call: Call) -> Value:
    dataset = call.get("dataset")
    return _iterator(call, element_of(call.m, dataset), dataset)


@class_(ITERATOR)
def _initialise_iterator(call: Call) -> Value:
    return NONE


@function("tf.data.Iterator.from_structure", "tf.data.Iterator.from_string_handle")
def _from_structure(call: Call) -> Value:
    m = call.m
    types, shapes_ = call.get("output_types"), call.get("output_shapes")
    element = element_of(m, types)
    if element is None:

        def build(kind: Value, shape: Value) -> Element:
            items = containers.list_elements(m, kind)
            if items is not None and not isinstance(kind, (Const, DType)):
                dims = containers.list_elements(m, shape) if shape != NONE else None
                parts = dims if dims is not None else [NONE] * len(items)
                return (
                    "tuple",
                    tuple(
                        (str(i), build(a, b))
                        for i, (a, b) in enumerate(zip(items, parts))
                    ),
                )
            name = arrays.find_type_name(kind)
            return Leaf(Array(tensors.shape_argument(m, shape), name)) if name else None

        element = build(types, shapes_)
    return _iterator(call, element, NONE)


@method(ITERATOR, "get_next")
def _get_next(call: Call) -> Value:
    m = call.m
    element = element_of(m, call.receiver)
    name = call.name_of("IteratorGetNext")
    node = call.node((call.receiver,))
    count = [0]

    def make(array: Array, path: str) -> Value:
        index = count[0]
        count[0] += 1
        whole = None if name is None else f"{name}:{index}"
        return Tensor(node, path, array.dtype, array.shape, whole, graphs.current(m))

    return realise(m, element, make)


def _find_node(call: Call) -> int:
    """Returns the number of the iterator's node; -1 if it is not known."""
    found = fields_of(call.m, _self(call), "node")
    if isinstance(found, Const) and isinstance(found.value, int):
        return found.value
    return -1


@attribute(ITERATOR, "initializer")
def _initializer(call: Call) -> Value:
    return Operation(_find_node(call), None, graphs.current(call.m))


@method(ITERATOR, "make_initializer")
def _make_initializer(call: Call) -> Value:
    node = call.node((call.receiver,))
    return call.operation(node)


@method(ITERATOR, "string_handle")
def _string_handle(call: Call) -> Value:
    if call.get("name") in (None, NONE):
        return call.tensor(_find_node(call), "string", (), None)
    return call.tensor(call.node((call.receiver,)), "string", (), None)


@attribute(ITERATOR, "output_types", "output_shapes", "output_classes")
def _iterator_facts(call: Call) -> Value:
    return _facts(call)
