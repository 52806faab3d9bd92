"""One task of a cluster that trains alone, while all others wait in `server.join()`."""

from __future__ import annotations

import ast

from migrate.facts.scopes import Scopes
from migrate.facts.sole_client import find_sole_task
from migrate.findings import Finding, Outcome
from migrate.frontends.cluster import placement
from migrate.program import ir
from migrate.program.binding_time import Diagnostics


def trains_alone(
    scopes: Scopes,
    diagnostics: Diagnostics,
    session: ast.Call,
    cluster: ir.Cluster | None,
    replication: ir.Replication,
) -> bool:
    """Whether one task does, which is then the coordinator; else it is refused."""
    if cluster is None or not placement.is_on_own_server(scopes, session):
        return False
    task = find_sole_task(scopes, session)
    if task is None:
        return False
    chiefs = (cluster.jobs or frozenset()) & {"chief", "master"}
    coordinates = task[1] == 0 and (task[0] == "worker") is not bool(chiefs)
    if replication is not ir.Replication.ASYNCHRONOUS or not coordinates:
        diagnostics.refuse(
            "N134",
            session,
            f"only task {task[0]} {task[1]} trains. It is not the coordinator, or "
            "it is synchronised with no other task",
            "Let all workers open the session, or train in one process.",
        )
        return False
    diagnostics.findings.append(
        Finding(
            session.lineno,
            session.col_offset + 1,
            "N134",
            Outcome.REWRITTEN,
            "",
            "only one task trains, so the migrated program runs its loop once",
        )
    )
    return True
