"""Regularizers: what they add to a collection of penalties."""

from __future__ import annotations

from typing import TYPE_CHECKING

from migrate.evaluate import calls, objects
from migrate.graph.values import (
    NONE,
    Choice,
    Const,
    Reference,
    Symbol,
    Tensor,
    Unknown,
    Value,
)
from migrate.tfmodel import (
    graphs,
    tensors,
    variables,
)
from migrate.tfmodel.registry import Call, as_list, class_, function, keep, method

if TYPE_CHECKING:
    pass


def _regularizer(symbol: str, name: str) -> None:
    def make_regularizer(call: Call) -> Value:
        scale = call.get("scale", "scale_l1")
        if isinstance(scale, Const) and not scale.value:
            return _constant_none(call)
        one = objects.make_object(call.m, Symbol("tf.contrib.layers.l2_regularizer"))
        keep(call.m, one, kind=Const(name), symbol=Const(symbol), **call.given)
        return one

    function(symbol)(make_regularizer)


def _constant_none(call: Call) -> Value:
    return objects.make_object(call.m, Symbol("tf.contrib.layers.l1_regularizer"))


_regularizer("tf.contrib.layers.l2_regularizer", "l2_regularizer")
_regularizer("tf.contrib.layers.l1_regularizer", "l1_regularizer")
_regularizer("tf.contrib.layers.l1_l2_regularizer", "l1_l2_regularizer")


@method("tf.contrib.layers.l2_regularizer", "__call__")
def _penalty(call: Call) -> Value:
    from migrate.tfmodel.registry import fields_of

    m, own = call.m, call.receiver
    assert isinstance(own, Reference)
    given = next(iter(call.given.values()), NONE)
    value = next(iter(as_list(m, given)), NONE)
    if isinstance(value, Unknown):
        return value
    about = tensors.about(m, value)
    kind = graphs.text_of(fields_of(m, own, "kind")) or "regularizer"
    whole = graphs.unique(m, kind)
    node = graphs.add(
        m, f"regularizer:{kind}", f"tf.contrib.layers.{kind}", {"weights": value}
    )
    dtype = about.dtype
    return Tensor(
        node, "0", dtype, (), None if whole is None else whole + ":0", graphs.current(m)
    )


@method("tf.contrib.layers.l1_regularizer", "__call__")
def _no_penalty(call: Call) -> Value:
    return NONE


@function("tf.contrib.layers.apply_regularization")
def _apply_regularization(call: Call) -> Value:
    m = call.m
    listed = call.get("weights_list")
    if listed == NONE:
        found = graphs.collection(m, "weights")
        chosen = list(found) if found is not None else None
    else:
        chosen = calls.iterate_over(m, listed)
    if chosen is None:
        return call.unknown("what is regularized")
    for one in chosen:
        if isinstance(one, (Unknown, Choice)):
            return call.unknown("what is regularized")
    whole = call.name_of("get_regularization_penalty")
    node = call.node(tuple(chosen))
    penalties = [
        call.tensor(node, "float32", (), None, f"penalty.{i}")
        for i in range(len(chosen))
    ]
    for one in penalties:
        graphs.collect(m, variables.REGULARIZATION, one)
    return call.tensor(node, "float32", (), whole)


@class_("tf.keras.regularizers.L1L2")
def _keras_regularizer(call: Call) -> Value:
    assert isinstance(call.receiver, Reference)
    keep(call.m, call.receiver, **call.given)
    return NONE


@method("tf.keras.regularizers.L1L2", "__call__")
def _keras_penalty(call: Call) -> Value:
    m = call.m
    value = next(iter(as_list(m, next(iter(call.given.values()), NONE))), NONE)
    node = graphs.add(m, call.label, call.symbol, {"x": value})
    return Tensor(node, "0", "float32", (), None, graphs.current(m))


@function("tf.keras.regularizers.l2", "tf.keras.regularizers.l1")
def _keras_l2(call: Call) -> Value:
    made = objects.make_object(call.m, Symbol("tf.keras.regularizers.L1L2"))
    keep(call.m, made, **call.given)
    return made


@function("tf.contrib.framework.add_arg_scope")
def _add_arg_scope(call: Call) -> Value:
    return call.problem("a function of the program takes part in argument scopes")


@function("tf.contrib.slim.utils.convert_collection_to_dict")
def _collection_dict(call: Call) -> Value:
    return call.m.hosts.make_fresh("a collection as a dict")
