"""Layers that are written by mode, and are one layer that Keras tells whether it trains.

if mode == ModeKeys.TRAIN:                       if mode == ModeKeys.TRAIN:
    logits = network(images, training=True)          net = tf.layers.dropout(
else:                                                    net, 0.4, training=True)
    logits = network(images, training=False)
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.model_fn.modes import ModeValues, Straight, is_plain_assignment
from migrate.program.keras_units import Unit
from migrate.source.nodes import list_children

_DROPOUT = "tf.layers.dropout"


def unite_modes(
    lines: Mapping[str, Straight],
    values: Mapping[str, ModeValues],
    scopes: Scopes,
    makes_layers: Callable[[ast.AST], bool],
) -> None:
    """Gives every mode the statement of training, where theirs differs by no more than that.

    Args:
      makes_layers: whether a statement does; only those may say True in training, and
        False elsewhere.
    """
    others = {mode: line for mode, line in lines.items() if mode != "TRAIN"}
    after = dict.fromkeys(others, 0)
    for unit in list(lines["TRAIN"].units):
        told = makes_layers(unit.statement)
        missing = False
        for mode, line in others.items():
            index = _find_place(unit, line, after[mode], told)
            if index is None:
                missing = True
                continue
            for node in _find_flags(unit.statement, line.units[index].statement) or ():
                _override_node(node, values)
            line.units[index] = unit
            after[mode] = index + 1
        if (
            missing
            and told
            and is_only_dropout(unit.statement, values["TRAIN"], scopes)
        ):
            given = names.find_argument(unit.statement.value, "training", 4)  # type: ignore[attr-defined]
            if isinstance(given, ast.Constant):
                _override_node(given, values)
            for mode, line in others.items():
                if not any(u.statement is unit.statement for u in line.units):
                    after[mode] = _insert(unit, lines["TRAIN"], line) + 1


def _override_node(node: ast.AST, values: Mapping[str, ModeValues]) -> None:
    for mode, known in values.items():
        known.overrides[node] = mode == "TRAIN"


def _find_place(unit: Unit, line: Straight, after: int, told: bool) -> int | None:
    """Finds the index of a mode's statement that differs at most by True and False."""
    for index in range(after, len(line.units)):
        other = line.units[index]
        if other.statement is unit.statement:
            return index
        flags = _find_flags(unit.statement, other.statement)
        if flags is not None and (told or not flags):
            if _list_scopes(unit) == _list_scopes(other):
                return index
    return None


def _list_scopes(unit: Unit) -> list[str]:
    """Lists what is opened by the `with` statements around a statement, as text."""
    return [
        ast.unparse(item.context_expr)
        for outer in unit.around
        if isinstance(outer, ast.With)
        for item in outer.items
    ]


def _find_flags(one: ast.AST, other: ast.AST) -> list[ast.AST] | None:
    """Finds the literals True that are False in the other; None if more differs."""
    if isinstance(one, ast.Constant) and isinstance(other, ast.Constant):
        if one.value is True and other.value is False:
            return [one]
        same = type(one.value) is type(other.value) and one.value == other.value
        return [] if same else None
    if type(one) is not type(other):
        return None
    mine, theirs = list_children(one), list_children(other)
    if len(mine) != len(theirs) or _list_own_fields(one) != _list_own_fields(other):
        return None
    found: list[ast.AST] = []
    for a, b in zip(mine, theirs):
        inside = _find_flags(a, b)
        if inside is None:
            return None
        found += inside
    return found


def _list_own_fields(node: ast.AST) -> list[tuple[str, object]]:
    """A node's fields that are no nodes."""
    return [
        (name, value)
        for name, value in ast.iter_fields(node)
        if not isinstance(value, (ast.AST, list))
    ]


def is_only_dropout(statement: ast.stmt, training: ModeValues, scopes: Scopes) -> bool:
    """Whether a statement is `net = tf.layers.dropout(net, ...)`, in training mode."""
    if not is_plain_assignment(statement) or not isinstance(
        statement.value,  # type: ignore[attr-defined]
        ast.Call,
    ):
        return False
    assert isinstance(statement, ast.Assign)
    call, target = statement.value, statement.targets[0]
    assert isinstance(call, ast.Call) and isinstance(target, ast.Name)
    if scopes.resolve(call.func) != _DROPOUT:
        return False
    inputs = names.find_argument(call, "inputs", 0)
    given = names.find_argument(call, "training", 4)
    return (
        isinstance(inputs, ast.Name)
        and inputs.id == target.id
        and given is not None
        and training.decide_test(given) is True
    )


def _insert(unit: Unit, training: Straight, line: Straight) -> int:
    """Inserts a statement at the place that it has in training."""
    before = training.units[: training.units.index(unit)]
    known = {id(u.statement) for u in before}
    places = [i for i, u in enumerate(line.units) if id(u.statement) in known]
    place = places[-1] + 1 if places else 0
    line.units.insert(place, unit)
    return place
