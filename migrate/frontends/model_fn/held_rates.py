"""A learning rate that a variable holds, which nothing trains: checkpoints have it.

rate = tf.get_variable("rate", [], trainable=False, initializer=tf.constant_initializer(0.1))
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.model_fn import update_scopes, variables
from migrate.frontends.model_fn.modes import NotSplit
from migrate.program.keras_units import Unit
from migrate.program.keras_updates import Held
from migrate.tables import keras_models as table

_CONSTANT = "tf.constant_initializer"


def find_held_rates(
    units: Iterable[Unit], tensors: Collection[str], scopes: Scopes
) -> tuple[Held, ...]:
    """Finds the learning rates that an optimizer's statements hold in variables.

    Args:
      tensors: names of what depends on features and labels.
    """
    found = (_read_held_rate(unit, tensors, scopes) for unit in units)
    return tuple(one for one in found if one is not None)


def _read_held_rate(
    unit: Unit, tensors: Collection[str], scopes: Scopes
) -> Held | None:
    statement = unit.statement
    call = statement.value if isinstance(statement, ast.Assign) else None
    if not isinstance(call, ast.Call) or scopes.resolve(call.func) != table.VARIABLE:
        return None
    assert isinstance(statement, ast.Assign)
    if len(statement.targets) != 1 or not isinstance(statement.targets[0], ast.Name):
        return None
    try:
        written = variables.map_arguments(call)
        variables.check(call, written, scopes)
    except NotSplit:
        return None
    name, shape = names.read_literal(written.get("name")), written.get("shape")
    if names.read_literal(written.get("trainable")) is not False or not isinstance(
        name, str
    ):
        return None
    if not isinstance(shape, (ast.List, ast.Tuple)) or shape.elts:
        return None
    value = written.get("initializer")
    if not isinstance(value, ast.Call) or scopes.resolve(value.func) != _CONSTANT:
        return None
    if set(written) != {"name", "shape", "trainable", "initializer"}:
        return None
    if names.find_reads(statement) & set(tensors):
        return None
    path = update_scopes.find_variable_scopes(call, scopes)
    return Held(unit, call, "/".join([*path, name]), value)
