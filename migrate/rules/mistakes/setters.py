"""C111: a device setter that is told of no parameter servers.

Without `cluster` and without `ps_tasks`, `tf.train.replica_device_setter` returns None, and
`tf.device(None)` places nothing. Each worker of TensorFlow 1 then had variables of its own: the
chief trained alone, and the others waited for ever. A strategy shares the variables.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.names import is_none_constant
from migrate.facts.scopes import Scopes
from migrate.rules.mistakes.mistake import Mistake, list_calls

_SETTER = "tf.train.replica_device_setter"
_PARAMETERS = (
    "ps_tasks",
    "ps_device",
    "worker_device",
    "merge_devices",
    "cluster",
    "ps_ops",
    "ps_strategy",
)


def find(scopes: Scopes) -> Iterator[Mistake]:
    """Setters of a program that starts a server, without `cluster` and `ps_tasks`."""
    found = list(list_calls(scopes))
    if not any(symbol == "tf.train.Server" for _, symbol in found):
        return
    for call, symbol in found:
        if symbol != _SETTER:
            continue
        given = names.bind_arguments(call, _PARAMETERS)
        if given is None:
            continue
        servers = given.get("ps_tasks")
        without = servers is None or names.read_literal(servers) == 0
        if without and ("cluster" not in given or is_none_constant(given["cluster"])):
            yield Mistake(
                call,
                "C111",
                "without a cluster the setter places nothing in TensorFlow 1. Each "
                "worker has its own variables, the chief trains alone, and the "
                "others wait for ever. The migrated strategy shares the variables",
                "tf.train.replica_device_setter(cluster=cluster)",
                symbol=symbol,
            )
