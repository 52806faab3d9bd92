"""D146: a task listed in a cluster that a strategy then waits for, for ever.

ParameterServerStrategy starts when every task of the cluster has answered, and an
evaluator, which is none of its tasks, never does. MultiWorkerMirroredStrategy waits for
parameter servers in the same way. (Measured: neither has begun after ten minutes.)
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.program.code import Code, join_code, make_code
from migrate.rules.mistakes.mistake import Mistake, find_binding, list_calls
from migrate.source.nodes import walk_breadth_first

_WAITS = {
    "tf.distribute.ParameterServerStrategy": "evaluator",
    "tf.distribute.experimental.ParameterServerStrategy": "evaluator",
    "tf.distribute.MultiWorkerMirroredStrategy": "ps",
    "tf.distribute.experimental.MultiWorkerMirroredStrategy": "ps",
}


def find(scopes: Scopes) -> Iterator[Mistake]:
    strategies = {s for _, s in list_calls(scopes) if s in _WAITS}
    extra = {_WAITS[s] for s in strategies}
    if len(extra) != 1:
        return  # Which of them a cluster is for is not told.
    (job,) = extra
    for node in walk_breadth_first(scopes.tree):
        if not isinstance(node, ast.Dict) or not _is_cluster(node):
            continue
        kept = [
            make_code(key, ": ", value)
            for key, value in zip(node.keys, node.values, strict=True)
            if key is not None and names.read_literal(key) != job
        ]
        if len(kept) != len(node.keys) - 1:
            continue
        mends = not _is_task(scopes, job)
        fix = ((node, make_code("{", join_code(", ", kept), "}")),) if mends else ()
        yield _report_listed(node, job, sorted(strategies)[0], fix)
    for node in scopes.walk():
        if isinstance(node, ast.Assign) and _adds(scopes, node, job):
            yield _report_listed(node.targets[0], job, sorted(strategies)[0])
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            without = _write_without(node.value, job)
            if without is not None:
                new = make_code(repr(without))
                yield _report_listed(node, job, sorted(strategies)[0], ((node, new),))


def _report_listed(
    node: ast.expr, job: str, symbol: str, fix: tuple[tuple[ast.expr, Code], ...] = ()
) -> Mistake:
    name = symbol.rpartition(".")[2]
    return Mistake(
        node,
        "D146",
        f"{name} waits until every task of the cluster answers, but no {job} answers",
        f"Leave {job} out of the cluster.",
        fix,
        symbol,
    )


def _adds(scopes: Scopes, statement: ast.Assign, job: str) -> bool:
    """`cluster["evaluator"] = [...]`, of a dict that is a cluster."""
    target = statement.targets[0]
    if not (
        isinstance(target, ast.Subscript)
        and isinstance(target.value, ast.Name)
        and names.read_literal(target.slice) == job
    ):
        return False
    made = find_binding(scopes, target.value)
    return isinstance(made, ast.Dict) and _is_cluster(made)


def _write_without(text: str, job: str) -> str | None:
    """A TF_CONFIG that is written out, without that job; None if it has none."""
    if "cluster" not in text or job not in text:
        return None
    try:
        config = json.loads(text)
    except ValueError:
        return None
    if not isinstance(config, dict) or not isinstance(config.get("cluster"), dict):
        return None
    if job not in config["cluster"] or config.get("task", {}).get("type") == job:
        return None
    del config["cluster"][job]
    return json.dumps(config)


def _is_cluster(node: ast.Dict) -> bool:
    """Whether a dict's keys are jobs, its values lists of hosts."""
    jobs = [names.read_literal(k) for k in node.keys if k is not None]
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
            names.read_literal(k) == "type" and names.read_literal(v) == job
            for k, v in zip(node.keys, node.values, strict=True)
            if k is not None
        )
        for node in walk_breadth_first(scopes.tree)
    )
