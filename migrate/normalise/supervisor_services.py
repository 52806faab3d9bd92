"""What a Supervisor had beside its session: a writer, a saver, functions called by time.

Each is made once, where the Supervisor was, if the program asks for it; its uses are
uses of that. (tensorflow/python/training/supervisor.py of 1.15.)
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Callable

from migrate.facts import names
from migrate.facts.scopes import Scopes


@dataclasses.dataclass
class Services:
    """What the program's Supervisor gave beside its session, as the program asks for it.

    Attributes:
      tensorflow: the name of TensorFlow in the program.
      name: the Supervisor's.
      given: its arguments.
      flat: an argument's text in one line.
      lines: what is to stand where the Supervisor was made.
      starts: what is to stand where the session begins.
      stops: what is to stand after its end.
    """

    tensorflow: str
    name: str
    given: dict[str, ast.expr]
    flat: Callable[[ast.expr], str]
    lines: list[str] = dataclasses.field(default_factory=list)
    starts: list[str] = dataclasses.field(default_factory=list)
    stops: list[str] = dataclasses.field(default_factory=list)

    def _made(self, what: str, value: str) -> str:
        """The name of something made in place of the Supervisor."""
        name = f"{self.name}_{what}"
        line = f"{name} = {value}"
        if line not in self.lines:
            self.lines.append(line)
        return name

    def _asked(self, argument: str) -> str | None:
        """An argument that was given, and is not None."""
        value = self.given.get(argument)
        if value is None or (isinstance(value, ast.Constant) and value.value is None):
            return None
        return self.flat(value)

    def writer(self) -> str | None:
        """The writer of summaries; None where the Supervisor had none.

        Only the chief's Supervisor had one.
        """
        if "summary_writer" in self.given:
            return self._asked("summary_writer")
        logdir = self._asked("logdir")
        if logdir is None:
            return None
        made = f"{self.tensorflow}.summary.FileWriter({logdir})"
        chief = self._asked("is_chief")
        if chief not in (None, "True"):
            made += f" if {chief} else None"
        return self._made("summary_writer", made)

    @property
    def has_saver(self) -> bool:
        """Whether it was given a saver, or the program asks for the one it had."""
        made = f"{self.name}_saver = "
        return "saver" in self.given or any(x.startswith(made) for x in self.lines)

    def saver(self) -> str | None:
        """The saver; None where it was told to have none."""
        if "saver" in self.given:
            return self._asked("saver")
        return self._made("saver", f"{self.tensorflow}.train.Saver()")

    def summary(self) -> str:
        """The operation that its thread ran: by default all summaries, merged."""
        return self._asked("summary_op") or (
            "None"
            if "summary_op" in self.given
            else self._made("summary_op", f"{self.tensorflow}.summary.merge_all()")
        )

    def global_step(self) -> str:
        """The variable that it took for the global step."""
        return self._asked("global_step") or (
            f"{self.tensorflow}.train.get_global_step()"
        )

    def coordinator(self) -> str:
        """The coordinator of the threads that call functions by time."""
        name = f"{self.name}_coord"
        self.starts = [f"{name} = {self.tensorflow}.train.Coordinator()"]
        self.stops = [f"{name}.request_stop()", f"{name}.join()"]
        return name

    def add_summary(self, call: ast.Call) -> str | None:
        """`sv.summary_computed(sess, summary, step)`; None where that cannot be."""
        bound = names.bound_arguments(call, ("sess", "summary", "global_step"))
        writer = self.writer()
        if bound is None or writer is None or not {"sess", "summary"} <= bound.keys():
            return None
        step = bound.get("global_step")
        at = (
            self.flat(step)
            if step is not None
            else f"{self.tensorflow}.train.global_step("
            f"{self.flat(bound['sess'])}, {self.global_step()})"
        )
        return f"{writer}.add_summary({self.flat(bound['summary'])}, {at})"

    def loop(self, call: ast.Call, scopes: Scopes, session: str) -> str | None:
        """`sv.loop(secs, target, args)` of plain Python; None where it does more.

        A step that another thread ran would be a step of no worker's loop; what the
        module has, each worker had for itself, and a thread of it is none of them.
        """
        parameters = ("timer_interval_secs", "target", "args", "kwargs")
        bound = names.bound_arguments(call, parameters)
        if bound is None or not {"timer_interval_secs", "target"} <= bound.keys():
            return None
        target = bound["target"]
        called: ast.AST = target
        if isinstance(target, ast.Name):
            owner = scopes.scope_of(target).owner(target.id)
            bindings = owner.bindings[target.id] if owner is not None else []
            if len(bindings) != 1 or not isinstance(bindings[0], ast.FunctionDef):
                return None
            called = bindings[0]
        elif not isinstance(target, ast.Lambda):
            return None
        parts: list[ast.AST] = [called, *bound.values()]
        if any(
            isinstance(n, ast.Name)
            and (
                n.id in (session, self.name)
                or (scopes.resolve(n) or "").startswith("tf")
            )
            for part in parts
            for n in ast.walk(part)
        ):
            return None
        outside = names.free(called) if isinstance(called, ast.FunctionDef) else set()
        for name in outside:
            bindings = scopes.module.bindings.get(name, [])
            if not all(isinstance(b, (ast.Import, ast.ImportFrom)) for b in bindings):
                return None
        given = ", ".join(self.flat(value) for value in bound.values())
        if list(bound) != list(parameters[: len(bound)]):
            given = ", ".join(f"{k}={self.flat(v)}" for k, v in bound.items())
        return (
            f"{self.tensorflow}.train.LooperThread.loop({self.coordinator()}, {given})"
        )
