"""Towers within each worker of a cluster: what of them a worker can compute in turn.

    with tf.device(tf.train.replica_device_setter(...)):
        for i in range(num_gpus):
            with tf.device("/gpu:%d" % i):
                ...
                tower_grads.append(opt.compute_gradients(loss))
        train_op = opt.apply_gradients(average_gradients(tower_grads))

Each worker's update is the mean of its towers', whatever the workers do with each other.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.program import ir
from migrate.program.binding_time import Diagnostics, list_every_flow
from migrate.program.ir import Flow, Kind
from migrate.source.nodes import find_plain_names, walk_breadth_first
from migrate.tables.layers import LAYER_CLASSES

_NORMALISES = frozenset({"tf.layers.batch_normalization"}) | frozenset(
    name for name in LAYER_CLASSES if "BatchNormalization" in name
)
_CALLS = {
    "replicas.under": "they write summaries",
    "plain_session.for_towers": "each draws a batch of its own: draw one, and split it",
}


def check(
    scopes: Scopes,
    diagnostics: Diagnostics,
    session: ast.AST,
    towers: ir.Towers,
    flows: Sequence[Flow],
    built: Sequence[ast.stmt],
    *,
    clustered: bool,
    connected: bool,
) -> None:
    """Refuses towers that are nowhere, or of which too little is known.

    Args:
      built: the statements that build the graph.
      clustered: whether the session is one of several workers'.
      connected: whether it is a cluster's only one.
    """
    reason = explain_refusal(scopes, towers, flows) if clustered else None
    if reason is not None:
        diagnostics.refuse(
            "N126",
            session,
            f"towers within the workers of a cluster: {reason}",
            "Give each worker one device and one tower.",
        )
    elif not clustered and connected != bool(towers.devices):
        diagnostics.refuse(
            "N126",
            session,
            "one client of a cluster builds the towers on its own devices",
            "Name a task of the cluster for each tower.",
        )
    elif _reads_late_names(towers.devices, built):
        diagnostics.refuse(
            "N126",
            session,
            "only the graph knows on which devices the towers are",
            "Name the devices before the first placeholder or variable.",
        )
    elif _reads_late_names(towers.count, built):
        diagnostics.refuse(
            "N126",
            session,
            f"only the graph knows how many towers there are (`{towers.count}`)",
            "Compute it before the first placeholder or variable.",
        )


def _reads_late_names(expression: str, graph: Sequence[ast.stmt]) -> bool:
    """Whether an expression reads what these statements bind."""
    tree = ast.parse(expression or "None", mode="eval")
    own = find_plain_names(tree, ast.Store)
    reads = names.find_reads(tree) - own
    return bool(reads & set().union(set(), *[names.find_binds(s) for s in graph]))


def explain_refusal(
    scopes: Scopes, towers: ir.Towers, flows: Sequence[Flow]
) -> str | None:
    """Explains why a worker cannot compute its towers in turn; None if it can."""
    for node in walk_breadth_first(scopes.tree):
        if not isinstance(node, ast.Call):
            continue
        if scopes.resolve(node.func) in _NORMALISES or towers.updated_by:
            return "they normalise batches"
        called = _CALLS.get(names.find_key(node.func) or "")
        if called is not None:
            return called
    steps = list(list_every_flow(flows))
    if any(flow.kind is Kind.ASSIGNMENT for flow in steps):
        return "the program assigns to variables in its steps"
    taken = [f for f in steps if f.update and f.update.kind != "apply_gradients"]
    if len(taken) > 1:
        return "they take gradients of several losses"
    return None
