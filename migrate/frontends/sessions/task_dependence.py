"""Finds the parts of a graph that depend on the task that builds it.

Each TF1 task built a graph of its own. An asynchronous program's coordinator makes one step
function for all workers; synchronous workers must make the same update.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence, Set

from migrate.facts import names, reach
from migrate.facts.scopes import Scopes
from migrate.facts.trees.offered import is_main_test
from migrate.frontends.sessions.around import list_all_statements
from migrate.frontends.sessions.started_tasks import StartedTasks
from migrate.frontends.sessions.task_objects import TaskObjects
from migrate.program import ir
from migrate.program.binding_time import Diagnostics, list_every_flow
from migrate.program.ir import Flow, Kind
from migrate.source.nodes import walk_breadth_first
from migrate.tables import roles
from migrate.tables.worker_state import NAMES_OF_HOSTS, RANKS

# What is made before the steps, or fed, and decides what they compute. A variable's first
# value is the chief's, in TensorFlow 1 too.
_OF_STEPS = (
    *(Kind.LAYER, Kind.MODEL, Kind.OPTIMIZER, Kind.SCHEDULE),
    Kind.PLACEHOLDER,
)
_DEFINITIONS = (ast.FunctionDef, ast.ClassDef)
_SCOPES = ("tf.variable_scope", "tf.name_scope")
_NAMED = {"tf.get_variable": 0, "tf.Variable": 4}


class TaskDependence:
    """Asks code for the index of the task that runs it."""

    def __init__(
        self, scopes: Scopes, diagnostics: Diagnostics, program: ir.TrainingProgram
    ) -> None:
        self._scopes = scopes
        self._diagnostics = diagnostics
        self._program = program
        self._index = program.tasks.task_index
        self._spellings = _spell(self._index, program.tasks.server)
        self._kinds = frozenset(s.partition("(")[0] for s in self._spellings)

    def is_asked_by(self, code: ast.stmt | ast.expr) -> bool:
        """Whether it reads the task's index, itself or in functions that it calls."""
        return any(
            n.__class__.__name__ in self._kinds and ast.dump(n) in self._spellings
            for part in [code, *self._find_reached_functions(code)]
            for n in walk_breadth_first(part)
        )

    def _find_reached_functions(self, code: ast.stmt | ast.expr) -> list[ast.AST]:
        """Finds the called functions, without those that bind the index's name anew."""
        reached = reach.find_reached(self._scopes, [code])
        if not isinstance(self._index, ast.Name):
            return reached
        name = self._index.id
        return [
            part
            for part in reached
            if not isinstance(part, (ast.FunctionDef, ast.ClassDef))
            or name in names.find_free_names(part)
        ]

    def _check_counters(self) -> None:
        """Refuses counters in steps: each worker would count in a copy of its own."""
        stepped = {f for step in self._program.steps for f in step.flows}
        for flow in list_every_flow(self._program.flows):
            if flow in stepped and flow.kind in (Kind.ASSIGNMENT, Kind.OPERATION):
                for node in walk_breadth_first(flow.statement):
                    if isinstance(node, ast.Call) and self._counts(node):
                        self._diagnostics.refuse(
                            "O111",
                            node,
                            "in TensorFlow 1 every worker ran this and changed one "
                            "shared variable. Synchronous workers have a copy "
                            "each, so the variable would change only once in a step",
                            "Compute it from the global step, which counts the steps.",
                        )

    def _counts(self, call: ast.Call) -> bool:
        if self._scopes.resolve(call.func) in ("tf.assign_add", "tf.assign_sub"):
            return True
        return (
            isinstance(call.func, ast.Attribute)
            and call.func.attr in ("assign_add", "assign_sub")
            and self._program.kinds.get(names.find_key(call.func.value) or "")
            is Kind.VARIABLE
        )

    def find_globals(self) -> tuple[list[ast.stmt], set[str]]:
        """Finds what the module sets by the index before it calls the driver.

        Returns:
          Plain assignments, which each worker's loop can make for itself; and the names
          that other statements set.
        """
        driver = self._program.driver
        own: list[ast.stmt] = []
        others: set[str] = set()
        if not isinstance(driver, ast.FunctionDef):
            return own, others
        tainted: set[str] = set()
        for statement, headers in self._list_before(self._scopes.tree.body, driver):
            if not self._asks([statement, *(headers or ())], tainted):
                continue
            bound = self._find_bound_names(statement)
            tainted |= bound
            plain = headers is None and isinstance(statement, ast.Assign)
            if plain and not self._asks_launcher(statement):
                own.append(statement)
            else:
                others |= bound
        others |= self._find_set_globals(tainted)
        return own, others | self._find_parameters(driver, tainted | others)

    def _list_before(
        self,
        body: Sequence[ast.stmt],
        driver: ast.FunctionDef,
        headers: Sequence[ast.expr] | None = None,
    ) -> Iterator[tuple[ast.stmt, Sequence[ast.expr] | None]]:
        """Lists the module's statements beside those that call the driver.

        A block that calls the driver has other statements too, such as `if __name__ ==
        "__main__":`. So its statements are listed in its place.

        Yields:
          Each statement, and the tests and iterables of the blocks around it: None if
          every process that calls the driver runs it once.
        """
        for statement in body:
            if isinstance(statement, _DEFINITIONS):
                continue
            suites = names.list_suites(statement)
            starts = isinstance(statement, ast.If) and is_main_test(statement.test)
            calls = driver in reach.find_reached(self._scopes, [statement])
            if suites and (starts or calls):
                inside = [*(headers or ()), *names.list_headers(statement)]
                for field, suite in suites:
                    once = headers is None and starts and field == "body"
                    yield from self._list_before(
                        suite, driver, None if once else inside
                    )
            elif not calls:
                yield statement, headers

    def _find_parameters(self, driver: ast.FunctionDef, tainted: set[str]) -> set[str]:
        """Finds parameters of the function with the session that differ between tasks."""
        job = names.find_key(self._program.tasks.job_name) or ""
        tasks = StartedTasks(self._scopes, driver, job)
        found = tasks.find_differing()
        for call, given in tasks.list_starts():
            known = tainted | self._find_tainted_around(call, tainted)
            for parameter, value in (given or {}).items():
                if self._asks([value], known):
                    found.add(parameter)
        found -= self._find_parts_of_cluster(driver)
        return found - {names.find_key(self._index) or ""}

    def _find_parts_of_cluster(self, driver: ast.FunctionDef) -> set[str]:
        """Finds names that the cluster is made of: all tasks have the same cluster."""
        todo: list[ast.AST] = [self._program.tasks.spec]
        found: set[str] = set()
        while todo:
            for node in walk_breadth_first(todo.pop()):
                if not isinstance(node, ast.Name) or node.id in found:
                    continue
                above = self._scopes.parents.get(node)
                if isinstance(above, ast.Subscript) or (
                    isinstance(above, ast.Attribute) and above.attr != "split"
                ):
                    continue  # Of an object that may have other parts.
                found.add(node.id)
                todo += [
                    s.value
                    for s in list_all_statements(driver.body)
                    if isinstance(s, ast.Assign) and node.id in names.find_binds(s)
                ]
        return found

    def _find_tainted_around(self, call: ast.Call, tainted: set[str]) -> set[str]:
        """Names that the function around a call sets by the index."""
        around: ast.AST = call
        while not isinstance(around, (ast.FunctionDef, ast.Module)):
            around = self._scopes.parents[around]
        if isinstance(around, ast.Module):
            return set()
        return self._find_tainted_in(around, tainted)

    def _find_tainted_in(
        self, function: ast.FunctionDef, tainted: set[str]
    ) -> set[str]:
        """Finds the names that a function sets by the index."""
        found: set[str] = set()
        for statement in list_all_statements(function.body):
            if isinstance(statement, _DEFINITIONS) or (
                statement is self._program.tasks.server
            ):
                continue
            parts: list[ast.stmt | ast.expr] = [statement]
            if names.list_suites(statement):
                parts = [*names.list_headers(statement)]
            if self._asks(parts, tainted | found):
                found |= self._find_bound_names(statement)
        return found

    def _find_set_globals(self, tainted: set[str]) -> set[str]:
        """Finds the globals that functions set by the index."""
        found: set[str] = set()
        for function in self._scopes.walk():
            if isinstance(function, ast.FunctionDef):
                if function is not self._program.driver:
                    found |= self._find_outer(function, tainted)
        return found

    def find_shared(self) -> set[str]:
        """Finds the globals that the driver sets by the index.

        Each worker's loop has a copy of its own. The functions that it calls have none.
        """
        driver = self._program.driver
        if not isinstance(driver, ast.FunctionDef):
            return set()
        return self._find_outer(driver, set())

    def _find_outer(self, function: ast.FunctionDef, tainted: set[str]) -> set[str]:
        """Finds the names of outer scopes that a function sets by the index."""
        outer = self._scopes.scope_by_node[function].outer_names
        return outer & self._find_tainted_in(function, tainted) if outer else set()

    def check_loops(
        self, statements: Sequence[ast.stmt], by_functions: set[str], by_any: set[str]
    ) -> None:
        """Refuses loops that read the task's index in other ways than by its name.

        Args:
          statements: those of the loop.
          by_functions: globals that depend on the index. What the loop calls must not read
            them.
          by_any: those that the loop itself must not read.
        """
        others = self._spellings - {ast.dump(self._index)}
        for statement in statements:
            asked = [
                node
                for node in walk_breadth_first(statement)
                if isinstance(node, ast.expr)
                and (
                    ast.dump(node) in others
                    or (isinstance(node, ast.Name) and node.id in by_any)
                )
            ]
            for part in self._find_reached_functions(statement):
                free = (
                    names.find_free_names(part)
                    if isinstance(part, _DEFINITIONS)
                    else names.find_reads(part)
                )
                asked += [
                    node
                    for node in walk_breadth_first(part)
                    if isinstance(node, ast.Name) and node.id in free & by_functions
                ]
            for node in asked[:1]:
                self._refuse_loop(node, ast.dump(node) in others)

    def check_objects(
        self, statements: Sequence[ast.stmt], own: Set[str], tainted: set[str]
    ) -> None:
        """Refuses loops that read an object that the program changed by the index.

        Args:
          statements: those of the loop.
          own: the names that each loop binds for itself.
          tainted: plain names that depend on the index.
        """
        index = names.find_key(self._index) or ""
        objects = TaskObjects(self._scopes, self._asks, self._program.driver, index)
        loop: list[ast.AST] = [*statements]
        for statement in statements:
            loop += self._find_reached_functions(statement)
        read = objects.find_read(loop, own, tainted)
        if read is not None:
            self._refuse_loop(read, False)

    def _refuse_loop(self, node: ast.expr, asks: bool) -> None:
        """Refuses what a loop reads: the index, or another value that depends on it."""
        text, index = ast.unparse(node), ast.unparse(self._index)
        reason = f"by `{text}` the loop asks which task it is"
        recipe = f"Use `{index}`"
        if not asks:
            reason = f"`{text}` may have another value in each task"
            recipe = f"Compute it from `{index}`, and put it into a variable"
        self._diagnostics.refuse(
            "C107",
            node,
            f"{reason}, but one process runs the loops of all workers",
            f"{recipe}, in the function that opens the session.",
        )

    def check_steps(self, tainted: set[str]) -> None:
        """Refuses step functions that depend on the task's index.

        if is_chief:
            loss = loss * 2.0

        Args:
          tainted: plain names that depend on the index.
        """
        in_steps = {f for step in self._program.steps for f in step.flows}
        for flow in list_every_flow(self._program.flows):
            if not self._asks(self._find_deciding(flow), tainted):
                continue
            if (flow.pure or flow.host) and not flow.suites:
                tainted = tainted | self._find_bound_names(flow.statement)
            if (
                (flow.pure and not flow.suites and flow in in_steps)
                or flow.step
                or flow.kind in (*_OF_STEPS, Kind.VARIABLE)
                or (flow.suites and flow.build)
            ):
                if self._is_chosen(flow, tainted):
                    self._refuse(
                        flow,
                        "by this test some tasks make other tensors than others, but "
                        "the coordinator makes one step function for all workers",
                        "Make the tensors without the test, and give them different "
                        "names. In the loop, test the index, and choose what to run.",
                    )
                    continue
                self._refuse(
                    flow,
                    "the step computes a value from the task's index, but the "
                    "coordinator makes one step function for all workers",
                )

    def check_updates(self, before: Iterable[ast.stmt]) -> None:
        """Refuses updates that would differ between synchronous workers' copies.

        TF1 had one variable, which the chief's operation updated. Losses and gradients
        may differ, because they are averaged.

        Args:
          before: the statements before the graph.
        """
        self._check_counters()
        plain = [
            f.statement
            for f in list_every_flow(self._program.flows)
            if (f.host or f.pure) and not f.suites
        ]
        tainted: set[str] = set()
        for statement in [*before, *plain]:
            if not isinstance(statement, _DEFINITIONS) and self._asks(
                [statement], tainted
            ):
                tainted |= self._find_bound_names(statement)
        for flow in list_every_flow(self._program.flows):
            parts: list[ast.stmt | ast.expr] = []
            if flow.kind in (Kind.OPTIMIZER, Kind.SCHEDULE):
                parts = self._drop_label(flow.statement)
            elif flow.update is not None and flow.update.variables is not None:
                parts = [flow.update.variables]
            elif flow.kind is Kind.VARIABLE or isinstance(flow.statement, ast.With):
                parts = self._find_deciding(flow)
            if self._asks(parts, tainted):
                self._refuse(
                    flow,
                    "the update depends on the task's index. Synchronous workers "
                    "must all make the same update, or their variables differ",
                )

    def _find_bound_names(self, statement: ast.stmt) -> set[str]:
        """Returns the names that a statement binds, without the index itself."""
        return names.find_binds(statement) - {names.find_key(self._index) or ""}

    def _asks(self, parts: Iterable[ast.stmt | ast.expr], tainted: set[str]) -> bool:
        return any(
            self.is_asked_by(part)
            or names.find_reads(part) & tainted
            or self._asks_launcher(part)
            for part in parts
        )

    def _asks_launcher(self, code: ast.stmt | ast.expr) -> bool:
        """Whether it reads which process or host this is: no loop can be told another."""
        for node in walk_breadth_first(code):
            if isinstance(node, ast.Call):
                path = self._scopes.import_path(node.func)
                if path in NAMES_OF_HOSTS:
                    return True
                if path in ("os.environ.get", "os.getenv") and node.args:
                    if names.read_literal(node.args[0]) in RANKS:
                        return True
            elif isinstance(node, ast.Subscript):
                if self._scopes.import_path(node.value) == "os.environ":
                    if names.read_literal(node.slice) in RANKS:
                        return True
        return False

    def _is_chosen(self, flow: Flow, tainted: set[str]) -> bool:
        """Whether a test by the index chooses tensors of which no others are computed."""
        statement = flow.statement
        test: ast.expr | None = None
        if isinstance(statement, ast.If):
            test = statement.test
        elif isinstance(statement, ast.Assign):
            if isinstance(statement.value, ast.IfExp):
                test = statement.value.test
        if test is None or not self._asks([test], tainted):
            return False
        inside = set(walk_breadth_first(statement))
        modules = self._scopes.module.bindings  # `tf.summary.scalar(...)` changes none.
        changed = names.find_mutations(statement)
        bound = names.find_binds(statement) | {
            name for name in changed if name.partition(".")[0] not in modules
        }
        if any(
            self._program.kinds.get(name) in (Kind.OPTIMIZER, Kind.SCHEDULE)
            for name in bound
        ):
            return False
        return not any(
            other.reads & bound
            for other in list_every_flow(self._program.flows)
            if other.statement not in inside and not other.host
        )

    def _refuse(
        self,
        flow: Flow,
        reason: str,
        recipe: str = "Feed the value that differs between the tasks.",
    ) -> None:
        self._diagnostics.refuse("C107", flow.statement, reason, recipe)

    def _find_deciding(self, flow: Flow) -> list[ast.stmt | ast.expr]:
        """Returns the parts of a statement that decide what the steps compute."""
        statement = flow.statement
        if isinstance(
            statement, ast.With
        ):  # Of variables: a scope is part of their names.
            return [
                item.context_expr
                for item in statement.items
                if flow.build
                and isinstance(item.context_expr, ast.Call)
                and self._scopes.resolve(item.context_expr.func) in _SCOPES
            ]
        if flow.suites:
            return [*names.list_headers(statement)]
        if flow.kind is Kind.VARIABLE:
            return self._name_variables(statement)
        return self._drop_label(statement)

    def _drop_label(self, statement: ast.stmt) -> list[ast.stmt | ast.expr]:
        """Returns a statement's parts without the argument `replica_id`.

        `SyncReplicasOptimizer(..., replica_id=FLAGS.task_index)`: it counted how stale a
        replica was, and decides nothing of an update. Since 1.0 there is no such argument.
        """
        match statement:
            case ast.Assign(targets=targets, value=ast.Call() as call):
                if self._scopes.resolve(call.func) in roles.SYNC_OPTIMIZERS:
                    decides = [k.value for k in call.keywords if k.arg != "replica_id"]
                    return [*targets, *call.args, *decides]
        return [statement]

    def _name_variables(self, statement: ast.stmt) -> list[ast.stmt | ast.expr]:
        """Returns the expressions that name variables, perhaps by the task's index."""
        found: list[ast.stmt | ast.expr] = []
        for node in walk_breadth_first(statement):
            if isinstance(node, ast.Call):
                place = _NAMED.get(self._scopes.resolve(node.func) or "")
                if place is not None:
                    name = names.find_argument(node, "name", place)
                    found += [name] if name is not None else []
        return found


def _spell(index: ast.expr, server: ast.stmt | None) -> frozenset[str]:
    """The ways to write the task's index, as `ast.dump` has them."""
    texts = [ast.unparse(index)]
    if isinstance(index, ast.Attribute):
        texts.append(f"getattr({ast.unparse(index.value)}, {index.attr!r})")
    if isinstance(server, ast.Assign) and isinstance(server.targets[0], ast.Name):
        texts.append(f"{server.targets[0].id}.server_def.task_index")
    written = {ast.dump(ast.parse(text, mode="eval").body) for text in texts}
    return frozenset({ast.dump(index), *written})
