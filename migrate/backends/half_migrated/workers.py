"""Gives each worker the state that its process had, now that one process runs all loops.

Statements that make objects which a loop uses up or changes go into the loop's function.
Datasets that a worker shuffles, or of which it takes its shard, are made once per worker.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.half_migrated import Refused
from migrate.frontends.keras_names import find_definition
from migrate.plan import Plan
from migrate.program.code import Code, make_code
from migrate.program.eager import EagerProgram, Server
from migrate.rules.mistakes.mistake import find_method
from migrate.rules.mistakes.replicas import gives_dataset
from migrate.source.nodes import walk_breadth_first
from migrate.tables.worker_state import GENERATORS, NUMPY_STATEFUL

SHUFFLE = "shuffle"
_DRAWN_FROM = NUMPY_STATEFUL | {"random.Random"}
_TELLS = ("print", "logging.", "tf.logging.", "tf.get_logger", "absl.logging.")


class WorkersOwn:
    """Plans one program's statements that belong to each worker.

    Attributes:
      statements: those before the session that go into the loop's function.
    """

    def __init__(
        self,
        program: EagerProgram,
        server: Server,
        scopes: Scopes,
        plan: Plan,
        found: Callable[[ast.AST, str, str], None],
    ) -> None:
        self._program = program
        self._scopes = scopes
        self._plan = plan
        self._found = found
        self._index = server.task_index
        self._dump = ast.dump(server.task_index)
        self._tail = [program.session, *program.after]
        needed = [server.statement, *server.joins, scopes.parents[program.cluster]]
        # Code that names this process's place belongs to this process alone.
        self._place = {
            s
            for s in [*program.suite, *scopes.tree.body]
            if s is not program.session
            and any(node in needed for node in walk_breadth_first(s))
        }
        # State that the workers share, or that each has in its own place on the servers.
        self._of_all = {*program.made, *(m.statement for m in program.metrics)}
        changed = {
            n
            for s in self._tail
            for n in names.find_binds(s)
            | names.find_mutations(s)
            | _find_shuffled_names(s)
        }
        self._changed = changed - _find_loop_names(self._tail)
        self.statements = self._find_moved_statements()

    def run(self) -> None:
        """Plans the edits.

        Raises:
          Refused: the program needs such state before the loops begin, or in another place.
        """
        self._check_moved()
        self._find_generators()
        self._wrap_datasets()
        self._check_functions()
        self._check_outside()

    def names_task(self, node: ast.AST) -> bool:
        """Whether code names the task's index."""
        return any(True for _ in self.find_indices(node))

    def find_indices(self, node: ast.AST) -> Iterator[ast.expr]:
        """Yields every use of the task's index, unless the index is a constant."""
        if isinstance(self._index, ast.Constant):
            return
        for inner in walk_breadth_first(node):
            if isinstance(inner, ast.expr) and ast.dump(inner) == self._dump:
                yield inner

    def _find_moved_statements(self) -> list[ast.stmt]:
        changed = self._changed
        read = {n for s in self._tail for n in names.find_reads(s)}
        found: list[ast.stmt] = []
        for statement in self._program.suite[: self._program.at]:
            if statement in self._of_all or statement in self._place:
                continue
            if (
                names.list_suites(statement)
                or self._find_dataset(statement) is not None
            ):
                continue
            if isinstance(statement, (ast.Import, ast.ImportFrom)):
                continue
            bound = names.find_binds(statement)
            used_up = bound & read and _begins(self._scopes, statement)
            if (
                bound & changed
                or used_up
                or (bound & read and self.names_task(statement))
            ):
                found.append(statement)
        return found

    def _check_moved(self) -> None:
        program = self._program
        changed = self._changed
        bound = {n for s in self.statements for n in names.find_binds(s)}
        for statement in program.suite[: program.at]:
            if statement in self.statements or isinstance(
                statement, (ast.Import, ast.ImportFrom)
            ):
                continue
            clash = names.find_reads(statement) & bound
            if not clash and statement not in self._of_all:
                clash = (
                    names.find_binds(statement)
                    & changed - {program.session_name} - bound
                )
            if clash:
                raise _refuse_early_statement(statement, sorted(clash)[0])
        for node in (n for s in self._tail for n in walk_breadth_first(s)):
            if isinstance(node, (ast.Global, ast.Nonlocal)):
                raise Refused(
                    "C109",
                    node,
                    "each worker's process had its own copy. Now one process runs "
                    "the loops of all workers",
                    "Make it a variable of the loop.",
                )

    def _find_generators(self) -> None:
        """Rewrites seeds of numpy's and Python's own generators, and draws by loops."""
        drawing = {n for s in self._tail for n in walk_breadth_first(s)}
        for function in self._scopes.walk():
            if isinstance(function, (ast.FunctionDef, ast.Lambda)):
                if function is not self._find_driver():
                    drawing |= set(walk_breadth_first(function))
        for node in self._scopes.walk():
            if not isinstance(node, (ast.Name, ast.Attribute)):
                continue
            path = self._scopes.find_dotted_path(node) or ""
            module, _, last = path.rpartition(".")
            if module not in GENERATORS or last in GENERATORS[module][1]:
                continue
            if node in drawing or last == "seed":
                own = f"training_session.{GENERATORS[module][0]}.{last}"
                self._plan.replace(node, make_code(own))
                self._found(
                    node,
                    "C106",
                    "each worker has a copy of its own, as each worker's process had",
                )

    # -- datasets -------------------------------------------------------------------------

    def _find_dataset(self, statement: ast.stmt) -> ast.Name | None:
        """Returns the name that a statement binds to a dataset."""
        if (
            isinstance(statement, ast.Assign)
            and len(statement.targets) == 1
            and isinstance(statement.targets[0], ast.Name)
            and gives_dataset(self._scopes, statement.value)
        ):
            return statement.targets[0]
        return None

    def _wrap_datasets(self) -> None:
        """Makes datasets per worker if they differ between workers, or depend on such ones."""
        program = self._program
        each: set[str] = set()
        for statement in program.suite[: program.at]:
            if statement in self.statements or statement in self._place:
                continue
            differs = self.names_task(statement) or bool(
                names.find_reads(statement) & each
            )
            name = self._find_dataset(statement)
            if name is not None:
                assert isinstance(statement, ast.Assign)
                if differs or _shuffles(self._scopes, statement.value):
                    each.add(name.id)
                    self._wrap(name.id, statement.value)
            elif differs and not isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
                later = [s for s in program.suite if s.lineno > statement.lineno]
                read = {n for s in later for n in names.find_reads(s)}
                if names.find_binds(statement) & read or not self._is_message(
                    statement
                ):
                    shown = sorted(names.find_binds(statement) & read) or ["this"]
                    raise _refuse_early_statement(statement, shown[0])

    def _wrap(self, name: str, value: ast.expr) -> None:
        given = f" {name}={name}" if name in names.find_reads(value) else ""
        head = f"training_session.per_worker(\n    lambda{given}: "
        self._plan.replace(value, make_code(head, value, ")"))
        for index in self.find_indices(value):
            self._plan.replace(index, self._write_task_index())
        self._found(
            value,
            "C106",
            "each worker has a copy of its own, as each worker's process had",
        )

    def _write_task_index(self) -> Code:
        return make_code(f"training_session.task_index({ast.unparse(self._index)})")

    def _is_message(self, statement: ast.stmt) -> bool:
        """Whether a statement prints or logs, or only binds names."""
        if names.find_binds(statement):
            return True
        value = statement.value if isinstance(statement, ast.Expr) else None
        if not isinstance(value, ast.Call):
            return False
        dotted = self._scopes.resolve(value.func) or self._scopes.find_dotted_path(
            value.func
        )
        return (dotted or ast.unparse(value.func)).startswith(_TELLS)

    # -- the index elsewhere ------------------------------------------------------------------

    def _check_functions(self) -> None:
        """Rewrites the index in functions: it is the task of the loop that calls them."""
        driver = self._find_driver()
        for node in walk_breadth_first(self._scopes.tree):
            if isinstance(node, ast.FunctionDef) and node is not driver:
                for statement in node.body:
                    if statement in self._program.suite:
                        break
                    for index in self.find_indices(statement):
                        if not isinstance(index, ast.Name) or (
                            self._scopes.find_scope(index).find_owner(index.id)
                            is self._scopes.find_scope(self._index).find_owner(index.id)
                        ):
                            self._plan.replace(index, self._write_task_index())

    def _find_driver(self) -> ast.AST:
        node: ast.AST = self._program.session
        while not isinstance(node, (ast.FunctionDef, ast.Module)):
            node = self._scopes.parents[node]
        return node

    def _check_outside(self) -> None:
        """Raises Refused if statements outside of the suite put the index into names."""
        read = {n for s in self._program.suite for n in names.find_reads(s)}
        for statement in self._scopes.tree.body:
            if statement in self._program.suite or statement in self._place:
                continue
            if isinstance(
                statement, (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
            ):
                continue
            if any(s in walk_breadth_first(statement) for s in self._program.suite):
                continue
            bound = names.find_binds(statement) & read
            if self.names_task(statement) and bound:
                raise _refuse_early_statement(statement, sorted(bound)[0])


def _find_loop_names(statements: list[ast.stmt]) -> set[str]:
    """Returns names that loops bind, and that only their bodies read."""
    inner: dict[str, set[ast.AST]] = {}
    targets: set[ast.AST] = set()
    for loop in (n for s in statements for n in walk_breadth_first(s)):
        if not isinstance(loop, ast.For):
            continue
        body = {n for s in loop.body for n in walk_breadth_first(s)}
        for node in walk_breadth_first(loop.target):
            if isinstance(node, ast.Name):
                targets.add(node)
                inner.setdefault(node.id, set()).update(body)
    for node in (n for s in statements for n in walk_breadth_first(s)):
        if isinstance(node, ast.Name) and node.id in inner and node not in targets:
            if not isinstance(node.ctx, ast.Load) or node not in inner[node.id]:
                del inner[node.id]
    return set(inner)


def _refuse_early_statement(statement: ast.stmt, name: str) -> Refused:
    return Refused(
        "C109",
        statement,
        f"`{name}` is each worker's own, but the program uses it before the loops "
        "of the workers begin",
        "Set it at the beginning of the loop.",
    )


def _find_shuffled_names(statement: ast.stmt) -> set[str]:
    """Returns names whose object is shuffled in place: `np.random.shuffle(rows)`."""
    return {
        call.args[0].id
        for call in walk_breadth_first(statement)
        if isinstance(call, ast.Call)
        and find_method(call) == SHUFFLE
        and call.args
        and isinstance(call.args[0], ast.Name)
    }


def _is_used_up(scopes: Scopes, made: ast.Call) -> bool:
    """Whether a seeded generator draws only once: `RandomState(0).rand(8)`."""
    seeded = bool(made.args) and all(isinstance(a, ast.Constant) for a in made.args)
    drawn = scopes.parents.get(made)
    around = scopes.parents.get(drawn) if drawn is not None else None
    return (
        seeded
        and isinstance(drawn, ast.Attribute)
        and isinstance(around, ast.Call)
        and around.func is drawn
    )


def _begins(scopes: Scopes, statement: ast.stmt) -> bool:
    """Whether a statement makes an object that a loop uses up: an iterator, hooks, a file."""
    return any(
        isinstance(n, ast.Call)
        and (
            (isinstance(n.func, ast.Name) and n.func.id in ("iter", "open"))
            or (scopes.resolve(n.func) or "").endswith(("Hook", ".create_file_writer"))
            or (
                (scopes.find_dotted_path(n.func) or "") in _DRAWN_FROM
                and not _is_used_up(scopes, n)
            )
        )
        for n in walk_breadth_first(statement)
    )


def _shuffles(scopes: Scopes, value: ast.expr) -> bool:
    for node in walk_breadth_first(value):
        if isinstance(node, ast.Call):
            if find_method(node) == SHUFFLE:
                return True
            called = find_definition(scopes, node.func)
            if isinstance(called, ast.FunctionDef) and any(
                isinstance(n, ast.Call) and find_method(n) == SHUFFLE
                for n in walk_breadth_first(called)
            ):
                return True
    return False
