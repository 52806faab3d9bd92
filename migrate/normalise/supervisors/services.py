"""Writes a Supervisor's services beside its session: writer, saver, timed functions.

Each is made once, where the Supervisor was, if the program asks for it; its uses are
uses of that. (tensorflow/python/training/supervisor.py of 1.15.)
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Callable

from migrate.facts import global_steps, names, reach
from migrate.facts.scopes import Scope, Scopes
from migrate.normalise.supervisors import loops as supervisor_loops
from migrate.normalise.text import Edit
from migrate.source.nodes import walk_breadth_first
from migrate.tables import roles


@dataclasses.dataclass
class Services:
    """One Supervisor's services, each written when the program asks for it.

    Attributes:
      tensorflow: the name of TensorFlow in the program.
      name: the Supervisor's.
      given: its arguments.
      flat: an argument's text in one line.
      step: the program's name for the graph's global step; None if it is not known.
      lines: the lines that replace the making of the Supervisor.
    """

    tensorflow: str
    name: str
    given: dict[str, ast.expr]
    flat: Callable[[ast.expr], str]
    step: str | None = None
    lines: list[str] = dataclasses.field(default_factory=list)

    def _name_service(self, what: str, value: str) -> str:
        """The name of something made in place of the Supervisor."""
        name = f"{self.name}_{what}"
        line = f"{name} = {value}"
        if line not in self.lines:
            self.lines.append(line)
        return name

    def _read_argument(self, argument: str) -> str | None:
        """An argument that was given, and is not None."""
        value = self.given.get(argument)
        if value is None or (isinstance(value, ast.Constant) and value.value is None):
            return None
        return self.flat(value)

    def write_writer(self) -> str | None:
        """The writer of summaries; None if the Supervisor had none.

        Only the chief's Supervisor had one.
        """
        if "summary_writer" in self.given:
            return self._read_argument("summary_writer")
        logdir = self._read_argument("logdir")
        if logdir is None:
            return None
        made = f"{self.tensorflow}.summary.FileWriter({logdir})"
        chief = self._read_argument("is_chief")
        if chief not in (None, "True"):
            made += f" if {chief} else None"
        return self._name_service("summary_writer", made)

    @property
    def has_saver(self) -> bool:
        """Whether it was given a saver, or the program asks for the one it had."""
        made = f"{self.name}_saver = "
        return "saver" in self.given or any(x.startswith(made) for x in self.lines)

    def write_saver(self) -> str | None:
        """The saver; None if it was told to have none."""
        if "saver" in self.given:
            return self._read_argument("saver")
        return self._name_service("saver", f"{self.tensorflow}.train.Saver()")

    def write_summary(self) -> str:
        """The operation that its thread ran: by default all summaries, merged."""
        return self._read_argument("summary_op") or (
            "None"
            if "summary_op" in self.given
            else self._name_service(
                "summary_op", f"{self.tensorflow}.summary.merge_all()"
            )
        )

    def write_global_step(self) -> str:
        """The variable that it took for the global step."""
        return self._read_argument("global_step") or (
            self.step or f"{self.tensorflow}.train.get_global_step()"
        )

    def add_summary(self, call: ast.Call) -> list[Edit] | None:
        """`sv.summary_computed(sess, summary, step)`; None if that cannot be."""
        bound = names.bind_arguments(call, ("sess", "summary", "global_step"))
        writer = self.write_writer()
        if bound is None or writer is None or len(call.args) < 2:
            return None
        session = ast.Pass()  # A node of its place, to where the summary begins.
        session.lineno, session.col_offset = (
            call.args[0].lineno,
            call.args[0].col_offset,
        )
        session.end_lineno = call.args[1].lineno
        session.end_col_offset = call.args[1].col_offset
        edits = [Edit(call.func, f"{writer}.add_summary"), Edit(session, "")]
        if "global_step" not in bound:
            end = ast.Pass()
            end.lineno = end.end_lineno = call.args[1].end_lineno or 0
            end.col_offset = end.end_col_offset = call.args[1].end_col_offset or 0
            asked = f"{self.flat(bound['sess'])}, {self.write_global_step()}"
            step = f"{self.tensorflow}.train.global_step({asked})"
            edits.append(Edit(end, f", {step}"))
        return edits

    def edit_loop(
        self, call: ast.Call, scopes: Scopes, session: str
    ) -> list[Edit] | None:
        """`sv.loop(secs, target, args)`; None if it is not seen what is run."""
        bound = names.bind_arguments(call, supervisor_loops.PARAMETERS)
        if bound is None or not {"timer_interval_secs", "target"} <= bound.keys():
            return None
        target = bound["target"]
        called: ast.AST = target
        if isinstance(target, ast.Name):
            owner = scopes.find_scope(target).find_owner(target.id)
            bindings = owner.bindings[target.id] if owner is not None else []
            if len(bindings) != 1 or not isinstance(bindings[0], ast.FunctionDef):
                return None
            called = bindings[0]
            statement = scopes.parents[call]
            beside = scopes.parents[called] is scopes.parents[statement]
            if not beside and supervisor_loops.runs(called, scopes):
                return None
        elif not isinstance(target, ast.Lambda):
            return None
        # Functions that it gives the session to are not beside the loop.
        if any(
            supervisor_loops.runs(function, scopes)
            for function in reach.find_reached(scopes, [called])
            if isinstance(function, ast.FunctionDef)
            and scopes.find_scope(call) is not scopes.module
        ):
            return None
        return [Edit(call.func, f"{session}.loop")]


def step_name(scopes: Scopes, place: ast.AST) -> str | None:
    """Returns the one name for the graph's global step at a place."""
    found: set[str] = set()
    scope: Scope | None = scopes.find_scope(place)
    while scope is not None:
        for name, bindings in scope.bindings.items():
            if len(bindings) != 1 or not isinstance(bindings[0], ast.Assign):
                continue
            if isinstance(bindings[0].targets[0], ast.Name):
                if global_steps.is_step(scopes, bindings[0]):
                    found.add(name)
                found |= {f"{name}.{a}" for a in _find_kept_steps(scopes, bindings[0])}
        scope = scope.parent
    return found.pop() if len(found) == 1 else None


