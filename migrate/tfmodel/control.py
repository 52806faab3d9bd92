"""Devices, control dependencies, groups, assignments, branches and loops of the graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

from migrate.evaluate import calls, containers, objects
from migrate.graph import shapes
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
from migrate.tfmodel import graphs, tensor_methods, tensors
from migrate.tfmodel.registry import Call, class_, fields_of, function, keep, method

if TYPE_CHECKING:
    from migrate.evaluate.machine import Machine


def _self(call: Call) -> Reference:
    assert isinstance(call.receiver, Reference)
    return call.receiver


def _manager(m: Machine, kind: str, value: Value) -> Reference:
    made = objects.make_object(m, Symbol("tf.GraphKeys"))
    keep(m, made, kind=Const(kind), value=value)
    return made


@function("tf.device")
def _device(call: Call) -> Value:
    return _manager(
        call.m, "device", call.get("device_name_or_function", "device_name")
    )


@function("tf.control_dependencies")
def _control_dependencies(call: Call) -> Value:
    return _manager(call.m, "control", call.get("control_inputs"))


@function("tf.colocate_with")
def _colocate(call: Call) -> Value:
    return _manager(call.m, "colocate", call.get("op"))


@class_("tf.GraphKeys")
def _keys(call: Call) -> Value:
    return NONE


@method("tf.GraphKeys", "__enter__")
def _enter(call: Call) -> Value:
    m, own = call.m, _self(call)
    kind, value = fields_of(m, own, "kind"), fields_of(m, own, "value")
    if kind == Const("device"):
        old: tuple[Value, ...] = graphs.device(m)
        graphs.set_device(m, (*old, _device_of(m, value)))
    elif kind == Const("control"):
        old = graphs.control(m)
        if value == NONE:
            graphs.set_control(m, ())
        else:
            items = calls.iterate_over(m, value)
            if items is None:
                m.report_problem("what control dependencies wait for")
                items = []
            graphs.set_control(m, (*old, *(i for i in items if i != NONE)))
    else:
        old = ()
    stack = m.store.get((own.address, "opened"), ())
    m.store.set((own.address, "opened"), (*stack, old))
    return NONE


def _device_of(m: Machine, value: Value) -> Value:
    """A device as it counts; a function of the program is called on an operation."""
    from migrate.graph.values import Function, Method, Partial

    if isinstance(value, (Function, Method, Partial)):
        found = calls.call_value(m, value, [m.hosts.make_fresh("an operation")], {})
        return found if isinstance(found, Const) else m.make_unknown("a device")
    return value


@method("tf.GraphKeys", "__exit__")
def _exit(call: Call) -> Value:
    m, own = call.m, _self(call)
    stack = m.store.get((own.address, "opened"), ())
    if stack:
        kind = fields_of(m, own, "kind")
        if kind == Const("device"):
            graphs.set_device(m, stack[-1])
        elif kind == Const("control"):
            graphs.set_control(m, stack[-1])
        m.store.set((own.address, "opened"), stack[:-1])
    return NONE


# -- operations --


@function("tf.group")
def _group(call: Call) -> Value:
    items = containers.list_elements(call.m, call.get("inputs")) or []
    flat = flatten(call.m, items)
    for one in flat:
        if isinstance(one, Unknown):
            return one
    whole = call.name_of("group_deps")
    return call.operation(call.node(tuple(flat)), whole)


def flatten(m: Machine, values: list[Value]) -> list[Value]:
    """The leaves of nested lists."""
    found: list[Value] = []
    for value in values:
        value = m.resolve(value)
        items = None if isinstance(value, Const) else containers.list_elements(m, value)
        if isinstance(value, Reference) and value.kind == "dict":
            pairs = containers.read_pairs(m, value)
            items = [v for _, v in pairs] if isinstance(pairs, tuple) else None
        if items is None or isinstance(value, (Tensor, VariableValue)):
            found.append(value)
        else:
            found += flatten(m, items)
    return [v for v in found if v != NONE]


@function("tf.no_op")
def _no_op(call: Call) -> Value:
    whole = call.name_of("NoOp")
    return call.operation(call.node(), whole)


@function("tf.tuple")
def _tuple(call: Call) -> Value:
    items = call.items("tensors") or []
    call.name_of("tuple")
    node = call.node()
    made: list[Value] = []
    for i, item in enumerate(items):
        about = tensors.about(call.m, item)
        made.append(call.tensor(node, about.dtype, about.shape, None, str(i)))
    return containers.make_list(call.m, made)


@function("tf.global_variables_initializer", "tf.initialize_all_variables")
def _initialise_globals(call: Call) -> Value:
    return _initialise(call, graphs.collection(call.m, "variables"))


@function("tf.local_variables_initializer", "tf.initialize_local_variables")
def _initialise_locals(call: Call) -> Value:
    return _initialise(call, graphs.collection(call.m, "local_variables"))


@function("tf.variables_initializer", "tf.initialize_variables")
def _initialise_some(call: Call) -> Value:
    items = call.items("var_list")
    return _initialise(call, None if items is None else tuple(items))


@function("tf.tables_initializer", "tf.initialize_all_tables")
def _initialise_tables(call: Call) -> Value:
    found = graphs.collection(call.m, "table_initializer") or ()
    name = "init_all_tables" if found else "NoOp"
    return call.operation(call.node(found), call.name_of(name))


def _initialise(call: Call, found: tuple[Value, ...] | None) -> Value:
    if found is None:
        return call.unknown("which variables there are")
    name = call.text("name") or ("init" if found else "NoOp")
    whole = graphs.unique(call.m, name)
    return call.operation(call.node(found), whole)


def _assigning(symbol: str, name: str) -> None:
    def handler(call: Call) -> Value:
        value = call.get("value")
        label = call.label
        given = {"name": call.get("name")}
        return tensor_methods.assign(
            call.m, call.get("ref"), name, [value], given, label
        )

    function(symbol)(handler)


_assigning("tf.assign", "assign")
_assigning("tf.assign_add", "assign_add")
_assigning("tf.assign_sub", "assign_sub")


def _scattering(symbol: str, name: str) -> None:
    def handler(call: Call) -> Value:
        for value in call.given.values():
            if isinstance(value, Unknown):
                return value
        about = tensors.about(call.m, call.get("ref"))
        whole = call.name_of(name)
        return call.tensor(call.node(), about.dtype, about.shape, whole)

    function(symbol)(handler)


for _symbol, _name in (
    ("tf.scatter_update", "ScatterUpdate"),
    ("tf.scatter_add", "ScatterAdd"),
    ("tf.scatter_sub", "ScatterSub"),
    ("tf.count_up_to", "CountUpTo"),
):
    _scattering(_symbol, _name)


@function("tf.is_variable_initialized")
def _is_initialised(call: Call) -> Value:
    return call.tensor(call.node(), "bool", (), call.name_of("IsVariableInitialized"))


# -- functions that the graph calls --


def body(
    call: Call, function_: Value, given: list[Value], parent: int, name: str
) -> Value:
    """Calls a function of the program inside the graph and returns its result."""
    m = call.m
    graph = graphs.current(m)
    outer = m.store.get((graph, "parent"), -1)
    m.store.set((graph, "parent"), parent)
    with graphs.open_scope(m, name, name):
        result = calls.call_value(m, function_, given, {})
    m.store.set((graph, "parent"), outer)
    return result


def like(
    call: Call, node: int, value: Value, output: str, name: str | None = None
) -> Value:
    """Copies a value's structure, with outputs of a node as its leaves."""
    m = call.m
    value = m.resolve(value)
    if isinstance(value, Unknown):
        return value
    if isinstance(value, Tuple):
        parts = tuple(
            like(call, node, v, f"{output}.{i}") for i, v in enumerate(value.items)
        )
        return Tuple(parts, value.names, value.kind)
    if isinstance(value, Reference) and value.kind == "list":
        items = containers.list_elements(m, value) or []
        return containers.make_list(
            m, [like(call, node, v, f"{output}.{i}") for i, v in enumerate(items)]
        )
    if isinstance(value, Reference) and value.kind == "dict":
        pairs = containers.read_pairs(m, value)
        if isinstance(pairs, tuple):
            return containers.make_dict(
                m,
                [
                    (k, like(call, node, v, f"{output}.{i}"))
                    for i, (k, v) in enumerate(pairs)
                ],
            )
    if isinstance(value, Operation):
        return call.operation(node)
    if value == NONE:
        return NONE
    about = tensors.about(m, value)
    return call.tensor(node, about.dtype, about.shape, name, output)


