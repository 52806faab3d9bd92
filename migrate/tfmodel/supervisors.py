"""Models Supervisors and servers of one process, both of which open sessions."""

from __future__ import annotations

from migrate.graph.values import NONE, Const, Reference, Value
from migrate.tfmodel import sessions
from migrate.tfmodel.registry import (
    Call,
    attribute,
    class_,
    fields_of,
    function,
    keep,
    method,
)

SUPERVISOR, SERVER = "tf.train.Supervisor", "tf.train.Server"


def _self(call: Call) -> Reference:
    assert isinstance(call.receiver, Reference)
    return call.receiver


@class_(SUPERVISOR)
def _supervisor(call: Call) -> Value:
    given = call.get("graph")
    number = sessions.graph_of(call.m, given) if given != NONE else None
    if given != NONE and number is None:
        return call.problem("the graph of a supervisor is not known")
    graph = sessions.current_graph(call.m) if number is None else number
    keep(call.m, _self(call), graph=Const(graph), **_without_graph(call))
    return NONE


def _without_graph(call: Call) -> dict[str, Value]:
    return {name: value for name, value in call.given.items() if name != "graph"}


@method(
    SUPERVISOR,
    "managed_session",
    "prepare_or_wait_for_session",
    "PrepareSession",
)
def _session(call: Call) -> Value:
    made = sessions.make_session(call.m, "tf.Session")
    keep(call.m, made, graph=fields_of(call.m, _self(call), "graph"))
    return made


@method(
    SUPERVISOR,
    *("should_stop", "stop", "request_stop", "summary_computed", "wait_for_stop"),
    *("stop_on_exception", "ShouldStop", "Stop", "RequestStop", "SummaryComputed"),
    *("start_queue_runners", "StartQueueRunners", "start_standard_services"),
)
def _host(call: Call) -> Value:
    return call.m.hosts.make_fresh(call.symbol)


@attribute(SUPERVISOR, "coord", "save_path", "summary_writer", "is_chief")
def _attribute(call: Call) -> Value:
    return call.m.hosts.make_fresh(call.symbol)


@class_(SERVER)
def _server(call: Call) -> Value:
    keep(call.m, _self(call), **call.given)
    return NONE


@function("tf.train.Server.create_local_server")
def _local_server(call: Call) -> Value:
    return call.m.hosts.make_fresh("a server of this process")


@method(SERVER, "join")
def _join(call: Call) -> Value:
    from migrate.evaluate import externals

    return externals.stop(call.m)


@method(SERVER, "start")
def _start(call: Call) -> Value:
    return NONE


@attribute(SERVER, "target", "server_def")
def _target(call: Call) -> Value:
    return call.m.hosts.make_fresh(call.symbol)
