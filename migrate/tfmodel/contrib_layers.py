"""`tf.contrib.layers` (and slim): layers as functions, regularizers, batch normalization."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from migrate.evaluate import calls
from migrate.graph import shapes
from migrate.graph.shapes import Shape
from migrate.graph.values import (
    NONE,
    Const,
    Dim,
    Reference,
    Symbol,
    Tensor,
    Unknown,
    Value,
)
from migrate.tfmodel import (
    graphs,
    initializers,
    layers,
    more_rules,
    scopes,
    tensors,
    variables,
)
from migrate.tfmodel.layers import Weight
from migrate.tfmodel.registry import Call, as_list, function

if TYPE_CHECKING:
    from migrate.evaluate.machine import Machine

_RELU = Symbol("tf.nn.relu")
_XAVIER = "tf.contrib.layers.xavier_initializer"
MODEL = "model_variables"


@dataclasses.dataclass(frozen=True, slots=True)
class Plan:
    """One layer for one input: its first variable's shape, and its result's shape."""

    kernel: Shape | None
    shape: Shape | None
    units: Dim


def _open(
    call: Call, base: str
) -> tuple[scopes.Opened, scopes.VariableScope] | Unknown:
    """The layer's scope: the given one, or one of a default name."""
    given = call.get("scope")
    reuse = scopes.reuse_of(call, call.get("reuse"))
    name: str | scopes.VariableScope | None = graphs.text_of(given)
    if name is None and given != NONE:
        name = scopes.of_object(call.m, given)
        if name is None:
            return call.problem("the scope of a layer is not known")
    return scopes.enter(call.m, name, base, reuse=reuse)


def _layer(call: Call, base: str, plan: Plan, inner: str) -> Value:
    m = call.m
    inputs = call.get("inputs")
    opened = _open(call, base)
    if isinstance(opened, Unknown):
        return opened
    entered, scope = opened
    node = call.node()
    trainable = call.flag("trainable") is not False
    normalizer = call.get("normalizer_fn")
    about = tensors.about(m, inputs)
    weights = [
        Weight(
            "weights",
            plan.kernel,
            _initializer(call, "weights_initializer"),
            trainable,
            call.get("weights_regularizer"),
        )
    ]
    biased = (
        "biases_initializer" not in call.given
        or call.given["biases_initializer"] != NONE
    )
    if normalizer == NONE and biased:
        start = call.given.get("biases_initializer", Const("zeros"))
        weights.append(
            Weight(
                "biases",
                (plan.units,),
                start,
                trainable,
                call.get("biases_regularizer"),
            )
        )
    made = make(call, weights, node, scope)
    if isinstance(made, Unknown):
        scopes.leave(m, entered)
        return made
    graphs.unique(m, inner)
    last = "BiasAdd" if len(weights) > 1 else inner
    whole = f"{graphs.scope(m)}/{last}"
    result: Value = call.tensor(node, about.dtype, plan.shape, whole)
    if normalizer != NONE:
        result = _apply_normalizer(call, normalizer, result)
    activation = call.given.get("activation_fn", _RELU)
    if activation != NONE:
        result = _apply_activation(call, activation, result, node)
    scopes.leave(m, entered)
    outputs = call.text("outputs_collections")
    if outputs is not None:
        graphs.collect(m, outputs, result)
    return result


def _initializer(call: Call, name: str) -> Value:
    found = call.get(name)
    return initializers.make(call.m, _XAVIER, {}) if found == NONE else found


def make(
    call: Call, weights: list[Weight], node: int, scope: scopes.VariableScope
) -> tuple[Value, ...] | Unknown:
    """The layer's variables, in the order in which they are made."""
    m = call.m
    control = graphs.control(m)
    graphs.set_control(m, ())
    made: list[Value] = []
    for weight in weights:
        before = len(m.record.variables)
        one = variables.obtain(
            call,
            weight.name,
            weight.shape,
            "float32",
            weight.initializer,
            trainable=weight.trainable,
            regularizer=weight.regularizer,
            scope=scope,
            node=node,
            collections=("variables", MODEL),
        )
        if isinstance(one, Unknown):
            graphs.set_control(m, control)
            return one
        if len(m.record.variables) > before:
            _collect(call, weight.name, one)
        made.append(one)
    graphs.set_control(m, control)
    record = m.record.nodes
    record[node] = dataclasses.replace(record[node], needs=(*record[node].needs, *made))
    return tuple(made)


def _collect(call: Call, name: str, one: Value) -> None:
    listed = call.get("variables_collections")
    if listed == NONE:
        return
    from migrate.evaluate import containers

    if isinstance(listed, Reference) and listed.kind == "dict":
        pairs = containers.read_pairs(call.m, listed)
        found = dict(pairs).get(Const(name), NONE) if isinstance(pairs, tuple) else NONE
        listed = found
    for item in as_list(call.m, listed):
        text = graphs.text_of(item)
        if text is not None:
            graphs.collect(call.m, text, one)


