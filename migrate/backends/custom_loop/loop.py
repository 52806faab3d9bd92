"""Writes the old training loop: once per worker, or in every worker's process."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from migrate.backends.custom_loop.build_time import BuildTime
from migrate.backends.custom_loop.context import Context
from migrate.backends.custom_loop.items import rebuild_statement
from migrate.backends.custom_loop.step_functions import StepFunctions
from migrate.backends.custom_loop.synchronisation import SyncHooks
from migrate.facts import names
from migrate.plan import Block, Dropped, Item, Keep, New
from migrate.program import ir
from migrate.program.code import Code, join_code, make_code
from migrate.source.nodes import walk_breadth_first


class Loop:
    """Writes the statements after the graph: the session and its loop."""

    def __init__(
        self, context: Context, build: BuildTime, steps: StepFunctions, sync: SyncHooks
    ) -> None:
        self._program = context.program
        self._scopes = context.scopes
        self._diagnostics = context.diagnostics
        self._plan = context.plan
        self._flow_of = context.flow_of
        self._build = build
        self._steps = steps
        self._sync = sync
        self._run_of = {r.call: r for r in context.program.runs}
        self._statement_runs = {
            r.statement: r for r in context.program.runs if r.statement is not None
        }

    def write_worker(self) -> list[Item]:
        program = self._program
        body: list[Item] = []
        for statement in program.moved:
            items = self.write_suite([statement])
            body.extend(items)
        body.extend(self.make_unnamed_iterators())
        body.extend(self.write_suite(program.tail))
        index = program.tasks.task_index
        dump = ast.dump(index)
        rebound: dict[ast.AST, Code] = {
            node: make_code("task_index")
            for statement in [*program.moved, *program.tail]
            for node in walk_breadth_first(statement)
            if isinstance(node, ast.expr)
            and ast.dump(node) == dump
            and not (isinstance(node, ast.Name) and node.id == "task_index")
        }
        taken = {
            n.id
            for s in program.tail
            for n in walk_breadth_first(s)
            if isinstance(n, ast.Name)
        }
        name = "run_worker" if "run_worker" not in taken else "run_worker_loop"
        return [
            Block(make_code(f"\ndef {name}(task_index):"), body, replace=rebound),
            New(
                make_code(
                    f"\nreplicas.run({name}{', workers=1' if program.lone else ''})"
                )
            ),
        ]

    def make_unnamed_iterators(self) -> list[Item]:
        return [
            New(make_code(f"{name} = iter(", dataset, ")"))
            for name, dataset in self._program.unnamed_iterators.items()
        ]

    def write_suite(self, statements: Sequence[ast.stmt]) -> list[Item]:
        items = [self._write_tail_item(s) for s in statements]
        function = self._scopes.parents.get(statements[0]) if statements else None
        rebound = self._find_rebound(function)
        if rebound:
            place = int(
                isinstance(items[0], Keep) and names.is_docstring(statements[0])
            )
            items.insert(place, New(make_code(f"{self._word} {', '.join(rebound)}")))
        return items

    def _find_rebound(self, function: ast.AST | None) -> list[str]:
        """Returns iterators of the driver that another function starts again."""
        if function is self._program.driver or not isinstance(
            function, ast.FunctionDef
        ):
            return []
        return sorted(
            {
                name
                for run in self._program.runs
                for name in run.begins
                if "." not in name and self._find_function(run.call) is function
            }
        )

    def _find_function(self, node: ast.AST) -> ast.AST:
        while not isinstance(node, (ast.FunctionDef, ast.Module)):
            node = self._scopes.parents[node]
        return node

    @property
    def _word(self) -> str:
        """The word that marks a name as the driver's in a function: "nonlocal" or "global"."""
        program = self._program
        inside = program.replication.has_coordinator or not isinstance(
            program.driver, ast.Module
        )
        return "nonlocal" if inside else "global"

    def _write_tail_item(self, statement: ast.stmt) -> Item:
        flow = self._flow_of.get(statement)
        if flow is not None and (flow.dropped or self._build.is_only_setup(flow)):
            return Dropped(statement)
        if flow is not None and (flow.step or flow.pure) and not flow.suites:
            return Dropped(statement)  # No run call needs it.
        if statement in self._program.consumed:
            return Dropped(statement)
        run = self._statement_runs.get(statement)
        if run is not None and run.replacement is not None:
            text = run.replacement.parts
            if isinstance(statement, ast.Expr) and statement.value is run.call:
                if text == ("None",):
                    return Dropped(statement)
                return New(run.replacement, statement)
        if names.list_suites(statement):
            item = rebuild_statement(statement, self.write_suite)
            if isinstance(item, Keep):
                self._replace_runs(statement)
            return item
        if self._sync.mentions(statement):
            return self._sync.drop_hook(statement)
        self._replace_runs(statement)
        if run is not None and run.targets is not None and run.step is not None:
            return New(make_code(run.targets, " = ", self._write_call(run)), statement)
        return Keep(statement)

    def _replace_runs(self, statement: ast.stmt) -> None:
        """Replaces the run calls of this statement; of a compound one, those in its header."""
        nested = {
            id(n)
            for _, suite in names.list_suites(statement)
            for s in suite
            for n in walk_breadth_first(s)
        }
        for node in walk_breadth_first(statement):
            if id(node) in nested or not isinstance(node, ast.Call):
                continue
            run = self._run_of.get(node)
            if run is not None:
                self._plan.replace(node, run.replacement or self._write_call(run))

    def _check_fed_calls(self, run: ir.Run) -> None:
        """Refuses a feed that is computed after a generator has given the step's element."""
        fed = names.find_argument(run.call, "feed_dict", 1)
        if fed is None or not self._program.runs_generators:
            return
        for node in walk_breadth_first(fed):
            if isinstance(node, ast.Call):
                self._diagnostics.refuse(
                    "I101",
                    node,
                    "TensorFlow 1 computed the feed, and then a generator made the element. "
                    "The migrated loop would do this in the other order, and both may read "
                    "the same state of Python",
                    "Compute the feed in a statement before: value = ...; sess.run(op, "
                    "{x: value}).",
                )
                return

    def _write_call(self, run: ir.Run) -> Code:
        assert run.step is not None and isinstance(run.call.func, ast.Attribute)
        arguments: list[str | ast.AST | Code] = [run.step.name]
        for source in run.step.sources:
            target = self._steps.find_element_target(source)
            star = (
                "*"
                if isinstance(target, (ast.Tuple, ast.List))
                and all(isinstance(e, ast.Name) for e in target.elts)
                else ""
            )
            drawn = make_code(f"{star}{run.source or source}.get_next()")
            arguments.extend(run.element or (drawn,))
        arguments.extend(run.arguments)
        if run.step.sources:
            self._check_fed_calls(run)
        return make_code(run.call.func, "(", join_code(", ", arguments), ")")
