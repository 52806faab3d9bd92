"""Moving averages of the variables: tf.train.ExponentialMovingAverage beside an update.

ema = tf.train.ExponentialMovingAverage(0.999, tf.train.get_global_step())
with tf.control_dependencies([train_op]):
    train_op = ema.apply(tf.trainable_variables())
"""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.model_fn.modes import NotSplit
from migrate.program.keras_units import Unit
from migrate.tables import keras_models as table

_PARAMETERS = ("decay", "num_updates", "zero_debias", "name")


def find_maker(node: ast.expr, units: list[Unit], scopes: Scopes) -> Unit | None:
    """The statement that makes the averages which a call moves: `ema.apply(...)`."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    root = node.func.value
    if node.func.attr != "apply" or not isinstance(root, ast.Name):
        return None
    makers = [u for u in units if root.id in names.find_binds(u.statement)]
    for unit in makers:
        value = getattr(unit.statement, "value", None)
        if isinstance(value, ast.Call):
            if scopes.resolve(value.func) == table.AVERAGES and len(makers) == 1:
                return unit
    return None


def check(unit: Unit, tensors: set[str]) -> None:
    """Fails if the averages have unknown arguments, or a step computes their decay.

    Args:
      unit: what makes them.
      tensors: names of what a step computes.
    """
    statement = unit.statement
    assert isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call)
    bound = names.bind_arguments(statement.value, _PARAMETERS)
    if bound is None or not {"decay"} <= set(bound) <= {"decay", "num_updates"}:
        raise NotSplit(
            statement,
            "the moving averages have arguments that TensorFlow 2 does not have",
        )
    if names.find_reads(statement) & tensors:
        raise NotSplit(statement, "a step computes the decay of the moving averages")


def find_dependencies(unit: Unit, scopes: Scopes) -> list[tuple[ast.With, ast.expr]]:
    """Lists a statement's control dependencies, each with the `with` that has it."""
    found = []
    for around in unit.around:
        if not isinstance(around, ast.With):
            continue
        for item in around.items:
            call = item.context_expr
            if not isinstance(call, ast.Call) or not call.args:
                continue
            if scopes.resolve(call.func) == "tf.control_dependencies":
                given = call.args[0]
                several = isinstance(given, (ast.List, ast.Tuple))
                found += [
                    (around, e)
                    for e in (given.elts if several else [given])  # type: ignore[attr-defined]
                ]
    return found
