"""D146: a task listed in a cluster that a strategy then waits for, for ever.

ParameterServerStrategy starts when every task of the cluster has answered, and an
evaluator, which is none of its tasks, never does. MultiWorkerMirroredStrategy waits for
parameter servers in the same way. (Measured: neither has begun after ten minutes.)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.program.ir import code, joined
from migrate.rules.mistakes.mistake import Mistake, calls

_WAITS = {
    "tf.distribute.ParameterServerStrategy": "evaluator",
    "tf.distribute.experimental.ParameterServerStrategy": "evaluator",
    "tf.distribute.MultiWorkerMirroredStrategy": "ps",
    "tf.distribute.experimental.MultiWorkerMirroredStrategy": "ps",
}


def find(scopes: Scopes) -> Iterator[Mistake]:
    strategies = {s for _, s in calls(scopes) if s in _WAITS}
    extra = {_WAITS[s] for s in strategies}
    if len(extra) != 1:
        return  # Which of them a cluster is for is not told.
    (job,) = extra
    for node in ast.walk(scopes.tree):
        if not isinstance(node, ast.Dict) or not _is_cluster(node):
            continue
        kept = [
            code(key, ": ", value)
            for key, value in zip(node.keys, node.values, strict=True)
            if key is not None and names.literal(key) != job
        ]
        if len(kept) != len(node.keys) - 1:
            continue
        symbol = sorted(strategies)[0]
        name = symbol.rpartition(".")[2]
        mends = not _is_task(scopes, job)
        yield Mistake(
            node,
            "D146",
            f"{name} waits until every task of the cluster answers; no {job} does",
            f"List no {job} in the cluster.",
            ((node, code("{", joined(", ", kept), "}")),) if mends else (),
            symbol,
        )


def _is_cluster(node: ast.Dict) -> bool:
    """Whether a dict's keys are jobs, its values lists of hosts."""
    jobs = [names.literal(k) for k in node.keys if k is not None]
    return (
        len(jobs) == len(node.keys)
        and "worker" in jobs
        and set(jobs) <= {"worker", "ps", "chief", "master", "evaluator"}
    )


def _is_task(scopes: Scopes, job: str) -> bool:
    """Whether the program says that it is such a task itself."""
    return any(
        isinstance(node, ast.Dict)
        and any(
            names.literal(k) == "type" and names.literal(v) == job
            for k, v in zip(node.keys, node.values, strict=True)
            if k is not None
        )
        for node in ast.walk(scopes.tree)
    )
