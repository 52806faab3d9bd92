"""Gives each worker's loop its own state, when one process runs all loops."""

from __future__ import annotations

import ast

from migrate.backends.custom_loop.context import Context
from migrate.facts import names
from migrate.findings import Finding, Outcome
from migrate.plan import New
from migrate.program.code import Code, make_code
from migrate.program.worker_state import Finder, Shared, WorkerState
from migrate.source.nodes import walk_breadth_first
from migrate.tables import worker_state as table

_RECIPE = "Make it in the function that opens the session, or pass it to that function."


def plan(context: Context) -> None:
    """Plans a reader, random generator and task index for each worker."""
    program = context.program
    loop = [*program.moved, *program.tail]
    if not loop:
        return
    state = Finder(context.scopes, loop, program.tasks.task_index).find()
    _Edits(context, state).run()


class _Edits:
    def __init__(self, context: Context, state: WorkerState) -> None:
        self._context = context
        self._state = state
        self._index = ast.dump(context.program.tasks.task_index)

    def run(self) -> None:
        for shared in self._state.shared:
            self._make_per_worker(shared)
        for statement in self._state.rebound:
            self._context.diagnostics.refuse(
                "C109",
                statement,
                f"the loop rebinds the global `{', '.join(statement.names)}`. In "
                "TensorFlow 1 each worker was a process with its own copy. Now one "
                "process runs the loops of all workers",
                _RECIPE,
            )
        for what, node in self._state.held:
            self._context.diagnostics.refuse(
                "C109",
                node,
                f"the loop changes `{what}`. In TensorFlow 1 each worker was a "
                "process with its own copy. Now one process runs the loops of all "
                "workers",
                _RECIPE,
            )
        for what, node in self._state.imported:
            name = f"`{ast.unparse(node)}`"
            by = f" by {name}" if name != what else ""
            self._context.diagnostics.refuse(
                "C109",
                node,
                f"the loop changes {what}{by}, which belongs to another file. In "
                "TensorFlow 1 each worker was a process with its own copy. Now one "
                "process runs the loops of all workers",
                _RECIPE,
            )
        for what, node in self._state.elsewhere:
            self._context.diagnostics.refuse(
                "C109",
                node,
                f"the graph's construction and the loop both use `{what}`. In "
                "TensorFlow 1 each worker built its own graph and went on from "
                "there. Now the graph is built once for all workers",
                "Give the loop a reader or generator of its own.",
            )
        for node, name in self._state.generators.items():
            self._context.plan.replace(node, make_code(f"training_session.{name}"))
            self._report_copy(node, ast.unparse(node))
        for node in self._state.indices:
            self._report_copy(node, ast.unparse(node))
            self._context.plan.replace(node, self._write_task_index(node))

    def _write_task_index(self, node: ast.expr) -> Code:
        return make_code("training_session.task_index(", ast.unparse(node), ")")

    def _report_copy(self, node: ast.AST, what: str) -> None:
        self._context.diagnostics.findings.append(
            Finding(
                getattr(node, "lineno", 1),
                getattr(node, "col_offset", 0) + 1,
                "C106",
                Outcome.REWRITTEN,
                what,
                "each worker's loop has its own copy, as each TensorFlow 1 worker had",
            )
        )

    def _make_per_worker(self, shared: Shared) -> None:
        """Rewrites `reader = Reader()` to `training_session.per_worker(lambda: Reader())`."""
        plan = self._context.plan
        binding = shared.bindings[0]
        wanting = self._find_wanting_itself(shared)
        if wanting:
            self._context.diagnostics.refuse(
                "C109",
                shared.use,
                f"the loop changes `{shared.name}` by `{wanting}`, and in "
                "TensorFlow 1 each worker was a process with its own copy. The "
                "tool cannot make that change on the object that stands for all "
                "copies",
                _RECIPE,
            )
            return
        changed = self._find_change_elsewhere(shared.name)
        if (
            len(shared.bindings) > 1
            or not isinstance(binding, ast.Assign)
            or len(binding.targets) > 1
            or not isinstance(binding.targets[0], ast.Name)
            or changed is not None
        ):
            self._context.diagnostics.refuse(
                "C109",
                shared.use,
                f"the loop changes `{shared.name}`, and more than one assignment "
                "makes it. In TensorFlow 1 each worker was a process with its own "
                "copy. Now one process runs the loops of all workers",
                _RECIPE,
            )
            return
        self._report_copy(binding, shared.name)
        within: dict[ast.AST, Code] = {
            node: self._write_task_index(node)
            for node in walk_breadth_first(binding.value)
            if isinstance(node, ast.expr) and ast.dump(node) == self._index
        }
        plan.statements[binding] = [
            New(
                make_code(
                    f"{shared.name} = training_session.per_worker(lambda: ",
                    binding.value,
                    ")",
                ),
                binding,
                replace=within,
            )
        ]

    def _find_wanting_itself(self, shared: Shared) -> str:
        """Returns a function that changes the object, and that takes no substitute for it."""
        scopes = self._context.scopes
        for node in scopes.walk():
            if isinstance(node, ast.Call) and node.args:
                path = scopes.import_path(node.func)
                first = node.args[0]
                if (
                    path in table.WANT_ITSELF
                    and isinstance(first, ast.Name)
                    and first.id == shared.name
                ):
                    return path
        return ""

    def _find_change_elsewhere(self, name: str) -> ast.stmt | None:
        """Returns a statement that no loop runs and that changes the object."""
        program = self._context.program
        ours = {
            node
            for part in [*program.moved, *program.tail, *self._state.functions]
            for node in walk_breadth_first(part)
        }
        for node in walk_breadth_first(self._context.scopes.tree):
            if (
                not isinstance(node, ast.stmt)
                or names.list_suites(node)
                or node in ours
            ):
                continue
            if name in names.find_mutations(node):
                return node
        return None
