"""Optimizers, schedules of learning rates, moving averages, the global step."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from migrate.evaluate import calls, containers, objects
from migrate.graph.record import Initial
from migrate.graph.values import (
    NONE,
    Const,
    Operation,
    Reference,
    Symbol,
    Tensor,
    Tuple,
    Unknown,
    Value,
    VariableValue,
)
from migrate.tfmodel import gradients, graphs, scopes, tensors, variables
from migrate.tfmodel.registry import (
    CLASSES,
    PARENTS,
    Call,
    class_,
    fields_of,
    function,
    keep,
    label_of,
    method,
)

if TYPE_CHECKING:
    from migrate.evaluate.machine import Machine

OPTIMIZER = "tf.train.Optimizer"


@dataclasses.dataclass(frozen=True, slots=True)
class Optimizer:
    """The variables that an optimizer keeps.

    Attributes:
      name: of its updates, if the program gives none.
      slots: of each variable, in order: a first number, or the argument that gives it.
      scalars: variables of its own, (name, number or argument).
    """

    name: str
    slots: tuple[float | str, ...] = ()
    scalars: tuple[tuple[str, float | str], ...] = ()


_ADAM = (("beta1_power", "beta1"), ("beta2_power", "beta2"))
OPTIMIZERS: dict[str, Optimizer] = {
    "tf.train.GradientDescentOptimizer": Optimizer("GradientDescent"),
    "tf.train.MomentumOptimizer": Optimizer("Momentum", (0.0,)),
    "tf.train.AdamOptimizer": Optimizer("Adam", (0.0, 0.0), _ADAM),
    "tf.train.AdagradOptimizer": Optimizer("Adagrad", ("initial_accumulator_value",)),
    "tf.train.AdadeltaOptimizer": Optimizer("Adadelta", (0.0, 0.0)),
    "tf.train.RMSPropOptimizer": Optimizer("RMSProp", (1.0, 0.0)),
    "tf.train.FtrlOptimizer": Optimizer("Ftrl", ("initial_accumulator_value", 0.0)),
    "tf.train.AdagradDAOptimizer": Optimizer("AdagradDA", (0.0, 0.1)),
    "tf.train.ProximalAdagradOptimizer": Optimizer(
        "ProximalAdagrad", ("initial_accumulator_value",)
    ),
    "tf.train.ProximalGradientDescentOptimizer": Optimizer("ProximalGradientDescent"),
    "tf.contrib.opt.AdaMaxOptimizer": Optimizer("AdaMax", (0.0, 0.0), _ADAM[:1]),
    "tf.contrib.opt.NadamOptimizer": Optimizer("Nadam", (0.0, 0.0), _ADAM),
    "tf.contrib.opt.LazyAdamOptimizer": Optimizer("Adam", (0.0, 0.0), _ADAM),
}


def _self(call: Call) -> Reference:
    assert isinstance(call.receiver, Reference)
    return call.receiver


def _keep_arguments_and_defaults(call: Call) -> Value:
    keep(call.m, _self(call), **call.given)
    for name, value in call.defaults.items():
        if name not in call.given:
            keep(call.m, _self(call), **{name: value})
    return NONE


for _symbol in (OPTIMIZER, *OPTIMIZERS):
    CLASSES[label_of(_symbol)] = _keep_arguments_and_defaults
    if _symbol != OPTIMIZER:
        PARENTS[label_of(_symbol)] = label_of(OPTIMIZER)


def _facts(call: Call) -> Optimizer | None:
    """Returns the row of the optimizer's class, or of a base class."""
    cls = objects.find_class(call.m, call.receiver)
    for symbol in objects.find_libraries(call.m, cls) if cls is not None else ():
        for known, row in OPTIMIZERS.items():
            if label_of(known) == label_of(symbol.path):
                return row
    return None


def _own_class(call: Call) -> bool:
    """Whether the program has written the optimizer."""
    return isinstance(objects.find_class(call.m, call.receiver), Reference)


