"""Collections: lists of variables, losses, updates that a graph keeps."""

from __future__ import annotations

import re

from migrate.evaluate import containers
from migrate.graph.values import NONE, Const, Tensor, Value, VariableValue
from migrate.tfmodel import graphs, scopes
from migrate.tfmodel.registry import Call, as_list, function

LOSSES = "losses"


def members(call: Call, graph: int | None = None) -> Value:
    """A list of a collection's members, those of a scope where one is given."""
    m = call.m
    key = call.text("key", "name")
    if key is None:
        return call.problem("a collection whose name is not known")
    found = graphs.collection(m, key, graph)
    if found is None:
        return call.unknown(f"what the collection {key} has, which differs by a test")
    return within(call, found, call.get("scope"))


def within(call: Call, found: tuple[Value, ...], scope: Value) -> Value:
    """The members whose names begin with a scope."""
    m = call.m
    if scope == NONE:
        return containers.make_list(m, found)
    if not (isinstance(scope, Const) and isinstance(scope.value, str)):
        held = scopes.of_object(m, scope)
        if held is None:
            return call.unknown("the scope of the collection is unknown")
        prefix = held.name
    else:
        prefix = scope.value
    kept: list[Value] = []
    for value in found:
        name = name_of(value)
        if name is None:
            return call.unknown("the name of a member of the collection is unknown")
        try:
            if re.match(prefix, name):
                kept.append(value)
        except re.error:
            return call.unknown("the scope of the collection is unknown")
    return containers.make_list(m, kept)


def name_of(value: Value) -> str | None:
    """The name that a scope is compared with."""
    if isinstance(value, VariableValue):
        return None if value.name is None else value.name + ":0"
    return getattr(value, "name", None)


@function("tf.get_collection", "tf.get_collection_ref")
def _get_collection(call: Call) -> Value:
    return members(call)


@function("tf.add_to_collection", "tf.add_to_collections")
def _add_to_collection(call: Call) -> Value:
    names = as_list(call.m, call.get("name", "names"))
    for name in names:
        text = graphs.text_of(name)
        if text is None:
            return call.problem("a collection whose name is not known")
        graphs.collect(call.m, text, call.get("value"))
    return NONE


def _of(key: str) -> None:
    def handler(call: Call) -> Value:
        found = graphs.collection(call.m, key)
        if found is None:
            return call.unknown("which differ by a test")
        return within(call, found, call.get("scope"))

    names = {
        "variables": ("tf.global_variables", "tf.all_variables"),
        "trainable_variables": ("tf.trainable_variables",),
        "local_variables": ("tf.local_variables",),
        "model_variables": ("tf.model_variables",),
        "moving_average_variables": ("tf.moving_average_variables",),
    }
    function(*names[key])(handler)


for _key in (
    "variables",
    "trainable_variables",
    "local_variables",
    "model_variables",
    "moving_average_variables",
):
    _of(_key)


@function(
    "tf.contrib.framework.get_variables",
    "tf.contrib.framework.get_variables_to_restore",
)
def _get_variables(call: Call) -> Value:
    found = graphs.collection(call.m, call.text("collection") or "variables")
    if found is None:
        return call.unknown("which differ by a test")
    scope = call.get("scope")
    include, exclude = call.get("include"), call.get("exclude")
    if include != NONE or exclude != NONE:
        return _chosen(call, found, include, exclude)
    return within(call, found, scope)


def _chosen(
    call: Call, found: tuple[Value, ...], include: Value, exclude: Value
) -> Value:
    def prefixes(value: Value) -> list[str] | None:
        items = as_list(call.m, value)
        texts = [graphs.text_of(i) for i in items]
        return [t for t in texts if t is not None] if None not in texts else None

    wanted = prefixes(include) if include != NONE else None
    banned = prefixes(exclude) if exclude != NONE else []
    if banned is None or include != NONE and wanted is None:
        return call.unknown("which variables are chosen")
    kept: list[Value] = []
    for value in found:
        name = name_of(value)
        if name is None:
            return call.unknown("the name of a variable")
        if wanted is not None and not any(name.startswith(w) for w in wanted):
            continue
        if not any(name.startswith(b) for b in banned):
            kept.append(value)
    return containers.make_list(call.m, kept)


@function(
    "tf.contrib.framework.get_model_variables",
    "tf.contrib.framework.get_trainable_variables",
)
def _by_collection(call: Call) -> Value:
    trainable = call.symbol.endswith("trainable_variables")
    key = "trainable_variables" if trainable else "model_variables"
    found = graphs.collection(call.m, key)
    if found is None:
        return call.unknown("which differ by a test")
    return within(call, found, call.get("scope"))


@function("tf.losses.get_losses", "tf.contrib.losses.get_losses")
def _get_losses(call: Call) -> Value:
    key = call.text("loss_collection") or LOSSES
    found = graphs.collection(call.m, key)
    return (
        call.unknown("which differ")
        if found is None
        else within(call, found, call.get("scope"))
    )


@function("tf.losses.get_regularization_losses")
def _get_penalties(call: Call) -> Value:
    found = graphs.collection(call.m, "regularization_losses")
    return (
        call.unknown("which differ")
        if found is None
        else within(call, found, call.get("scope"))
    )


@function("tf.losses.add_loss", "tf.contrib.losses.add_loss")
def _add_loss(call: Call) -> Value:
    graphs.collect(call.m, call.text("loss_collection") or LOSSES, call.get("loss"))
    return NONE


@function("tf.losses.get_regularization_loss")
def _penalty(call: Call) -> Value:
    found = graphs.collection(call.m, "regularization_losses")
    if found is None:
        return call.unknown("which losses there are")
    if not found:
        whole = call.name_of("Const")
        return call.tensor(call.node(), "float32", (), whole)
    whole = call.name_of("total_regularization_loss")
    return call.tensor(call.node(found), "float32", (), whole)


@function("tf.losses.get_total_loss", "tf.contrib.losses.get_total_loss")
def _total(call: Call) -> Value:
    found = graphs.collection(call.m, LOSSES)
    more: tuple[Value, ...] | None = ()
    if call.flag("add_regularization_losses") is not False:
        more = graphs.collection(call.m, "regularization_losses")
    if found is None or more is None:
        return call.unknown("which losses there are")
    dtype = next((v.dtype for v in (*found, *more) if isinstance(v, Tensor)), "float32")
    whole = call.name_of("total_loss")
    return call.tensor(call.node((*found, *more)), dtype, (), whole)
