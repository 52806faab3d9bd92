"""Sessions and graphs: what is run, in which graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

from migrate.evaluate import calls, containers, joins, objects
from migrate.graph.record import Run
from migrate.graph.values import (
    NONE,
    Array,
    Choice,
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
from migrate.tfmodel import graphs
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

_DEFAULT = ("sessions", "stack")


# -- graphs --


def graph_object(m: Machine, graph: int) -> Reference:
    """A graph as the program holds it; the same one each time."""
    known = m.store.get((graph, "object"))
    if isinstance(known, Reference):
        return known
    made = objects.make_object(m, Symbol("tf.Graph"))
    keep(m, made, number=Const(graph))
    m.store.set((graph, "object"), made)
    return made


def current_graph(m: Machine) -> int:
    """The number of the graph that is the default one here."""
    return graphs.current(m)


def graph_of(m: Machine, value: Value) -> int | None:
    """The number of a graph that the program holds."""
    if not isinstance(value, Reference):
        return None
    found = fields_of(m, value, "number")
    return (
        found.value
        if isinstance(found, Const) and isinstance(found.value, int)
        else None
    )


def _self(call: Call) -> Reference:
    assert isinstance(call.receiver, Reference)
    return call.receiver


@class_("tf.Graph")
def _graph(call: Call) -> Value:
    number = call.m.store.allocate()
    keep(call.m, _self(call), number=Const(number))
    call.m.store.set((number, "object"), _self(call))
    return NONE


@function("tf.get_default_graph")
def _default_graph(call: Call) -> Value:
    return graph_object(call.m, graphs.current(call.m))


@function("tf.reset_default_graph")
def _reset(call: Call) -> Value:
    graphs.reset(call.m)
    return NONE


@method("tf.Graph", "as_default")
def _as_default(call: Call) -> Value:
    made = objects.make_object(call.m, Symbol("tf.Graph"))
    keep(
        call.m,
        made,
        number=fields_of(call.m, _self(call), "number"),
        entered=call.receiver,
    )
    return made


@method("tf.Graph", "__enter__")
def _enter_graph(call: Call) -> Value:
    number = graph_of(call.m, call.receiver)
    graphs.push(call.m, number if number is not None else graphs.current(call.m))
    entered = fields_of(call.m, _self(call), "entered")
    return entered if entered != NONE else call.receiver


@method("tf.Graph", "__exit__")
def _exit_graph(call: Call) -> Value:
    graphs.pop(call.m)
    return NONE


@method("tf.Graph", "get_tensor_by_name", "as_graph_element")
def _tensor_by_name(call: Call) -> Value:
    name = call.text("name", "obj")
    number = graph_of(call.m, call.receiver)
    if name is None:
        given = call.get("name", "obj")
        return (
            given
            if graphs.is_graph_value(given)
            else call.unknown("the name is not known")
        )
    return by_name(call.m, name, number)


@method("tf.Graph", "get_operation_by_name")
def _operation_by_name(call: Call) -> Value:
    name = call.text("name")
    number = graph_of(call.m, call.receiver)
    if name is None:
        return call.unknown("the name is not known")
    found = by_name(call.m, name + ":0", number)
    if isinstance(found, Tensor):
        return Operation(found.node, name, found.graph)
    return found


def by_name(m: Machine, name: str, graph: int | None = None) -> Value:
    """The tensor or variable of a name."""
    graph = graphs.current(m) if graph is None else graph
    found = m.store.get((graph, "named", name))
    if isinstance(found, Value):
        return found
    base = name.rpartition(":")[0] or name
    for variable in m.record.variables:
        if variable.graph == graph and variable.name == base:
            return VariableValue(
                variable.number, variable.name, variable.dtype, variable.shape, graph
            )
    for placeholder in m.record.placeholders:
        if placeholder.graph == graph and placeholder.name == base:
            return Tensor(
                placeholder.node,
                "0",
                placeholder.dtype,
                placeholder.shape,
                base + ":0",
                graph,
            )
    value = _search(m, name, graph)
    return value if value is not None else m.make_unknown(f"what `{name}` names")


def _search(m: Machine, name: str, graph: int) -> Value | None:
    """A tensor of a name among all that the program holds."""
    for contents in m.store.list_values():
        for value in contents if isinstance(contents, tuple) else (contents,):
            if (
                isinstance(value, Tensor)
                and value.graph == graph
                and value.name == name
            ):
                return value
            if (
                isinstance(value, Operation)
                and value.graph == graph
                and value.name == name
            ):
                return value
    return None


@method("tf.Graph", "get_collection", "get_collection_ref")
def _graph_collection(call: Call) -> Value:
    from migrate.tfmodel import collections_of

    return collections_of.members(call, graph_of(call.m, call.receiver))


@method("tf.Graph", "add_to_collection")
def _graph_collect(call: Call) -> Value:
    name = call.text("name")
    if name is None:
        return call.problem("a collection whose name is not known")
    graphs.collect(call.m, name, call.get("value"), graph_of(call.m, call.receiver))
    return NONE


@method("tf.Graph", "finalize", "as_graph_def", "unique_name", "get_operations")
def _graph_host(call: Call) -> Value:
    return call.m.hosts.make_fresh(call.symbol)


@attribute(
    "tf.Graph",
    "graph_def_versions",
    "version",
    "building_function",
    "seed",
    "finalized",
)
def _graph_attribute(call: Call) -> Value:
    return call.m.hosts.make_fresh(call.symbol)


def _through(name: str) -> None:
    """A method of a graph that is a function of TensorFlow, too."""

    def handler(call: Call) -> Value:
        number = graph_of(call.m, call.receiver)
        given = [v for k, v in call.given.items()]
        with graphs.default(
            call.m, number if number is not None else graphs.current(call.m)
        ):
            return calls.call_value(call.m, Symbol(f"tf.{name}"), given, {})

    method("tf.Graph", name)(handler)


for _name in ("device", "name_scope", "control_dependencies"):
    _through(_name)


# -- sessions --


@class_("tf.Session")
def _session(call: Call) -> Value:
    return _begin(call)


@class_("tf.InteractiveSession", below="tf.Session")
def _interactive(call: Call) -> Value:
    _begin(call)
    _push(call.m, _self(call))
    return NONE


def _begin(call: Call) -> Value:
    given = call.get("graph")
    number = graph_of(call.m, given) if given != NONE else graphs.current(call.m)
    if number is None:
        return call.problem("the graph of a session is not known")
    keep(call.m, _self(call), graph=Const(number), target=call.get("target"))
    return NONE


def _push(m: Machine, session: Reference) -> None:
    m.store.set(_DEFAULT, (*m.store.get(_DEFAULT, ()), session))


def _pop(m: Machine) -> None:
    stack = m.store.get(_DEFAULT, ())
    m.store.set(_DEFAULT, stack[:-1])


@method("tf.Session", "__enter__")
def _enter(call: Call) -> Value:
    number = session_graph(call.m, call.receiver)
    graphs.push(call.m, number if number is not None else graphs.current(call.m))
    _push(call.m, _self(call))
    return call.receiver


@method("tf.Session", "__exit__")
def _exit(call: Call) -> Value:
    graphs.pop(call.m)
    _pop(call.m)
    return NONE


@method("tf.Session", "as_default")
def _session_as_default(call: Call) -> Value:
    return call.receiver


@method(
    "tf.Session", "close", "reset", "list_devices", "make_callable", "partial_run_setup"
)
def _close(call: Call) -> Value:
    if call.symbol.endswith("make_callable"):
        return call.problem("a callable of a session")
    return call.m.hosts.make_fresh(call.symbol)


@attribute("tf.Session", "graph")
def _graph_of_session(call: Call) -> Value:
    number = session_graph(call.m, call.receiver)
    return (
        graph_object(call.m, number)
        if number is not None
        else call.unknown("its graph")
    )


@attribute("tf.Session", "graph_def", "sess_str")
def _session_attribute(call: Call) -> Value:
    return call.m.hosts.make_fresh(call.symbol)


def session_graph(m: Machine, session: Value) -> int | None:
    """The graph that a session runs."""
    if not isinstance(session, Reference):
        return None
    found = fields_of(m, session, "graph")
    return (
        found.value
        if isinstance(found, Const) and isinstance(found.value, int)
        else None
    )


def default_session(m: Machine) -> Value:
    """The session that is the default one here."""
    stack = m.store.get(_DEFAULT, ())
    if isinstance(stack, tuple) and stack:
        found: Value = stack[-1]
        return found
    return m.make_unknown("there is no default session")


@function("tf.get_default_session")
def _get_default_session(call: Call) -> Value:
    stack = call.m.store.get(_DEFAULT, ())
    return stack[-1] if isinstance(stack, tuple) and stack else NONE


def make_session(m: Machine, symbol: str) -> Reference:
    """A session that another object gives."""
    made = objects.make_object(m, Symbol(symbol))
    keep(m, made, graph=Const(graphs.current(m)))
    return made


# -- runs --


@method("tf.Session", "run")
def _run(call: Call) -> Value:
    return run(call.m, call.receiver, call.get("fetches"), call.get("feed_dict"))


def run_by_method(m: Machine, session: Value, fetched: Value, feeds: Value) -> Value:
    """`tensor.eval()`, `operation.run()`."""
    if session == NONE:
        session = default_session(m)
    if isinstance(session, Unknown):
        return m.report_problem("a run without a session that is known")
    return run(m, session, fetched, feeds)


def run(
    m: Machine, session: Value, fetches: Value, feeds: Value, via: str = ""
) -> Value:
    """Records a run and returns its values; two runs if a test decides the fetches."""
    test = _find_test(m, fetches, feeds)
    if test is not None:
        return joins.fork_store(
            m,
            test,
            lambda: run(m, session, fetches, feeds, via),
            lambda: run(m, session, fetches, feeds, via),
        )
    leaves: list[Value] = []
    result = _fetch(m, fetches, leaves, session)
    number = session_graph(m, session)
    address = session.address if isinstance(session, Reference) else 0
    m.record.runs.append(
        Run(
            session=address,
            graph=number if number is not None else graphs.current(m),
            fetches=tuple(leaves),
            feeds=_feeds(m, feeds, session),
            guard=m.guard,
            origin=m.make_origin(),
            repeated=bool(m.repeated),
            via=via,
        )
    )
    return result


def _find_test(m: Machine, *values: Value) -> int | None:
    """Finds a test that decides a container's contents, or which value one is."""
    for value in values:
        value = m.resolve(value)
        if isinstance(value, Choice):
            return value.test
        below: tuple[Value, ...] = ()
        if isinstance(value, Tuple):
            below = value.items
        elif isinstance(value, Reference) and value.kind in ("list", "dict"):
            contents = m.read((value.address, "items"), ())
            if isinstance(contents, joins.Diverged):
                return contents.test
            if isinstance(contents, tuple):
                below = tuple(
                    v
                    for item in contents
                    for v in (item[:1] if isinstance(item, tuple) else (item,))
                )
        found = _find_test(m, *below)
        if found is not None:
            return found
    return None


