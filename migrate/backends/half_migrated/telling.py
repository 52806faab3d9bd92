"""Reports the new meaning of a half-migrated program, and questions for its author."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from migrate.backends.half_migrated.workers import SHUFFLE
from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.findings import Outcome
from migrate.program.eager import EagerProgram
from migrate.rules.mistakes.mistake import find_binding, find_method
from migrate.source.nodes import walk_breadth_first

# Functions that take a seed as an argument.
_GENERATORS = ("RandomState", "default_rng", "seed")


class Telling:
    """The findings of one program.

    Args:
      found: takes a finding.
      together: whether the workers make every step together.
      loops: whether each worker has a loop of its own.
    """

    def __init__(
        self,
        program: EagerProgram,
        scopes: Scopes,
        found: Callable[..., None],
        together: bool,
        loops: bool,
    ) -> None:
        self._program = program
        self._scopes = scopes
        self._found = found
        self._together = together
        self._loops = loops

    def run(self) -> None:
        """Adds the findings of the program."""
        program = self._program
        at = program.step.function or program.step.body[0]
        if self._together:
            reason = (
                "each worker has a part of every batch, and the update is that of one "
                "process with the whole batch"
            )
        elif self._loops:
            reason = (
                "every worker's loop goes through the dataset and updates the shared "
                "weights with its own batches, as its process would have"
            )
        else:
            reason = "the one client makes one step after the other, on a worker"
        self._found(at, "D132", reason)
        for node in (n for s in program.step.body for n in walk_breadth_first(s)):
            if isinstance(node, ast.Call):
                self._report_print(node)
        if program.endless is not None:
            self._found(
                program.endless,
                "D134",
                "nothing ends this loop, because the session has no hook that "
                "stops it. Use hooks=[tf.train.StopAtStepHook(...)], or a break",
                outcome=Outcome.KEPT,
            )
        if self._together:
            for node in self._find_unseeded_calls():
                self._found(
                    node,
                    "D135",
                    "without a seed each worker shuffles in another order, so "
                    "their parts belong to different batches",
                    outcome=Outcome.KEPT,
                )

    def _report_print(self, call: ast.Call) -> None:
        """Reports where the output of a step's print is seen now."""
        reason = "printed by the worker that makes the step"
        if self._together:
            reason = "every worker prints the value for its part of the batch"
        if isinstance(call.func, ast.Name) and call.func.id == "print":
            reason = "printed once, when the step is traced, as before"
        elif self._scopes.resolve(call.func) != "tf.print":
            return
        self._found(call, "D152", reason, outcome=Outcome.KEPT)

    def _find_unseeded_calls(self) -> Iterator[ast.Call]:
        seeded = False
        drawn: list[ast.Call] = []
        for node in walk_breadth_first(self._scopes.tree):
            if not isinstance(node, ast.Call):
                continue
            dotted = self._scopes.find_dotted_path(node.func) or ""
            drawn_by = self._find_generator_maker(node) if find_method(node) else None
            if isinstance(drawn_by, ast.Call) and not drawn_by.args:
                drawn.append(node)  # `rng = np.random.default_rng()`
            if dotted.startswith("numpy.random."):
                seeded = seeded or dotted == "numpy.random.seed"
                if not (node.args and dotted.endswith(_GENERATORS)):
                    drawn.append(node)
            elif find_method(node) == SHUFFLE:
                if names.find_argument(node, "seed", 1) is None and not node.args[1:]:
                    if not isinstance(self._find_generator_maker(node), ast.Call):
                        yield node
        if not seeded and self._program.source.dataset is None:
            block = set(walk_breadth_first(self._program.session))
            yield from (call for call in drawn if call in block)

    def _find_generator_maker(self, call: ast.Call) -> ast.expr | None:
        """Returns the call that made the generator: `rng = np.random.RandomState(0)`."""
        assert isinstance(call.func, ast.Attribute)
        made = find_binding(self._scopes, call.func.value)
        dotted = (
            self._scopes.find_dotted_path(made.func)
            if isinstance(made, ast.Call)
            else ""
        )
        return made if (dotted or "").startswith("numpy.random.") else None
