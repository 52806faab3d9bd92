"""`tf.layers`: layers as functions and as objects."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING

from migrate.evaluate import calls
from migrate.graph import shapes
from migrate.graph.shapes import Shape
from migrate.graph.values import (
    NONE,
    Const,
    Dim,
    Reference,
    Unknown,
    Value,
)
from migrate.tfmodel import graphs, more_rules, rules, scopes, tensors, variables
from migrate.tfmodel.registry import (
    CLASSES,
    FUNCTIONS,
    PARENTS,
    Call,
    class_,
    fields_of,
    keep,
    label_of,
    method,
)

if TYPE_CHECKING:
    from migrate.evaluate.machine import Machine


@dataclasses.dataclass(frozen=True, slots=True)
class Weight:
    """A variable of a layer.

    Attributes:
      name: below the layer's scope.
      shape: of it.
      initializer: an argument's value, or a name.
      trainable: whether it is trained, where the layer is.
      regularizer: a penalty on it.
    """

    name: str
    shape: Shape | None
    initializer: Value
    trainable: bool = True
    regularizer: Value = NONE


@dataclasses.dataclass(frozen=True, slots=True)
class Built:
    """One layer for one input: its variables, and the shape of its result."""

    weights: tuple[Weight, ...]
    shape: Shape | None
    inner: str
    updates: bool = False


Build = Callable[[Call, Shape | None], Built]


def _channels(shape: Shape | None, first: bool = False) -> Dim:
    if not shape:
        return None
    return shape[1 if first else -1]


def _front(call: Call) -> bool:
    return call.text("data_format") == "channels_first"


def dense(call: Call, shape: Shape | None) -> Built:
    units = tensors.dimension_argument(call.m, call.get("units"))
    weights = [
        Weight(
            "kernel",
            (_channels(shape), units),
            call.get("kernel_initializer"),
            regularizer=call.get("kernel_regularizer"),
        )
    ]
    weights += _bias(call, units)
    rank = len(shape) if shape is not None else None
    inner = "Tensordot" if rank is not None and rank > 2 else "MatMul"
    return Built(
        tuple(weights),
        None if shape is None else (*shape[:-1], units),
        "BiasAdd" if len(weights) > 1 else inner,
    )


def _bias(call: Call, units: Dim) -> list[Weight]:
    if call.flag("use_bias") is False:
        return []
    return [
        Weight(
            "bias",
            (units,),
            call.get("bias_initializer"),
            regularizer=call.get("bias_regularizer"),
        )
    ]


def conv(call: Call, shape: Shape | None, rank: int) -> Built:
    filters = tensors.dimension_argument(call.m, call.get("filters"))
    kernel = more_rules.pair(call, call.get("kernel_size"), rank)
    front = _front(call)
    weights = [
        Weight(
            "kernel",
            (*kernel, _channels(shape, front), filters),
            call.get("kernel_initializer"),
            regularizer=call.get("kernel_regularizer"),
        )
    ]
    weights += _bias(call, filters)
    found = more_rules.slide(
        call,
        shape,
        call.get("kernel_size"),
        call.get("strides"),
        call.text("padding"),
        filters,
        rate=call.get("dilation_rate"),
        channels_first=front,
    )
    return Built(
        tuple(weights), found, "BiasAdd" if len(weights) > 1 else f"Conv{rank}D"
    )


def conv1d(call: Call, shape: Shape | None) -> Built:
    return conv(call, shape, 1)


def conv2d(call: Call, shape: Shape | None) -> Built:
    return conv(call, shape, 2)


def conv3d(call: Call, shape: Shape | None) -> Built:
    return conv(call, shape, 3)


def conv2d_transpose(call: Call, shape: Shape | None) -> Built:
    filters = tensors.dimension_argument(call.m, call.get("filters"))
    kernel = more_rules.pair(call, call.get("kernel_size"), 2)
    steps = more_rules.pair(call, call.get("strides"), 2)
    front = _front(call)
    weights = [
        Weight(
            "kernel",
            (*kernel, filters, _channels(shape, front)),
            call.get("kernel_initializer"),
            regularizer=call.get("kernel_regularizer"),
        )
    ]
    weights += _bias(call, filters)
    found: Shape | None = None
    padding = call.text("padding")
    if shape is not None and len(shape) == 4 and padding is not None:
        space = shape[2:] if front else shape[1:3]
        grown = [
            shapes.unfold(d, k, s, padding)
            if isinstance(k, int) and isinstance(s, int)
            else None
            for d, k, s in zip(space, kernel, steps)
        ]
        found = (shape[0], filters, *grown) if front else (shape[0], *grown, filters)
    return Built(
        tuple(weights), found, "BiasAdd" if len(weights) > 1 else "conv2d_transpose"
    )


def separable_conv2d(call: Call, shape: Shape | None) -> Built:
    filters = tensors.dimension_argument(call.m, call.get("filters"))
    kernel = more_rules.pair(call, call.get("kernel_size"), 2)
    channels = _channels(shape, _front(call))
    multiplier = tensors.dimension_argument(call.m, call.get("depth_multiplier"))
    wide = (
        channels * multiplier
        if isinstance(channels, int) and isinstance(multiplier, int)
        else None
    )
    weights = [
        Weight(
            "depthwise_kernel",
            (*kernel, channels, multiplier),
            call.get("depthwise_initializer"),
            regularizer=call.get("depthwise_regularizer"),
        ),
        Weight(
            "pointwise_kernel",
            (1, 1, wide, filters),
            call.get("pointwise_initializer"),
            regularizer=call.get("pointwise_regularizer"),
        ),
        *_bias(call, filters),
    ]
    found = more_rules.slide(
        call,
        shape,
        call.get("kernel_size"),
        call.get("strides"),
        call.text("padding"),
        filters,
        rate=call.get("dilation_rate"),
        channels_first=_front(call),
    )
    return Built(tuple(weights), found, "BiasAdd")


def batch_normalization(call: Call, shape: Shape | None) -> Built:
    axis = tensors.constant_of(call.m, call.get("axis"))
    dim = shape[axis] if shape is not None and isinstance(axis, int) else None
    weights: list[Weight] = []
    if call.flag("scale") is not False:
        weights.append(
            Weight(
                "gamma",
                (dim,),
                _or(call, "gamma_initializer", "ones"),
                regularizer=call.get("gamma_regularizer"),
            )
        )
    if call.flag("center") is not False:
        weights.append(
            Weight(
                "beta",
                (dim,),
                _or(call, "beta_initializer", "zeros"),
                regularizer=call.get("beta_regularizer"),
            )
        )
    weights += [
        Weight(
            "moving_mean", (dim,), _or(call, "moving_mean_initializer", "zeros"), False
        ),
        Weight(
            "moving_variance",
            (dim,),
            _or(call, "moving_variance_initializer", "ones"),
            False,
        ),
    ]
    training = call.get("training")
    return Built(
        tuple(weights),
        shape,
        "FusedBatchNorm",
        training != Const(False) and training != NONE,
    )


def _or(call: Call, name: str, otherwise: str) -> Value:
    found = call.get(name)
    return Const(otherwise) if found == NONE else found


_LAYERS: dict[str, tuple[str, Build]] = {
    "tf.layers.dense": ("tf.layers.Dense", dense),
    "tf.layers.conv1d": ("tf.layers.Conv1D", conv1d),
    "tf.layers.conv2d": ("tf.layers.Conv2D", conv2d),
    "tf.layers.conv3d": ("tf.layers.Conv3D", conv3d),
    "tf.layers.conv2d_transpose": ("tf.layers.Conv2DTranspose", conv2d_transpose),
    "tf.layers.separable_conv2d": ("tf.layers.SeparableConv2D", separable_conv2d),
    "tf.layers.batch_normalization": (
        "tf.layers.BatchNormalization",
        batch_normalization,
    ),
}


def run(
    call: Call,
    build: Build,
    inputs: Value,
    scope: scopes.VariableScope,
    reuse: str | None,
    node: int | None = None,
) -> Value:
    """A layer applied to its input: its variables in a scope, its result."""
    m = call.m
    about = tensors.about(m, inputs)
    built = build(call, about.shape)
    names = graphs.scope(m)
    opened, inside = scopes.enter(m, scope, reuse=reuse, named=False)
    graphs.set_scope(m, inside.original.rstrip("/") if inside.original else names)
    control = graphs.control(m)
    node = call.node() if node is None else node
    made: list[Value] = []
    for weight in built.weights:
        graphs.set_control(m, ())
        initializer = weight.initializer
        if initializer == NONE and weight.name in ("bias", "biases"):
            initializer = Const("zeros")
        trainable = call.flag("trainable")
        one = variables.obtain(
            call,
            weight.name,
            weight.shape,
            _weight_type(about.dtype),
            initializer,
            trainable=weight.trainable and trainable is not False,
            regularizer=weight.regularizer,
            scope=inside,
            node=node,
        )
        graphs.set_control(m, control)
        if isinstance(one, Unknown):
            scopes.leave(m, opened)
            graphs.set_scope(m, names)
            return one
        made.append(one)
    graphs.unique(m, built.inner)
    whole: str | None = (
        f"{graphs.scope(m)}/{built.inner}" if graphs.scope(m) else built.inner
    )
    record = m.record.nodes
    record[node] = dataclasses.replace(record[node], needs=tuple(made))
    result: Value = call.tensor(node, about.dtype, built.shape, whole)
    activation = call.get("activation")
    if activation != NONE:
        result = activate(call, activation, result, node)
    if built.updates:
        add_updates(call, node)
    scopes.leave(m, opened)
    graphs.set_scope(m, names)
    return result


def _weight_type(dtype: str | None) -> str | None:
    return (
        dtype if dtype is None or dtype.startswith(("float", "bfloat")) else "float32"
    )


def activate(call: Call, activation: Value, value: Value, node: int) -> Value:
    """An activation inside a layer: a part of the layer's own node."""
    m = call.m
    before = len(m.record.nodes)
    if isinstance(activation, Const) and isinstance(activation.value, str):
        about = tensors.about(m, value)
        return call.tensor(node, about.dtype, about.shape, None)
    result = calls.call_value(m, activation, [value], {})
    added = m.record.nodes[before:]
    if isinstance(result, Unknown) or any(
        n.label.startswith("operator:") for n in added
    ):
        return result
    if len(added) == 1 and added[0].origin == m.record.nodes[node].origin:
        del m.record.nodes[before:]
        about = tensors.about(m, result)
        name = getattr(result, "name", None)
        plain = name.rpartition(":")[0] if name is not None else None
        return call.tensor(node, about.dtype, about.shape, plain)
    return result