def _apply_normalizer(call: Call, normalizer: Value, value: Value) -> Value:
    from migrate.evaluate import containers

    m = call.m
    given = call.get("normalizer_params")
    named: dict[str, Value] = {}
    if given != NONE:
        pairs = (
            containers.read_pairs(m, given) if isinstance(given, Reference) else None
        )
        if not isinstance(pairs, tuple):
            return call.unknown("the parameters of a normalizer")
        named = {str(k.value): v for k, v in pairs if isinstance(k, Const)}
    return calls.call_value(m, normalizer, [value], named)


def _apply_activation(call: Call, activation: Value, value: Value, node: int) -> Value:
    if isinstance(value, Tensor) and value.node == node:
        return layers.activate(call, activation, value, node)
    return calls.call_value(call.m, activation, [value], {})


@function("tf.contrib.layers.fully_connected")
def _fully_connected(call: Call) -> Value:
    inputs = call.get("inputs")
    if isinstance(inputs, Unknown):
        return inputs
    shape = tensors.about(call.m, inputs).shape
    units = tensors.dimension_argument(call.m, call.get("num_outputs"))
    channels = shape[-1] if shape else None
    found = None if shape is None else (*shape[:-1], units)
    return _layer(
        call, "fully_connected", Plan((channels, units), found, units), "MatMul"
    )


@function("tf.contrib.layers.conv2d", "tf.contrib.layers.convolution")
def _conv2d(call: Call) -> Value:
    inputs = call.get("inputs")
    if isinstance(inputs, Unknown):
        return inputs
    shape = tensors.about(call.m, inputs).shape
    units = tensors.dimension_argument(call.m, call.get("num_outputs"))
    kernel = more_rules.pair(call, call.get("kernel_size"), 2)
    front = (call.text("data_format") or "").startswith("NC")
    channels = shape[1 if front else -1] if shape else None
    stride = call.get("stride")
    found = more_rules.slide(
        call,
        shape,
        call.get("kernel_size"),
        Const(1) if stride == NONE else stride,
        call.text("padding") or "SAME",
        units,
        rate=call.get("rate"),
        channels_first=front,
    )
    return _layer(
        call, "Conv", Plan((*kernel, channels, units), found, units), "Conv2D"
    )


@function("tf.contrib.layers.conv2d_transpose")
def _conv2d_transpose(call: Call) -> Value:
    inputs = call.get("inputs")
    if isinstance(inputs, Unknown):
        return inputs
    shape = tensors.about(call.m, inputs).shape
    units = tensors.dimension_argument(call.m, call.get("num_outputs"))
    kernel = more_rules.pair(call, call.get("kernel_size"), 2)
    stride = call.get("stride")
    steps = more_rules.pair(call, Const(1) if stride == NONE else stride, 2)
    channels = shape[-1] if shape else None
    padding = call.text("padding") or "SAME"
    found: Shape | None = None
    if shape is not None and len(shape) == 4:
        grown = [
            shapes.unfold(d, k, s, padding)
            if isinstance(k, int) and isinstance(s, int)
            else None
            for d, k, s in zip(shape[1:3], kernel, steps)
        ]
        found = (shape[0], *grown, units)
    plan = Plan((*kernel, units, channels), found, units)
    return _layer(call, "Conv2d_transpose", plan, "conv2d_transpose")


@function("tf.contrib.layers.separable_conv2d")
def _separable(call: Call) -> Value:
    return call.problem("not modelled yet")


@function("tf.contrib.layers.batch_norm")
def batch_norm(call: Call) -> Value:
    m = call.m
    inputs = call.get("inputs")
    if isinstance(inputs, Unknown):
        return inputs
    about = tensors.about(m, inputs)
    front = (call.text("data_format") or "NHWC").startswith("NC")
    dim = about.shape[1 if front else -1] if about.shape else None
    opened = _open(call, "BatchNorm")
    if isinstance(opened, Unknown):
        return opened
    entered, scope = opened
    node = call.node()
    trainable = call.flag("trainable") is not False
    weights: list[Weight] = []
    if call.flag("scale"):
        weights.append(Weight("gamma", (dim,), Const("ones"), trainable))
    if call.flag("center") is not False:
        weights.append(Weight("beta", (dim,), Const("zeros"), trainable))
    if _is_fused(call, about.shape):
        weights.sort(key=lambda w: w.name != "gamma")
    else:
        weights.sort(key=lambda w: w.name != "beta")
    weights += [
        Weight("moving_mean", (dim,), Const("zeros"), False),
        Weight("moving_variance", (dim,), Const("ones"), False),
    ]
    made = make(call, weights, node, scope)
    if isinstance(made, Unknown):
        scopes.leave(m, entered)
        return made
    result: Value = call.tensor(node, about.dtype, about.shape, None)
    training = call.given.get("is_training", Const(True))
    if (
        training != Const(False)
        and call.given.get("updates_collections", Const(1)) != NONE
    ):
        key = call.text("updates_collections") or "update_ops"
        for _ in range(2):
            graphs.collect(m, key, call.operation(node))
    activation = call.get("activation_fn")
    if activation != NONE:
        result = layers.activate(call, activation, result, node)
    scopes.leave(m, entered)
    return result


