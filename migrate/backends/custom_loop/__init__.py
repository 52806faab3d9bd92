"""Writes custom training loops under a ParameterServerStrategy or MultiWorkerMirroredStrategy.

It lays out the migrated driver: the strategy in place of the server and the device setter,
build time under the strategy's scope, one function for each `session.run`, and the old
loop. In asynchronous training the loop runs once for each worker.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterable

from migrate import emitted
from migrate.backends.custom_loop import early_data, versions, worker_state
from migrate.backends.custom_loop.build_time import BuildTime
from migrate.backends.custom_loop.changed_objects import refuse_changed_objects
from migrate.backends.custom_loop.cluster import Cluster
from migrate.backends.custom_loop.context import Context
from migrate.backends.custom_loop.early_specs import make_early_specs
from migrate.backends.custom_loop.items import rebuild_statement
from migrate.backends.custom_loop.loop import Loop
from migrate.backends.custom_loop.staged import StagedFunctions
from migrate.backends.custom_loop.step_functions import StepFunctions
from migrate.backends.custom_loop.synchronisation import SyncHooks
from migrate.facts import global_steps, names
from migrate.facts.scopes import Scopes
from migrate.plan import Block, Dropped, Item, Keep, New, Plan
from migrate.program import ir
from migrate.program.binding_time import Diagnostics, find_all_names, list_every_flow
from migrate.program.code import Code, join_code, make_code
from migrate.program.functions import FunctionTimes
from migrate.program.lost_values import refuse_lost_values
from migrate.source.nodes import walk_breadth_first
from migrate.tables import hooks as hook_table
from migrate.tables import roles

__all__ = ["plan_program"]


def plan_program(
    program: ir.TrainingProgram, scopes: Scopes, diagnostics: Diagnostics, plan: Plan
) -> None:
    """Adds the whole program to `plan`."""
    taken = find_all_names(scopes.tree)
    _Layout(Context(program, scopes, diagnostics, plan, taken)).run()


class _Layout:
    def __init__(self, context: Context) -> None:
        self._context = context
        self._program = context.program
        self._scopes = context.scopes
        self._diagnostics = context.diagnostics
        self._plan = context.plan
        self._flow_of = context.flow_of
        self._sync = SyncHooks(context)
        self._build = BuildTime(context, self._sync)
        self._steps = StepFunctions(context, self._build)
        self._loop = Loop(context, self._build, self._steps, self._sync)
        self._plain = (
            context.scopes.resolve(context.program.session_call.func)
            in roles.PLAIN_SESSIONS
        )

    def _check_names(self) -> None:
        """Refuses a program that uses our own names for something else."""
        own = {"strategy", "replicas", "training_session", "tape"}
        bound = [
            (statement, names.find_binds(statement))
            for statement in walk_breadth_first(self._program.driver)
            if isinstance(statement, ast.stmt) and not names.list_suites(statement)
        ]
        for flow in list_every_flow(self._program.flows):
            for item in getattr(flow.statement, "items", ()):
                bound.append((flow.statement, names.find_item_binds(item)))
        for statement, found in bound:
            for name in sorted(found & own):
                self._diagnostics.refuse(
                    "N111",
                    statement,
                    f"the program has a name `{name}` of its own, which the "
                    "migrated program needs",
                    "Rename it.",
                )

    def run(self) -> None:
        program, plan = self._program, self._plan
        self._check_names()
        refuse_lost_values(program, self._scopes, self._diagnostics)
        refuse_changed_objects(program, self._scopes, self._diagnostics)
        self._separate_names()
        self._import_module("training_session", emitted.list_files("training_session"))
        cluster = Cluster(self._context)
        cluster.start_server()
        self._sync.plan_displays()
        self._rewrite_session_call()
        self._rewrite_hooks()
        if self._plain or program.others or program.cluster is None:
            self._import_module("plain_session")
        if program.replication.has_coordinator:
            worker_state.plan(self._context)
        home_owner: tuple[ast.AST, str] = (
            (program.path[-1][0], program.path[-1][1])
            if program.path
            else (program.driver, "body")
        )
        self._early_specs = make_early_specs(self._context)
        before = program.home[: program.anchor]
        late = self._find_late_statements(before)
        items = self._place_suite_outside([s for s in before if s not in late])
        items.extend(cluster.write_strategy())
        items.extend(self._place_suite_outside(late))
        at = program.home.index(program.session)
        graph = [self._flow_of[s] for s in program.home[program.anchor : at]]
        first, last = self._find_bounds(
            graph, program.find_graph_end() - 1 - (at - len(graph))
        )
        items.extend(self._place_suite_outside([f.statement for f in graph[:first]]))
        around = [make_code(call, ", ") for call in program.around]
        opened = make_code(
            "\nwith ", *around, "strategy.scope(), replicas.recording():"
        )
        items.append(Block(opened, self._write_scope(graph[first : last + 1])))
        if program.initialises_again:
            items.append(New(make_code("replicas.keep_initial_values()")))
        items.extend(self._write_training([f.statement for f in graph[last + 1 :]]))
        plan.suites[home_owner] = items
        for helper in program.helpers:
            plan.suites[helper, "body"] = self._loop.write_suite(helper.body)
        for statement in self._find_moved_outside():
            plan.statements[statement] = [Dropped(statement)]
        self._plan_staged_functions()
        plan.suites[home_owner] = _insert_split_functions(items, plan)

    def _import_module(self, module: str, files: Iterable[str] = ()) -> None:
        """Imports an emitted module, and writes it beside the program."""
        self._plan.support.update(files or [f"{module}.py"])
        self._plan.imports.append(f"import {module}")

    def _separate_names(self) -> None:
        """Gives names that the graph binds more than once a name for each value."""
        program, taken = self._program, self._context.taken
        versions.separate_names(
            program.flows,
            self._plan,
            self._diagnostics,
            taken,
            frozenset(program.sync_statements),
        )
        for staged in program.staged:
            assert isinstance(staged, FunctionTimes)
            versions.separate_names(staged.flows, self._plan, self._diagnostics, taken)

    def _rewrite_hooks(self) -> None:
        """Rewrites TensorFlow's hooks and the program's own, where they are made."""
        program, plan = self._program, self._plan
        for call, new in program.hook_edits.items():
            plan.replace(call, new)
        if program.own_hooks is not None:
            for node, new in program.own_hooks.edits.items():
                plan.replace(node, new)
            for statement in program.own_hooks.gone:
                plan.statements[statement] = [Dropped(statement)]

    def _find_bounds(self, graph: list[ir.Flow], end: int) -> tuple[int, int]:
        """Returns the indices of the first and the last statement in the strategy's scope."""
        first = next(
            (i for i, f in enumerate(graph) if not f.host and not f.dropped), len(graph)
        )
        needed = (i for i, flow in enumerate(graph) if flow in self._build.pure)
        # If only runs need the graph, all of it stays before the scope, which is empty then.
        return first, max([end, first - 1, *needed])

    def _write_scope(self, graph: list[ir.Flow]) -> list[Item]:
        """Writes the suite of the strategy's scope: variables, and the step functions."""
        program, scope = self._program, list[Item]()
        if any(flow.graph for flow in list_every_flow(program.flows)):
            self._import_module("graph_variables")
            scope.append(New(make_code("graph_variables.keep(replicas)")))
        if self._needs_global_step() and (not self._plain or self._makes_global_step()):
            scope.append(New(make_code("training_session.create_global_step()")))
        specs = self._build.make_specs(self._early_specs)
        scope.extend(specs.insert_specs(self._build.write_suite(graph)))
        for run in program.runs:
            if program.towers and run.step is not None and run.step.given:
                self._diagnostics.refuse(
                    "S107",
                    run.call,
                    "a tensor of a tower is fed",
                    "Feed a placeholder in its place.",
                )
        scope.extend(
            specs.define_specs({name for step in program.steps for name in step.given})
        )
        scope.extend(self._steps.write_functions(specs.names))
        return scope

    def _write_training(self, after: list[ast.stmt]) -> list[Item]:
        """Writes the loop: in place, or as a function that the coordinator runs per worker.

        Args:
          after: the statements between the graph and the session.
        """
        program = self._program
        if not program.replication.has_coordinator:
            iterators = self._loop.make_unnamed_iterators()
            return [*iterators, *self._loop.write_suite([*after, *program.tail])]
        stays = [s for s in after if s not in program.moved]
        return [*self._place_suite_outside(stays), *self._loop.write_worker()]

    def _plan_staged_functions(self) -> None:
        """Plans functions that make variables and compute: it writes one function for each."""
        functions = StagedFunctions(self._context, self._build, self._steps.statements)
        for times in self._program.staged:
            assert isinstance(times, FunctionTimes)
            if times.node.decorator_list:
                self._diagnostics.refuse(
                    "N104",
                    times.node,
                    f"`{times.node.name}` makes variables and computes, so the tool "
                    "has to split it in two. It has a decorator, and the tool "
                    "cannot split that",
                    "Write two functions: one makes the variables, the other computes.",
                )
            for node in walk_breadth_first(times.node):
                if isinstance(node, (ast.Global, ast.Nonlocal)):
                    self._diagnostics.refuse(
                        "N104",
                        node,
                        f"`{times.node.name}` makes variables and computes, so the "
                        "tool has to split it in two. Both halves would change "
                        f"`{', '.join(node.names)}`",
                        "Pass the value, and return the new one.",
                    )
            functions.plan(times)

    def _find_late_statements(self, before: list[ast.stmt]) -> list[ast.stmt]:
        """Returns statements that stood before the server and now need the strategy first."""
        cluster = self._program.cluster
        if cluster is None or self._program.replication.has_coordinator:
            return []
        if cluster.server not in before:
            return []
        late = early_data.find_late_statements(before, self._scopes, cluster.server)
        if late is None:
            self._diagnostics.refuse(
                "C101",
                cluster.server,
                ir.SERVER_LATE,
                "Start the server before you make the dataset.",
                "tf.train.Server",
            )
        return late or []

    def _find_moved_outside(self) -> Iterable[ast.stmt]:
        home = set(self._program.home)
        for statement in self._program.moved:
            if statement not in home and statement not in self._program.copied:
                yield statement

    def _place_suite_outside(self, statements: list[ast.stmt]) -> list[Item]:
        items: list[Item] = []
        for statement in statements:
            items.extend(self._build.list_comments_before(statement))
            items.extend(
                self._plan.statements.get(statement) or [self._place_outside(statement)]
            )
        return items

    def _place_outside(self, statement: ast.stmt) -> Item:
        """Returns the item of a statement that stays in the home suite, beside the graph."""
        if statement in self._program.moved and statement not in self._program.copied:
            return Dropped(statement)
        flow = self._flow_of.get(statement)
        if flow is not None and (flow.dropped or self._build.is_only_setup(flow)):
            return Dropped(statement)
        if flow is not None and (flow.step or flow.pure) and not flow.suites:
            return Dropped(statement)  # No run call needs it.
        if statement in self._program.helpers:
            return rebuild_statement(statement, self._loop.write_suite)
        if names.list_suites(statement):
            return rebuild_statement(statement, self._place_suite_outside)
        if self._sync.mentions(statement):
            return self._sync.drop_hook(statement)
        return Keep(statement)

    def _rewrite_session_call(self) -> None:
        call = self._program.session_call
        opened = (call, *self._program.others) if self._plain else self._program.others
        for each in opened:
            self._plan.replace(each, make_code("plain_session.Session(replicas)"))
        if self._plain:
            return
        bound = names.bind_arguments(call, hook_table.SESSION_PARAMETERS)
        if bound is None:
            self._diagnostics.refuse(
                "N151",
                call,
                "the tool cannot tell the session's arguments apart",
                "Pass them by keyword.",
                "tf.train.MonitoredTrainingSession",
            )
            return
        parts: list[Code] = [make_code("replicas")]
        for name, value in bound.items():
            if name in hook_table.SESSION_DROPPED:
                continue
            parts.append(make_code(f"{name}=", value))
        self._plan.replace(
            call,
            make_code(
                "training_session.MonitoredTrainingSession(\n    ",
                join_code(",\n    ", parts),
                ")",
            ),
        )

    def _makes_global_step(self) -> bool:
        """Whether the graph of a plain session makes the global step in an expression."""
        return any(
            isinstance(node, ast.Call)
            and self._scopes.resolve(node.func) in roles.GLOBAL_STEPS
            and "create" in (self._scopes.resolve(node.func) or "")
            for flow in list_every_flow(self._program.flows)
            for node in walk_breadth_first(flow.statement)
        )

    def _needs_global_step(self) -> bool:
        """Whether nothing in the graph creates the global step by an assignment."""
        for flow in list_every_flow(self._program.flows):
            if flow.suites or not flow.build:
                continue
            for node in walk_breadth_first(flow.statement):
                if isinstance(node, ast.Call):
                    symbol = self._scopes.resolve(node.func)
                    if global_steps.is_counter(self._scopes, node):
                        return False
                    if (
                        symbol in roles.GLOBAL_STEPS
                        and not symbol.endswith(".get_global_step")
                        and isinstance(flow.statement, ast.Assign)
                        and flow.statement.value is node
                    ):
                        return False
                    position = 0 if symbol == "tf.get_variable" else 5
                    if (
                        symbol in roles.VARIABLES
                        and "global_step"
                        == names.read_literal(
                            names.find_argument(node, "name", position)
                        )
                    ):
                        return False
        return True


def _insert_split_functions(items: list[Item], plan: Plan) -> list[Item]:
    """Returns the items, with functions nested in the driver in their split form."""
    found: list[Item] = []
    for item in items:
        if isinstance(item, Keep):
            if isinstance(item.statement, ast.FunctionDef):
                found.extend(plan.statements.get(item.statement) or [item])
                continue
            suites = {
                f: _insert_split_functions(suite, plan)
                for f, suite in item.suites.items()
            }
            item = dataclasses.replace(item, suites=suites)
        elif isinstance(item, Block):
            item = dataclasses.replace(
                item, items=_insert_split_functions(item.items, plan)
            )
        found.append(item)
    return found
