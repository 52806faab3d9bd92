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
from migrate.rules.mistakes.mistake import (
    Mistake,
    find_binding,
    find_method,
    list_calls,
)

_SYNC = "tf.train.SyncReplicasOptimizer"


def find(scopes: Scopes) -> Iterator[Mistake]:
    hosts = _find_hosts(scopes)
    workers = _count_hosts(scopes, hosts) if hosts is not None else None
    for call, symbol in list_calls(scopes):
        if symbol != _SYNC:
            continue
        wanted = names.find_argument(call, "replicas_to_aggregate", 1)
        total = names.find_argument(call, "total_num_replicas", 2)
        if wanted is None:
            continue
        shown = _find_larger_number(scopes, wanted, total, hosts, workers)
        if shown is not None:
            yield Mistake(
                wanted,
                "D145",
                f"{shown} workers make one update of {ast.unparse(wanted)} "
                "gradients. So each worker gives several gradients, and a step "
                "uses as many batches",
                "Write `replicas_to_aggregate=num_workers`, or use larger batches. "
                "tf.distribute always uses the gradients of all workers.",
                symbol=symbol,
            )


def _find_larger_number(
    scopes: Scopes,
    wanted: ast.expr,
    total: ast.expr | None,
    hosts: ast.expr | None,
    workers: int | None,
) -> str | None:
    """Returns the number of workers, as text, if more gradients are wanted; else None."""
    number = _find_number(scopes, wanted)
    counts = [_find_number(scopes, total)] if total else []
    for count in [*counts, workers]:
        if number is not None and count is not None and number > count:
            return str(count)
    if total is None and hosts is not None:
        # `len(worker_hosts) + 1`, with the list of hosts of the cluster.
        total = ast.Call(ast.Name("len", ast.Load()), [hosts], [])
    wanted = find_binding(scopes, wanted) or wanted
    if total is None or not isinstance(wanted, ast.BinOp):
        return None
    shown = _show_assigned(scopes, total)
    sides = [wanted.left, wanted.right]
    others = [s for s in sides if _show_assigned(scopes, s) != shown]
    least = {ast.Add: 1, ast.Mult: 2}.get(type(wanted.op))
    if len(others) != 1 or least is None:
        return None
    other = names.read_literal(others[0])
    if isinstance(other, int) and other >= least:
        return ast.unparse(total)
    if least == 1 and _is_some(scopes, others[0]):
        return ast.unparse(total)
    return None


def _show_assigned(scopes: Scopes, node: ast.expr) -> str:
    """Returns the dump of an expression, with names replaced by their assigned values."""
    for _ in range(4):
        node = find_binding(scopes, node) or node
    return ast.dump(node)


def _is_some(scopes: Scopes, node: ast.expr) -> bool:
    """Whether an expression is a number of hosts; a cluster has at least one."""
    made = find_binding(scopes, node) or node
    return isinstance(made, ast.Call) and (
        names.find_key(made.func) == "len" or find_method(made) == "num_tasks"
    )


def _find_number(scopes: Scopes, node: ast.expr) -> int | None:
    """Returns a number that is written out, or the length of such a list."""
    value = find_binding(scopes, node) or node
    if (
        isinstance(value, ast.Call)
        and names.find_key(value.func) == "len"
        and value.args
    ):
        return _count_hosts(scopes, value.args[0])
    if isinstance(value, ast.BinOp) and isinstance(value.op, (ast.Add, ast.Mult)):
        left, right = (
            _find_number(scopes, value.left),
            _find_number(scopes, value.right),
        )
        if left is None or right is None:
            return None
        return left + right if isinstance(value.op, ast.Add) else left * right
    number = names.read_literal(value)
    return number if isinstance(number, int) else None


def _count_hosts(scopes: Scopes, hosts: ast.expr) -> int | None:
    """Counts the hosts of a list that is written out."""
    listed = names.read_literal(find_binding(scopes, hosts) or hosts)
    return len(listed) if isinstance(listed, list) else None


def _find_hosts(scopes: Scopes) -> ast.expr | None:
    """Returns the workers of the cluster, as its description names them."""
    for call, symbol in list_calls(scopes):
        if symbol == "tf.train.ClusterSpec" and call.args:
            given = find_binding(scopes, call.args[0]) or call.args[0]
            for key, value in (
                zip(given.keys, given.values) if isinstance(given, ast.Dict) else ()
            ):
                if key is not None and names.read_literal(key) == "worker":
                    return value
    return None