@function("tf.cond")
def _cond(call: Call) -> Value:
    predicate = call.get("pred")
    if isinstance(predicate, Unknown):
        return predicate
    if isinstance(predicate, Const):
        chosen = ("true_fn", "fn1") if predicate.value else ("false_fn", "fn2")
        return calls.call_value(call.m, call.get(*chosen), [], {})
    whole = call.name_of("cond")
    node = call.node()
    name = (whole or "cond") + "/"
    yes = body(call, call.get("true_fn", "fn1"), [], node, name)
    no = body(call, call.get("false_fn", "fn2"), [], node, name)
    for one in (yes, no):
        if isinstance(one, Unknown):
            return one
    _need(call, node, (yes, no))
    return merge_branches(
        call, node, yes, no, "0", None if whole is None else f"{whole}/Merge"
    )


def _need(call: Call, node: int, values: tuple[Value, ...]) -> None:
    """Makes a node depend on the results of its functions."""
    import dataclasses

    nodes = call.m.record.nodes
    frozen = tuple(graphs.freeze(call.m, v) for v in values)
    nodes[node] = dataclasses.replace(nodes[node], needs=(*nodes[node].needs, *frozen))


def merge_branches(
    call: Call, node: int, yes: Value, no: Value, output: str, name: str | None = None
) -> Value:
    """Merges the results of two branches into one structure."""
    m = call.m
    if isinstance(yes, (Tuple, Reference)) and not tensors.is_sparse(yes):
        one, other = containers.list_elements(m, yes), containers.list_elements(m, no)
        if one is not None and other is not None and len(one) == len(other):
            parts = [
                merge_branches(call, node, a, b, f"{output}.{i}")
                for i, (a, b) in enumerate(zip(one, other))
            ]
            if isinstance(yes, Tuple):
                return Tuple(tuple(parts), yes.names, yes.kind)
            if len(parts) == 1 and output == "0":
                return parts[0]
            return containers.make_list(m, parts)
    if isinstance(yes, Operation) and isinstance(no, Operation):
        return call.tensor(node, "bool", (), name, output)
    a, b = tensors.about(m, yes), tensors.about(m, no)
    return call.tensor(
        node, a.dtype or b.dtype, shapes.join(a.shape, b.shape), name, output
    )


