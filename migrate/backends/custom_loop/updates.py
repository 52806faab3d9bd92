"""Updates of variables: gradients averaged, and applied by the optimizer."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from migrate.backends.custom_loop.context import Context
from migrate.backends.custom_loop.step_expressions import StepExpressions
from migrate.backends.custom_loop.update_scopes import UpdateScopes
from migrate.facts import effects, names
from migrate.plan import Item, Keep, New
from migrate.program import ir
from migrate.program.binding_time import list_every_flow
from migrate.program.code import Code, join_code, make_code
from migrate.program.ir import Flow, Kind
from migrate.source.nodes import walk_breadth_first
from migrate.tables import roles


class Updates:
    """Lays out the training operations of a step function.

    Attributes:
      loss_names: names that losses which are expressions have under the tape.
    """

    def __init__(self, context: Context, expressions: StepExpressions) -> None:
        self._context = context
        self._expressions = expressions
        self._around = UpdateScopes(context)
        self._count = 0  # Of the step function that is laid out.
        self.loss_names: dict[Flow, str] = {}

    def begin_function(self) -> None:
        """Another step function is laid out from here on."""
        self._count = 0

    def write_items(self, flow: Flow, included: set[Flow]) -> list[Item]:
        """The statements of one update."""
        update = flow.update
        assert update is not None
        items: list[Item] = []
        if update.kind in ("minimize", "apply_gradients"):
            self._count += 1
            if self._count > 1:
                items.append(New(make_code("replicas.another_update()")))
        items.extend(New(make_code(f'replicas.feed("{n}", {n})')) for n in update.fed)
        return [*items, *self._write_update(flow, update, included)]

    def _write_update(
        self, flow: Flow, update: ir.Update, included: set[Flow]
    ) -> list[Item]:
        if update.kind == "gradients":
            return self._write_gradients(flow)
        if update.kind == "compute_gradients":
            return self._write_compute_gradients(flow, update, included)
        needed = set().union(
            *[
                names.find_header_reads(f.statement) if f.suites else f.reads
                for f in included
                if f is not flow
            ]
        )
        bound = update.target if update.target in needed else ""
        bind = f"{bound} = " if bound else ""
        if update.kind == "apply_gradients":
            return self._write_apply_gradients(flow, update, bind, included)
        loss = self._write_loss(flow, update)
        step = _write_step_argument(update)
        if _has_own_name(update, included):
            listed: list[Item] = []
            variables = self._write_variables(update)
        else:
            variables = make_code(self._choose_name("variables", flow, included))
            value = self._write_variables(update)
            listed = [New(make_code(variables, " = ", value), flow.statement)]
        named = self._choose_name("gradients", flow, included)
        gradients = make_code(named, " = tape.gradient(", loss, ", ", variables, ")")
        applied: list[Item] = [New(self._apply(update, bind, step, variables, named))]
        return [
            *listed,
            New(gradients) if listed else New(gradients, flow.statement),
            *self._around.enter(flow, applied),
        ]

    def _choose_name(self, wish: str, flow: Flow, included: set[Flow]) -> str:
        """The wish, or another name if the step has a value of the program's by that one."""
        others = [f for f in included if f is not flow]
        used = set().union(*[f.binds for f in others], *map(_find_reads, others))
        return self._context.choose_free_name(wish) if wish in used else wish

    def _choose_last_name(self, wish: str, flow: Flow, included: set[Flow]) -> str:
        """The wish, or another name if a value of that one is fetched, or read later.

        The gradients themselves often have these names: they are read for the last time.
        """
        steps = [s for s in self._context.program.steps if included & {*s.flows}]
        fetched = [_find_words(code) for step in steps for code in step.fetches]
        line = _find_line(flow)
        later = [f for f in included if _find_line(f) > line]
        used = set().union(*fetched, *map(_find_reads, later))
        return self._context.choose_free_name(wish) if wish in used else wish

    @property
    def _averages(self) -> bool:
        """Whether gradients are averaged over replicas before they are applied."""
        program = self._context.program
        return program.replication.averages or program.towers is not None

    def _write_gradients(self, flow: Flow) -> list[Item]:
        """`tf.gradients`."""
        edits = self._expressions.make_edits(flow.statement, flow)
        for node in walk_breadth_first(flow.statement):
            if (
                isinstance(node, ast.Call)
                and self._context.scopes.resolve(node.func) == "tf.gradients"
            ):
                edits[node] = self._write_tape_gradient(node, flow)
        return [Keep(flow.statement, replace=edits)]

    def _write_compute_gradients(
        self, flow: Flow, update: ir.Update, included: set[Flow]
    ) -> list[Item]:
        """`compute_gradients`."""
        loss = self._write_loss(flow, update)
        named = "variables"
        own = isinstance(update.variables, ast.Name) and update.variables.id == named
        # What binds the name anew in this statement, or after it, is not overwritten.
        first = min(
            (f.statement.lineno for f in included if named in f.binds), default=0
        )
        if not own and first < flow.statement.lineno:
            named = self._choose_name(named, flow, included)
        pairs = make_code("list(zip(tape.gradient(", loss, f", {named}), {named}))")
        taken = next(
            node
            for node in walk_breadth_first(flow.statement)
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "compute_gradients"
        )
        gradients: Item = Keep(flow.statement, replace={taken: pairs})
        if getattr(flow.statement, "value", None) is taken and update.target:
            gradients = New(make_code(f"{update.target} = ", pairs))
        variables = self._write_variables(update)
        return [New(make_code(f"{named} = ", variables), flow.statement), gradients]

    def _write_apply_gradients(
        self, flow: Flow, update: ir.Update, bind: str, included: set[Flow]
    ) -> list[Item]:
        """`apply_gradients` of gradients that the program has computed.

        Args:
          bind: what its value is bound to, as text.
        """
        if not self._averages:
            edits = self._expressions.make_edits(flow.statement, flow)
            return self._around.enter(flow, [Keep(flow.statement, replace=edits)])
        assert update.gradients is not None
        step = _write_step_argument(update)
        if update.decayed is not None:
            decayed = self._expressions.write_expression(update.decayed)
            step = make_code(step, ", decay_var_list=", decayed)
        gradients, variables = (
            self._choose_last_name(wish, flow, included)
            for wish in ("gradients", "variables")
        )
        apart = make_code(f"{gradients}, {variables} = zip(*", update.gradients, ")")
        update_ = self._apply(update, bind, step, make_code(variables), gradients)
        applied: list[Item] = [New(update_)]
        return [New(apart, flow.statement), *self._around.enter(flow, applied)]

    def _apply(
        self, update: ir.Update, bind: str, step: Code, variables: Code, named: str
    ) -> Code:
        """The optimizer's update by the gradients of that name."""
        gradients = f"replicas.average({named})" if self._averages else named
        applies = f".apply_gradients(zip({gradients}, "
        return make_code(bind, update.optimizer, applies, variables, ")", step, ")")

    def _write_variables(self, update: ir.Update) -> Code:
        if update.variables is None:
            return make_code("replicas.trainable_variables")
        return make_code(update.variables)

    def _write_loss(self, flow: Flow, update: ir.Update) -> Code:
        if flow in self.loss_names:
            return make_code(self.loss_names[flow])
        return make_code() if update.loss is None else make_code(update.loss)

    def _write_tape_gradient(self, call: ast.Call, flow: Flow) -> Code:
        """`tf.gradients(ys, xs, ...)`; what is left out changes no value."""
        bound = names.bind_arguments(call, roles.GRADIENTS_PARAMETERS) or {}
        ys = make_code(self.loss_names.get(flow, bound["ys"]))
        single = names.find_key(bound["xs"]) in self._context.program.singles
        parts = [
            ys,
            make_code("[", bound["xs"], "]") if single else make_code(bound["xs"]),
        ]
        if "grad_ys" in bound:
            parts.append(make_code("output_gradients=", bound["grad_ys"]))
        if "unconnected_gradients" in bound:
            parts.append(
                make_code("unconnected_gradients=", bound["unconnected_gradients"])
            )
        return make_code("tape.gradient(", join_code(", ", parts), ")")


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
                f.update is not None and f.update.kind in kinds
                for f in list_every_flow([flow])
            )
        ),
        None,
    )
    if at is None:
        return list(flows)
    behind = set(_find_bound_names(flows[at]))
    before: list[Flow] = []
    after: list[Flow] = []
    for flow in flows[at + 1 :]:
        inside = list_every_flow([flow])
        reads = set().union(*[f.reads for f in inside]) | names.find_header_reads(
            flow.statement
        )
        waits = (
            bool(reads & behind)
            or bool(_find_bound_names(flow) & (flows[at].reads | behind))
            or any(
                f.update is not None or f.kind in (Kind.OPERATION, Kind.ASSIGNMENT)
                for f in inside
            )
            or effects.assigns(flow.statement)
        )
        if waits:
            after.append(flow)
            behind |= _find_bound_names(flow)
        else:
            before.append(flow)
    return [*flows[:at], *before, flows[at], *after]


