"""D108 to D110: names of tf.distribute from before TensorFlow 2.4."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.program.ir import Code, code
from migrate.rules.mistakes.mistake import Mistake, calls, method, name_of

_COMMUNICATION = "tf.distribute.experimental.CollectiveCommunication"
_WORKERS = frozenset(
    {
        "tf.distribute.experimental.MultiWorkerMirroredStrategy",
        "tf.distribute.MultiWorkerMirroredStrategy",
    }
)
_SERVERS = frozenset(
    {
        "tf.distribute.experimental.ParameterServerStrategy",
        "tf.distribute.ParameterServerStrategy",
    }
)


def find_runs(scopes: Scopes) -> Iterator[Mistake]:
    """D108 only."""
    for call, symbol in calls(scopes):
        if method(call) == "experimental_run_v2" and not symbol:
            assert isinstance(call.func, ast.Attribute)
            yield Mistake(
                call,
                "D108",
                "Strategy.experimental_run_v2 is Strategy.run since TensorFlow 2.2",
                edits=((call.func, code(call.func.value, ".run")),),
            )


def find(scopes: Scopes) -> Iterator[Mistake]:
    """The others."""
    for call, symbol in calls(scopes):
        if symbol in _WORKERS:
            given = names.argument(call, "communication", 0)
            if given is not None and name_of(scopes, given).startswith(_COMMUNICATION):
                yield _communication(call, given, symbol)
        elif symbol in _SERVERS and not call.args and not call.keywords:
            yield Mistake(
                call,
                "D110",
                "another class since TensorFlow 2.4: it has a coordinator, which needs "
                "to know the cluster; the old one is tf.compat.v1.distribute's, for "
                "Estimators",
                "Give it a cluster_resolver, start tf.distribute.Server in the other "
                "tasks, and schedule steps by a ClusterCoordinator.",
                symbol=symbol,
            )


def _communication(call: ast.Call, given: ast.expr, symbol: str) -> Mistake:
    which = given.attr if isinstance(given, ast.Attribute) else "AUTO"
    root: ast.expr = given
    while isinstance(root, ast.Attribute):
        root = root.value
    prefix = code(root, ".distribute.experimental.")
    options: Code = code(
        "communication_options=",
        prefix,
        "CommunicationOptions(\n        implementation=",
        prefix,
        f"CommunicationImplementation.{which})",
    )
    known = isinstance(root, ast.Name) and len(call.args) + len(call.keywords) == 1
    return Mistake(
        call,
        "D109",
        "CollectiveCommunication is CommunicationImplementation since TensorFlow 2.4, "
        "and is given in CommunicationOptions",
        "communication_options=CommunicationOptions(implementation=...)",
        ((call, code(call.func, "(\n    ", options, ")")),) if known else (),
        symbol,
    )
