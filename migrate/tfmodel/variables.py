"""`tf.Variable` and `tf.get_variable`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from migrate.evaluate import calls, containers
from migrate.graph.record import Initial, Variable
from migrate.graph.shapes import Shape
from migrate.graph.values import (
    NONE,
    Choice,
    Const,
    Function,
    Host,
    Method,
    Partial,
    Reference,
    Tensor,
    Unknown,
    Value,
    VariableValue,
)
from migrate.tfmodel import graphs, initializers, scopes, tensors
from migrate.tfmodel.registry import Call, class_, function

if TYPE_CHECKING:
    from migrate.evaluate.machine import Machine

GLOBAL, TRAINABLE, LOCAL = "variables", "trainable_variables", "local_variables"
REGULARIZATION = "regularization_losses"


def make(
    m: Machine,
    name: str | None,
    shape: Shape | None,
    dtype: str | None,
    initial: Initial,
    *,
    trainable: bool | None = True,
    collections: tuple[str, ...] = (GLOBAL,),
    node: int = -1,
    slot: bool = False,
    beside: VariableValue | None = None,
) -> VariableValue:
    """A new variable, in its collections.

    Args:
      beside: a variable on whose device this one is.
    """
    from migrate.tfmodel import devices

    number = len(m.record.variables)
    graph = graphs.current(m)
    device = devices.text(m)
    if beside is not None:
        device = m.record.variables[beside.number].device
    if m.repeated and not slot:
        m.report_problem("a variable is made in a loop of unknown length")
    if shape is None or None in shape or dtype is None:
        m.report_problem("the shape or the type of a variable is not known")
    m.record.variables.append(
        Variable(
            number,
            graph,
            name,
            shape,
            dtype,
            trainable,
            device,
            initial,
            m.guard,
            m.make_origin(),
            node,
            slot,
        )
    )
    made = VariableValue(number, name, dtype, shape, graph)
    keys = list(collections)
    if trainable and TRAINABLE not in keys:
        keys.append(TRAINABLE)
    for key in keys:
        graphs.collect(m, key, made)
    return made


@class_("tf.Variable")
def variable(call: Call) -> Value:
    """`tf.Variable(...)`: named by the scope of names."""
    m = call.m
    given = call.get("initial_value")
    if given == NONE:
        return call.problem("a variable without an initial value")
    name = call.text("name")
    if call.get("name") != NONE and name is None:
        whole: str | None = None
    else:
        whole = graphs.unique(m, name or "Variable")
    dtype = call.dtype("dtype")
    value = given
    if isinstance(given, (Function, Method, Partial)):
        value = calls.call_value(m, given, [], {})
    initial, shape, found = _begin(m, value, dtype)
    wanted = call.get("shape", "expected_shape")
    if wanted != NONE:
        shape = tensors.shape_argument(m, wanted)
    elif call.flag("validate_shape") is False:
        shape = None
    dtype = dtype or found
    trainable = True if call.get("trainable") == NONE else call.flag("trainable")
    collections = _collections(call)
    node = call.node((value,))
    return make(
        m,
        whole,
        shape,
        dtype,
        initial,
        trainable=trainable,
        collections=collections,
        node=node,
    )


def _collections(call: Call, default: tuple[str, ...] = (GLOBAL,)) -> tuple[str, ...]:
    given = call.get("collections")
    if given == NONE:
        return default
    items = call.items("collections")
    if items is None:
        return default
    return tuple(
        i.value for i in items if isinstance(i, Const) and isinstance(i.value, str)
    )


def _begin(
    m: Machine, value: Value, dtype: str | None
) -> tuple[Initial, Shape | None, str | None]:
    """(first value, shape, dtype) of an initial value."""
    value = m.resolve(value)
    if isinstance(value, (Tensor, VariableValue)):
        return initializers.of_tensor(m, value), value.shape, value.dtype
    about = tensors.about(m, value)
    shape, found = about.shape, about.dtype
    if isinstance(value, (Host, Choice, Unknown)):
        return Initial(value=value), shape, found
    try:
        containers.convert_to_python(m, value)
    except containers.NotConstant:
        return Initial(value=value), shape, found
    return initializers.constant(m, value, dtype or found), shape, found


@function("tf.get_variable")
def _get_variable(call: Call) -> Value:
    return get_variable(call, scopes.current(call.m))


@function("tf.get_local_variable")
def _get_local_variable(call: Call) -> Value:
    return get_variable(call, scopes.current(call.m), local=True)


def get_variable(
    call: Call, scope: scopes.VariableScope | None, *, local: bool = False
) -> Value:
    """`tf.get_variable(...)`: named by the scope of variables."""
    name = call.text("name")
    if name is None or scope is None:
        return call.problem("a variable whose name is not known")
    if scope.custom_getter != NONE or call.get("custom_getter") != NONE:
        return call.problem("a custom getter makes variables")
    dtype = call.dtype("dtype")
    if dtype is None and call.get("dtype") == NONE:
        dtype = scope.dtype
    trainable = True if call.get("trainable") == NONE else call.flag("trainable")
    default = (LOCAL,) if local else (GLOBAL,)
    reuse = call.get("reuse")
    return obtain(
        call,
        name,
        call.dims("shape"),
        dtype,
        call.get("initializer"),
        trainable=False if local else trainable,
        regularizer=call.get("regularizer"),
        collections=_collections(call, default),
        scope=scope,
        shape_given=call.get("shape") != NONE,
        partitioner=call.get("partitioner"),
        reuse=scopes.reuse_of(call, reuse) if reuse != NONE else "no",
    )


def obtain(
    call: Call,
    name: str,
    shape: Shape | None,
    dtype: str | None,
    initializer: Value = NONE,
    *,
    trainable: bool | None = True,
    regularizer: Value = NONE,
    collections: tuple[str, ...] = (GLOBAL,),
    scope: scopes.VariableScope | None = None,
    shape_given: bool = True,
    partitioner: Value = NONE,
    reuse: str | None = "no",
    node: int | None = None,
) -> Value:
    """The variable of a name in the scope: an old one where it is reused, else a new one."""
    m = call.m
    scope = scope or scopes.current(m)
    whole = f"{scope.name}/{name}" if scope.name else name
    key = (graphs.current(m), "vars", whole)
    old = m.read(key, None)
    mode = scope.reuse if reuse == "no" else reuse
    if isinstance(old, VariableValue):
        if mode in ("yes", scopes.AUTO):
            return old
        if mode is None:
            return call.problem(f"whether {whole} is reused is not known")
        return call.problem(f"{whole} exists already, and is not reused")
    if isinstance(old, Value):
        return call.problem(f"{whole} is made under a test")
    if mode == "yes":
        return call.problem(f"{whole} is reused, and does not exist")
    if partitioner != NONE or scope.partitioner != NONE:
        return call.problem("a partitioner parts variables")
    chosen = scope.initializer if initializer == NONE else initializer
    value = m.resolve(chosen)
    if not shape_given and not isinstance(value, Reference) or _is_value(m, value):
        initial, found, kind = _begin(m, value, dtype)
        shape = found if not shape_given else shape
        dtype = kind or dtype
    else:
        initial = initializers.first_value(m, value, shape, dtype)
    if node is None:
        node = call.node((value,) if isinstance(value, (Tensor, VariableValue)) else ())
    # Its operations take the name, too: scopes of names are unique among them.
    with_scope = graphs.scope(m)
    graphs.set_scope(m, "")
    free = graphs.unique(m, whole)
    graphs.set_scope(m, with_scope)
    made = make(
        m,
        free,
        shape,
        dtype,
        initial,
        trainable=trainable,
        collections=collections,
        node=node,
    )
    m.store.set(key, made)
    penalty = scope.regularizer if regularizer == NONE else regularizer
    if penalty not in (NONE, Const(False)):
        penalise(m, penalty, made)
    return made


def _is_value(m: Machine, value: Value) -> bool:
    """Whether an initializer is a value, which has a shape of its own."""
    return isinstance(value, (Tensor, VariableValue, Host)) or (
        isinstance(value, Const)
        and value.value is not None
        and not isinstance(value.value, str)
    )


def penalise(m: Machine, regularizer: Value, variable_: VariableValue) -> None:
    """Adds a regularizer's loss of a variable to its collection."""
    old = graphs.scope(m)
    name = (variable_.name or "?") + "/Regularizer/"
    graphs.enter_scope(m, name)
    control = graphs.control(m)
    graphs.set_control(m, ())
    loss = calls.call_value(m, regularizer, [variable_], {})
    graphs.set_control(m, control)
    graphs.set_scope(m, old)
    if loss != NONE:
        graphs.collect(m, REGULARIZATION, loss)
