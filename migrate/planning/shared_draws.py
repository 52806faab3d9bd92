"""C119: data that a program draws before its loop, once where each TF1 worker drew its own.

x_data = np.random.rand(100)

With a seed all workers drew the same. A variable's first value is the chief's.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts import draws, names, reach
from migrate.facts.scopes import Scopes
from migrate.findings import Finding, Outcome
from migrate.program import ir
from migrate.program.binding_time import list_every_flow
from migrate.program.ir import Kind
from migrate.program.worker_state import Finder
from migrate.source.nodes import walk_breadth_first

_REASON = (
    "the program draws this once, without a seed, and the loops of all workers use "
    "it. In TensorFlow 1 each worker was a process and drew its own numbers"
)
_RECIPE = "If each worker is to have its own numbers, draw them in the loop."
_DEFINITIONS = (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
_VARIABLES = frozenset({"tf.Variable", "tf.get_variable", "tf.constant_initializer"})


def find_shared_draws(scopes: Scopes, program: ir.TrainingProgram) -> Iterator[Finding]:
    """Statements before the loops of an asynchronous program that draw what these use."""
    if not program.replication.has_coordinator or draws.is_seeded(scopes):
        return
    loop = [*program.moved, *program.tail]
    if loop:
        yield from _Search(scopes, program, loop).run()


class _Search:
    def __init__(
        self, scopes: Scopes, program: ir.TrainingProgram, loop: list[ast.stmt]
    ) -> None:
        self._scopes = scopes
        finder = Finder(scopes, loop, program.tasks.task_index)
        flows = {f.statement: f for f in list_every_flow(program.flows)}
        self._inside = {n for s in loop for n in walk_breadth_first(s)}
        # What each worker makes for itself.
        self._inside |= {b for s in finder.find_shared() for b in s.bindings}
        self._variables = {s for s, f in flows.items() if f.kind is Kind.VARIABLE}
        # What steps compute, and the datasets that feed them.
        self._used = set().union(
            *[
                names.find_reads(part)
                for part in [*loop, *reach.find_reached(scopes, loop)]
            ],
            *[
                f.reads
                for s, f in flows.items()
                if f.step and not f.suites and s not in self._variables
            ],
            *[names.find_reads(dataset) for dataset in program.datasets],
        )
        self._steps = {s for s, f in flows.items() if f.step and not f.suites}
        self._statements = list(self._find_statements(program.driver))

    def run(self) -> Iterator[Finding]:
        for place, statement in enumerate(self._statements):
            call = self._find_draw(statement)
            if call is not None and self._is_used(place):
                yield Finding(
                    call.lineno,
                    call.col_offset + 1,
                    "C119",
                    Outcome.REWRITTEN,
                    ast.unparse(call.func),
                    _REASON,
                    _RECIPE,
                )

    def _find_statements(
        self, driver: ast.FunctionDef | ast.Module
    ) -> Iterator[ast.stmt]:
        """Plain statements that run once: of the module and of the driver."""
        bodies = [self._scopes.tree.body]
        if isinstance(driver, ast.FunctionDef):
            bodies.append(driver.body)
        for body in bodies:
            for part in body:
                if isinstance(part, _DEFINITIONS):
                    continue
                for node in names.walk_scope(part):
                    if (
                        isinstance(node, ast.stmt)
                        and not isinstance(node, _DEFINITIONS)
                        and not names.list_suites(node)
                        and node not in self._inside
                        and node not in self._variables
                    ):
                        yield node

    def _find_draw(self, statement: ast.stmt) -> ast.Call | None:
        """A call in it, or in a function that it calls, which draws without a seed."""
        for code in reach.find_called(self._scopes, statement):
            if code is not statement and self._makes_variables(code):
                continue
            own = (
                names.walk_scope_of_function(code)
                if isinstance(code, ast.FunctionDef)
                else names.walk_scope(code)
            )
            for node in own:
                if (
                    isinstance(node, ast.Call)
                    and draws.draws_without_seed(self._scopes, node)
                    and not self._is_first_value(node)
                ):
                    return node
        return None

    def _makes_variables(self, code: ast.AST) -> bool:
        return any(
            isinstance(node, ast.Call) and self._scopes.resolve(node.func) in _VARIABLES
            for node in walk_breadth_first(code)
        )

    def _is_first_value(self, node: ast.AST) -> bool:
        """Whether it is part of a call that makes a variable."""
        above = self._scopes.parents.get(node)
        while isinstance(above, (ast.expr, ast.keyword)):
            if (
                isinstance(above, ast.Call)
                and self._scopes.resolve(above.func) in _VARIABLES
            ):
                return True
            above = self._scopes.parents.get(above)
        return False

    def _is_used(self, place: int) -> bool:
        """Whether what a statement binds or changes comes to the steps or the loop."""
        if self._statements[place] in self._steps:
            return True
        drawn = self._find_changed(self._statements[place])
        for statement in self._statements[place + 1 :]:
            if statement not in self._steps and names.find_reads(statement) & drawn:
                drawn |= self._find_changed(statement)
        return bool(drawn & self._used)

    def _find_changed(self, statement: ast.stmt) -> set[str]:
        """Finds the names that a statement binds or changes, as `x` in `shuffle(x)`."""
        modules = {
            name
            for name, bound in self._scopes.module.bindings.items()
            if any(isinstance(b, _DEFINITIONS) for b in bound)
        }
        found = names.find_binds(statement) | names.find_mutations(statement)
        for node in walk_breadth_first(statement):
            if isinstance(node, ast.Call) and draws.shuffles(self._scopes, node):
                found |= {a.id for a in node.args if isinstance(a, ast.Name)}
        return {name for name in found if name.partition(".")[0] not in modules}