def _find_words(code: Code) -> set[str]:
    """The names in code, and perhaps other words."""
    found: set[str] = set()
    for part in code.parts:
        if isinstance(part, Code):
            found |= _find_words(part)
        elif isinstance(part, str):
            found.update(re.findall(r"\w+", part))
        else:
            found |= names.find_reads(part)
    return found


def _find_reads(flow: Flow) -> set[str]:
    """The names that a statement reads; of a block, those that its header reads."""
    return set(names.find_header_reads(flow.statement) if flow.suites else flow.reads)


def _find_bound_names(flow: Flow) -> frozenset[str]:
    return frozenset().union(*[f.binds for f in list_every_flow([flow])])


def _has_own_name(update: ir.Update, included: set[Flow]) -> bool:
    """Whether the program itself calls the only update's variables `variables`."""
    named = (
        isinstance(update.variables, ast.Name) and update.variables.id == "variables"
    )
    return named and [f.update for f in included if f.update is not None] == [update]


def _write_step_argument(update: ir.Update) -> Code:
    """The argument by which an update counts the step, if it does."""
    if update.global_step is None:
        return make_code()
    return make_code(", global_step=", update.global_step)


def _find_line(flow: Flow) -> int:
    """The line of a statement; 0 for one that the tool has made."""
    return getattr(flow.statement, "lineno", 0)