@function("tf.case")
def _case(call: Call) -> Value:
    pairs = call.items("pred_fn_pairs") or []
    whole = call.name_of("case")
    node = call.node()
    results: list[Value] = []
    for pair in pairs:
        parts = containers.list_elements(call.m, pair)
        if parts is not None and len(parts) == 2:
            results.append(body(call, parts[1], [], node, (whole or "case") + "/"))
    default = call.get("default")
    if default != NONE:
        results.append(body(call, default, [], node, (whole or "case") + "/"))
    if not results:
        return call.unknown("its branches")
    _need(call, node, tuple(results))
    found = results[0]
    for other in results[1:]:
        found = merge_branches(call, node, found, other, "0")
    return found


@function("tf.while_loop")
def _while_loop(call: Call) -> Value:
    m = call.m
    variables = call.items("loop_vars")
    if variables is None:
        return call.unknown("its variables")
    whole = call.name_of("while")
    node = call.node()
    name = (whole or "while") + "/"
    inside = [like(call, node, v, f"in.{i}") for i, v in enumerate(variables)]
    test = body(call, call.get("cond"), list(inside), node, name)
    result = body(call, call.get("body"), list(inside), node, name)
    for one in (test, result):
        if isinstance(one, Unknown):
            return one
    _need(call, node, (test, result))
    outside = [like(call, node, v, str(i)) for i, v in enumerate(variables)]
    if len(outside) == 1 and call.flag("return_same_structure") is not True:
        return outside[0]
    if isinstance(call.get("loop_vars"), Tuple):
        return Tuple(tuple(outside))
    return containers.make_list(m, outside)


