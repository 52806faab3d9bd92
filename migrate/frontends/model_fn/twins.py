"""A network that is called twice: once as in training, once as not.

    logits_train = network(features, reuse=False, is_training=True)
    logits_test = network(features, reuse=True, is_training=False)

A Keras model is one network, and a step says in which way it calls it.
"""

from __future__ import annotations

import ast
import dataclasses
import os.path
from collections.abc import Mapping

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.model_fn.modes import (
    ModeValues,
    NotSplit,
    Straight,
    is_plain_assignment,
)
from migrate.frontends.model_fn.network import Network
from migrate.frontends.model_fn.sharing import shares_variables
from migrate.program.keras_layers import Twins
from migrate.program.keras_units import Unit
from migrate.source.nodes import find_plain_names, walk_breadth_first


@dataclasses.dataclass(frozen=True)
class _Call:
    """`name = network(...)`."""

    unit: Unit
    name: str
    function: ast.FunctionDef
    arguments: dict[str, ast.expr]


def join_twins(
    lines: Mapping[str, Straight],
    network: Network,
    values: Mapping[str, ModeValues],
    scopes: Scopes,
) -> Twins | None:
    """Takes the second of two such calls off the lines; None if there are none.

    The first then stands for both: what it says of training follows the mode.

    Raises:
      NotSplit: what the second is given may have changed since the first.
    """
    calls = list(_find_calls(lines["TRAIN"], network))
    for index, first in enumerate(calls):
        for second in calls[index + 1 :]:
            if first.function is not second.function:
                continue
            trained, reused = _find_differences(first, second)
            if trained is None or not trained:
                continue
            if not shares_variables(first.function, reused, network, scopes):
                raise NotSplit(
                    second.unit.statement,
                    f"{first.function.name}() is called twice, and the second "
                    "call makes new variables",
                )
            _check_between(lines, first, second)
            for mode, known in values.items():
                for name in trained:
                    known.overrides[first.arguments[name]] = mode == "TRAIN"
                for name in reused:
                    known.overrides[first.arguments[name]] = False
            for line in lines.values():
                line.units = [
                    u for u in line.units if u.statement is not second.unit.statement
                ]
            in_training = _is(first.arguments[next(iter(trained))], True)
            return Twins(
                first.unit.statement,
                _find_common_name(first.name, second.name, network.function),
                ((first.name, in_training), (second.name, not in_training)),
            )
    return None


def check(twins: Twins, network: Network, outputs: tuple[str, ...]) -> None:
    """Fails if two calls would not do what they did.

    Raises:
      NotSplit: a call in training moves averages that TF1 moved by the update alone, or
        more than the network's one output is read.
    """
    own = {name for name, _ in twins.calls}
    if not set(outputs) <= own:
        raise NotSplit(
            twins.statement,
            "a network is called twice, and the program reads another tensor "
            "of it, too",
        )
    for layer in (part for made in network.layers for part in made.parts):
        if "training" in layer.row.call_parameters and layer.row.has_weights:
            raise NotSplit(layer.call, "a network with moving averages is called twice")


def _find_calls(line: Straight, network: Network) -> list[_Call]:
    found = []
    for unit in line.units:
        statement = unit.statement
        if not is_plain_assignment(statement):
            continue
        assert isinstance(statement, ast.Assign)
        target, call = statement.targets[0], statement.value
        if not isinstance(call, ast.Call) or not isinstance(target, ast.Name):
            continue
        function = network.find_helper(call)
        if function is None or not network.makes_layers(call):
            continue
        arguments = network.bind_arguments(call, function)
        if arguments is not None:
            found.append(_Call(unit, target.id, function, arguments))
    return found


def _find_differences(
    first: _Call, second: _Call
) -> tuple[frozenset[str] | None, frozenset[str]]:
    """Arguments that say whether it trains (None: there are others), and that it is reused."""
    if first.arguments.keys() != second.arguments.keys():
        return None, frozenset()
    trained: set[str] = set()
    reused: set[str] = set()
    ways: set[bool] = set()
    for name, one in first.arguments.items():
        other = second.arguments[name]
        if ast.dump(one) == ast.dump(other):
            continue
        if "reuse" in name and _is(other, True) and not _is(one, True):
            reused.add(name)
        elif isinstance(one, ast.Constant) and _is(other, not one.value):
            if not isinstance(one.value, bool):
                return None, frozenset()
            trained.add(name)
            ways.add(one.value)
        else:
            return None, frozenset()
    if len(ways) > 1:
        return None, frozenset()
    return frozenset(trained), frozenset(reused)


def _is(node: ast.expr, value: bool) -> bool:
    return isinstance(node, ast.Constant) and node.value is value


def _check_between(lines: Mapping[str, Straight], first: _Call, second: _Call) -> None:
    """Refuses two calls with different values, or both in one mode."""
    statements = [u.statement for u in lines["TRAIN"].units]
    start = statements.index(first.unit.statement)
    end = statements.index(second.unit.statement)
    read = names.find_reads(second.unit.statement)
    for statement in statements[start:end]:
        if names.find_binds(statement) & read:
            raise NotSplit(
                statement,
                "this statement changes a value that the second call of the "
                "network reads",
            )
    for line in lines.values():
        own = [u.statement for u in line.units]
        if first.unit.statement not in own or second.unit.statement not in own:
            raise NotSplit(
                second.unit.statement, "in one mode the network is called twice"
            )


def _find_common_name(one: str, other: str, function: ast.FunctionDef) -> str:
    """`logits_train`, `logits_test` -> `logits`, where that is no name yet."""
    taken = find_plain_names(function)
    taken |= {n.arg for n in walk_breadth_first(function) if isinstance(n, ast.arg)}
    common = os.path.commonprefix([one, other]).rpartition("_")[0]
    return common if common and common not in taken else one
