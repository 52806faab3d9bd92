"""Records of examples: how they are parsed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from migrate.evaluate import containers
from migrate.graph.values import (
    NONE,
    Array,
    Const,
    DType,
    Reference,
    Value,
)
from migrate.tfmodel import tensors
from migrate.tfmodel.registry import (
    Call,
    class_,
    fields_of,
    function,
    keep,
)

if TYPE_CHECKING:
    pass


@function("tf.parse_single_example", "tf.parse_example")
def _parse(call: Call) -> Value:
    m = call.m
    features = call.get("features")
    pairs = (
        containers.read_pairs(m, features) if isinstance(features, Reference) else None
    )
    if not isinstance(pairs, tuple):
        return call.unknown("which features there are")
    single = "single" in call.symbol
    call.name_of("ParseSingleExample" if single else "ParseExample")
    node = call.node()
    found: list[tuple[Value, Value]] = []
    for index, (key, feature) in enumerate(pairs):
        about = (
            m.store.get((feature.address, "feature"), None)
            if isinstance(feature, Reference)
            else None
        )
        if not isinstance(about, Array):
            return call.unknown("a feature")
        shape = about.shape
        if shape is not None and not single:
            batch = tensors.about(m, call.get("serialized")).shape
            shape = (batch[0] if batch else None, *shape)
        if fields_of(m, feature, "sparse") == Const(True):  # type: ignore[arg-type]
            parts = [
                call.tensor(node, k, None, None, f"{index}.{i}")
                for i, k in enumerate(("int64", about.dtype, "int64"))
            ]
            from migrate.tfmodel.constants import sparse

            found.append((key, sparse(*parts)))
        else:
            found.append((key, call.tensor(node, about.dtype, shape, None, str(index))))
    return containers.make_dict(m, found)


def _feature(symbol: str, is_sparse: bool) -> None:
    def handler(call: Call) -> Value:
        own = call.receiver
        assert isinstance(own, Reference)
        shape = None if is_sparse else call.dims("shape")
        call.m.store.set((own.address, "feature"), Array(shape, call.dtype("dtype")))
        keep(call.m, own, sparse=Const(is_sparse))
        return NONE

    class_(symbol)(handler)


_feature("tf.FixedLenFeature", False)
_feature("tf.VarLenFeature", True)
_feature("tf.FixedLenSequenceFeature", False)


@function("tf.decode_csv")
def _decode_csv(call: Call) -> Value:
    m = call.m
    defaults = call.items("record_defaults")
    if defaults is None:
        return call.unknown("how many columns there are")
    whole = call.name_of("DecodeCSV")
    node = call.node()
    shape = tensors.about(m, call.get("records")).shape
    made: list[Value] = []
    for index, default in enumerate(defaults):
        dtype = (
            default.name
            if isinstance(default, DType)
            else tensors.about(m, default).dtype
        )
        made.append(call.tensor(node, dtype, shape, whole, str(index), index))
    return containers.make_list(m, made)
