"""D145: SyncReplicasOptimizer waits for more gradients than there are workers.

It does not hang: workers take several tokens for one update, so that the global step
counts updates of `replicas_to_aggregate` batches, and a run of so many steps reads as
many times more data. Meant was, nearly always, the number of workers.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.rules.mistakes.mistake import Mistake, binding, calls

_SYNC = "tf.train.SyncReplicasOptimizer"


def find(scopes: Scopes) -> Iterator[Mistake]:
    workers = _workers(scopes)
    for call, symbol in calls(scopes):
        if symbol != _SYNC:
            continue
        wanted = names.argument(call, "replicas_to_aggregate", 1)
        total = names.argument(call, "total_num_replicas", 2)
        if wanted is None:
            continue
        shown = _more(scopes, wanted, total, workers)
        if shown is not None:
            yield Mistake(
                wanted,
                "D145",
                f"{ast.unparse(wanted)} gradients for one update of {shown} workers: each "
                "gives several, and a step takes as many batches",
                "replicas_to_aggregate=num_workers, or larger batches; tf.distribute "
                "has no other number than that of all workers.",
                symbol=symbol,
            )


def _more(
    scopes: Scopes, wanted: ast.expr, total: ast.expr | None, workers: int | None
) -> str | None:
    """The number of workers, shown, where more is wanted than that; else None."""
    number = names.literal(binding(scopes, wanted) or wanted)
    counts = [names.literal(binding(scopes, total) or total)] if total else []
    for count in [*counts, workers]:
        if isinstance(number, int) and isinstance(count, int) and number > count:
            return str(count)
    if total is None or not isinstance(wanted, ast.BinOp):
        return None
    sides = [wanted.left, wanted.right]
    same = [s for s in sides if ast.dump(s) == ast.dump(total)]
    other = [names.literal(s) for s in sides if ast.dump(s) != ast.dump(total)]
    least = {ast.Add: 1, ast.Mult: 2}.get(type(wanted.op))
    if same and least and other and isinstance(other[0], int) and other[0] >= least:
        return ast.unparse(total)
    return None


def _workers(scopes: Scopes) -> int | None:
    """How many workers a cluster written as a literal has."""
    for call, symbol in calls(scopes):
        if symbol == "tf.train.ClusterSpec" and call.args:
            given = names.literal(binding(scopes, call.args[0]) or call.args[0])
            hosts = given.get("worker") if isinstance(given, dict) else None
            if isinstance(hosts, list):
                return len(hosts)
    return None
