"""Finds what each worker runs for itself, if one coordinator runs the loops of all."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TypeGuard

from migrate.facts import effects, names
from migrate.facts.scopes import Scopes
from migrate.frontends.sessions.around import (
    list_all_statements,
    list_statements_before,
)
from migrate.frontends.sessions.task_dependence import TaskDependence
from migrate.program import ir
from migrate.program.binding_time import Diagnostics
from migrate.program.ir import Kind
from migrate.source.nodes import walk_breadth_first
from migrate.tables import roles
from migrate.tables.worker_state import GENERATORS, SEEDS, SHUFFLING

_PURE_CALLS = frozenset(
    {"len", "int", "float", "str", "max", "min", "bool", "dict", "range", "abs"}
)
_DEFINITIONS = (
    ast.Import,
    ast.ImportFrom,
    ast.FunctionDef,
    ast.ClassDef,
    ast.Global,
)
# Kinds that belong to one session, and kinds without a session.
_OF_SESSION = (Kind.HOOK, Kind.WRITER, Kind.SCAFFOLD, Kind.SAVER, Kind.ITERATOR)
_OF_CLUSTER = (Kind.CLUSTER, Kind.SERVER, Kind.DEVICE, Kind.CONFIG)


class WorkerStatements:
    """Finds the statements that each worker's loop must have its own copy of."""

    def __init__(
        self, scopes: Scopes, diagnostics: Diagnostics, program: ir.TrainingProgram
    ) -> None:
        self.scopes = scopes
        self.diagnostics = diagnostics
        self.flows = program.flows
        self.index = program.tasks.task_index
        self.program = program
        self.tasks = TaskDependence(scopes, diagnostics, program)

    def place_statements(self) -> None:
        """Places the statements of which each worker's loop needs its own copy.

        TF1 ran the whole program once per worker; in asynchronous training
        one coordinator runs the loop for every worker. What the loop rebinds, what
        depends on the task's index, readers with a position, and the hooks and
        writers of a session belong to one worker each.
        """
        program = self.program
        own_globals, other_globals = self.tasks.find_globals()
        candidates = [
            *own_globals,
            *list_statements_before(program.driver.body, program.path),
            *[f.statement for f in program.flows if f.host],
        ]
        skip = {program.tasks.server, *program.joins, *program.sync_statements}
        skip |= {
            s
            for s in candidates
            if isinstance(s, (ast.If,))
            and any(j in list_all_statements([s]) for j in program.joins)
        }
        choice = _Choice(self, candidates, skip)
        choice.run()
        moved = self._add_earlier_bindings(
            choice.moved, candidates, skip, choice.moved_names
        )
        moved = self._add_functions(program, moved, candidates, choice.moved_names)
        self._check_rebound(program, choice.tail_binds)
        program.moved = moved
        self._copy()
        program.copied |= set(own_globals) & set(moved)
        self.tasks.check_steps(choice.tainted | other_globals)
        self.tasks.check_loops(
            [*moved, *program.tail],
            {*_bind(own_globals), *other_globals, *self.tasks.find_shared()},
            other_globals,
        )
        self.tasks.check_objects(
            [*moved, *program.tail],
            set().union(*map(names.find_binds, [*moved, *program.tail])),
            {*choice.tainted, *other_globals, *_bind(own_globals)},
        )
        self._check_job(program)

    def _copy(self) -> None:
        """Finds statements that are needed in the loop and at their old place."""
        program = self.program
        moved = program.moved
        staying: set[str] = set()
        for flow in program.flows:
            if flow.statement not in moved and not flow.dropped:
                staying |= flow.reads
        for statement in list_statements_before(program.driver.body, program.path):
            if statement not in moved:
                staying |= names.find_reads(statement)
        for dataset in program.datasets:
            staying |= names.find_reads(
                dataset
            )  # The step functions are told its elements.
        # A copied statement also needs copies of the statements that it reads from.
        for statement in reversed(moved):
            if names.find_binds(statement) & staying:
                program.copied.add(statement)
                staying |= names.find_reads(statement)

    def _check_job(self, program: ir.TrainingProgram) -> None:
        """Refuses loops that read the job name: all run in one process, under one."""
        jobs = program.tasks.jobs
        if jobs is not None and not jobs & {"chief", "master"}:
            return
        job = ast.dump(program.tasks.job_name)

        def asks(statement: ast.stmt) -> bool:
            return any(
                isinstance(n, ast.expr) and ast.dump(n) == job
                for n in walk_breadth_first(statement)
            )

        told: set[str] = set()  # Names that hold the answer.
        for statement in [
            *list_statements_before(program.driver.body, program.path),
            *[f.statement for f in program.flows if f.host],
        ]:
            if isinstance(statement, ast.Assign) and statement is not (
                program.tasks.server
            ):
                if asks(statement) or names.find_reads(statement.value) & told:
                    told |= names.find_binds(statement)
        told.discard(names.find_key(program.tasks.job_name) or "")
        for statement in [*program.moved, *program.tail]:
            if asks(statement) or names.find_reads(statement) & told:
                self.diagnostics.refuse(
                    "C107",
                    statement,
                    "the loop asks for its job's name, and the cluster may have a "
                    "chief task. But the coordinator runs the loops of all tasks",
                    "Recognise the chief by `task_index == 0`. The migrated loops "
                    "are numbered anew: the chief has 0, and the workers have the "
                    "numbers after it. In TensorFlow 1 a chief and worker 0 both "
                    "have 0.",
                )

    def _add_earlier_bindings(
        self,
        moved: list[ast.stmt],
        candidates: list[ast.stmt],
        skip: set[ast.stmt],
        moved_names: set[str],
    ) -> list[ast.stmt]:
        """Adds earlier bindings of moved names, all local in a worker's function."""
        chosen = set(moved)
        grown = True
        while grown:
            grown = False
            for statement in candidates:
                if statement in chosen or statement in skip:
                    continue
                if isinstance(statement, _DEFINITIONS):
                    continue
                binds = names.find_binds(statement)
                if names.find_key(self.index) in binds:
                    continue
                if binds & moved_names:
                    chosen.add(statement)
                    moved_names |= binds
                    grown = True
        # What a statement does beside binding names keeps its place after what moved:
        # `np.random.seed` after a reader that has drawn from the generator.
        in_order: list[ast.stmt] = []
        calls = False
        for statement in candidates:
            moves = statement in chosen or (
                calls and statement not in skip and self._has_effect(statement)
            )
            if moves:
                in_order.append(statement)
                calls = calls or any(
                    isinstance(n, ast.Call) for n in walk_breadth_first(statement)
                )
        return in_order

    def _has_effect(self, statement: ast.stmt) -> bool:
        """Whether it is a call for its effect, and on nothing that builds the graph."""
        if not (
            isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
        ):
            return False
        symbol = self.scopes.resolve(statement.value.func) or ""
        if symbol.startswith("tf."):
            return False  # tf.set_random_seed
        if not self.seeds(statement):
            return True
        return not any(
            isinstance(n, ast.Call)
            and (self.scopes.find_dotted_path(n.func) or "").startswith(
                tuple(GENERATORS)
            )
            for flow in self.flows
            if not flow.host
            for n in walk_breadth_first(flow.statement)
        )

    def _add_functions(
        self,
        program: ir.TrainingProgram,
        moved: list[ast.stmt],
        candidates: list[ast.stmt],
        moved_names: set[str],
    ) -> list[ast.stmt]:
        """Functions that the loop calls and that read what has become a worker's own."""
        chosen = set(moved)
        reads = set().union(*[names.find_reads(s) for s in [*program.tail, *moved]])
        grown = True
        while grown:
            grown = False
            for statement in candidates:
                if (
                    self._is_called(statement)
                    and statement not in chosen
                    and statement.name in reads
                    and names.find_free_names(statement) & moved_names
                ):
                    chosen.add(statement)
                    moved_names.add(statement.name)
                    reads |= names.find_reads(statement)
                    grown = True
        return [s for s in candidates if s in chosen]

    def _is_called(
        self, statement: ast.stmt
    ) -> TypeGuard[ast.FunctionDef | ast.ClassDef]:
        """Whether it is a function, or a class of hooks, which the session calls."""
        own = self.program.own_hooks
        hooks = own.classes if own is not None else ()
        return isinstance(statement, ast.FunctionDef) or statement in hooks

    def _check_rebound(self, program: ir.TrainingProgram, tail_binds: set[str]) -> None:
        for statement in program.tail:
            for node in walk_breadth_first(statement):
                if (
                    isinstance(node, ast.Name)
                    and isinstance(node.ctx, ast.Load)
                    and node.id in tail_binds
                    and program.kinds.get(node.id) is Kind.VARIABLE
                ):
                    self.diagnostics.refuse(
                        "N111",
                        node,
                        f"the loop uses the name `{node.id}` both for the variable "
                        "and for a value of its own",
                        "Give the value another name.",
                    )

    def is_dataset(self, binds: set[str]) -> bool:
        return any(self.program.kinds.get(b) is Kind.DATASET for b in binds)

    def find_modules(self) -> set[str]:
        """Names that imports bind."""
        return {
            name
            for name, bound in self.scopes.module.bindings.items()
            if any(isinstance(b, (ast.Import, ast.ImportFrom)) for b in bound)
        }

    def shuffles(self) -> bool:
        """Whether the file has a dataset that draws random numbers for its order."""
        return any(
            isinstance(n, ast.Call)
            and isinstance(n.func, ast.Attribute)
            and n.func.attr in SHUFFLING
            for n in walk_breadth_first(self.scopes.tree)
        )

    def seeds(self, statement: ast.stmt) -> bool:
        """Whether it seeds a generator of random numbers, of which each worker has one."""
        return (
            isinstance(statement, ast.Expr)
            and isinstance(statement.value, ast.Call)
            and self.scopes.find_dotted_path(statement.value.func) in SEEDS
        )

    def find_stateful_names(self, tail: list[ast.stmt]) -> set[str]:
        """Names whose objects the loop may advance: receivers and arguments of calls."""
        found: set[str] = set()
        for statement in tail:
            for node in walk_breadth_first(statement):
                if isinstance(node, ast.Call):
                    base: ast.expr = node.func
                    while isinstance(base, (ast.Attribute, ast.Subscript, ast.Call)):
                        base = base.func if isinstance(base, ast.Call) else base.value
                    if isinstance(base, ast.Name):
                        found.add(base.id)
                    for argument in node.args:
                        if isinstance(argument, ast.Name):
                            found.add(argument.id)
                elif isinstance(node, ast.For) and isinstance(node.iter, ast.Name):
                    found.add(node.iter.id)
        return found


