"""Describes how a model_fn's training changes its variables, as a Keras model does."""

from __future__ import annotations

import ast
import dataclasses

from migrate.program.keras_units import Unit


@dataclasses.dataclass(frozen=True, eq=False)
class Averaged:
    """Moving averages of the trainable variables, updated after every training update.

    Attributes:
      name: of the object that updates them.
      unit: the statement that does it.
      scopes: around it, as in Update.
    """

    name: str
    unit: Unit
    scopes: tuple[tuple[str, str], ...] = ()


@dataclasses.dataclass(frozen=True, eq=False)
class Held:
    """A learning rate that a variable holds.

    Attributes:
      unit: the statement that makes it.
      call: the assigned call.
      name: the variable's, scopes included.
      initializer: the expression of its first value.
    """

    unit: Unit
    call: ast.Call
    name: str
    initializer: ast.expr


@dataclasses.dataclass(frozen=True, eq=False)
class Computed:
    """A learning rate that a function of the model computes anew in every step.

    Attributes:
      name: of the rate, and of the function.
      units: the statements that compute it.
    """

    name: str
    units: tuple[Unit, ...]


@dataclasses.dataclass(frozen=True, eq=False)
class Update:
    """The update by which training changes the variables.

    Attributes:
      units: statements that make the optimizer, its rate included: they run once.
      optimizer: the expression that is the optimizer.
      loss: the loss that is minimised.
      gradients: statements from gradients to the update; empty for `minimize`.
      computed: `compute_gradients`, or tf.gradients, among them.
      applied: the call that updates.
      schedules: names of learning-rate schedules.
      casts: calls that only make the step another integer -> the step.
      functions: of the module, that make rates and optimizers.
      averaged: the moving averages after it, or None; `units` make their object.
      rate: a schedule that statements among `units` compute, or None.
      chosen: the prefix of the names of the variables that it changes; "" for all.
      scopes: around the update, which name its own variables: (the code that opens each in
        TensorFlow 2, its name), outermost first.
      held: rates among `units` that are variables.
    """

    units: tuple[Unit, ...]
    optimizer: ast.expr
    loss: ast.expr
    gradients: tuple[Unit, ...]
    computed: ast.Call | None
    applied: ast.Call
    schedules: frozenset[str]
    casts: dict[ast.Call, ast.expr]
    functions: tuple[ast.FunctionDef, ...]
    averaged: Averaged | None = None
    rate: Computed | None = None
    chosen: str = ""
    scopes: tuple[tuple[str, str], ...] = ()
    held: tuple[Held, ...] = ()