def _find_kept_steps(scopes: Scopes, made: ast.Assign) -> list[str]:
    """Lists the attributes that are the global step, of an object of the file."""
    call = made.value
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name)):
        return []
    bound = scopes.module.bindings.get(call.func.id, [])
    if len(bound) != 1 or not isinstance(bound[0], ast.ClassDef):
        return []
    return [
        target.attr
        for node in walk_breadth_first(bound[0])
        if isinstance(node, ast.Assign)
        and isinstance(target := node.targets[0], ast.Attribute)
        and names.find_key(target) == f"self.{target.attr}"
        and global_steps.is_step(scopes, node)
    ]


def runs_after_stop(scopes: Scopes, supervisor: str, session: str) -> bool:
    """Whether the session is run where a stop may have been asked for.

    A Supervisor's session ran on; a MonitoredTrainingSession raises an error.
    """
    asked = (supervisor, f"{supervisor}.coord", session)
    stops: list[ast.Call] = []
    runs: list[ast.Call] = []
    for node in scopes.walk():
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        receiver = names.find_key(node.func.value)
        given = names.find_argument(node, "session", 1)
        if node.func.attr in ("request_stop", "RequestStop") and receiver in asked:
            stops.append(node)
        elif node.func.attr == "run" and receiver == session:
            if not _reads_variable(scopes, names.find_argument(node, "fetches", 0)):
                runs.append(node)
        elif node.func.attr == "eval" and given is not None:
            if names.find_key(given) == session:
                runs.append(node)
    return any(
        scopes.find_scope(stop) is scopes.find_scope(run)
        and _may_follow(scopes, stop, run)
        for stop in stops
        for run in runs
    )


def _reads_variable(scopes: Scopes, fetched: ast.expr | None) -> bool:
    """Whether it is one variable, which is read without the session."""
    key = names.find_key(fetched) if fetched is not None else None
    owner = scopes.find_scope(fetched).find_owner(key) if key and fetched else None
    made = owner.bindings.get(key or "", []) if owner is not None else []
    return bool(made) and all(
        isinstance(b, ast.Assign)
        and isinstance(b.value, ast.Call)
        and (scopes.resolve(b.value.func) or "")
        in roles.VARIABLES | frozenset(roles.GLOBAL_STEPS)
        for b in made
    )


def _may_follow(scopes: Scopes, stop: ast.AST, run: ast.AST) -> bool:
    """Whether a call may be made after another one, of those that stand below it."""
    if run.lineno <= stop.lineno:  # type: ignore[attr-defined]
        return False  # Before it, or in a later round, which the loop asks about.
    left: set[ast.AST] = set()  # Blocks of which nothing more is run.
    node = stop
    while node in scopes.parents:
        parent = scopes.parents[node]
        suites = [s for _, s in names.list_suites(parent)]  # type: ignore[arg-type]
        for suite in (s for s in suites if node in s):
            for later in suite[suite.index(node) + 1 :]:  # type: ignore[arg-type]
                if any(n is run for n in walk_breadth_first(later)):
                    return not left
                if isinstance(later, (ast.Return, ast.Raise)):
                    return False
                if isinstance(later, (ast.Break, ast.Continue)):
                    left.add(later)
        if isinstance(parent, (ast.For, ast.While)):
            left.clear()
        node = parent
    return False