def _fetch(m: Machine, value: Value, leaves: list[Value], session: Value) -> Value:
    """The host values that a fetch gives, in its structure."""
    value = m.resolve(value)
    if isinstance(value, Tuple):
        if value.kind == "SparseTensor":
            leaves.append(value.items[1])
            return m.hosts.make_fresh("a fetched sparse tensor")
        parts = tuple(_fetch(m, v, leaves, session) for v in value.items)
        return Tuple(parts, value.names, value.kind)
    if isinstance(value, Reference) and value.kind in ("list", "set"):
        items = containers.read_contents(m, value)
        if isinstance(items, tuple):
            return containers.make_list(
                m, [_fetch(m, v, leaves, session) for v in items]
            )
    if isinstance(value, Reference) and value.kind == "dict":
        pairs = containers.read_pairs(m, value)
        if isinstance(pairs, tuple):
            found = [(k, _fetch(m, v, leaves, session)) for k, v in pairs]
            return containers.make_dict(m, found)
    if isinstance(value, Const) and isinstance(value.value, str):
        named = by_name(m, value.value, session_graph(m, session))
        if isinstance(named, Unknown) and ":" not in value.value:
            named = by_name(m, value.value + ":0", session_graph(m, session))
            if isinstance(named, Tensor):
                named = Operation(named.node, value.value, named.graph)
        value = named
    if not isinstance(value, (Tensor, VariableValue, Operation, Choice)):
        value = m.report_problem(
            "a run fetches a value that may not belong to the graph"
        )
    leaves.append(value)
    if isinstance(value, Operation):
        return NONE
    return m.hosts.make_fresh("a fetched value", _about(value))


def _about(value: Value) -> Array | None:
    if isinstance(value, (Tensor, VariableValue)):
        return Array(value.shape, value.dtype)
    return None


def _feeds(m: Machine, value: Value, session: Value) -> tuple[Value, ...] | None:
    value = m.resolve(value)
    if value == NONE:
        return ()
    if isinstance(value, Choice):
        one, other = _feeds(m, value.yes, session), _feeds(m, value.no, session)
        return one if one == other else None
    if not (isinstance(value, Reference) and value.kind == "dict"):
        return None
    pairs = containers.read_pairs(m, value)
    if not isinstance(pairs, tuple):
        return None
    found: list[Value] = []
    for key, _ in pairs:
        key = m.resolve(key)
        if isinstance(key, Const) and isinstance(key.value, str):
            key = by_name(m, key.value, session_graph(m, session))
        if isinstance(key, Tuple) and key.kind == "SparseTensor":
            key = key.items[1]
        found += key.items if isinstance(key, Tuple) else (key,)
    return tuple(found)
