"""How a model_fn's training changes its variables, as a Keras model does."""

from __future__ import annotations

import ast
import dataclasses

from migrate.program.keras_units import Unit


@dataclasses.dataclass(frozen=True, eq=False)
class Averaged:
    """Moving averages of the trainable variables, moved after every update.

    Attributes:
      name: of what moves them.
      unit: the statement that does.
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
      call: what is assigned.
      name: the variable's, scopes included.
      initializer: what gives its value.
    """

    unit: Unit
    call: ast.Call
    name: str
    initializer: ast.expr


@dataclasses.dataclass(frozen=True, eq=False)
class Computed:
    """A learning rate that is computed anew in every step, by a function of the model.

    Attributes:
      name: of the rate, and of the function.
      units: what computes it.
    """

    name: str
    units: tuple[Unit, ...]


@dataclasses.dataclass(frozen=True, eq=False)
class Update:
    """How training changes the variables.

    Attributes:
      units: what makes the optimizer, its rate included: done once.
      optimizer: the expression that is the optimizer.
      loss: what is minimised.
      gradients: statements from gradients to the update; empty for `minimize`.
      computed: `compute_gradients`, or tf.gradients, among them.
      applied: the call that updates.
      schedules: names of learning-rate schedules.
      casts: calls that only make the step another integer -> the step.
      functions: of the module, that make rates and optimizers.
      averaged: what is done after it, or None; `units` make what does it.
      rate: a schedule that statements among `units` compute, or None.
      chosen: what the names of the variables begin with that it changes; "" for all.
      scopes: around the update, which name its own variables: (what opens each in
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
