"""Custom training loops under ParameterServerStrategy and MultiWorkerMirroredStrategy.

Lays out the migrated driver: the strategy in place of the server and the device
setter, build time under its scope, one function per `session.run`, and the old
loop - in asynchronous training once per worker.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from migrate.backends import forward, versions
from migrate.backends.items import is_empty, rebuilt
from migrate.backends.specs import Specs
from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.plan import Block, Dropped, Item, Keep, New, Plan
from migrate.program import ir
from migrate.program.binding_time import Diagnostics, all_names, every
from migrate.program.functions import FunctionTimes
from migrate.program.ir import Code, Flow, Kind, Replication, code
from migrate.program.slices import Slicer, bound_several_times, build_closure
from migrate.tables import hooks as hook_table
from migrate.tables import roles

_RESOLVER = "tf.distribute.cluster_resolver.SimpleClusterResolver"


def plan_program(
    program: ir.TrainingProgram, scopes: Scopes, diagnostics: Diagnostics, plan: Plan
) -> None:
    """Adds the whole program to `plan`."""
    _Layout(program, scopes, diagnostics, plan).run()


class _Layout:
    def __init__(
        self,
        program: ir.TrainingProgram,
        scopes: Scopes,
        diagnostics: Diagnostics,
        plan: Plan,
    ) -> None:
        self.program = program
        self.scopes = scopes
        self.diagnostics = diagnostics
        self.plan = plan
        self.flow_of = {f.statement: f for f in every(program.flows)}
        self.run_of = {r.call: r for r in program.runs}
        self.statement_runs = {
            r.statement: r for r in program.runs if r.statement is not None
        }
        self.pure_at_build = build_closure(program.flows)
        self.sync_names = self._sync_hook_names()
        # Variables that a step reads before it updates: key -> the value's name.
        self._read_first: dict[str, str] = {}

    # -- overall -----------------------------------------------------------------

    def _check_names(self) -> None:
        """Names of ours that the program already uses for something else."""
        own = {"strategy", "replicas", "training_session", "tape"}
        for statement in ast.walk(self.program.driver):
            if isinstance(statement, ast.stmt) and not names.suites(statement):
                for name in sorted(names.binds(statement) & own):
                    self.diagnostics.refuse(
                        "N111",
                        statement,
                        f"the program has a name `{name}` of its own, which the "
                        "migrated program needs",
                        "Rename it.",
                    )

    def run(self) -> None:
        program, plan = self.program, self.plan
        self._check_names()
        taken = self._taken = all_names(self.scopes.tree)
        versions.separate(
            program.flows,
            plan,
            self.diagnostics,
            taken,
            frozenset(program.sync_statements),
        )
        for staged in program.staged:
            assert isinstance(staged, FunctionTimes)
            versions.separate(staged.flows, plan, self.diagnostics, taken)
        plan.support.add("training_session.py")
        plan.imports.append("import training_session")
        self._cluster()
        self._sync_hook_lists()
        self._session_call()
        for call, new in program.hook_edits.items():
            plan.replace(call, new)
        home_owner: tuple[ast.AST, str] = (
            (program.path[-1][0], program.path[-1][1])
            if program.path
            else (program.driver, "body")
        )
        before = program.home[: program.anchor]
        at = program.home.index(program.session)
        graph = [self.flow_of[s] for s in program.home[program.anchor : at]]
        items: list[Item] = self._outside_suite(before)
        items.extend(self._strategy())
        first = next(
            (i for i, f in enumerate(graph) if not f.host and not f.dropped), len(graph)
        )
        last = program.graph_end() - 1 - (at - len(graph))
        items.extend(self._outside_suite([f.statement for f in graph[:first]]))
        scope: list[Item] = []
        if self._needs_global_step():
            scope.append(New(code("training_session.create_global_step()")))
        specs = self._specs(taken)
        scope.extend(specs.resolved(self._build(graph[first : last + 1])))
        self._spec_names = specs.names
        self._forward = self._shared_forward(taken)
        if self._forward is not None:
            scope.append(self._forward_function(self._forward))
        for step in program.steps:
            scope.append(self._step(step))
        items.append(
            Block(code("\nwith strategy.scope(), replicas.recording():"), scope)
        )
        after = [f.statement for f in graph[last + 1 :]]
        if program.replication is Replication.SYNCHRONOUS:
            items.extend(self._unnamed_iterators())
            items.extend(self._tail([*after, *program.tail]))
        else:
            items.extend(
                self._outside_suite([s for s in after if s not in program.moved])
            )
            items.extend(self._worker([s for s in after if s not in program.moved]))
        plan.suites[home_owner] = items
        for statement in self._outer_moved():
            plan.statements[statement] = [Dropped(statement)]
        for times in program.staged:
            assert isinstance(times, FunctionTimes)
            self._staged(times)

    def _outer_moved(self) -> Iterable[ast.stmt]:
        home = set(self.program.home)
        for statement in self.program.moved:
            if statement not in home and statement not in self.program.copied:
                yield statement

    def _outside_suite(self, statements: list[ast.stmt]) -> list[Item]:
        items: list[Item] = []
        for statement in statements:
            items.extend(self._comments_before(statement))
            items.extend(
                self.plan.statements.get(statement) or [self._outside(statement)]
            )
        return items

    def _outside(self, statement: ast.stmt) -> Item:
        """A statement that stays in the home suite, before or after the graph."""
        if (
            statement in self.program.moved
            and statement not in self.program.copied
        ):
            return Dropped(statement)
        flow = self.flow_of.get(statement)
        if flow is not None and (flow.dropped or self._only_setup(flow)):
            return Dropped(statement)
        if flow is not None and (flow.step or flow.pure) and not flow.suites:
            return Dropped(statement)  # No run call needs it.
        if names.suites(statement):
            return rebuilt(statement, self._outside_suite)
        if self._mentions_sync(statement):
            return self._without_sync(statement)
        return Keep(statement)

    def _only_setup(self, flow: Flow) -> bool:
        """Session configuration and device functions that nothing reads any more."""
        if flow.kind is Kind.DEVICE:
            return True
        if flow.kind is Kind.CONFIG or (
            isinstance(flow.statement, ast.Assign)
            and isinstance(flow.statement.targets[0], ast.Attribute)
            and self._config_target(flow.statement.targets[0])
        ):
            return not self._config_used(flow)
        return False

    def _config_target(self, target: ast.expr) -> bool:
        while isinstance(target, ast.Attribute):
            name = names.key(target)
            if name and self.program.kinds.get(name) is Kind.CONFIG:
                return True
            target = target.value
        return (
            isinstance(target, ast.Name)
            and self.program.kinds.get(target.id) is Kind.CONFIG
        )

    def _config_used(self, flow: Flow) -> bool:
        bound = names.binds(flow.statement) | names.mutates(flow.statement)
        config = names.argument(self.program.cluster.server_call, "config", 4)
        return config is not None and bool(names.reads(config) & bound)

    # -- cluster and strategy ------------------------------------------------------

    def _cluster(self) -> None:
        cluster, plan = self.program.cluster, self.plan
        call = cluster.server_call
        parts: list[Code] = []
        positional = (
            "server_or_cluster_def",
            "job_name",
            "task_index",
            "protocol",
            "config",
            "start",
        )
        bound = names.bound_arguments(call, positional) or {}
        for index, argument in enumerate(call.args):
            if positional[index] != "config":
                parts.append(code(argument))
        for keyword in call.keywords:
            if keyword.arg != "config":
                parts.append(code(f"{keyword.arg}=", keyword.value))
        config = bound.get("config")
        given = config is not None and not (
            isinstance(config, ast.Constant) and config.value is None
        )
        parts.append(
            code("config=training_session.server_config(", config, ")")
            if given and config is not None
            else code("config=training_session.server_config()")
        )
        plan.replace(
            call, code("tf.distribute.Server(\n    ", ir.joined(",\n    ", parts), ")")
        )
        leave = (
            'training_session.leave("Synchronous training needs no parameter server.")'
        )
        replication, condition = self.program.replication, self.program.condition
        if replication is Replication.SYNCHRONOUS:
            plan.statements[cluster.server] = [Dropped(cluster.server)]
            for join in self.program.joins:
                plan.statements[join] = [New(code(leave), join)]
        elif replication is Replication.CHOSEN_AT_RUN_TIME:
            assert condition is not None
            plan.statements[cluster.server] = [
                Block(
                    code("if not ", _parenthesised(condition), ":"),
                    [Keep(cluster.server)],
                    cluster.server,
                )
            ]
            for join in self.program.joins:
                plan.statements[join] = [
                    Block(code("if ", condition, ":"), [New(code(leave))], join),
                    Keep(join),
                ]

    def _strategy(self) -> list[Item]:
        program = self.program
        spec: ast.expr | Code = program.cluster.spec
        if program.kinds.get(names.key(program.cluster.spec) or "") is not Kind.CLUSTER and not (
            isinstance(spec, ast.Call)
            and self.scopes.resolve(spec.func) == "tf.train.ClusterSpec"
        ):
            spec = code("tf.train.ClusterSpec(", program.cluster.spec, ")")
        index = program.cluster.task_index
        server = program.cluster.server.targets[0]  # type: ignore[attr-defined]
        sync: list[Item] = [
            New(
                code(
                    "strategy = tf.distribute.MultiWorkerMirroredStrategy(\n"
                    f"    cluster_resolver={_RESOLVER}(\n"
                    "        training_session.workers_only(",
                    spec,
                    '),\n        task_type="worker",\n        task_id=',
                    index,
                    ',\n        rpc_layer="grpc"))',
                )
            ),
            New(
                code(
                    "replicas = training_session.SynchronousReplicas(strategy, ",
                    index,
                    ")",
                )
            ),
        ]
        partitioner = ""
        if program.partitioned and program.replication is not Replication.SYNCHRONOUS:
            partitioner = ",\n    variable_partitioner=training_session.partitioner"
        if program.cluster.jobs is not None and not (
            program.cluster.jobs & {"chief", "master"}
        ):
            test = code("if ", index, " != 0:")
            comment = "# Worker 0 is also the coordinator; the other workers serve it."
        else:
            test = code(
                "if not training_session.is_coordinator(",
                spec,
                ", ",
                program.cluster.job_name,
                ", ",
                index,
                "):",
            )
            comment = "# The chief, or worker 0, is also the coordinator; the others serve it."
        asynchronous: list[Item] = [
            Block(
                code("\n" + comment + "\n", test),
                [New(code("training_session.serve(", server, ")"))],
            ),
            New(
                code(
                    "strategy = tf.distribute.ParameterServerStrategy(\n"
                    f"    {_RESOLVER}(",
                    spec,
                    f', rpc_layer="grpc"){partitioner})',
                )
            ),
            New(
                code(
                    "replicas = training_session.AsynchronousReplicas(strategy, ",
                    spec,
                    ")",
                )
            ),
        ]
        if program.replication is Replication.SYNCHRONOUS:
            return sync
        if program.replication is Replication.ASYNCHRONOUS:
            return asynchronous
        assert program.condition is not None
        return [
            Block(code("if ", program.condition, ":"), sync, orelse=asynchronous),
        ]

    # -- session -------------------------------------------------------------------

    def _session_call(self) -> None:
        call = self.program.session_call
        bound = names.bound_arguments(call, hook_table.SESSION_PARAMETERS)
        if bound is None:
            self.diagnostics.refuse(
                "S113",
                call,
                "the session's arguments cannot be told apart",
                "Pass them by keyword.",
                "tf.train.MonitoredTrainingSession",
            )
            return
        parts: list[Code] = [code("replicas")]
        for name, value in bound.items():
            if name in hook_table.SESSION_DROPPED:
                continue
            parts.append(code(f"{name}=", value))
        self.plan.replace(
            call,
            code(
                "training_session.MonitoredTrainingSession(\n    ",
                ir.joined(",\n    ", parts),
                ")",
            ),
        )

    def _needs_global_step(self) -> bool:
        """Whether nothing in the graph creates the global step by an assignment."""
        for flow in every(self.program.flows):
            if flow.suites or not flow.build:
                continue
            for node in ast.walk(flow.statement):
                if isinstance(node, ast.Call):
                    symbol = self.scopes.resolve(node.func)
                    if symbol in roles.GLOBAL_STEPS:
                        return False
                    position = 0 if symbol == "tf.get_variable" else 5
                    if symbol in roles.VARIABLES and "global_step" == names.literal(
                        names.argument(node, "name", position)
                    ):
                        return False
        return True

    # -- build time ------------------------------------------------------------------

    def _build(self, flows: Sequence[Flow]) -> list[Item]:
        items: list[Item] = []
        for flow in flows:
            items.extend(self._comments_before(flow.statement))
            items.extend(self._build_flow(flow))
        return items

    def _comments_before(self, statement: ast.stmt) -> list[Item]:
        """Blocks of which only their comments are left."""
        return [Dropped(block) for block in self.program.dissolved.get(statement, ())]

    def _build_flow(self, flow: Flow) -> list[Item]:
        statement = flow.statement
        if statement in self.program.sync_statements:
            required, total = self.program.aggregation
            return [
                New(
                    code(
                        "replicas.check_aggregation(",
                        required or "None",
                        ", ",
                        total or "None",
                        ")",
                    ),
                    statement,
                )
            ]
        if statement in self.program.moved and statement not in self.program.copied:
            return [Dropped(statement)]
        if flow.suites:
            return self._build_compound(flow)
        if flow.lifts:
            return [
                New(code(f"{lift.name} = ", lift.create))
                for lift in flow.lifts
                if lift.create.parts
            ]
        if flow.dropped or self._only_setup(flow):
            return [Dropped(statement)]
        if flow.step:
            return []
        if flow.pure:
            return [Keep(statement)] if flow in self.pure_at_build else []
        if self._mentions_sync(statement):
            return [self._without_sync(statement)]
        sharded = self._partitioner_of(statement, ("tf.get_variable",), 8)
        if sharded is not None:
            return [
                Block(
                    code("with training_session.partitioner.sharding(", sharded, "):"),
                    [Keep(statement)],
                )
            ]
        return [Keep(statement)]

    def _partitioner_of(
        self, node: ast.AST, symbols: tuple[str, ...], position: int
    ) -> ast.expr | None:
        """The partitioner that a call in `node` is given, if shards are kept at all."""
        if (
            not self.program.partitioned
            or self.program.replication is Replication.SYNCHRONOUS
        ):
            return None
        for call in ast.walk(node):
            if (
                isinstance(call, ast.Call)
                and self.scopes.resolve(call.func) in symbols
            ):
                value = names.argument(call, "partitioner", position)
                if value is not None and names.literal(value) is None and not isinstance(value, ast.Constant):
                    return value
        return None

    def _build_compound(self, flow: Flow) -> list[Item]:
        if not flow.build and not any(
            f.host or f in self.pure_at_build for f in every([flow])[1:] if not f.suites
        ):
            return []
        statement = flow.statement
        if isinstance(statement, ast.With) and self._dissolved_at_build(statement):
            return [Dropped(statement), *self._build(flow.suites["body"])]
        if isinstance(statement, ast.For):
            lifts = [
                lift
                for f in flow.suites["body"]
                for lift in f.lifts
                if lift.create.parts
            ]
            if any(f.lifts for inner in flow.suites["body"] for f in every([inner])[1:]):
                self.diagnostics.refuse(
                    "N109", statement, "layers made in blocks nested in a loop"
                )
            kept = self._loop_names(flow)
            if lifts or kept:
                return self._build_loop(flow, statement, lifts, kept)
        suites = {field: self._build(suite) for field, suite in flow.suites.items()}
        if all(is_empty(items) for items in suites.values()):
            return [Dropped(statement)] if not flow.step else []
        block = Keep(statement, suites)
        if isinstance(statement, ast.With):
            for item in statement.items:
                sharded = self._partitioner_of(
                    item.context_expr, ("tf.variable_scope",), 6
                )
                if sharded is not None:
                    header = code("with training_session.partitioner.sharding(", sharded, "):")
                    return [Block(header, [block])]
        return [block]

    def _build_loop(
        self, flow: Flow, statement: ast.For, lifts: list[ir.Lift], kept: list[str]
    ) -> list[Item]:
        lists = [*[lift.name for lift in lifts], *kept]
        items: list[Item] = [New(code(f"{name}_list = []")) for name in lists]
        body: list[Item] = []
        for inner in flow.suites["body"]:
            if inner.lifts:
                for lift in inner.lifts:
                    if lift.create.parts:
                        body.append(
                            New(code(f"{lift.name}_list.append(", lift.create, ")"))
                        )
            else:
                body.extend(self._build_flow(inner))
        body.extend(New(code(f"{name}_list.append({name})")) for name in kept)
        items.append(Keep(statement, {"body": body}))
        return items

    def _loop_names(self, flow: Flow) -> list[str]:
        """Variables made in each round of a loop and read in the same round's step."""
        made: list[str] = []
        for inner in flow.suites["body"]:
            if inner.build and not inner.lifts and not inner.suites:
                made.extend(sorted(inner.binds))
        read: set[str] = set()
        for inner in every(flow.suites["body"]):
            if inner.step or inner.lifts:
                read |= inner.reads
        nested = {
            name
            for inner in flow.suites["body"]
            if inner.suites
            for f in every([inner])[1:]
            if f.build and not f.lifts
            for name in f.binds
        }
        if nested & read:
            self.diagnostics.refuse(
                "N109", flow.statement, "variables made in blocks nested in a loop"
            )
        return [name for name in dict.fromkeys(made) if name in read]

    def _dissolved_at_build(self, statement: ast.With) -> bool:
        """Local device blocks and control dependencies mean nothing for variables."""
        return all(
            isinstance(i.context_expr, ast.Call)
            and self.scopes.resolve(i.context_expr.func)
            in ("tf.device", "tf.control_dependencies")
            for i in statement.items
        )

    def _specs(self, taken: set[str]) -> Specs:
        """Specs of the driver's tensors: feeds' as declared, elements' of the dataset."""
        program = self.program
        known = {key: p.spec for key, p in program.placeholders.items()}
        for key, (iterator, flow) in program.elements.items():
            target = flow.statement.targets[0]  # type: ignore[attr-defined]
            spec = code(program.iterators[iterator], ".element_spec")
            if isinstance(target, (ast.Tuple, ast.List)):
                index = [names.key(e) for e in target.elts].index(key)
                spec = code(spec, f"[{index}]")
            known[key] = spec
        return Specs(
            program.flows,
            program.static_reads,
            known,
            program.kinds,
            lambda wish: _fresh(wish, taken),
            self.diagnostics,
        )

    # -- step functions ------------------------------------------------------------------

    def _step(self, step: ir.StepFunction) -> Item:
        included = set(step.flows)
        parameters: list[str] = []
        specs: list[Code] = []
        body: list[Item] = []
        if step.element is not None:
            dataset = self.program.iterators[step.element]
            target = self._element_target(step)
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
            placeholder = self.program.placeholders[name]
            parameters.append(placeholder.parameter)
            named = self._spec_names.get(name)
            specs.append(code(named) if named else placeholder.spec)
        for name, placeholder in self.program.placeholders.items():
            used = any(name in f.reads for f in included) or any(
                name in names.reads(n) for f in step.fetches for n in f.nodes()
            )
            if used and name not in step.feeds and placeholder.default is not None:
                body.append(
                    New(code(f"{placeholder.parameter} = ", placeholder.default))
                )
        body.extend(self._values_before(step))
        flows = self._opened(self.program.flows, included)
        if self._forward is not None and step in self._forward.steps:
            rest = flows[len(self._forward.flows) :]
            call = self._forward.call(step, forward.read_after(step, rest))
            included.add(call)
            flows = [call, *rest]
        body.extend(self._step_body(flows, included, step))
        if step.observed:
            pairs = [
                code(_quoted(key), ": ", self._at_step(value))
                for key, value in step.observed.items()
            ]
            body.append(
                New(code("replicas.observe({", ir.joined(", ", pairs), "})"))
            )
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

    def _shared_forward(self, taken: set[str]) -> forward.Forward | None:
        program = self.program
        bodies = {s: self._opened(program.flows, set(s.flows)) for s in program.steps}
        name = next((n for n in ("forward", "forward_pass") if n not in taken), None)
        if name is None:
            return None
        inputs = [
            *program.elements,
            *[p.parameter for k, p in program.placeholders.items() if p.parameter == k],
        ]
        if any(p.parameter != k for k, p in program.placeholders.items()):
            return None  # Attributes of `self`.
        return forward.shared(program.steps, bodies, inputs, name)

    def _forward_function(self, shared: forward.Forward) -> Item:
        self._read_first = {}
        included = set(shared.steps[0].flows)
        body = self._step_items(shared.flows, included)
        body.append(New(code(f"return {', '.join(shared.results)}")))
        return Block(
            code(f"\ndef {shared.name}({', '.join(shared.parameters)}):"), body
        )

    def _values_before(self, step: ir.StepFunction) -> list[Item]:
        """Fetched variables, read first: TF 1.15 gives their value before the update.

        Measured with variables on a parameter server: 300 of 300 fetches of the
        global step beside the training operation.
        """
        items: list[Item] = []
        self._read_first = {}
        if not step.trains:
            return items
        for node in [n for fetch in step.fetches for n in fetch.nodes()]:
            name = names.key(node)
            if name in self._read_first:
                continue
            if name is None or self.program.kinds.get(name) is not Kind.VARIABLE:
                continue
            value = name.replace("self.", "").replace(".", "_") + "_value"
            self._read_first[name] = value
            comment = "" if items else "# A fetched variable has its value before the update.\n"
            items.append(New(code(comment + f"{value} = ", node, ".read_value()")))
        return items

    def _element_target(self, step: ir.StepFunction) -> ast.expr:
        for iterator, flow in self.program.elements.values():
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
            elif isinstance(part, ast.AST) and (names.key(part) or "") in self._read_first:
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
                found.extend(self._opened(flow.suites["body"], included))
            else:
                found.append(flow)
        return found

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
            return self._step_items(flows, included)
        holder = next(
            g
            for g in every([flows[update]])
            if g.update is not None and g.update.kind != "apply_gradients"
        )
        if isinstance(flows[update].statement, (ast.For, ast.While)):
            self.diagnostics.refuse(
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
        inside = self._step_items(before[first : last + 1], included)
        if loss is not None and names.key(loss) is None:
            name = "loss"
            inside.append(New(code(f"{name} = ", self._at_step(loss))))
            self._loss_names[holder] = name
        items.append(Block(code("with tf.GradientTape() as tape:"), inside))
        items.extend(self._step_items(before[last + 1 :], included))
        items.extend(self._step_items(flows[update:], included))
        return items

    @property
    def _loss_names(self) -> dict[Flow, str]:
        if not hasattr(self, "_losses"):
            self._losses: dict[Flow, str] = {}
        return self._losses

    def _step_items(self, flows: Sequence[Flow], included: set[Flow]) -> list[Item]:
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
                items.append(
                    Keep(flow.statement, replace=self._step_edits(flow.statement, flow))
                )
        return items

    def _step_compound(self, flow: Flow, included: set[Flow]) -> Item:
        suites = {
            field: self._step_items(suite, included)
            for field, suite in flow.suites.items()
        }
        statement = flow.statement
        if isinstance(statement, ast.For):
            lifts = [
                lift
                for f in flow.suites["body"]
                for lift in f.lifts
                if lift.create.parts
            ]
            each = [*[lift.name for lift in lifts], *self._loop_names(flow)]
            if each:
                lists = [f"{name}_list" for name in each]
                return Block(
                    code(
                        "for ",
                        statement.target,
                        ", " + ", ".join(each) + " in zip(",
                        statement.iter,
                        ", " + ", ".join(lists) + "):",
                    ),
                    suites["body"],
                    statement,
                )
        return Keep(statement, suites, self._header_edits(statement))

    def _header_edits(self, statement: ast.stmt) -> dict[ast.AST, Code]:
        edits: dict[ast.AST, Code] = {}
        if isinstance(statement, ast.With):
            for item in statement.items:
                edits.update(self._step_edits(item.context_expr, None))
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
                and self.program.kinds.get(names.key(child) or "") is Kind.SCHEDULE
            ):
                edits[child] = code(names.key(child) or "", "()")
        return edits

    def _at_step(self, node: ast.AST) -> Code:
        """An expression as the step function reads it."""
        edits = self._step_edits(node, None)
        if edits and isinstance(node, (ast.Name, ast.Attribute)):
            return edits.get(node, code(node))
        self.plan.expressions.update(edits)
        return code(node)

    def _update(self, flow: Flow, included: set[Flow]) -> list[Item]:
        update = flow.update
        assert update is not None
        sync = self.program.replication is not Replication.ASYNCHRONOUS
        needed = set().union(
            *[f.reads for f in included if f is not flow and not f.suites]
        )
        bind = f"{update.target} = " if update.target in needed and update.target else ""
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
                    and self.scopes.resolve(node.func) == "tf.gradients"
                ):
                    edits[node.func] = code("tape.gradient")
            return [Keep(flow.statement, replace=edits)]
        if update.kind == "apply_gradients":
            if not sync:
                edits = self._step_edits(flow.statement, flow)
                return [Keep(flow.statement, replace=edits)]
            assert update.gradients is not None
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
            items.append(
                New(
                    code(
                        f"{update.target} = list(zip(tape.gradient(",
                        loss,
                        ", variables), variables))",
                    )
                )
            )
            return items
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

    # -- the loop ---------------------------------------------------------------------

    def _worker(self, staying: list[ast.stmt]) -> list[Item]:
        program = self.program
        body: list[Item] = []
        for statement in program.moved:
            items = self._tail([statement])
            body.extend(items)
        body.extend(self._unnamed_iterators())
        body.extend(self._tail(program.tail))
        index = program.cluster.task_index
        dump = ast.dump(index)
        rebound: dict[ast.AST, Code] = {
            node: code("task_index")
            for statement in [*program.moved, *program.tail]
            for node in ast.walk(statement)
            if isinstance(node, ast.expr)
            and ast.dump(node) == dump
            and not (isinstance(node, ast.Name) and node.id == "task_index")
        }
        taken = {n.id for s in program.tail for n in ast.walk(s) if isinstance(n, ast.Name)}
        name = "run_worker" if "run_worker" not in taken else "run_worker_loop"
        return [
            Block(code(f"\ndef {name}(task_index):"), body, replace=rebound),
            New(code(f"\nreplicas.run({name})")),
        ]

    def _unnamed_iterators(self) -> list[Item]:
        return [
            New(code(f"{name} = iter(", dataset, ")"))
            for name, dataset in self.program.unnamed_iterators.items()
        ]

    def _tail(self, statements: Sequence[ast.stmt]) -> list[Item]:
        return [self._tail_item(s) for s in statements]

    def _tail_item(self, statement: ast.stmt) -> Item:
        flow = self.flow_of.get(statement)
        if flow is not None and (flow.dropped or self._only_setup(flow)):
            return Dropped(statement)
        if flow is not None and (flow.step or flow.pure) and not flow.suites:
            return Dropped(statement)  # No run call needs it.
        if statement in self.program.consumed:
            return Dropped(statement)
        run = self.statement_runs.get(statement)
        if run is not None and run.replacement is not None:
            text = run.replacement.parts
            if isinstance(statement, ast.Expr) and statement.value is run.call:
                if text == ("None",):
                    return Dropped(statement)
                return New(run.replacement, statement)
        if names.suites(statement):
            item = rebuilt(statement, self._tail_list)
            if isinstance(item, Keep):
                self._runs_in(statement)
            return item
        if self._mentions_sync(statement):
            return self._without_sync(statement)
        self._runs_in(statement)
        if run is not None and run.targets is not None and run.step is not None:
            return New(code(run.targets, " = ", self._call(run)), statement)
        return Keep(statement)

    def _tail_list(self, suite: list[ast.stmt]) -> list[Item]:
        return [self._tail_item(s) for s in suite]

    def _runs_in(self, statement: ast.stmt) -> None:
        """Replaces the run calls of this statement (its header, if compound)."""
        nested = {
            id(n) for _, suite in names.suites(statement) for s in suite for n in ast.walk(s)
        }
        for node in ast.walk(statement):
            if id(node) in nested or not isinstance(node, ast.Call):
                continue
            run = self.run_of.get(node)
            if run is not None:
                self.plan.replace(node, run.replacement or self._call(run))

    def _call(self, run: ir.Run) -> Code:
        assert run.step is not None and isinstance(run.call.func, ast.Attribute)
        arguments: list[str | ast.AST | Code] = [run.step.name]
        if run.step.element is not None:
            target = self._element_target(run.step)
            star = (
                "*"
                if isinstance(target, (ast.Tuple, ast.List))
                and all(isinstance(e, ast.Name) for e in target.elts)
                else ""
            )
            arguments.append(f"{star}{run.step.element}.get_next()")
        arguments.extend(run.arguments)
        return code(run.call.func, "(", ir.joined(", ", arguments), ")")

    # -- SyncReplicasOptimizer's hook ----------------------------------------------------

    def _sync_hook_names(self) -> set[str]:
        found: set[str] = set()
        for flow in every(self.program.flows):
            statement = flow.statement
            if isinstance(statement, ast.Assign) and self._is_sync_hook(statement.value):
                found |= names.binds(statement)
        return found

    def _is_sync_hook(self, node: ast.AST) -> bool:
        return (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in ("make_session_run_hook",)
            and self.program.kinds.get(names.key(node.func.value) or "")
            is Kind.OPTIMIZER
        )

    def _mentions_sync(self, statement: ast.stmt) -> bool:
        return any(
            self._is_sync_hook(node)
            or (isinstance(node, ast.Name) and node.id in self.sync_names)
            for node in ast.walk(statement)
        )

    def _without_sync(self, statement: ast.stmt) -> Item:
        """The statement without the synchronisation hook; nothing waits on tokens now."""

        def gone(node: ast.AST) -> bool:
            return self._is_sync_hook(node) or (
                isinstance(node, ast.Name) and node.id in self.sync_names
            )

        if isinstance(statement, ast.Assign) and (
            gone(statement.value)
            or (names.key(statement.targets[0]) or "") in self.sync_names
        ):
            return Dropped(statement)
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            if any(gone(a) for a in statement.value.args):
                return Dropped(statement)
        return Keep(statement)

    def _sync_hook_lists(self) -> None:
        """Displays of hooks lose the synchronisation hook wherever they stand."""

        def gone(node: ast.AST) -> bool:
            return self._is_sync_hook(node) or (
                isinstance(node, ast.Name) and node.id in self.sync_names
            )

        for node in ast.walk(self.program.driver):
            if not isinstance(node, (ast.List, ast.Tuple)) or not any(
                gone(e) for e in node.elts
            ):
                continue
            if not isinstance(node.ctx, ast.Load):
                continue
            kept: list[str | ast.AST | Code] = [e for e in node.elts if not gone(e)]
            if isinstance(node, ast.List):
                new = code("[", ir.joined(", ", kept), "]")
            else:
                comma = "," if len(kept) == 1 else ""
                new = code("(", ir.joined(", ", kept), comma + ")")
            self.plan.replace(node, new)

    # -- staged functions --------------------------------------------------------------

    def _staged(self, times: FunctionTimes) -> None:
        """`def model(x)` that creates and computes: creates once, returns what computes."""
        node = times.node
        flows = times.flows
        documentation: list[Item] = []
        if (
            flows
            and isinstance(flows[0].statement, ast.Expr)
            and isinstance(flows[0].statement.value, ast.Constant)
            and isinstance(flows[0].statement.value.value, str)
        ):
            documentation = [Keep(flows[0].statement)]
            flows = flows[1:]
        pure = build_closure(flows)
        host_at_build = self._host_for_build(flows, times)
        saved = self.pure_at_build
        self.pure_at_build = self.pure_at_build | pure | host_at_build
        build: list[Item] = []
        for flow in flows:
            if isinstance(flow.statement, ast.Return):
                build.extend(
                    New(code(f"{lift.name} = ", lift.create))
                    for lift in flow.lifts
                    if lift.create.parts
                )
                continue
            if flow.host and not flow.suites and flow not in host_at_build:
                continue
            build.extend(self._build_flow(flow))
        self.pure_at_build = saved
        specs = Specs(
            flows,
            self.program.static_reads,
            {p: code(p) for p in times.spec_parameters},
            times.kinds,
            lambda wish: _fresh(wish, self._taken),
            self.diagnostics,
        )
        build = specs.resolved(build)
        several = bound_several_times(flows)
        included = {
            f
            for f in every(flows)
            if f.step
            or isinstance(f.statement, ast.Return)
            or (f.pure and f not in pure)
            or (f.host and not f.suites and (f not in host_at_build or f.binds & several))
            or (f.suites and self._has_step(f))
        }
        step = self._step_items(flows, included)
        inner = "apply" if "apply" not in times.step_parameters else "apply_layers"
        defaults = self._defaults(node)

        def signature(parameters: Sequence[str], method: bool) -> Code:
            parts: list[Code] = [code(node.args.args[0].arg)] if method else []
            for parameter in parameters:
                default = defaults.get(parameter)
                parts.append(
                    code(parameter, "=", default) if default is not None else code(parameter)
                )
            return ir.joined(", ", parts)

        body: list[Item] = [
            *documentation,
            *build,
            Block(
                code(f"\ndef {inner}(", signature(times.step_parameters, False), "):"),
                step,
            ),
            New(code(f"return {inner}")),
        ]
        self.plan.statements[node] = [
            Block(
                code(
                    f"def {node.name}(",
                    signature(times.build_parameters, times.is_method),
                    "):",
                ),
                body,
                node,
            )
        ]

    def _has_step(self, flow: Flow) -> bool:
        return any(
            f.step or isinstance(f.statement, ast.Return) for f in every([flow])[1:]
        )

    def _host_for_build(
        self, flows: Sequence[Flow], times: FunctionTimes
    ) -> set[Flow]:
        """Plain Python in a staged function that its build-time part reads."""
        needed: set[str] = set()
        found: set[Flow] = set()
        for flow in reversed(every(flows)):
            if flow.lifts:
                for lift in flow.lifts:
                    for node in lift.create.nodes():
                        needed |= names.reads(node)
            elif flow.build:
                needed |= flow.reads
            elif flow.host and not flow.suites and flow.binds & needed:
                found.add(flow)
                needed |= flow.reads
        return found

    def _defaults(self, node: ast.FunctionDef) -> dict[str, ast.expr]:
        arguments = node.args
        named = [*arguments.posonlyargs, *arguments.args]
        found = dict(
            zip([a.arg for a in named[len(named) - len(arguments.defaults) :]], arguments.defaults)
        )
        for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults):
            if default is not None:
                found[argument.arg] = default
        return found


def _fresh(wish: str, taken: set[str]) -> str:
    name, number = wish, 2
    while name in taken:
        name, number = f"{wish}_{number}", number + 1
    taken.add(name)
    return name


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _parenthesised(node: ast.expr) -> Code:
    if isinstance(node, (ast.Name, ast.Attribute, ast.Call)):
        return code(node)
    return code("(", node, ")")