@method(OPTIMIZER, "minimize")
def _minimize(call: Call) -> Value:
    m = call.m
    loss = call.get("loss")
    if isinstance(loss, Unknown):
        return loss
    if _own_class(call):
        return call.problem("an optimizer of the program's own")
    pairs = _gradients(call, loss, call.get("var_list"), call.node)
    if isinstance(pairs, Unknown):
        return pairs
    moved = [v for g, v in pairs if g != NONE]
    if not moved:
        return call.problem("no variable has a gradient")
    node = len(m.record.nodes) - 1
    return _apply(call, moved, node, pairs)


@method(OPTIMIZER, "compute_gradients")
def _compute(call: Call) -> Value:
    loss = call.get("loss")
    if isinstance(loss, Unknown):
        return loss
    if _own_class(call):
        return call.problem("an optimizer of the program's own")
    pairs = _gradients(call, loss, call.get("var_list"), call.node)
    if isinstance(pairs, Unknown):
        return pairs
    return containers.make_list(call.m, [Tuple(pair) for pair in pairs])


def _gradients(
    call: Call, loss: Value, listed: Value, make_node: object
) -> list[tuple[Value, Value]] | Unknown:
    m = call.m
    if listed == NONE:
        found = graphs.collection(m, variables.TRAINABLE)
        if found is None:
            return call.unknown("the list of trained variables is unknown")
        chosen = list(found)
    else:
        items = calls.iterate_over(m, listed)
        if items is None:
            return call.unknown("the list of trained variables is unknown")
        chosen = items
    for one in chosen:
        if isinstance(one, Unknown):
            return one
    if isinstance(loss, (Symbol, Reference)) or not tensors.is_symbolic(loss):
        return call.unknown("the loss is no tensor")
    found_values, unknown = gradients.find_values_with_gradients(m, [loss])
    if unknown is not None:
        return unknown
    numbers = gradients.variables_of(m, found_values)
    # The update depends on the trained variables, both listed and collected ones.
    trained = [
        v for v in chosen if isinstance(v, VariableValue) and v.number in numbers
    ]
    graphs.unique(m, "gradients")
    node = call.node(tuple(trained))
    pairs: list[tuple[Value, Value]] = []
    for index, one in enumerate(chosen):
        about = tensors.about(m, one)
        if isinstance(one, VariableValue) and one.number in numbers:
            gradient: Value = call.tensor(
                node, about.dtype, about.shape, None, str(index)
            )
        else:
            gradient = NONE
        pairs.append((gradient, one))
    del make_node
    return pairs


@method(OPTIMIZER, "apply_gradients")
def _apply_gradients(call: Call) -> Value:
    m = call.m
    if _own_class(call):
        return call.problem("an optimizer of the program's own")
    items = calls.iterate_over(m, call.get("grads_and_vars"))
    if items is None:
        return call.unknown("which gradients are applied")
    pairs: list[tuple[Value, Value]] = []
    for item in items:
        parts = containers.list_elements(m, item)
        if parts is None or len(parts) != 2:
            return call.unknown("a gradient and its variable")
        for part in parts:
            if isinstance(part, Unknown):
                return part
        pairs.append((parts[0], parts[1]))
    moved = [v for g, v in pairs if g != NONE]
    if not moved:
        return call.problem("no variable has a gradient")
    node = call.node(tuple(moved))
    return _apply(call, moved, node, pairs)


def _apply(
    call: Call, moved: list[Value], node: int, pairs: list[tuple[Value, Value]]
) -> Value:
    """The update: slots, and the operation that is run."""
    m = call.m
    row = _facts(call)
    if row is None:
        return call.problem("an optimizer that is not modelled")
    own = fields_of(m, _self(call), "name")
    name = graphs.text_of(own) or row.name
    made = _slots(
        call, row, name, [v for v in moved if isinstance(v, VariableValue)], node
    )
    given = call.text("name")
    whole = graphs.unique(m, given or name)
    step = call.get("global_step")
    record = m.record.nodes
    extra: tuple[Value, ...] = tuple(made)
    if step != NONE:
        extra = (*extra, step)
    record[node] = dataclasses.replace(
        record[node], needs=(*record[node].needs, *extra)
    )
    operation = Operation(node, whole, graphs.current(m))
    graphs.collect(m, "train_op", operation)
    del pairs
    return operation