def add_updates(call: Call, node: int) -> None:
    """The updates of moving averages, as batch normalization collects them."""
    for _ in range(2):
        graphs.collect(call.m, "update_ops", call.operation(node))


def _function(symbol: str, base: str, build: Build) -> None:
    def handler(call: Call) -> Value:
        m = call.m
        inputs = call.get("inputs")
        if isinstance(inputs, Unknown):
            return inputs
        name = call.text("name")
        if call.get("name") != NONE and name is None:
            return call.problem("the name of a layer is not known")
        reuse = scopes.reuse_of(call, call.get("reuse", "_reuse"))
        opened, scope = scopes.enter(m, name, base)
        scopes.leave(m, opened)
        return run(call, build, inputs, scope, reuse)

    FUNCTIONS[label_of(symbol)] = handler


def _class(symbol: str, base: str, build: Build) -> None:
    def keep_arguments(call: Call) -> Value:
        assert isinstance(call.receiver, Reference)
        keep(call.m, call.receiver, **call.given)
        return NONE

    def call_layer(call: Call) -> Value:
        m, own = call.m, call.receiver
        assert isinstance(own, Reference)
        inputs = call.get("inputs")
        if isinstance(inputs, Unknown):
            return inputs
        merged = Call(m, call.symbol, call.label, dict(call.given), receiver=own)
        _settings(m, own, merged, symbol)
        key = (own.address, "layerscope", graphs.current(m))
        known = m.store.get(key, None)
        if isinstance(known, scopes.VariableScope):
            return run(merged, build, inputs, known, "yes")
        name = graphs.text_of(fields_of(m, own, "name"))
        opened, scope = scopes.enter(m, None, name or base)
        scopes.leave(m, opened)
        m.store.set(key, scope)
        return run(merged, build, inputs, scope, "no")

    CLASSES[label_of(symbol)] = keep_arguments
    PARENTS[label_of(symbol)] = label_of("tf.layers.Layer")
    method(symbol, "__call__", "apply")(call_layer)


