"""Writes the part of a step that a gradient tape has to watch."""

from __future__ import annotations

import ast

from migrate.backends.custom_loop.context import Context
from migrate.backends.custom_loop.statements import Statements
from migrate.backends.custom_loop.step_expressions import StepExpressions
from migrate.backends.custom_loop.updates import Updates
from migrate.facts import names
from migrate.plan import Block, Item, New
from migrate.program.binding_time import list_every_flow
from migrate.program.code import make_code
from migrate.program.ir import Flow
from migrate.program.slices import Slicer
from migrate.source.nodes import walk_breadth_first

# The recipe for loops over workers that take gradients by hand, and for any other loop.
_OUT_OF_LOOP = (
    "If a loop goes over workers, keep each worker's loss in a list, and let one "
    "optimizer minimise their sum after the loop: `losses.append(loss)`, `train = "
    "tf.train.GradientDescentOptimizer(rate).minimize(tf.add_n(losses))`. The "
    "variables change by the same amount, but all gradients are taken at the same "
    "values of the variables. Compute any other gradients once, after the loop."
)

# Why the gradients of several losses cannot be taken by one tape, and what to do.
_OF_GRADIENTS = (
    "a loss depends on gradients",
    "Compute the gradients in the loss by a tape: the computation of `y` in `with "
    "tf.GradientTape() as inner:`, and after this block `g = inner.gradient(y, "
    "variables)`. TensorFlow 1 needs use_resource=True for these variables.",
)
_OF_UPDATE = (
    "a loss depends on an update",
    "Run the two updates one after the other, in two run calls.",
)
_IN_COMPREHENSION = (
    "a comprehension computes gradients, and the tool does not recognise towers in it"
)
_IN_BLOCK = (
    "a block computes the gradients",
    "Move the computation of the gradients out of the block.",
)