def _slots(
    call: Call, row: Optimizer, name: str, moved: list[VariableValue], node: int
) -> list[VariableValue]:
    """The variables that an optimizer makes; those it has already are not made again."""
    m, own = call.m, _self(call)
    made: list[VariableValue] = []
    control = graphs.control(m)
    graphs.set_control(m, ())
    graph = graphs.current(m)
    for scalar, value in row.scalars:
        counted = (own.address, "scalar", scalar, graph)
        if not isinstance(m.store.get(counted), VariableValue):
            whole = graphs.unique(m, scalar)
            number = _number(call, value)
            first = min(moved, key=lambda v: v.name or "")
            one = variables.make(
                m,
                whole,
                (),
                first.dtype,
                Initial(constant=number),
                trainable=False,
                node=node,
                slot=True,
                beside=first,
            )
            m.store.set(counted, one)
            made.append(one)
    slots = row.slots
    if row.name == "RMSProp" and fields_of(m, own, "centered") == Const(True):
        slots = (1.0, 0.0, 0.0)
    for variable in moved:
        for index, value in enumerate(slots):
            key = (own.address, "slot", index, variable.number)
            if isinstance(m.store.get(key), VariableValue):
                continue
            opened, scope = scopes.enter(m, None, f"{variable.name}/{name}")
            one = variables.make(
                m,
                scope.name if variable.name is not None else None,
                variable.shape,
                variable.dtype,
                Initial(constant=_number(call, value)),
                trainable=False,
                node=node,
                slot=True,
                beside=variable,
            )
            scopes.leave(m, opened)
            m.store.set(key, one)
            made.append(one)
    graphs.set_control(m, control)
    return made


def _number(call: Call, value: float | str) -> object:
    if not isinstance(value, str):
        return value
    found = fields_of(call.m, _self(call), value)
    return found.value if isinstance(found, Const) else "?"


@method(OPTIMIZER, "get_slot")
def _get_slot(call: Call) -> Value:
    return call.unknown("a slot")


@method(OPTIMIZER, "variables", "get_name", "get_slot_names")
def _optimizer_facts(call: Call) -> Value:
    if call.symbol.endswith("get_name"):
        row = _facts(call)
        return Const(row.name) if row is not None else call.unknown("its name")
    m, own = call.m, _self(call)
    found = [
        contents
        for key, contents in m.store.list_items()
        if isinstance(key, tuple)
        and key[:1] == (own.address,)
        and key[1] in ("slot", "scalar")
    ]
    return containers.make_list(m, [v for v in found if isinstance(v, Value)])


# -- the global step --


def global_step(m: Machine) -> Value | None:
    """The graph's global step."""
    found = graphs.collection(m, "global_step")
    if found:
        return found[0]
    named = m.store.get((graphs.current(m), "vars", "global_step"))
    if isinstance(named, VariableValue):
        return named
    for variable in m.record.variables:
        if variable.graph == graphs.current(m) and variable.name == "global_step":
            return VariableValue(
                variable.number,
                variable.name,
                variable.dtype,
                variable.shape,
                variable.graph,
            )
    return None


@function("tf.train.get_global_step", "tf.contrib.framework.get_global_step")
def _get_global_step(call: Call) -> Value:
    return global_step(call.m) or NONE


@function(
    "tf.train.get_or_create_global_step",
    "tf.train.create_global_step",
    "tf.contrib.framework.get_or_create_global_step",
    "tf.contrib.framework.create_global_step",
)
def _create_global_step(call: Call) -> Value:
    m = call.m
    found = global_step(m)
    if found is not None:
        return found
    opened_names = graphs.scope(m)
    graphs.set_scope(m, "")
    scope = scopes.VariableScope(reuse="no")
    key = (graphs.current(m), "vars", "global_step")
    graphs.unique(m, "global_step")
    made = variables.make(
        m,
        "global_step",
        (),
        "int64",
        Initial(constant=0),
        trainable=False,
        collections=("variables", "global_step"),
        node=call.node(),
    )
    m.store.set(key, made)
    graphs.set_scope(m, opened_names)
    del scope
    return made