def _settings(m: Machine, own: Reference, call: Call, symbol: str) -> None:
    """Adds a layer's constructor arguments to the arguments of its call."""
    from migrate.tfmodel import bound, names

    for text in names.parameters(symbol) or ():
        name = text.partition("=")[0].lstrip("*")
        value = fields_of(m, own, name)
        if value != NONE:
            call.given.setdefault(name, value)
    made = bound.bind(m, symbol, "", [], {})
    if isinstance(made, Call):
        call.defaults.update(made.defaults)


for _symbol, (_class_symbol, _build) in _LAYERS.items():
    _base = _symbol.rpartition(".")[2]
    _function(_symbol, _base, _build)
    _class(_class_symbol, _base, _build)


@class_("tf.layers.Layer")
def _layer(call: Call) -> Value:
    return NONE


@method("tf.layers.Layer", "__call__", "apply")
def _call_layer(call: Call) -> Value:
    return call.problem("a layer of the program's own")


def _plain(symbol: str, base: str, rule: rules.Rule) -> None:
    """A layer class without variables."""

    def keep_arguments(call: Call) -> Value:
        assert isinstance(call.receiver, Reference)
        keep(call.m, call.receiver, **call.given)
        return NONE

    def call_layer(call: Call) -> Value:
        m, own = call.m, call.receiver
        assert isinstance(own, Reference)
        inputs = call.get("inputs")
        if isinstance(inputs, Unknown):
            return inputs
        merged = Call(m, call.symbol, call.label, dict(call.given), receiver=own)
        _settings(m, own, merged, symbol)
        graphs.unique(m, graphs.text_of(fields_of(m, own, "name")) or base)
        about = tensors.about(m, inputs)
        return call.tensor(call.node(), about.dtype, rule(merged, "inputs"))

    CLASSES[label_of(symbol)] = keep_arguments
    PARENTS[label_of(symbol)] = label_of("tf.layers.Layer")
    method(symbol, "__call__", "apply")(call_layer)


for _symbol, _base, _rule in (
    ("tf.layers.Flatten", "flatten", more_rules.infer_flat_shape),
    ("tf.layers.Dropout", "dropout", rules.infer_same_shape),
    ("tf.layers.MaxPooling1D", "max_pooling1d", more_rules.infer_pooling_layer_shape),
    ("tf.layers.MaxPooling2D", "max_pooling2d", more_rules.infer_pooling_layer_shape),
    (
        "tf.layers.AveragePooling2D",
        "average_pooling2d",
        more_rules.infer_pooling_layer_shape,
    ),
):
    _plain(_symbol, _base, _rule)
