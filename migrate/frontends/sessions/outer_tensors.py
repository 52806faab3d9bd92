"""Functions that read tensors of the graph around them by their names.

    def loss_of(labels):
        return tf.reduce_mean(tf.square(prediction - labels))

    prediction = tf.matmul(x, w)
    loss = loss_of(y)

A tensor is a local name of a step function in the result, which `loss_of` does not see.
"""

from __future__ import annotations

import ast

from migrate.facts import reach
from migrate.facts.scopes import Scopes
from migrate.program import ir
from migrate.program.binding_time import Diagnostics, list_every_flow
from migrate.source.nodes import walk_breadth_first


def refuse(
    program: ir.TrainingProgram, scopes: Scopes, diagnostics: Diagnostics
) -> None:
    """Refuses what the program's steps call and what reads such a name (N135)."""
    gone: set[str] = set()
    stays: set[str] = set()
    for flow in list_every_flow(program.flows):
        within_steps = flow.step or bool(flow.dropped)
        (gone if within_steps and not flow.suites else stays).update(flow.binds)
    gone -= stays
    home = scopes.scope_by_node.get(program.driver)
    if home is None or not gone:
        return
    statements = [
        f.statement for step in program.steps for f in list_every_flow(step.flows)
    ]
    for definition in reach.find_reached(scopes, statements):
        for node in walk_breadth_first(definition):
            if (
                isinstance(node, ast.Name)
                and isinstance(node.ctx, ast.Load)
                and node.id in gone
                and scopes.find_scope(node).find_owner(node.id) is home
            ):
                diagnostics.refuse(
                    "N135",
                    node,
                    "the graph calls this function, and the function reads the "
                    f"tensor `{node.id}` of the graph by its name",
                    "Pass the tensor to the function as a parameter.",
                )
