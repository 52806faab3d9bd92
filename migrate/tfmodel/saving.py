"""Models savers, summaries, coordinators and supervisors, which surround a session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from migrate.evaluate import calls, containers, objects
from migrate.graph.values import (
    NONE,
    Const,
    Host,
    Reference,
    Symbol,
    Unknown,
    Value,
)
from migrate.tfmodel import graphs, sessions
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
    pass

SUMMARIES = "summaries"


def _self(call: Call) -> Reference:
    assert isinstance(call.receiver, Reference)
    return call.receiver


def _host(call: Call) -> Value:
    return call.m.hosts.make_fresh(f"{call.symbol}(...)")


# -- savers --


@class_("tf.train.Saver")
def _saver(call: Call) -> Value:
    m = call.m
    listed = call.get("var_list")
    keep(m, _self(call), **call.given)
    found: tuple[Value, ...] | None
    if listed == NONE:
        everything = graphs.collection(m, "variables")
        saveable = graphs.collection(m, "saveable_objects")
        found = (
            None if everything is None or saveable is None else (*everything, *saveable)
        )
    elif isinstance(listed, Reference) and listed.kind == "dict":
        pairs = containers.read_pairs(m, listed)
        found = tuple(v for _, v in pairs) if isinstance(pairs, tuple) else None
    else:
        items = calls.iterate_over(m, listed)
        found = None if items is None else tuple(items)
    if found is None:
        if not isinstance(listed, Host):
            call.problem("which variables are saved is not known")
        found = ()
    graphs.unique(m, call.text("name") or "save")
    node = graphs.add(
        m, "python/training/saver:Saver.__init__", call.symbol, call.given, found
    )
    keep(m, _self(call), node=Const(node))
    return NONE


@method("tf.train.Saver", "save")
def _save(call: Call) -> Value:
    m = call.m
    sessions.run(m, call.get("sess"), _read_saver_operation(call), NONE, "save")
    return _host(call)


@method("tf.train.Saver", "restore")
def _restore(call: Call) -> Value:
    m = call.m
    sessions.run(m, call.get("sess"), _read_saver_operation(call), NONE, "restore")
    return NONE


def _read_saver_operation(call: Call) -> Value:
    from migrate.graph.values import Operation

    found = fields_of(call.m, _self(call), "node")
    if isinstance(found, Const) and isinstance(found.value, int):
        return Operation(found.value, None, graphs.current(call.m))
    return call.unknown("a saver")


@method(
    "tf.train.Saver",
    "export_meta_graph",
    "as_saver_def",
    "set_last_checkpoints",
    "recover_last_checkpoints",
    "set_last_checkpoints_with_time",
    "to_proto",
    "build",
)
def _saver_host(call: Call) -> Value:
    return _host(call)


@attribute("tf.train.Saver", "last_checkpoints", "saver_def")
def _saver_fact(call: Call) -> Value:
    return _host(call)


@function("tf.train.import_meta_graph")
def _import_meta_graph(call: Call) -> Value:
    return call.problem("a graph is read from a file")


@function("tf.import_graph_def")
def _import_graph_def(call: Call) -> Value:
    return call.problem("a graph is read from a file")


# -- summaries --

_SUMMARIES = ("scalar", "histogram", "image", "audio", "text", "tensor_summary")


def _summary(kind: str) -> None:
    def handler(call: Call) -> Value:
        m = call.m
        for value in call.given.values():
            if isinstance(value, Unknown):
                return value
        name = call.text("name")
        whole = graphs.unique(m, _clean(name)) if name is not None else None
        made = call.tensor(call.node(), "string", (), whole)
        listed = call.get("collections")
        keys = [SUMMARIES]
        if listed != NONE:
            items = calls.iterate_over(m, listed) or []
            keys = [t for t in (graphs.text_of(i) for i in items) if t is not None]
        for key in keys:
            graphs.collect(m, key, made)
        return made

    function(f"tf.summary.{kind}")(handler)


def _clean(name: str) -> str:
    """A tag as a name of an operation."""
    import re

    return re.sub(r"[^-/\w\.]", "_", name).lstrip("/")


for _kind in _SUMMARIES:
    _summary(_kind)


@function("tf.summary.merge")
def _merge(call: Call) -> Value:
    items = call.items("inputs")
    if items is None:
        return call.unknown("which summaries are merged")
    for item in items:
        if isinstance(item, Unknown):
            return item
    whole = call.name_of("Merge")
    whole = None if whole is None else f"{whole}/{whole.rpartition('/')[2]}"
    return call.tensor(call.node(tuple(items)), "string", (), whole)


@function("tf.summary.merge_all")
def _merge_all(call: Call) -> Value:
    from migrate.tfmodel import collections_of

    key = call.text("key") or SUMMARIES
    found = graphs.collection(call.m, key)
    if found is None:
        return call.unknown("which summaries there are")
    if call.get("scope") != NONE:
        chosen = collections_of.within(call, found, call.get("scope"))
        items = containers.list_elements(call.m, chosen)
        if items is None:
            return call.unknown("which summaries there are")
        found = tuple(items)
    if not found:
        return NONE
    whole = graphs.unique(call.m, "Merge")
    whole = None if whole is None else f"{whole}/{whole.rpartition('/')[2]}"
    return call.tensor(call.node(found), "string", (), whole)


@class_("tf.summary.FileWriter")
def _writer(call: Call) -> Value:
    keep(call.m, _self(call), **call.given)
    return NONE


@method(
    "tf.summary.FileWriter",
    "add_summary",
    "add_graph",
    "add_event",
    "add_meta_graph",
    "add_run_metadata",
    "add_session_log",
    "flush",
    "close",
    "reopen",
    "get_logdir",
)
def _write(call: Call) -> Value:
    return _host(call)


@method("tf.summary.FileWriter", "__enter__")
def _enter_writer(call: Call) -> Value:
    return call.receiver


@method("tf.summary.FileWriter", "__exit__")
def _exit_writer(call: Call) -> Value:
    return NONE


# -- coordinators and queue runners --


@class_("tf.train.Coordinator")
def _coordinator(call: Call) -> Value:
    return NONE


@method(
    "tf.train.Coordinator",
    "should_stop",
    "request_stop",
    "join",
    "stop_on_exception",
    "wait_for_stop",
    "register_thread",
    "clear_stop",
    "raise_requested_exception",
)
def _coordinate(call: Call) -> Value:
    return _host(call)


@attribute("tf.train.Coordinator", "joined")
def _read_joined(call: Call) -> Value:
    return _host(call)


@function("tf.train.start_queue_runners")
def _start_queue_runners(call: Call) -> Value:
    return _host(call)


# -- monitored sessions and supervisors --

_MONITORED = "tf.train.MonitoredSession"


def _make_monitored_session(call: Call) -> Reference:
    """A monitored session; it saves, and has hooks of its own that add to the graph."""
    m = call.m
    made = objects.make_object(m, Symbol(_MONITORED))
    keep(m, made, graph=Const(graphs.current(m)), **call.given)
    return made


@function("tf.train.MonitoredTrainingSession")
def _make_training_session(call: Call) -> Value:
    return _make_monitored_session(call)


@class_(_MONITORED, "tf.train.SingularMonitoredSession", below="tf.Session")
def _initialise_monitored_session(call: Call) -> Value:
    keep(call.m, _self(call), graph=Const(graphs.current(call.m)), **call.given)
    return NONE


@method(_MONITORED, "should_stop", "run_step_fn", "raw_session")
def _should_stop(call: Call) -> Value:
    if call.symbol.endswith("raw_session"):
        return call.receiver
    return _host(call)


@method("tf.train.SingularMonitoredSession", "should_stop", "raw_session")
def _singular_should_stop(call: Call) -> Value:
    if call.symbol.endswith("raw_session"):
        return call.receiver
    return _host(call)


def _object(symbol: str) -> None:
    """An object that the program hands on: hooks, scaffolds, creators of sessions."""

    def keep_arguments(call: Call) -> Value:
        keep(call.m, _self(call), **call.given)
        return NONE

    class_(symbol)(keep_arguments)


for _symbol in (
    "tf.train.StopAtStepHook",
    "tf.train.LoggingTensorHook",
    "tf.train.SummarySaverHook",
    "tf.train.CheckpointSaverHook",
    "tf.train.StepCounterHook",
    "tf.train.NanTensorHook",
    "tf.train.FinalOpsHook",
    "tf.train.FeedFnHook",
    "tf.train.GlobalStepWaiterHook",
    "tf.train.ProfilerHook",
    "tf.train.SecondOrStepTimer",
    "tf.train.SessionRunHook",
    "tf.train.CheckpointSaverListener",
    "tf.train.ChiefSessionCreator",
    "tf.train.WorkerSessionCreator",
    "tf.train.Scaffold",
):
    _object(_symbol)


# -- the program's start --


@function("tf.app.run")
def _app_run(call: Call) -> Value:
    from migrate.evaluate import externals

    main = call.get("main")
    return externals.run_main(call.m, [main] if main != NONE else [], {})


def _flags(kind: str) -> None:
    def handler(call: Call) -> Value:
        from migrate.evaluate import arguments_of

        names = ("name", "flag_name"), ("default", "default_value")
        given = [call.get(*n) for n in names]
        return arguments_of.define(call.m, kind, given, {})

    for spelling in (f"tf.flags.DEFINE_{kind}",):
        function(spelling)(handler)


for _kind in ("string", "integer", "float", "bool", "boolean", "enum", "list"):
    _flags(_kind)