@function("tf.map_fn")
def _map_fn(call: Call) -> Value:
    elements = call.get("elems")
    whole = call.name_of("map")
    node = call.node()
    one = _first(call, node, elements, "in")
    result = body(call, call.get("fn"), [one], node, (whole or "map") + "/while/")
    if isinstance(result, Unknown):
        return result
    _need(call, node, (result,))
    dtype = call.dtype("dtype")
    return _stack_results(call, node, result, elements, "0", dtype)


@function("tf.scan", "tf.foldl", "tf.foldr")
def _scan(call: Call) -> Value:
    elements = call.get("elems")
    kind = call.symbol.rpartition(".")[2]
    whole = call.name_of(kind)
    node = call.node()
    one = _first(call, node, elements, "in")
    start = call.get("initializer")
    begun = like(call, node, one if start == NONE else start, "carried")
    result = body(call, call.get("fn"), [begun, one], node, (whole or kind) + "/while/")
    if isinstance(result, Unknown):
        return result
    _need(call, node, (result,))
    if kind != "scan":
        return like(call, node, result, "0")
    return _stack_results(call, node, result, elements, "0", None)


def _first(call: Call, node: int, value: Value, output: str) -> Value:
    """Returns an element of the value that a function is mapped over."""
    m = call.m
    items = (
        None
        if isinstance(value, (Tensor, VariableValue))
        else containers.list_elements(m, value)
    )
    if items is not None:
        parts = [_first(call, node, v, f"{output}.{i}") for i, v in enumerate(items)]
        return (
            Tuple(tuple(parts))
            if isinstance(value, Tuple)
            else containers.make_list(m, parts)
        )
    about = tensors.about(m, value)
    shape = None if about.shape is None else about.shape[1:]
    return call.tensor(node, about.dtype, shape, None, output)


def _stack_results(
    call: Call, node: int, value: Value, elements: Value, output: str, dtype: str | None
) -> Value:
    m = call.m
    length = None
    leaves = flatten(m, [elements])
    if leaves:
        shape = tensors.about(m, leaves[0]).shape
        length = shape[0] if shape else None
    items = (
        None
        if isinstance(value, (Tensor, VariableValue))
        else containers.list_elements(m, value)
    )
    if items is not None:
        parts = [
            _stack_results(call, node, v, elements, f"{output}.{i}", None)
            for i, v in enumerate(items)
        ]
        return (
            Tuple(tuple(parts))
            if isinstance(value, Tuple)
            else containers.make_list(m, parts)
        )
    about = tensors.about(m, value)
    shape = None if about.shape is None else (length, *about.shape)
    return call.tensor(node, dtype or about.dtype, shape, None, output)


@function("tf.py_func")
def _py_func(call: Call) -> Value:
    call.name_of("PyFunc")
    node = call.node()
    given = call.get("Tout")
    items = containers.list_elements(call.m, given)
    if items is None:
        return call.tensor(node, call.dtype("Tout"), None, None)
    from migrate.evaluate import arrays

    made = [
        call.tensor(node, arrays.find_type_name(d), None, None, str(i))
        for i, d in enumerate(items)
    ]
    return containers.make_list(call.m, made)


@function("tf.make_template")
def _make_template(call: Call) -> Value:
    return call.problem("a template shares variables")
