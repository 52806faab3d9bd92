"""Refuses reads of a list or dict that each round of a loop changes.

    for n in sizes:
        weights.append(tf.get_variable("w%d" % n, [3, n]))
        h = tf.matmul(h, weights[-1])

TF1 ran this loop once. Build time makes all the variables before the first step, so a step
would find the last one in each round. `weights[i]` is the same one then as it was, if the
rounds only append, or store under indices that they compute.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.program.binding_time import Diagnostics, list_every_flow
from migrate.program.ir import Flow
from migrate.source.nodes import walk_breadth_first, walk_own_nodes
from migrate.tables.worker_state import MUTATORS


def check_collections(loop: Flow, scopes: Scopes, diagnostics: Diagnostics) -> None:
    """Refuses a step's reads, in a loop, of what building changes in the same loop."""
    inside = list_every_flow([loop])[1:]
    changed: dict[str, bool] = {}  # Whether its elements keep their places.
    for flow in inside:
        if flow.build and not flow.lifts and not flow.suites:
            for key, keeps in _find_changed(flow.statement, scopes):
                changed[key] = keeps and changed.get(key, True)
    for flow in inside if changed else ():
        if not flow.step:
            continue
        lifted = {n for lift in flow.lifts for n in walk_breadth_first(lift.node)}
        nodes = (
            walk_own_nodes(flow.statement)
            if flow.suites
            else walk_breadth_first(flow.statement)
        )
        for node in nodes:
            read = names.find_key(node)
            if node in lifted or read is None or read not in changed:
                continue
            if not (changed[read] and _has_place(node, scopes)):
                diagnostics.refuse(
                    "N104",
                    node,
                    f"each round of the loop changes `{read}` when it makes a variable, "
                    f"and a step reads `{read}` in the same loop. It would find the "
                    "variables of the last round",
                    "Give the variable a name, and read the name: "
                    "w = tf.get_variable(...).",
                )
                return


def _find_changed(statement: ast.stmt, scopes: Scopes) -> Iterator[tuple[str, bool]]:
    """Yields the keys of lists and dicts that a statement changes.

    With each comes whether the elements that were in it keep their places.
    """
    for node in walk_breadth_first(statement):
        changed: ast.expr | None = None
        keeps = False
        if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            changed, keeps = node.value, _is_computed(node.slice)
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in MUTATORS
            and not scopes.import_path(node.func)
        ):
            changed, keeps = node.func.value, node.func.attr == "append"
        key = names.find_key(changed) if changed is not None else None
        if key is not None:
            yield key, keeps


def _has_place(node: ast.AST, scopes: Scopes) -> bool:
    """Whether a read is of one element, by an index that the round computes."""
    parent = scopes.parents[node]
    if not isinstance(parent, ast.Subscript) or parent.value is not node:
        return False
    return _is_computed(parent.slice)


def _is_computed(index: ast.expr) -> bool:
    """Whether an index may be another one in each round."""
    return not isinstance(index, (ast.Constant, ast.Slice, ast.UnaryOp))
