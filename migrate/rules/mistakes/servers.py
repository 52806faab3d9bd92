"""D144: a session for which the program's cluster is not there.

Without `master` a MonitoredTrainingSession runs in its own process: under a device
setter it finds no parameter server; without one the chief trains alone, and the other
workers wait for a chief of their own for ever. Where the program starts a server, the
session was meant for it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.names import is_none_constant
from migrate.facts.scopes import Scopes
from migrate.rules.mistakes.mistake import Mistake, find_binding, list_calls

_SESSION = "tf.train.MonitoredTrainingSession"


def find(scopes: Scopes) -> Iterator[Mistake]:
    found = list(list_calls(scopes))
    symbols = {symbol for _, symbol in found}
    if not symbols & {"tf.train.ClusterSpec", "tf.train.Server"}:
        return
    if is_of_ring(scopes):
        return  # Its processes meet in the optimizer: each has a session of its own.
    served = "tf.train.Server" in symbols
    for call, symbol in found:
        if symbol != _SESSION or any(k.arg is None for k in call.keywords):
            continue
        master = names.find_argument(call, "master", 0)
        if master is not None:
            master = find_binding(scopes, master) or master
        if (
            master is not None
            and names.read_literal(master) != ""
            and not is_none_constant(master)
        ):
            continue
        if served:
            reason = (
                "without a master, this session trained in its own process and not "
                "in the cluster. The migrated session uses the cluster"
            )
        else:
            reason = (
                "the program describes a cluster but starts no server, so every "
                "process trains a model of its own"
            )
        yield Mistake(
            call,
            "D144",
            reason,
            "Write `server = tf.train.Server(cluster, job_name=..., "
            "task_index=...)`. Call server.join() in the ps tasks, and open the "
            "session with master=server.target.",
            done=served,
            symbol=symbol,
        )


def is_of_ring(scopes: Scopes) -> bool:
    """Whether a program's processes are those of Horovod, without servers."""
    return any(
        module.partition(".")[0] == "horovod"
        for node in scopes.walk()
        for module in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom) and not node.level
            else ()
        )
    )
