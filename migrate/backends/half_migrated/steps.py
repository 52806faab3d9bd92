"""Rewrites eager code in a cluster as steps of the cluster's strategy.

With parameter servers every worker's loop makes its steps on a worker of a
ParameterServerStrategy. If there are only workers, they make each step together, each on
its part of the batch, under a MultiWorkerMirroredStrategy.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from migrate import emitted
from migrate.backends.half_migrated.cluster import ClusterWriter, spell_cluster
from migrate.backends.half_migrated.data import check_alike, check_examples
from migrate.backends.half_migrated.metrics import MetricRewrite
from migrate.backends.half_migrated.spelling import Spelling, refuse_own_names
from migrate.backends.half_migrated.telling import Telling
from migrate.backends.half_migrated.workers import WorkersOwn
from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.half_migrated import Refused
from migrate.frontends.half_migrated.losses import LossReader, UnknownLoss
from migrate.frontends.half_migrated.step import map_step_arguments
from migrate.plan import Block, Dropped, Item, Keep, New, Plan
from migrate.program.code import Code, make_code
from migrate.program.eager import Division, EagerProgram
from migrate.rules.mistakes.mistake import find_method
from migrate.source.nodes import walk_breadth_first
from migrate.tables import hooks

_STEP = "distributed_step"
_PARTS = "own_batches"
_OWN_NAMES = (
    *("strategy", "replicas", "training_session", "eager_steps", "run_worker"),
    *(_STEP, _PARTS),
)


class EagerRewrite:
    """Plans one half-migrated program.

    Args:
      together: whether the workers make every step together.
    """

    def __init__(
        self, program: EagerProgram, scopes: Scopes, plan: Plan, together: bool
    ) -> None:
        self._program = program
        self._scopes = scopes
        self._plan = plan
        self._together = together
        self._spelling = Spelling(scopes, plan, program.setters.values())
        self.findings = self._spelling.findings
        step = program.step
        self._changed = {id(c) for c in program.mean_calls}
        self._loops = program.server is not None and not together
        self._rows = step.rows
        # "eager_steps" if a step's function does not see the program's `replicas`.
        self._of = "replicas" if self._sees_replicas() else "eager_steps"

    def run(self) -> None:
        """Fills the plan.

        Raises:
          Refused: the program is not taken.
        """
        program, plan = self._program, self._plan
        self._check_names()
        plan.support |= {*emitted.list_files("training_session"), "eager_steps.py"}
        plan.imports += ["import training_session", "import eager_steps"]
        if self._together:
            check_alike(program)
            self._make_batch_whole()
        self._rewrite_losses()
        MetricRewrite(
            program,
            self._scopes,
            plan,
            self._spelling.add_finding,
            self._together,
            self._rows,
            self._of,
        ).run()
        cluster = ClusterWriter(
            program.cluster, program.server, self._together, plan, self._spelling
        )
        cluster.plan_server()
        self._rewrite_session()
        self._rewrite_saves()
        self._rewrite_function()
        own: WorkersOwn | None = None
        if program.server is not None and not self._together:
            own = WorkersOwn(
                program, program.server, self._scopes, plan, self._spelling.add_finding
            )
            own.run()
            check_examples(program, own)
        moved = own.statements if own is not None else []
        items: list[Item] = []
        suite = [s for s in program.suite if s not in moved]
        early = program.suite[: program.ready]
        before = [s for s in suite if s in early and s not in program.late]
        items += self._keep_statements(before)
        items += cluster.write_strategy()
        items.append(self._write_replicas())
        late = [s for s in suite if s in program.late]
        model = program.suite[program.ready : program.at]
        graph = [*late, *(s for s in suite if s in model)]
        first, last = self._find_range(graph)
        items += self._keep_statements(graph[:first])
        inside = [s for s in graph[first : last + 1]]
        items.append(
            Block(
                make_code("\nwith strategy.scope(), replicas.recording():"),
                self._keep_statements(inside),
            )
        )
        items += self._keep_statements(graph[last + 1 :])
        source = program.source
        if self._together and source.dataset is not None and source.made is None:
            items.append(self._write_distributed_dataset())
        items.append(self._write_step())
        if own is not None:
            items += self._write_worker(own)
        else:
            items += self._keep_statements([program.session, *program.after])
        plan.suites[program.owner, program.field] = items
        self._spelling.rewrite_names()
        Telling(
            program,
            self._scopes,
            self._spelling.add_finding,
            self._together,
            self._loops,
        ).run()

    def _sees_replicas(self) -> bool:
        """Whether the step is inside the function that makes the strategy, if one does."""
        node: ast.AST | None = self._program.step.function
        owner = self._program.owner
        while owner is not None and not isinstance(
            owner, (ast.FunctionDef, ast.Module)
        ):
            owner = self._scopes.parents[owner]
        if node is None or isinstance(owner, ast.Module):
            return True
        while node is not None and node is not owner:
            node = self._scopes.parents.get(node)
        return node is owner

    # -- what stands around the step ---------------------------------------------------

    def _check_names(self) -> None:
        refuse_own_names(self._scopes, frozenset(_OWN_NAMES))

    def _keep_statements(self, statements: Sequence[ast.stmt]) -> list[Item]:
        items: list[Item] = []
        for statement in statements:
            block = self._program.setters.get(statement)
            if block is not None:
                items.append(Dropped(block))
            source = self._program.source
            if self._together and statement is source.made:
                items.append(self._write_distributed_dataset())
            items += self._plan.statements.get(statement) or [Keep(statement)]
        return items

    def _find_range(self, graph: list[ast.stmt]) -> tuple[int, int]:
        """Returns the indices of the first and the last statement that make the model."""
        made = [i for i, s in enumerate(graph) if s in self._program.made]
        return made[0], made[-1]

    def _write_replicas(self) -> Item:
        program = self._program
        if self._together:
            assert program.server is not None
            start = "replicas = eager_steps.SynchronousSteps(strategy, "
            return New(make_code(start, program.server.task_index, ")"))
        start = "replicas = eager_steps.AsynchronousSteps(strategy, "
        return New(make_code(start, spell_cluster(program.cluster), ")"))

    def _rewrite_session(self) -> None:
        program = self._program
        parts: list[Code] = [make_code("replicas")]
        for name, value in program.session_arguments.items():
            if name in hooks.SESSION_DROPPED or name == "target":
                continue
            if name == "is_chief" and self._is_of_one_task(value):
                parts.append(make_code("is_chief=task_index == 0"))
                continue
            parts.append(make_code(f"{name}=", value))
        if "is_chief" not in program.session_arguments and program.server is not None:
            index = make_code(program.server.task_index)
            parts.append(
                make_code("is_chief=", "task_index" if self._loops else index, " == 0")
            )
        woven: list[str | ast.AST | Code] = []
        for part in parts:
            woven += [",\n    ", part] if woven else [part]
        self._plan.replace(
            program.session_call,
            make_code(
                "training_session.MonitoredTrainingSession(\n    ",
                Code(tuple(woven)),
                ")",
            ),
        )
        self._spelling.claimed[program.session_call.func] = (
            "D113",
            "the steps of the strategy that the cluster describes",
        )

    def _rewrite_saves(self) -> None:
        """Lets only the chief save, because all workers would save to the same place."""
        if self._program.server is None:
            return
        for call in self._program.saves:
            assert isinstance(call.func, ast.Attribute)
            parts: list[str | ast.AST | Code] = ["replicas.chief_saves(", call.func]
            for argument in call.args:
                parts += [", ", argument]
            for keyword in call.keywords:
                parts += [f", {keyword.arg}=", keyword.value]
            self._plan.replace(call, Code((*parts, ")")))
            self._spelling.add_finding(
                call,
                "D166",
                "only the first worker saves now; before, all workers saved to "
                "the same place",
            )

    def _is_of_one_task(self, chief: ast.expr) -> bool:
        """Whether a script of one task states with constants whether the task is the chief."""
        server = self._program.server
        return (
            self._loops
            and server is not None
            and isinstance(server.task_index, ast.Constant)
            and all(
                isinstance(n, (ast.Constant, ast.Compare, ast.cmpop))
                for n in walk_breadth_first(chief)
            )
        )

    # -- the step -----------------------------------------------------------------------

    def _make_batch_whole(self) -> None:
        """Extends a worker's loss and gradients to those of the whole batch."""
        step, plan = self._program.step, self._plan
        if step.division is None:
            raise Refused(
                "D125",
                step.why or step.loss,
                "the tool cannot tell whether this loss is a mean or a sum over the batch",
                "Use tf.reduce_mean of one loss for each example, or a loss object "
                "of Keras.",
            )
        if self._rows is None:
            raise Refused(
                "D125",
                step.gradient,
                "the step does not use the batch under the name that the loop gives it",
                "Use the batch under the name that the loop gives it.",
            )
        if step.division is Division.SUM:
            before, after = f"{self._of}.sum_of_batch(", ")"
        else:
            before, after = f"{self._of}.mean_of_batch(", f", {self._rows})"
        plan.replace(step.gradient, make_code(before, step.gradient, after))
        if step.of_v1:
            pairs = names.find_argument(step.apply, "grads_and_vars", 0)
            assert pairs is not None
            plan.replace(pairs, make_code(f"{self._of}.added_up(", pairs, ")"))
        argument = (
            "experimental_aggregate_gradients=False"
            if step.legacy
            else "skip_gradients_aggregation=True"
        )
        updates = [make_code(a) for a in step.apply.args]
        updates += [make_code(f"{k.arg}=", k.value) for k in step.apply.keywords]
        woven: list[str | ast.AST | Code] = [step.apply.func, "("]
        for part in updates:
            woven += [part, ", "]
        if not step.of_v1:
            plan.replace(step.apply, Code((*woven, argument, ")")))
        loss = ast.dump(step.loss)
        if step.returned is not None:
            if ast.dump(step.returned) != loss and not self._are_alike(step.returned):
                raise Refused(
                    "D125",
                    step.returned,
                    "each worker has only a part of the other values that the step "
                    "returns beside its loss",
                    "Return only the loss.",
                )
            plan.replace(step.returned, make_code(before, step.returned, after))
        for name in step.results:
            if name != names.find_key(step.loss):
                raise Refused(
                    "D125",
                    step.apply,
                    f"each worker has only a part of `{name}`, which the loop reads",
                    "Read only the loss.",
                )

    def _are_alike(self, returned: ast.expr) -> bool:
        """Whether all values are means or sums over the batch, as the loss is."""
        if not isinstance(returned, (ast.Tuple, ast.List)) or not returned.elts:
            return False
        step = self._program.step
        reader = LossReader(self._scopes, step.body, map_step_arguments(step))
        try:
            return {reader.find_division(e) for e in returned.elts} == {step.division}
        except UnknownLoss:
            return False

    def _rewrite_losses(self) -> None:
        """Keeps Keras losses from taking the mean by themselves under a strategy."""
        for made in self._program.mean_losses:
            parts: list[str | ast.AST | Code] = [made.func, "("]
            for argument in made.args:
                parts += [argument, ", "]
            for keyword in made.keywords:
                if keyword.arg != "reduction":
                    parts += [f"{keyword.arg}=", keyword.value, ", "]
            self._plan.replace(made, Code((*parts, 'reduction="none")')))
            self._spelling.add_finding(
                made,
                "D132",
                "this loss object now gives a value for each example; the mean "
                "is taken where the program calls it",
            )
        for call in self._program.mean_calls:
            self._plan.replace(call, make_code("tf.reduce_mean(", call, ")"))

    def _rewrite_function(self) -> None:
        """Makes the step's function a plain one: it is a part of a larger tf.function."""
        function = self._program.step.function
        if function is None or not function.decorator_list:
            return
        arguments = ast.unparse(function.args)
        body: list[Item] = [Keep(s) for s in function.body]
        self._plan.statements[function] = [
            Block(make_code(f"def {function.name}({arguments}):"), body, function)
        ]
        for decorator in function.decorator_list:
            node = decorator.func if isinstance(decorator, ast.Call) else decorator
            self._spelling.claimed[node] = (
                "D132",
                "the distributed step is the tf.function",
            )

    def _write_distributed_dataset(self) -> Item:
        assert self._program.source.dataset is not None
        dataset = ast.unparse(self._program.source.dataset)
        return New(make_code(f"{_PARTS} = replicas.distributed({dataset})"))

    def _write_step(self) -> Item:
        """Writes the distributed step, and its uses in the loop."""
        program, step = self._program, self._program.step
        source = program.source
        star = "*" if isinstance(source.target, ast.Tuple) else ""
        parameters = ", ".join(source.names)
        body: list[Item]
        if step.call is not None:
            # As text, because in the loop the same call becomes a run.
            body = [New(make_code(f"return {ast.unparse(step.call)}"))]
            site = step.fetched or step.call
            self._plan.replace(site, self._run())
        else:
            body = [Keep(s) for s in step.body]
            if step.results:
                body.append(New(make_code("return " + self._write_results())))
            self._inline()
        self._rewrite_stops()
        self._rewrite_values()
        if source.dataset is None:
            rows = ", ".join(ast.unparse(e) for e in source.examples)
            specs = make_code(f"*eager_steps.specs_of({rows})")
        elif self._together:
            self._plan.replace(source.dataset, make_code(_PARTS))
            specs = make_code(f"{star}{_PARTS}.element_spec")
        else:
            specs = make_code(star, source.dataset, ".element_spec")
        header = make_code(
            "\n@replicas.step_function(", specs, f")\ndef {_STEP}({parameters}):"
        )
        scope = make_code("\nwith strategy.scope(), replicas.recording():")
        return Block(scope, [Block(header, body)])

    def _rewrite_stops(self) -> None:
        """Ends the epoch when a hook has stopped the session, which runs no further step."""
        program, loop = self._program, self._program.source.statement
        if not program.stops or not isinstance(loop, ast.For):
            return
        name = program.session_name
        ends = Block(make_code(f"if {name}.should_stop():"), [New(make_code("break"))])
        planned = self._plan.suites.get((loop, "body"))
        body = planned or [Keep(s) for s in loop.body]
        self._plan.suites[loop, "body"] = [ends, *body]

    def _rewrite_values(self) -> None:
        """Removes `.numpy()` from the values of runs, which are numpy's already."""
        program, step = self._program, self._program.step
        results = set(step.results)
        if step.call is not None:
            around = self._scopes.parents[step.fetched or step.call]
            if isinstance(around, ast.Assign):
                results |= names.find_binds(around)
        site = step.fetched or step.call
        for node in (
            n for s in program.suite[program.at :] for n in walk_breadth_first(s)
        ):
            if (
                isinstance(node, ast.Call)
                and find_method(node) == "numpy"
                and not node.args
            ):
                assert isinstance(node.func, ast.Attribute)
                value = node.func.value
                if value is site or names.find_key(value) in results:
                    self._plan.replace(node, make_code(value))

    def _write_results(self) -> str:
        step = self._program.step
        if self._together and step.results:
            name = step.results[0]
            if step.division is Division.SUM:
                return f"replicas.sum_of_batch({name})"
            return f"replicas.mean_of_batch({name}, {self._rows})"
        return ", ".join(step.results)

    def _run(self) -> Code:
        program = self._program
        batch = ", ".join(program.source.names)
        if self._together and program.source.dataset is None:
            batch = f"*replicas.part_of({batch})"
        arguments = f"{_STEP}, {batch}"
        return make_code(f"{program.session_name}.run({arguments})")

    def _inline(self) -> None:
        """Replaces the statements of the step in the loop by one run."""
        step = self._program.step
        owner = self._scopes.parents[step.body[0]]
        suite = next(s for _, s in names.list_suites(owner) if step.body[0] in s)  # type: ignore[arg-type]
        field = next(f for f, s in names.list_suites(owner) if s is suite)  # type: ignore[arg-type]
        text = self._run()
        if step.results:
            text = make_code(", ".join(step.results) + " = ", text)
        items: list[Item] = []
        for statement in suite:
            if statement is step.body[0]:
                items.append(New(text))
            elif statement not in step.body:
                items.append(Keep(statement))
        self._plan.suites[owner, field] = items

    # -- the loop -----------------------------------------------------------------------

    def _write_worker(self, own: WorkersOwn) -> list[Item]:
        """Writes the loop as a function, which every worker's thread runs."""
        program = self._program
        tail = [*own.statements, program.session]
        bound = {n for s in tail for n in names.find_binds(s)}

        def is_of_worker(statement: ast.stmt) -> bool:
            return bool(names.find_reads(statement) & bound) or own.names_task(
                statement
            )

        after = list(program.after)
        cut = max((i + 1 for i, s in enumerate(after) if is_of_worker(s)), default=0)
        tail += after[:cut]
        rebound: dict[ast.AST, Code] = {
            node: make_code("task_index")
            for statement in tail
            for node in own.find_indices(statement)
            if not (isinstance(node, ast.Name) and node.id == "task_index")
        }
        return [
            Block(
                make_code("\ndef run_worker(task_index):"),
                self._keep_statements(tail),
                replace=rebound,
            ),
            New(make_code("\nreplicas.run(run_worker)")),
            *self._keep_statements(after[cut:]),
        ]
