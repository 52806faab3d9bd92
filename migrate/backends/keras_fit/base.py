"""Holds what all edits of a program share."""

from __future__ import annotations

import ast
import dataclasses

from migrate.backends.keras.layout import Argument
from migrate.backends.keras.layout import write_call as laid_out
from migrate.backends.keras_fit.classes import ModelClass
from migrate.backends.keras_fit.compiled import Compiled
from migrate.backends.keras_fit.inputs import Inputs
from migrate.backends.keras_fit.names import Names
from migrate.backends.keras_fit.places import find_suite
from migrate.backends.keras_fit.program import Program, Run, Trained
from migrate.plan import Item, Plan
from migrate.program.code import Code, join_code, make_code
from migrate.tables import keras_fit as table

M = table.MODULE


@dataclasses.dataclass(eq=False)
class Model:
    """The Keras model that replaces an Estimator.

    Attributes:
      name: of the model that is trained.
      asked: of the model that evaluates and predicts; a copy if a strategy trains.
      directory: the directory of its checkpoints.
      strategy: the name of the strategy; "" for none.
      dataset: the data of its first training, if it is made before the model.
    """

    one: Trained
    class_: ModelClass
    name: str
    asked: str
    directory: Code
    strategy: str = ""
    dataset: str = ""


class Edits:
    """The plan, with the program that it is made from.

    Args:
      original: the text that was migrated.
    """

    def __init__(self, program: Program, original: str) -> None:
        self._program, self._scopes = program, program.scopes
        self._original = original
        self._plan = Plan()
        self._inputs = Inputs(program.scopes)
        self._names = Names(program.scopes)
        self._tf = self._names.tf
        self._classes: dict[ast.ClassDef, ModelClass] = {}
        # Classes that `compile` can replace -> its arguments, and the function for the model.
        self._compiled: dict[ast.ClassDef, tuple[Compiled, str]] = {}
        self._knowing: set[ast.ClassDef] = set()  # Keep their directory.
        self._building: set[ast.ClassDef] = set()  # Build their model.
        self._written: set[str] = set()  # Names of functions.
        # The items before a statement, and those that replace one.
        self._before: dict[ast.stmt, list[Item]] = {}
        self._new: dict[ast.stmt, list[Item]] = {}

    def _write_evaluated(self, model: Model, name: ast.expr | None) -> Code:
        """Writes the callback that logs an evaluation."""
        given: list[Argument] = [("", model.directory)]
        if name is not None:
            given.append(("name", name))
        return laid_out(f"{M}.Evaluated", given, 0)

    def _write_asked(self, model: Model, run: Run) -> Code:
        """Writes the model for evaluation, with the values of the latest checkpoint.

        An Estimator read the checkpoint at each call. After a training of the model itself the
        model already has its values.
        """
        if self._is_trained_before(model, run):
            return make_code(model.asked)
        return make_code(f"{M}.restore({model.asked}, ", model.directory, ")")

    def _is_trained_before(self, model: Model, run: Run) -> bool:
        """Whether the model itself is trained before, in the same suite."""
        if model.strategy or len(self._program.trained) > 1:
            return False
        suite = find_suite(run.statement, self._scopes)
        return any(
            other.kind == "train"
            and "max_steps" not in other.given  # Perhaps no steps are left.
            and other.statement in suite
            and other.call.lineno < run.call.lineno
            for other in model.one.runs
        )


def split_hooks(hooks: ast.expr | None) -> list[Code]:
    """Returns hooks as the parts of a list."""
    if hooks is None:
        return []
    if isinstance(hooks, (ast.List, ast.Tuple)):
        return [make_code(element) for element in hooks.elts]
    return [make_code("*", hooks)]


def write_list(parts: list[Code], broken: bool = False) -> Code:
    """Writes a list; several parts, or `broken`, put each part on its own line."""
    if len(parts) == 1 and not broken:
        return make_code("[", parts[0], "]")
    return make_code("[\n        ", join_code(",\n        ", parts), "]")