def _is_fused(call: Call, shape: Shape | None) -> bool:
    given = call.flag("fused")
    if given is not None and call.get("fused") != NONE:
        return given
    return shape is not None and len(shape) in (2, 4)


@function("tf.contrib.layers.layer_norm")
def _layer_norm(call: Call) -> Value:
    m = call.m
    inputs = call.get("inputs")
    if isinstance(inputs, Unknown):
        return inputs
    about = tensors.about(m, inputs)
    opened = _open(call, "LayerNorm")
    if isinstance(opened, Unknown):
        return opened
    entered, scope = opened
    node = call.node()
    begin = call.number("begin_params_axis")
    dims = about.shape[-1 if begin is None else begin :] if about.shape else None
    weights = (
        [Weight("beta", dims, Const("zeros"))]
        if call.flag("center") is not False
        else []
    )
    if call.flag("scale") is not False:
        weights.append(Weight("gamma", dims, Const("ones")))
    made = make(call, weights, node, scope)
    result: Value = call.tensor(node, about.dtype, about.shape, None)
    activation = call.get("activation_fn")
    if activation != NONE and not isinstance(made, Unknown):
        result = layers.activate(call, activation, result, node)
    scopes.leave(m, entered)
    return made if isinstance(made, Unknown) else result


@function("tf.contrib.layers.bias_add")
def _bias_add(call: Call) -> Value:
    return call.problem("not modelled yet")


@function("tf.contrib.layers.repeat", "tf.contrib.layers.stack")
def _repeat(call: Call) -> Value:
    m = call.m
    value = call.get("inputs")
    is_stack = call.symbol.endswith("stack")
    layer = call.get("layer")
    name = _layer_name(m, layer)
    base = graphs.text_of(call.get("scope"))
    entered, _ = scopes.enter(m, base, "Stack" if is_stack else "Repeat")
    label = base or name
    given = [*_positional(call)]
    named = {
        k: v
        for k, v in call.given.items()
        if k not in ("inputs", "layer", "repetitions", "stack_args", "args", "scope")
    }
    if is_stack:
        rounds = [as_list(m, a) for a in as_list(m, call.get("stack_args"))]
    else:
        count = call.number("repetitions")
        if count is None:
            scopes.leave(m, entered)
            return call.problem("how often a layer is repeated")
        rounds = [given] * count
    for index, arguments in enumerate(rounds):
        scope = Const(f"{label}_{index + 1}")
        value = calls.call_value(
            m, layer, [value, *arguments], {**named, "scope": scope}
        )
    scopes.leave(m, entered)
    return value


def _positional(call: Call) -> list[Value]:
    from migrate.graph.values import Tuple

    found = call.given.get("args")
    return list(found.items) if isinstance(found, Tuple) else []


def _layer_name(m: Machine, layer: Value) -> str:
    if isinstance(layer, Symbol):
        from migrate.tfmodel import names

        found = names.look_up(layer.path)
        if found is not None:
            return found.label.rpartition(":")[2]
    return getattr(layer, "name", "layer")


@function("tf.contrib.layers.embed_sequence")
def _embed_sequence(call: Call) -> Value:
    m = call.m
    ids = call.get("ids")
    if isinstance(ids, Unknown):
        return ids
    opened = _open(call, "EmbedSequence")
    if isinstance(opened, Unknown):
        return opened
    entered, scope = opened
    node = call.node()
    size = tensors.dimension_argument(m, call.get("vocab_size"))
    width = tensors.dimension_argument(m, call.get("embed_dim"))
    weight = Weight(
        "embeddings",
        (size, width),
        call.get("initializer"),
        True,
        call.get("regularizer"),
    )
    made = make(call, [weight], node, scope)
    scopes.leave(m, entered)
    if isinstance(made, Unknown):
        return made
    about = tensors.about(m, ids)
    shape = None if about.shape is None else (*about.shape, width)
    return call.tensor(node, "float32", shape, None)
