"""Step functions: the slice of the graph that a run call asked for, as a function."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from migrate.backends.custom_loop import forward
from migrate.backends.custom_loop.build_time import BuildTime
from migrate.backends.custom_loop.context import Context
from migrate.facts import effects, names, reach
from migrate.findings import Finding, Outcome
from migrate.plan import Block, Item, Keep, New
from migrate.program import ir
from migrate.program.binding_time import every
from migrate.program.functions import FunctionTimes
from migrate.program.graph_functions import GraphFunctions
from migrate.program.ir import Code, Flow, Kind, code
from migrate.program.slices import Slicer, header_reads
from migrate.tables import contrib_graph, roles
from migrate.tables.layers import LAYER_FUNCTIONS
from migrate.tables.optimizers import OPTIMIZERS

# What a step function must not do: what it makes is made once, at build time.
_CREATORS = (
    roles.VARIABLES
    | frozenset(OPTIMIZERS)
    | {s for s, row in LAYER_FUNCTIONS.items() if row.has_weights}
)


class StepFunctions:
    """Lays out step functions.

    Attributes:
      spec_names: names of the specs that feeds have at build time, by key.
    """

    def __init__(self, context: Context, build: BuildTime) -> None:
        self._context = context
        self._program = context.program
        self._scopes = context.scopes
        self._diagnostics = context.diagnostics
        self._plan = context.plan
        self._build = build
        self._forward: forward.Forward | None = None
        self.spec_names: dict[str, str] = {}
        self._updates = 0  # Of the step function that is laid out.
        self._methods = reach.methods(context.scopes)
        # Variables that a step reads before it updates: key -> the value's name.
        self._read_first: dict[str, str] = {}

    def functions(self, spec_names: dict[str, str]) -> list[Item]:
        """All of the program's step functions, and the forward pass they share."""
        self.spec_names = spec_names
        self._note_streams()
        self._forward = self.share_forward()
        items: list[Item] = []
        if self._forward is not None:
            items.append(self.forward_function(self._forward))
        return [*items, *[self.function(step) for step in self._program.steps]]

    def _note_streams(self) -> None:
        """Says where several step functions draw by one operation's seed."""
        steps = self._program.steps
        for flow in every(self._program.flows):
            if flow.suites or sum(flow in step.flows for step in steps) < 2:
                continue
            for node in ast.walk(flow.statement):
                seed = (
                    names.argument(node, "seed") if isinstance(node, ast.Call) else None
                )
                if seed is None or (
                    isinstance(seed, ast.Constant) and seed.value is None
                ):
                    continue
                assert isinstance(node, ast.Call)
                self._diagnostics.findings.append(
                    Finding(
                        node.lineno,
                        node.col_offset + 1,
                        "S133",
                        Outcome.KEPT,
                        self._scopes.resolve(node.func) or "",
                        "several step functions compute this, each with a stream of "
                        "random numbers that begins at the seed; in TF1 all runs drew "
                        "from one",
                    )
                )

    def function(self, step: ir.StepFunction) -> Item:
        included = set(step.flows)
        self._updates = 0
        parameters: list[str] = []
        specs: list[Code] = []
        body: list[Item] = []
        if step.element is not None:
            dataset = self._program.iterators[step.element]
            target = self.element_target(step)
            if isinstance(target, (ast.Tuple, ast.List)) and all(
                isinstance(e, ast.Name) for e in target.elts
            ):
                parameters.extend(e.id for e in target.elts)  # type: ignore[attr-defined]
                specs.append(code("*", dataset, ".element_spec"))
            else:
                name = names.key(target) or "batch"
                parameters.append(name.replace(".", "_"))
                specs.append(code(dataset, ".element_spec"))
        for name in step.feeds:
            placeholder = self._program.placeholders[name]
            parameters.append(placeholder.parameter)
            named = self.spec_names.get(name)
            specs.append(code(named) if named else placeholder.spec)
        for name, placeholder in self._program.placeholders.items():
            used = any(name in f.reads for f in included) or any(
                name in names.reads(n) for f in step.fetches for n in f.nodes()
            )
            if used and name not in step.feeds and placeholder.default is not None:
                body.append(
                    New(
                        code(
                            f"{placeholder.parameter} = tf.convert_to_tensor(",
                            placeholder.default,
                            ")",
                        )
                    )
                )
        body.extend(self._values_before(step))
        flows = self._opened(self._program.flows, included)
        if self._forward is not None and step in self._forward.steps:
            rest = flows[len(self._forward.flows) :]
            call = self._forward.call(step, forward.read_after(step, rest))
            included.add(call)
            flows = [call, *rest]
        if step.observed:
            flows.append(self._observation(step))
            included.add(flows[-1])
        body.extend(self._step_body(_update_last(flows), included, step))
        body.append(New(self._return(step)))
        separator = ",\n    " if len(specs) > 1 else ", "
        return Block(
            code(
                "\n@replicas.step_function(\n    "
                if len(specs) > 1
                else "\n@replicas.step_function(",
                ir.joined(separator, specs),
                ")\n",
                f"def {step.name}({', '.join(parameters)}):",
            ),
            body,
        )

    def _observation(self, step: ir.StepFunction) -> Flow:
        """What hooks observe, as a statement of the step."""
        pairs = [
            code(_quoted(key), ": ", self._at_step(value))
            for key, value in step.observed.items()
        ]
        return Flow(
            ast.Pass(),
            Kind.TENSOR,
            frozenset().union(*[names.reads(v) for v in step.observed.values()]),
            frozenset(),
            step=True,
            step_code=code("replicas.observe({", ir.joined(", ", pairs), "})"),
        )

    def share_forward(self) -> forward.Forward | None:
        program = self._program
        bodies = {s: self._opened(program.flows, set(s.flows)) for s in program.steps}
        name = next(
            (n for n in ("forward", "forward_pass") if n not in self._context.taken),
            None,
        )
        if name is None:
            return None
        inputs = [
            *program.elements,
            *[p.parameter for k, p in program.placeholders.items() if p.parameter == k],
        ]
        if any(p.parameter != k for k, p in program.placeholders.items()):
            return None  # Attributes of `self`.
        return forward.shared(program.steps, bodies, inputs, name)

    def forward_function(self, shared: forward.Forward) -> Item:
        self._read_first = {}
        included = set(shared.steps[0].flows)
        body = self.items(shared.flows, included)
        body.append(New(code(f"return {', '.join(shared.results)}")))
        return Block(
            code(f"\ndef {shared.name}({', '.join(shared.parameters)}):"), body
        )

    def _values_before(self, step: ir.StepFunction) -> list[Item]:
        """Fetched variables, read first: TF 1.15 gives their value before the update.

        Measured with variables on a parameter server: 300 of 300 fetches of the
        global step beside the training operation. In one process it gave the value
        after the update (200 of 200), for it gave the variable's own buffer; but not
        of resource variables.
        """
        items: list[Item] = []
        after = self._program.replication.alone and not any(
            symbol == "tf.enable_resource_variables"
            for _, symbol in self._scopes.walk_uses()
        )
        self._read_first = {}
        if not step.trains:
            return items
        for node in [n for fetch in step.fetches for n in fetch.nodes()]:
            name = names.key(node)
            if name in self._read_first:
                continue
            kind = self._program.kinds.get(name or "")
            if name is None or kind not in (Kind.VARIABLE, Kind.SCHEDULE):
                continue
            if after and kind is Kind.VARIABLE:
                continue
            value = name.replace("self.", "").replace(".", "_") + "_value"
            self._read_first[name] = value
            comment = (
                ""
                if items
                else "# A fetched variable has its value before the update.\n"
            )
            if kind is Kind.SCHEDULE:
                now = code(node, "()")
            elif name in self._program.singles:
                now = code(node, ".read_value()")
            else:
                now = code("training_session.read(", node, ")")
            items.append(New(code(comment + f"{value} = ", now)))
        return items

    def element_target(self, step: ir.StepFunction) -> ast.expr:
        for iterator, flow in self._program.elements.values():
            if iterator == step.element:
                return flow.statement.targets[0]  # type: ignore[attr-defined,no-any-return]
        raise AssertionError(step.element)

    def _return(self, step: ir.StepFunction) -> Code:
        values = [self._fetched(fetch) for fetch in step.fetches]
        if step.structure == "none":
            return code("return None")
        if step.structure == "single":
            return code("return ", values[0])
        if step.structure == "dict":
            pairs = [code(k, ": ", v) for k, v in zip(step.keys, values)]
            return code("return {", ir.joined(", ", pairs), "}")
        if step.structure == "list":
            return code("return [", ir.joined(", ", values), "]")
        return code("return ", ir.joined(", ", values))

    def _fetched(self, fetch: Code) -> Code:
        """A fetch, or a structure of fetches, as the step function gives it."""
        parts: list[str | ast.AST | Code] = []
        for part in fetch.parts:
            if isinstance(part, Code):
                parts.append(self._fetched(part))
            elif (
                isinstance(part, ast.AST)
                and (names.key(part) or "") in self._read_first
            ):
                parts.append(self._read_first[names.key(part) or ""])
            else:
                parts.append(self._at_step(part) if isinstance(part, ast.AST) else part)
        return Code(tuple(parts))

    def _opened(self, flows: Sequence[Flow], included: set[Flow]) -> list[Flow]:
        """Included flows; a block around the update is opened, as the tape spans it."""
        found: list[Flow] = []
        for flow in flows:
            if flow not in included:
                continue
            holds_update = any(f.update is not None for f in every([flow])[1:])
            if flow.suites and holds_update and isinstance(flow.statement, ast.With):
                if flow.updates:
                    found.append(self._updates_asked())
                    included.add(found[-1])
                found.extend(self._opened(flow.suites["body"], included))
            else:
                found.append(flow)
        return found

    def _updates_asked(self) -> Flow:
        """`with tf.control_dependencies(tf.get_collection(UPDATE_OPS))`, opened."""
        return Flow(
            ast.Pass(),
            Kind.OPERATION,
            frozenset({ir.COLLECTED}),
            frozenset(),
            step=True,
            step_code=code(f"{contrib_graph.FRAMEWORK_MODULE}.updates()"),
        )

    def _step_body(
        self, flows: list[Flow], included: set[Flow], step: ir.StepFunction
    ) -> list[Item]:
        update = next(
            (
                i
                for i, f in enumerate(flows)
                if any(
                    g.update is not None and g.update.kind != "apply_gradients"
                    for g in every([f])
                    if g in included
                )
            ),
            None,
        )
        if update is None:
            return self.items(flows, included)
        takers = [
            g
            for g in every(flows)
            if g in included and g.update is not None
            if g.update.kind != "apply_gradients"
        ]
        if len(takers) > 1:
            return self._several_gradients(flows, included, takers)
        holder = next(
            g
            for g in every([flows[update]])
            if g.update is not None and g.update.kind != "apply_gradients"
        )
        if isinstance(flows[update].statement, (ast.For, ast.While)):
            self._diagnostics.refuse(
                "N110", flows[update].statement, "gradients taken in a loop"
            )
        assert holder.update is not None
        loss = holder.update.loss
        before = flows[:update]
        wanted = names.reads(loss) if loss is not None else set()
        part = Slicer(before, lambda node: False).slice(set(wanted), False)
        last = max((i for i, f in enumerate(before) if f in part.flows), default=-1)
        first = 0
        items: list[Item] = []
        inside = self.items(before[first : last + 1], included)
        if loss is not None and names.key(loss) is None:
            # The program's own `loss` may be another value, of which this is a sum.
            wishes = ("loss", "training_loss", "minimized_loss")
            taken = self._context.taken
            name = next((n for n in wishes if n not in taken), None)
            name = name or self._context.fresh("minimized_loss")
            inside.append(New(code(f"{name} = ", self._at_step(loss))))
            self._loss_names[holder] = name
        items.append(Block(code("with tf.GradientTape() as tape:"), inside))
        items.extend(self.items(before[last + 1 :], included))
        items.extend(self.items(flows[update:], included))
        return items

    def _several_gradients(
        self, flows: list[Flow], included: set[Flow], takers: list[Flow]
    ) -> list[Item]:
        """Gradients of several losses, by one tape over all that they depend on.

        The tape has the values of the forward pass, so that no update changes the
        gradients taken after it.
        """
        updates = [t.update for t in takers if t.update is not None]
        last = max((i for i, f in enumerate(flows) if f in takers), default=-1)
        rest = [f for f in flows[: last + 1] if f not in takers]
        losses = [u.loss for u in updates if u.loss is not None]
        wanted = set().union(*[names.reads(loss) for loss in losses])
        part = Slicer(rest, lambda node: False).slice(set(wanted), False)
        inside = [f for f in rest if f in part.flows]
        taken = set().union(*[t.binds for t in takers])
        if (
            any(t not in flows for t in takers)
            or any(g.update is not None for g in every(inside))
            or part.needed & taken
        ):
            self._diagnostics.refuse(
                "O117",
                takers[-1].statement,
                "a loss depends on gradients or on an update, or they are taken in a "
                "block",
                "Write the step with nested tapes.",
            )
            return []
        items: list[Item] = [
            Block(
                code("with tf.GradientTape(persistent=True) as tape:"),
                [*self.items(inside, included), *self._losses_named(takers)],
            )
        ]
        outside = [f for f in flows if f not in inside]
        return [*items, *self.items(outside, included)]

    def _losses_named(self, takers: list[Flow]) -> list[Item]:
        """Losses that are expressions, computed under the tape."""
        items: list[Item] = []
        for taker in takers:
            loss = taker.update.loss if taker.update is not None else None
            if loss is None or names.key(loss) is not None:
                continue
            name = self._context.fresh("minimized_loss")
            items.append(New(code(f"{name} = ", self._at_step(loss))))
            self._loss_names[taker] = name
        return items

    @property
    def _loss_names(self) -> dict[Flow, str]:
        if not hasattr(self, "_losses"):
            self._losses: dict[Flow, str] = {}
        return self._losses

    def items(self, flows: Sequence[Flow], included: set[Flow]) -> list[Item]:
        items: list[Item] = []
        for flow in flows:
            if flow not in included:
                continue
            if flow.step_code is not None:
                items.append(New(flow.step_code))
            elif flow.suites:
                items.append(self._step_compound(flow, included))
            elif flow.update is not None:
                items.extend(self._update(flow, included))
            else:
                self._check_creates_nothing(flow)
                items.append(
                    Keep(flow.statement, replace=self._step_edits(flow.statement, flow))
                )
        return items

    def _check_creates_nothing(self, flow: Flow) -> None:
        """A step function runs many times: what it creates would be lost, or refused."""
        lifted = {n for lift in flow.lifts for n in ast.walk(lift.node)}
        for node in ast.walk(flow.statement):
            if isinstance(node, ast.Call) and node not in lifted:
                self._check_call(node)
                if flow.host and effects.consumes(node):
                    self._diagnostics.refuse(
                        "N116",
                        node,
                        "what this takes is taken once, when the graph is built, but "
                        "every step function would take it again",
                        "Take all of it into a list before.",
                    )

    def _check_call(self, call: ast.Call) -> None:
        function = call.func
        if isinstance(function, ast.Attribute) and function.attr in (
            "minimize",
            "compute_gradients",
            "apply_gradients",
        ):
            self._diagnostics.refuse(
                "O116",
                call,
                "an update that may not be made, or of what is not known to be one "
                "optimizer",
                "Give it a statement of its own: train_op = optimizer.minimize(loss).",
            )
        symbol = self._creator_in(call)
        if symbol:
            self._diagnostics.refuse(
                "V126",
                call,
                "a variable, layer or optimizer that is made here could not be told from "
                "what is computed with it",
                "Make it in a statement of its own: w = tf.get_variable(...).",
                symbol,
            )

    def _creator_in(self, call: ast.Call) -> str:
        """What makes variables in a call, or in a function of the file it calls."""
        symbol = self._scopes.resolve(call.func) or ""
        if symbol in _CREATORS:
            return symbol
        staged = (t for t in self._program.staged if isinstance(t, FunctionTimes))
        seen: set[ast.AST] = {times.node for times in staged}
        seen.update(GraphFunctions(self._scopes).nodes)
        work: list[ast.AST] = [call.func]
        while work:
            for node in ast.walk(work.pop()):
                if node in seen:
                    continue
                new: set[ast.AST] = set()
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                    new = set(reach.definitions(self._scopes, node))
                elif isinstance(node, ast.Attribute):
                    new = set(self._methods.get(node.attr, ()))
                work.extend(new - seen)
                seen |= new
                if isinstance(node, ast.Call):
                    symbol = self._scopes.resolve(node.func) or ""
                    if symbol in _CREATORS:
                        return symbol
        return ""

    def _step_compound(self, flow: Flow, included: set[Flow]) -> Item:
        suites = {
            field: self.items(suite, included) for field, suite in flow.suites.items()
        }
        statement = flow.statement
        if isinstance(statement, ast.For):
            lifts = [
                lift
                for f in flow.suites["body"]
                for lift in f.lifts
                if lift.create.parts
            ]
            each = [*[lift.name for lift in lifts], *self._build.loop_names(flow)]
            if each:
                lists = [f"{name}_list" for name in each]
                return Block(
                    code(
                        "for ",
                        "(" if isinstance(statement.target, ast.Tuple) else "",
                        statement.target,
                        ")" if isinstance(statement.target, ast.Tuple) else "",
                        ", " + ", ".join(each) + " in zip(",
                        statement.iter,
                        ", " + ", ".join(lists) + "):",
                    ),
                    suites["body"],
                    statement,
                )
        graph = any(f.graph for f in every([flow]))
        return Keep(statement, suites, self._header_edits(statement, graph))

    def _graph_scope(self, node: ast.expr) -> dict[ast.AST, Code]:
        """`tf.variable_scope` around layers of contrib names them, as in a graph."""
        if not isinstance(node, ast.Call):
            return {}
        if self._scopes.resolve(node.func) != "tf.variable_scope":
            return {}
        given: list[str | ast.AST | Code] = [*node.args]
        given += [code(f"{k.arg}=", k.value) for k in node.keywords]
        return {node: code("tf.compat.v1.variable_scope(", ir.joined(", ", given), ")")}

    def _header_edits(
        self, statement: ast.stmt, graph: bool = False
    ) -> dict[ast.AST, Code]:
        edits: dict[ast.AST, Code] = {}
        if isinstance(statement, ast.With):
            for item in statement.items:
                edits.update(self._step_edits(item.context_expr, None))
                if graph:
                    edits.update(self._graph_scope(item.context_expr))
        return edits

    def _step_edits(self, node: ast.AST, flow: Flow | None) -> dict[ast.AST, Code]:
        """What reads differently inside a step: lifts, and schedules are called."""
        edits: dict[ast.AST, Code] = {}
        for lift in flow.lifts if flow is not None else ():
            edits[lift.node] = lift.use
        for child in ast.walk(node):
            if (
                isinstance(child, (ast.Name, ast.Attribute))
                and isinstance(child.ctx, ast.Load)
                and self._program.kinds.get(names.key(child) or "") is Kind.SCHEDULE
            ):
                edits[child] = code(names.key(child) or "", "()")
        return edits

    def _at_step(self, node: ast.AST) -> Code:
        """An expression as the step function reads it."""
        edits = self._step_edits(node, None)
        if edits and isinstance(node, (ast.Name, ast.Attribute)):
            return edits.get(node, code(node))
        self._plan.expressions.update(edits)
        return code(node)

    def _taken_by_tape(self, call: ast.Call, flow: Flow) -> Code:
        """`tf.gradients(ys, xs, ...)`; what is left out changes no value."""
        bound = names.bound_arguments(call, roles.GRADIENTS_PARAMETERS) or {}
        ys = code(self._loss_names.get(flow, bound["ys"]))
        single = names.key(bound["xs"]) in self._program.singles
        parts = [ys, code("[", bound["xs"], "]") if single else code(bound["xs"])]
        if "grad_ys" in bound:
            parts.append(code("output_gradients=", bound["grad_ys"]))
        if "unconnected_gradients" in bound:
            parts.append(code("unconnected_gradients=", bound["unconnected_gradients"]))
        return code("tape.gradient(", ir.joined(", ", parts), ")")

    def _update(self, flow: Flow, included: set[Flow]) -> list[Item]:
        update = flow.update
        assert update is not None
        items: list[Item] = []
        if update.kind in ("minimize", "apply_gradients"):
            self._updates += 1
            if self._updates > 1:
                items.append(New(code("replicas.another_update()")))
        items.extend(New(code(f'replicas.feed("{n}", {n})')) for n in update.fed)
        return [*items, *self._update_made(flow, update, included)]

    def _update_made(
        self, flow: Flow, update: ir.Update, included: set[Flow]
    ) -> list[Item]:
        sync = self._program.replication.averages
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
            edits = self._step_edits(flow.statement, flow)
            for node in ast.walk(flow.statement):
                if (
                    isinstance(node, ast.Call)
                    and self._scopes.resolve(node.func) == "tf.gradients"
                ):
                    edits[node] = self._taken_by_tape(node, flow)
            return [Keep(flow.statement, replace=edits)]
        if update.kind == "apply_gradients":
            if not sync:
                edits = self._step_edits(flow.statement, flow)
                return [Keep(flow.statement, replace=edits)]
            assert update.gradients is not None
            if update.decayed is not None:
                decayed = code(", decay_var_list=", self._at_step(update.decayed))
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
            code(self._loss_names[flow])
            if flow in self._loss_names
            else code(update.loss)
            if update.loss is not None
            else code()
        )
        items: list[Item] = [New(code("variables = ", variables), flow.statement)]
        if update.kind == "compute_gradients":
            pairs = code("list(zip(tape.gradient(", loss, ", variables), variables))")
            taken = next(
                node
                for node in ast.walk(flow.statement)
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


def _update_last(flows: Sequence[Flow]) -> list[Flow]:
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


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