class Tapes:
    """Writes a step's body, under tapes if it takes gradients."""

    def __init__(
        self,
        context: Context,
        statements: Statements,
        expressions: StepExpressions,
        updates: Updates,
    ) -> None:
        self._context = context
        self._statements = statements
        self._expressions = expressions
        self._updates = updates

    def write_body(self, flows: list[Flow], included: set[Flow]) -> list[Item]:
        """Writes the statements of a step function."""
        update = next(
            (
                i
                for i, f in enumerate(flows)
                if any(
                    g.update is not None and g.update.kind != "apply_gradients"
                    for g in list_every_flow([f])
                    if g in included
                )
            ),
            None,
        )
        if update is None:
            return self._statements.write_items(flows, included)
        takers = [
            g
            for g in list_every_flow(flows)
            if g in included and g.update is not None
            if g.update.kind != "apply_gradients"
        ]
        repeated = next(filter(self._is_repeated, takers), None)
        if repeated is not None:
            self._context.diagnostics.refuse(
                "O117", repeated.statement, _IN_COMPREHENSION, _OUT_OF_LOOP
            )
            return []
        if len(takers) > 1:
            return self._take_several_gradients(flows, included, takers)
        holder = next(
            g
            for g in list_every_flow([flows[update]])
            if g.update is not None and g.update.kind != "apply_gradients"
        )
        if isinstance(flows[update].statement, (ast.For, ast.While)):
            self._context.diagnostics.refuse(
                "O117",
                flows[update].statement,
                "the program computes gradients in a loop",
                _OUT_OF_LOOP,
            )
        assert holder.update is not None
        loss = holder.update.loss
        before = flows[:update]
        wanted = names.find_reads(loss) if loss is not None else set()
        part = Slicer(before, lambda node: False).slice_flows(set(wanted), False)
        # If a Python number is bound again, the step binds it before it reads it.
        last = max(
            (
                i
                for i, f in enumerate(before)
                if f in part.flows or (f in included and f.binds & part.needed)
            ),
            default=-1,
        )
        items: list[Item] = []
        early = self._find_early_flows(flows[update], holder, included, wanted)
        if early:
            # The block is entered twice: under the tape up to the gradients, and after it.
            late = {f for f in list_every_flow([flows[update]]) if not f.suites} - early
            watched = _drop_empty_blocks(flows[update], included - late)
            inside = self._statements.write_items(flows[: update + 1], watched)
            items.append(Block(make_code("with tf.GradientTape() as tape:"), inside))
            rest = _drop_empty_blocks(flows[update], included - early)
            items.extend(self._statements.write_items(flows[update:], rest))
            return items
        inside = self._statements.write_items(before[: last + 1], included)
        if loss is not None and names.find_key(loss) is None:
            # The program's own `loss` may be another value, of which this is a sum.
            wishes = ("loss", "training_loss", "minimized_loss")
            taken = self._context.taken
            name = next((n for n in wishes if n not in taken), None)
            name = name or self._context.choose_free_name("minimized_loss")
            inside.append(
                New(make_code(f"{name} = ", self._expressions.write_expression(loss)))
            )
            self._updates.loss_names[holder] = name
        items.append(Block(make_code("with tf.GradientTape() as tape:"), inside))
        items.extend(self._statements.write_items(before[last + 1 :], included))
        items.extend(self._statements.write_items(flows[update:], included))
        return items

    def _is_repeated(self, taker: Flow) -> bool:
        """Whether a comprehension takes the gradients, of one loss after the other."""
        loss = taker.update.loss if taker.update is not None else None
        node: ast.AST | None = loss
        while isinstance(node, ast.expr | ast.comprehension | ast.keyword):
            above = self._context.scopes.parents.get(node)
            if isinstance(above, ast.ListComp | ast.SetComp | ast.GeneratorExp):
                if node is not above.generators[0].iter:  # Computed once.
                    return True
            node = above
        return False

    def _find_early_flows(
        self, block: Flow, holder: Flow, included: set[Flow], wanted: set[str]
    ) -> set[Flow]:
        """Returns a block's flows before its gradients, if the loss is computed from them."""
        inside = list_every_flow([block])
        if holder is block or not block.suites:
            return set()
        early = [
            f
            for f in inside[: inside.index(holder)]
            if f in included and not f.suites and f.update is None
        ]
        part = Slicer(early, lambda node: False).slice_flows(set(wanted), False)
        if not part.flows:
            return set()
        loss = holder.update.loss if holder.update is not None else None
        around = [
            f.statement for f in inside if f.suites and holder in list_every_flow([f])
        ]
        if (
            loss is None
            or names.find_key(loss) is None
            or any(not self._enters_twice(s) for s in around)
        ):
            self._context.diagnostics.refuse(
                "O117",
                holder.statement,
                "one block computes a loss and minimises it. The migrated program "
                "would enter the block twice: under the tape, and after it",
                "Compute the loss before the block. Or give the loss a name, and "
                "use only names in the block's condition.",
            )
        return set(early)

    def _enters_twice(self, block: ast.stmt) -> bool:
        """Whether a block can be entered twice, because opening it changes nothing."""
        if isinstance(block, ast.With):
            opened = [item.context_expr for item in block.items]
            return all(
                isinstance(call, ast.Call)
                and self._context.scopes.resolve(call.func) == "tf.name_scope"
                for call in opened
            )
        return isinstance(block, ast.If) and not any(
            isinstance(n, (ast.Call, ast.NamedExpr, ast.Await))
            for n in walk_breadth_first(block.test)
        )

    def _take_several_gradients(
        self, flows: list[Flow], included: set[Flow], takers: list[Flow]
    ) -> list[Item]:
        """Takes the gradients of several losses, by one tape over all that they depend on.

        The tape has the values of the forward pass, so that no update changes the gradients
        taken after it.
        """
        updates = [t.update for t in takers if t.update is not None]
        last = max((i for i, f in enumerate(flows) if f in takers), default=-1)
        rest = [f for f in flows[: last + 1] if f not in takers]
        losses = [u.loss for u in updates if u.loss is not None]
        wanted = set().union(*[names.find_reads(loss) for loss in losses])
        part = Slicer(rest, lambda node: False).slice_flows(set(wanted), False)
        inside = [f for f in rest if f in part.flows]
        taken = set().union(*[t.binds for t in takers])
        refusal = None
        if part.needed & taken:
            kinds = {
                t.update.kind
                for t in takers
                if t.update is not None and t.binds & part.needed
            }
            refusal = _OF_UPDATE if "minimize" in kinds else _OF_GRADIENTS
        elif any(g.update is not None for g in list_every_flow(inside)):
            refusal = _OF_UPDATE
        elif any(t not in flows for t in takers):
            refusal = _IN_BLOCK
        if refusal is not None:
            self._context.diagnostics.refuse("O117", takers[-1].statement, *refusal)
            return []
        items: list[Item] = [
            Block(
                make_code("with tf.GradientTape(persistent=True) as tape:"),
                [
                    *self._statements.write_items(inside, included),
                    *self._name_losses(takers),
                ],
            )
        ]
        outside = [f for f in flows if f not in inside]
        return [*items, *self._statements.write_items(outside, included)]

    def _name_losses(self, takers: list[Flow]) -> list[Item]:
        """Gives names to losses that are expressions, computed under the tape."""
        items: list[Item] = []
        for taker in takers:
            loss = taker.update.loss if taker.update is not None else None
            if loss is None or names.find_key(loss) is not None:
                continue
            name = self._context.choose_free_name("minimized_loss")
            items.append(
                New(make_code(f"{name} = ", self._expressions.write_expression(loss)))
            )
            self._updates.loss_names[taker] = name
        return items


def _drop_empty_blocks(block: Flow, included: set[Flow]) -> set[Flow]:
    """Returns the included flows without blocks of which nothing is included."""
    return {
        flow
        for flow in included
        if not flow.suites
        or flow not in list_every_flow([block])
        or any(f in included for f in list_every_flow([flow]) if not f.suites)
    }
