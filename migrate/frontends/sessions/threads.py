"""Objects whose methods run the session in threads of their own, as in A3C.

    for worker in workers:
        thread = threading.Thread(target=worker.work)

Each object has its own part of the graph, and its own training loop. The tool follows one
loop, from the session's block. So the thread is the reason, whatever else is refused.
"""

from __future__ import annotations

import ast
from collections.abc import Collection

from migrate.facts import names, reach
from migrate.facts.scopes import Scopes
from migrate.findings import Finding, Outcome
from migrate.source.nodes import walk_breadth_first

# Refusals of sessions and graphs that the tool did not follow into the threads.
_FOLLOWING = frozenset({"N105", "S101", "S112", "S185"})
_RECIPE = (
    "Run with `--fallback compat`: the program then keeps its threads, in graph mode on "
    "TensorFlow 2."
)


def name_threads(scopes: Scopes, findings: Collection[Finding]) -> list[Finding]:
    """The findings of a refused program, with the threads that run its steps.

    Refusals of sessions and graphs that the tool did not follow are left out: they follow
    from the threads.
    """
    if not any(f.outcome is Outcome.REFUSED and f.code in _FOLLOWING for f in findings):
        return list(findings)
    found: list[Finding] = []
    for node in scopes.walk():
        if not isinstance(node, ast.Call):
            continue
        if scopes.import_path(node.func) != "threading.Thread":
            continue
        target = names.find_argument(node, "target", 1)
        method = _find_method(scopes, target)
        if target is None or method is None:
            continue
        parts = reach.find_reached(scopes, [target, method])
        if not any(map(_runs_session, parts)):
            continue
        found.append(
            Finding(
                node.lineno,
                node.col_offset + 1,
                "N101",
                Outcome.REFUSED,
                "threading.Thread",
                f"`{ast.unparse(method)}` runs steps in a thread of its own. The tool "
                "migrates one training loop, which the session's block contains",
                _RECIPE,
            )
        )
    if not found:
        return list(findings)
    left = [
        f
        for f in findings
        if f.outcome is not Outcome.REFUSED or f.code not in _FOLLOWING
    ]
    return [*left, *found]


def _find_method(scopes: Scopes, target: ast.expr | None) -> ast.Attribute | None:
    """Returns the method that a thread calls: `worker.work`, `lambda: worker.work()`."""
    if isinstance(target, ast.Name):
        made = reach.find_definitions(scopes, target)
        target = made[0] if len(made) == 1 and isinstance(made[0], ast.Lambda) else None
    if isinstance(target, ast.Lambda) and isinstance(target.body, ast.Call):
        target = target.body.func
    return target if isinstance(target, ast.Attribute) else None


def _runs_session(part: ast.AST) -> bool:
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "run"
        and bool(node.args)
        for node in walk_breadth_first(part)
    )
