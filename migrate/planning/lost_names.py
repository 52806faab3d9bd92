"""Names that code outside the steps reads, and that only the steps' code would fill.

hooks = []
hooks.append(TheirHook(loss))  # `loss` is a tensor of the step now.
with tf.train.MonitoredTrainingSession(hooks=hooks) as session:
"""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.program import ir
from migrate.program.binding_time import Diagnostics, list_every_flow
from migrate.source.nodes import walk_breadth_first

CODE = "S112"
_RECIPE = (
    "Fetch the tensor in `session.run`, and use the value that it returns. If the "
    "tensor is for a hook, define the hook's class in a file of this program."
)


def refuse_lost_changes(
    program: ir.TrainingProgram, scopes: Scopes, diagnostics: Diagnostics
) -> None:
    """Refuses calls that change an object which outlives the graph, with a step's tensor."""
    fetched = {f for step in program.steps for f in step.flows}
    read = {
        node.id
        for part in (program.session_call, *program.others, *program.tail)
        for node in walk_breadth_first(part)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    }
    for flow in list_every_flow(program.flows):
        call = getattr(flow.statement, "value", None)
        if (
            isinstance(flow.statement, ast.Expr)
            and isinstance(call, ast.Call)
            and isinstance(call.func, ast.Attribute)
            and (flow.step or flow.pure)
            and not (flow.build or flow.dropped or flow in fetched)
            and scopes.resolve(call.func) is None
            and (changed := names.find_key(call.func.value)) is not None
            and changed.partition(".")[0] in read
        ):
            diagnostics.refuse(
                CODE,
                call,
                f"`{changed}` receives a value that is made from a tensor of the "
                "step, but code outside of the steps uses it",
                _RECIPE,
            )