class _Choice:
    """One choice of the statements that each worker runs itself, in order.

    Attributes:
      moved: these.
      moved_names: what they bind, or the loop.
      tail_binds: what the loop binds or changes.
      tainted: names that depend on the task's index.
    """

    def __init__(
        self,
        statements: WorkerStatements,
        candidates: list[ast.stmt],
        skip: set[ast.stmt],
    ) -> None:
        program = statements.program
        self._statements = statements
        self._scopes = statements.scopes
        self._candidates = candidates
        self._skip = skip
        self._kinds = {f.statement: f.kind for f in program.flows}
        self._own_place = {
            f.statement for f in program.flows[program.find_graph_end() :]
        }
        self._stateful = statements.find_stateful_names(program.tail)
        self._shuffles = statements.shuffles()
        tail = program.tail
        binds = set().union(
            *[names.find_binds(s) for s in tail],
            *[names.find_mutations(s) for s in tail],
        )
        modules = statements.find_modules()  # `np.random.shuffle(x)` changes no `np`.
        self.tail_binds = {n for n in binds if n.partition(".")[0] not in modules}
        self._tail_reads = set().union(
            *[names.find_reads(s) for s in tail],
            *[names.find_reads(d) for d in program.datasets],
        )
        self.moved: list[ast.stmt] = []
        self.moved_names = set(self.tail_binds)
        self.tainted: set[str] = set()

    def run(self) -> None:
        index = names.find_key(self._statements.index)
        for statement in self._candidates:
            if statement in self._skip or isinstance(statement, _DEFINITIONS):
                continue
            binds = names.find_binds(statement)
            if index is not None and index in binds:
                continue
            depends = self._statements.tasks.is_asked_by(statement) or bool(
                names.find_reads(statement) & self.tainted
            )
            if depends:
                self.tainted |= binds
            if self._is_own(statement, binds, depends):
                self.moved.append(statement)
                self.moved_names |= binds

    def _is_own(self, statement: ast.stmt, binds: set[str], depends: bool) -> bool:
        """Whether each worker has the statement for itself.

        Args:
          depends: whether it depends on the task's index.
        """
        kind = self._kinds.get(statement, Kind.HOST)
        if kind in _OF_CLUSTER:
            return False
        own = kind in _OF_SESSION
        if kind is Kind.DATASET or (
            kind is Kind.HOST and self._statements.is_dataset(binds)
        ):
            # A dataset has no position; its iterators do. One that shuffles has:
            # every iterator of it goes on with its random numbers.
            own = self._shuffles
            if not (depends or own):
                return False
        changes = names.find_mutations(statement) & self.moved_names
        return (
            own
            or self._makes_hook(statement)
            or bool(binds & self.tail_binds)
            or (bool(changes) and not isinstance(statement, ast.With))
            or statement in self._own_place
            or (
                bool(binds & self._stateful)
                and _calls(statement, self._scopes)
                and not self._stays(statement)
            )
            or (depends and self._matters(statement, binds))
        )

    def _matters(self, statement: ast.stmt, binds: set[str]) -> bool:
        """Whether the loop, or what moves to it, is another by this statement."""
        moved_reads = set().union(set(), *[names.find_reads(m) for m in self.moved])
        return (
            bool(binds & (self._tail_reads | moved_reads))
            or _is_needed_later(binds, self._candidates, statement, self._tail_reads)
            or self._statements.seeds(statement)
        )

    def _stays(self, statement: ast.stmt) -> bool:
        """Whether an object is made for others to see, and an end of the program follows.

        A reader loads its data before `if FLAGS.download_only: sys.exit()`. It is made
        there, and each other worker makes one of its own: see `worker_state`.
        """
        if not (
            isinstance(statement, ast.Assign)
            and len(statement.targets) == 1
            and isinstance(statement.targets[0], ast.Name)
            and effects.is_seen(statement.value, self._scopes)
        ):
            return False
        after = self._candidates[self._candidates.index(statement) + 1 :]
        joins = set(self._statements.program.joins)
        return any(
            isinstance(node, (ast.Raise, ast.Return))
            or node in joins
            or (isinstance(node, ast.Call) and effects.ends(node, self._scopes))
            for other in after
            if isinstance(other, ast.If)
            for node in names.walk_scope(other)
        )

    def _makes_hook(self, statement: ast.stmt) -> bool:
        return any(
            isinstance(n, ast.Call)
            and roles.KIND_OF_CALL.get(self._scopes.resolve(n.func) or "")
            in (Kind.HOOK, Kind.WRITER, Kind.SCAFFOLD)
            for n in walk_breadth_first(statement)
        )


