"""Queues, readers and the input pipelines that are made of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from migrate.evaluate import arrays, calls, containers, objects
from migrate.graph.shapes import Shape
from migrate.graph.values import (
    NONE,
    Array,
    Const,
    Reference,
    Symbol,
    Tensor,
    Tuple,
    Unknown,
    Value,
)
from migrate.tfmodel import graphs, tensors
from migrate.tfmodel.registry import Call, class_, function, keep, method

if TYPE_CHECKING:
    from migrate.evaluate.machine import Machine

QUEUE, READER = "tf.QueueBase", "tf.ReaderBase"


def _self(call: Call) -> Reference:
    assert isinstance(call.receiver, Reference)
    return call.receiver


def _queue(m: Machine, node: int, parts: tuple[Array, ...]) -> Reference:
    made = objects.make_object(m, Symbol("tf.FIFOQueue"))
    m.store.set((made.address, "parts"), parts)
    keep(m, made, node=Const(node))
    return made


def parts_of(m: Machine, value: Value) -> tuple[Array, ...]:
    if not isinstance(value, Reference):
        return ()
    found: tuple[Array, ...] = m.store.get((value.address, "parts"), ())
    return found


def _initialise_queue(call: Call) -> Value:
    m = call.m
    types = [
        arrays.find_type_name(t)
        for t in containers.list_elements(m, call.get("dtypes")) or [call.get("dtypes")]
    ]
    given = call.get("shapes")
    listed = containers.list_elements(m, given) if given != NONE else None
    dims: list[Shape | None] = [None] * len(types)
    if listed is not None:
        nested = (
            len(types) > 1
            or bool(listed)
            and containers.list_elements(m, listed[0]) is not None
        )
        if nested and len(listed) == len(types):
            dims = [tensors.shape_argument(m, s) for s in listed]
        else:
            dims = [tensors.shape_argument(m, given)]
    node = call.node()
    name = call.symbol.rpartition(".")[2]
    graphs.unique(m, call.text("name") or name)
    m.store.set(
        (_self(call).address, "parts"), tuple(Array(s, t) for s, t in zip(dims, types))
    )
    keep(m, _self(call), node=Const(node))
    return NONE


for _symbol in (
    "tf.FIFOQueue",
    "tf.RandomShuffleQueue",
    "tf.PaddingFIFOQueue",
    "tf.PriorityQueue",
):
    class_(_symbol, below=QUEUE)(_initialise_queue)


@class_(QUEUE)
def _base(call: Call) -> Value:
    return NONE


@method(QUEUE, "enqueue", "enqueue_many", "close")
def _enqueue(call: Call) -> Value:
    return call.operation(call.node((call.receiver,)), None)


@method(QUEUE, "size")
def _size(call: Call) -> Value:
    return call.tensor(call.node((call.receiver,)), "int32", (), None)


@method(QUEUE, "dequeue", "dequeue_many", "dequeue_up_to")
def _dequeue(call: Call) -> Value:
    m = call.m
    node = call.node((call.receiver,))
    many = not call.symbol.endswith(".dequeue")
    size = (
        tensors.dimension_argument(m, call.get("n"))
        if call.symbol.endswith("many")
        else None
    )
    made: list[Value] = []
    for index, part in enumerate(parts_of(m, call.receiver)):
        shape = part.shape
        if many and shape is not None:
            shape = (size, *shape)
        made.append(
            Tensor(node, str(index), part.dtype, shape, None, graphs.current(m))
        )
    if len(made) == 1:
        return made[0]
    return containers.make_list(m, made)


# -- readers --


def _reader(call: Call) -> Value:
    keep(call.m, _self(call), node=Const(call.node()))
    return NONE


for _symbol in (
    "tf.TextLineReader",
    "tf.TFRecordReader",
    "tf.WholeFileReader",
    "tf.FixedLengthRecordReader",
    "tf.IdentityReader",
):
    class_(_symbol, below=READER)(_reader)


@class_(READER)
def _reader_base(call: Call) -> Value:
    return NONE


@method(READER, "read", "read_up_to")
def _read(call: Call) -> Value:
    node = call.node((call.receiver,))
    shape: Shape = (None,) if call.symbol.endswith("up_to") else ()
    made = tuple(
        Tensor(node, str(i), "string", shape, None, graphs.current(call.m))
        for i in range(2)
    )
    return Tuple(made, ("key", "value"), "ReaderRead")


# -- producers and batches --


@function("tf.train.string_input_producer", "tf.train.input_producer")
def _string_producer(call: Call) -> Value:
    _count_epochs(call, graphs.unique(call.m, call.text("name") or "input_producer"))
    return _queue(call.m, call.node(), (Array((), "string"),))


@function("tf.train.range_input_producer")
def _range_producer(call: Call) -> Value:
    _count_epochs(call, graphs.unique(call.m, call.text("name") or "input_producer"))
    return _queue(call.m, call.node(), (Array((), "int32"),))


def _count_epochs(call: Call, base: str | None) -> None:
    """A number of epochs is counted by a local variable."""
    if call.get("num_epochs") == NONE:
        return
    from migrate.graph.record import Initial
    from migrate.tfmodel import variables

    variables.make(
        call.m,
        None if base is None else f"{base}/limit_epochs/epochs",
        (),
        "int64",
        Initial(constant=0),
        trainable=False,
        collections=("local_variables",),
        slot=True,
    )


@function("tf.train.limit_epochs")
def _limit_epochs(call: Call) -> Value:
    return call.problem("epochs are counted")


@function("tf.train.slice_input_producer")
def _slice_producer(call: Call) -> Value:
    m = call.m
    items = call.items("tensor_list")
    if items is None:
        return call.unknown("what is cut")
    name = call.text("name") or "input_producer"
    base = graphs.unique(m, name)
    # Its parts have names inside its scope.
    _count_epochs(call, None if base is None else f"{base}/input_producer")
    node = call.node()
    made: list[Value] = []
    for index, item in enumerate(items):
        about = tensors.about(m, item)
        shape = None if about.shape is None else about.shape[1:]
        made.append(call.tensor(node, about.dtype, shape, None, str(index)))
    return containers.make_list(m, made)


def _batch_sparse(call: Call, node: int, dtype: str | None, path: str) -> Value:
    from migrate.tfmodel import constants

    return constants.sparse(
        call.tensor(node, "int64", (None, None), None, f"{path}.0"),
        call.tensor(node, dtype, (None,), None, f"{path}.1"),
        call.tensor(node, "int64", (None,), None, f"{path}.2"),
    )


def _batching(symbol: str, joined: bool) -> None:
    def handler(call: Call) -> Value:
        m = call.m
        given = call.get("tensors", "tensors_list")
        if isinstance(given, Unknown):
            return given
        if joined:
            rows = calls.iterate_over(m, given)
            if not rows:
                return call.unknown("what is batched")
            given = rows[0]
        size = tensors.dimension_argument(m, call.get("batch_size"))
        if call.flag("allow_smaller_final_batch"):
            size = None
        many = call.flag("enqueue_many") is True
        name = call.symbol.rpartition(".")[2]
        graphs.unique(m, call.text("name") or name)
        node = call.node()
        shapes_given = call.items("shapes") if call.get("shapes") != NONE else None

        def one(value: Value, path: str, index: int) -> Value:
            if isinstance(value, Unknown):
                return value
            about = tensors.about(m, value)
            if tensors.is_sparse(value):
                return _batch_sparse(call, node, about.dtype, path)
            shape = about.shape
            if shapes_given is not None and index < len(shapes_given):
                shape = tensors.shape_argument(m, shapes_given[index])
            elif many and shape is not None:
                shape = shape[1:]
            whole = None if shape is None else (size, *shape)
            return call.tensor(node, about.dtype, whole, None, path)

        if isinstance(given, Reference) and given.kind == "dict":
            pairs = containers.read_pairs(m, given)
            if not isinstance(pairs, tuple):
                return call.unknown("what is batched")
            found = [(k, one(v, str(i), i)) for i, (k, v) in enumerate(pairs)]
            return containers.make_dict(m, found)
        items = None if tensors.is_symbolic(given) else calls.iterate_over(m, given)
        if items is None:
            return one(given, "0", 0)
        made = [one(v, str(i), i) for i, v in enumerate(items)]
        if len(made) == 1:
            return made[0]
        return containers.make_list(m, made)

    function(symbol)(handler)


_batching("tf.train.batch", False)
_batching("tf.train.shuffle_batch", False)
_batching("tf.train.batch_join", True)
_batching("tf.train.shuffle_batch_join", True)


@class_("tf.train.QueueRunner")
def _queue_runner(call: Call) -> Value:
    keep(call.m, _self(call), **call.given)
    return NONE


@method("tf.train.QueueRunner", "create_threads")
def _create_threads(call: Call) -> Value:
    return call.m.hosts.make_fresh("threads")


@function("tf.train.add_queue_runner")
def _add_queue_runner(call: Call) -> Value:
    graphs.collect(call.m, "queue_runners", call.get("qr"))
    return NONE
