"""Updates of variables: gradients averaged, and applied by the optimizer."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from migrate.backends.custom_loop.context import Context
from migrate.backends.custom_loop.step_expressions import StepExpressions
from migrate.facts import effects, names
from migrate.plan import Item, Keep, New
from migrate.program import ir
from migrate.program.binding_time import every
from migrate.program.code import Code, code, joined
from migrate.program.ir import Flow, Kind
from migrate.program.slices import header_reads
from migrate.source.nodes import all_nodes
from migrate.tables import roles


class Updates:
    """Lays out the training operations of a step function.

    Attributes:
      loss_names: names that losses which are expressions have under the tape.
    """

    def __init__(self, context: Context, expressions: StepExpressions) -> None:
        self._context = context
        self._expressions = expressions
        self._count = 0  # Of the step function that is laid out.
        self.loss_names: dict[Flow, str] = {}

    def begin(self) -> None:
        """Another step function is laid out from here on."""
        self._count = 0

    def items(self, flow: Flow, included: set[Flow]) -> list[Item]:
        """The statements of one update."""
        update = flow.update
        assert update is not None
        items: list[Item] = []
        if update.kind in ("minimize", "apply_gradients"):
            self._count += 1
            if self._count > 1:
                items.append(New(code("replicas.another_update()")))
        items.extend(New(code(f'replicas.feed("{n}", {n})')) for n in update.fed)
        return [*items, *self._made(flow, update, included)]

    def _made(self, flow: Flow, update: ir.Update, included: set[Flow]) -> list[Item]:
        program = self._context.program
        sync = program.replication.averages or program.towers is not None
        needed = set().union(
            *[
                header_reads(f.statement) if f.suites else f.reads
                for f in included
                if f is not flow
            ]
        )
        bind = (
            f"{update.target} = " if update.target in needed and update.target else ""
        )
        step_argument = (
            code(", global_step=", update.global_step)
            if update.global_step is not None
            else code()
        )
        if update.kind == "gradients":
            edits = self._expressions.edits(flow.statement, flow)
            for node in all_nodes(flow.statement):
                if (
                    isinstance(node, ast.Call)
                    and self._context.scopes.resolve(node.func) == "tf.gradients"
                ):
                    edits[node] = self._taken_by_tape(node, flow)
            return [Keep(flow.statement, replace=edits)]
        if update.kind == "apply_gradients":
            if not sync:
                edits = self._expressions.edits(flow.statement, flow)
                return [Keep(flow.statement, replace=edits)]
            assert update.gradients is not None
            if update.decayed is not None:
                decayed = code(
                    ", decay_var_list=", self._expressions.code(update.decayed)
                )
                step_argument = code(step_argument, decayed)
            return [
                New(
                    code("gradients, variables = zip(*", update.gradients, ")"),
                    flow.statement,
                ),
                New(
                    code(
                        bind,
                        update.optimizer,
                        ".apply_gradients(zip(replicas.average(gradients), variables)",
                        step_argument,
                        ")",
                    )
                ),
            ]
        variables: Code = (
            code(update.variables)
            if update.variables is not None
            else code("replicas.trainable_variables")
        )
        loss: Code = (
            code(self.loss_names[flow])
            if flow in self.loss_names
            else code(update.loss)
            if update.loss is not None
            else code()
        )
        items: list[Item] = [New(code("variables = ", variables), flow.statement)]
        if update.kind == "compute_gradients":
            pairs = code("list(zip(tape.gradient(", loss, ", variables), variables))")
            taken = next(
                node
                for node in all_nodes(flow.statement)
                if isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr == "compute_gradients"
            )
            if getattr(flow.statement, "value", None) is taken and update.target:
                return [*items, New(code(f"{update.target} = ", pairs))]
            return [*items, Keep(flow.statement, replace={taken: pairs})]
        items.append(New(code("gradients = tape.gradient(", loss, ", variables)")))
        gradients = "replicas.average(gradients)" if sync else "gradients"
        items.append(
            New(
                code(
                    bind,
                    update.optimizer,
                    f".apply_gradients(zip({gradients}, variables)",
                    step_argument,
                    ")",
                )
            )
        )
        return items

    def _taken_by_tape(self, call: ast.Call, flow: Flow) -> Code:
        """`tf.gradients(ys, xs, ...)`; what is left out changes no value."""
        bound = names.bound_arguments(call, roles.GRADIENTS_PARAMETERS) or {}
        ys = code(self.loss_names.get(flow, bound["ys"]))
        single = names.key(bound["xs"]) in self._context.program.singles
        parts = [ys, code("[", bound["xs"], "]") if single else code(bound["xs"])]
        if "grad_ys" in bound:
            parts.append(code("output_gradients=", bound["grad_ys"]))
        if "unconnected_gradients" in bound:
            parts.append(code("unconnected_gradients=", bound["unconnected_gradients"]))
        return code("tape.gradient(", joined(", ", parts), ")")


def update_last(flows: Sequence[Flow]) -> list[Flow]:
    """A step's statements with the update behind what does not depend on it.

    TF1 ran an operation when its inputs were there, wherever its statement stood:
    a learning rate, a summary or an observed variable is that of before the update
    (see `_values_before`).
    """
    kinds = ("minimize", "apply_gradients")
    at = next(
        (
            i
            for i, flow in enumerate(flows)
            if any(
                f.update is not None and f.update.kind in kinds for f in every([flow])
            )
        ),
        None,
    )
    if at is None:
        return list(flows)
    behind = set(_bound(flows[at]))
    before: list[Flow] = []
    after: list[Flow] = []
    for flow in flows[at + 1 :]:
        inside = every([flow])
        reads = set().union(*[f.reads for f in inside]) | header_reads(flow.statement)
        waits = (
            bool(reads & behind)
            or bool(_bound(flow) & (flows[at].reads | behind))
            or any(
                f.update is not None or f.kind in (Kind.OPERATION, Kind.ASSIGNMENT)
                for f in inside
            )
            or effects.assigns(flow.statement)
        )
        if waits:
            after.append(flow)
            behind |= _bound(flow)
        else:
            before.append(flow)
    return [*flows[:at], *before, flows[at], *after]


def _bound(flow: Flow) -> frozenset[str]:
    return frozenset().union(*[f.binds for f in every([flow])])