def _bind(statements: Iterable[ast.stmt]) -> set[str]:
    return set().union(*[names.find_binds(s) for s in statements])


def _calls(statement: ast.stmt, scopes: Scopes) -> bool:
    """Whether the statement makes an object that may have a state of its own."""
    for node in names.walk_scope(statement):
        if isinstance(node, ast.Call):
            path = scopes.find_dotted_path(node.func) or ""
            if isinstance(node.func, ast.Name) and node.func.id in _PURE_CALLS:
                continue
            if path.startswith(("numpy.", "os.", "json.", "absl.", "argparse")):
                continue
            if (scopes.resolve(node.func) or "").startswith(("tf.app", "tf.flags")):
                continue
            if isinstance(node.func, ast.Attribute) and node.func.attr in (
                "split",
                "strip",
                "join",
                "format",
                "get",
                "parse_args",
                "astype",
                "reshape",
            ):
                continue
            return True
    return False


def _is_needed_later(
    binds: set[str],
    candidates: list[ast.stmt],
    statement: ast.stmt,
    tail_reads: set[str],
) -> bool:
    """Whether what a statement binds reaches the loop through later statements."""
    wanted = set(binds)
    started = False
    for other in candidates:
        if other is statement:
            started = True
            continue
        if started and names.find_reads(other) & wanted:
            wanted |= names.find_binds(other)
    return bool(wanted & tail_reads)