@function("tf.train.global_step")
def _read_global_step(call: Call) -> Value:
    from migrate.tfmodel import sessions

    return sessions.run(
        call.m, call.get("sess"), call.get("global_step_tensor"), NONE, "global_step"
    )


# -- schedules --


def _schedule(symbol: str, name: str) -> None:
    def handler(call: Call) -> Value:
        for value in call.given.values():
            if isinstance(value, Unknown):
                return value
        whole = call.name_of(name)
        rate = call.get("learning_rate")
        dtype = tensors.about(call.m, rate).dtype if rate != NONE else "float32"
        return call.tensor(call.node(), dtype or "float32", (), whole)

    function(symbol)(handler)


for _symbol, _name in (
    ("tf.train.exponential_decay", "ExponentialDecay"),
    ("tf.train.piecewise_constant", "PiecewiseConstant"),
    ("tf.train.polynomial_decay", "PolynomialDecay"),
    ("tf.train.natural_exp_decay", "NaturalExpDecay"),
    ("tf.train.inverse_time_decay", "InverseTimeDecay"),
    ("tf.train.cosine_decay", "CosineDecay"),
    ("tf.train.cosine_decay_restarts", "SGDRDecay"),
    ("tf.train.linear_cosine_decay", "LinearCosineDecay"),
    ("tf.train.noisy_linear_cosine_decay", "NoisyLinearCosineDecay"),
):
    _schedule(_symbol, _name)


# -- moving averages --

_AVERAGE = "tf.train.ExponentialMovingAverage"


@class_(_AVERAGE)
def _initialise_average(call: Call) -> Value:
    return _keep_arguments_and_defaults(call)


@method(_AVERAGE, "apply")
def _average_apply(call: Call) -> Value:
    m, own = call.m, _self(call)
    listed = call.get("var_list")
    if listed == NONE:
        found = graphs.collection(m, variables.TRAINABLE)
        chosen = list(found) if found is not None else None
    else:
        chosen = calls.iterate_over(m, listed)
    if chosen is None:
        return call.unknown("what is averaged")
    for one in chosen:
        if isinstance(one, Unknown):
            return one
    name = graphs.text_of(fields_of(m, own, "name")) or "ExponentialMovingAverage"
    node = call.node(tuple(chosen))
    made: list[Value] = []
    for one in chosen:
        base = one.name if isinstance(one, VariableValue) else None
        if isinstance(one, Tensor) and one.name is not None:
            base = one.name.rpartition(":")[0]
        about = tensors.about(m, one)
        opened, scope = scopes.enter(m, None, f"{base}/{name}")
        initial = (
            Initial((f"variable {base}",))
            if isinstance(one, VariableValue)
            else Initial(constant=0.0)
        )
        shadow = variables.make(
            m,
            scope.name if base is not None else None,
            about.shape,
            about.dtype,
            initial,
            trainable=False,
            node=node,
            slot=True,
        )
        scopes.leave(m, opened)
        graphs.collect(m, "moving_average_variables", one)
        m.store.set((own.address, "average", one), shadow)
        made.append(shadow)
    whole = graphs.unique(m, name)
    record = m.record.nodes
    record[node] = dataclasses.replace(record[node], needs=(*record[node].needs, *made))
    return Operation(node, whole, graphs.current(m))


@method(_AVERAGE, "average")
def _average_of(call: Call) -> Value:
    found = call.m.store.get((_self(call).address, "average", call.get("var")))
    return found if isinstance(found, Value) else NONE


@method(_AVERAGE, "average_name")
def _average_name(call: Call) -> Value:
    one = call.get("var")
    if isinstance(one, VariableValue) and one.name is not None:
        name = graphs.text_of(fields_of(call.m, _self(call), "name"))
        return Const(f"{one.name}/{name or 'ExponentialMovingAverage'}")
    return call.unknown("a name")


@method(_AVERAGE, "variables_to_restore")
def _to_restore(call: Call) -> Value:
    return call.m.hosts.make_fresh("variables to restore")


@function("tf.contrib.layers.optimize_loss")
def _optimize_loss(call: Call) -> Value:
    return call.problem("not modelled yet")
