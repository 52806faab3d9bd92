"""D113: a GradientTape within a graph's session: a program migrated by half.

Eager code trains in its own process, whatever session is open around it; and the
session, which has a graph without operations, fails to start. The cluster that the
program describes is meant for a strategy.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.rules.mistakes.mistake import Mistake, find_binding, list_calls
from migrate.source.nodes import walk_breadth_first
from migrate.tables import roles


def find(scopes: Scopes) -> Iterator[Mistake]:
    found = list(list_calls(scopes))
    tapes = [call for call, symbol in found if symbol == "tf.GradientTape"]
    for call, symbol in found:
        if symbol not in roles.SESSIONS:
            continue
        block: ast.AST = call
        while block in scopes.parents and not isinstance(block, ast.With):
            block = scopes.parents[block]
        if not any(tape in walk_breadth_first(block) for tape in tapes):
            continue
        yield Mistake(
            call,
            "D113",
            "eager code in a session trains only in its own process, and the "
            "session has no graph to run",
            "Make the model and the optimizer in the scope of a "
            f"{_find_strategy(scopes, found)}, and let it run the loop's body as a step. "
            "You do not need the session.",
            symbol=symbol,
        )


def _find_strategy(scopes: Scopes, found: list[tuple[ast.Call, str]]) -> str:
    """Returns the strategy for a cluster: with parameter servers, or with reducing workers."""
    for call, symbol in found:
        if symbol != "tf.train.ClusterSpec" or not call.args:
            continue
        given = find_binding(scopes, call.args[0]) or call.args[0]
        if isinstance(given, ast.Dict):
            jobs = {names.read_literal(k) for k in given.keys}
            if "ps" in jobs:
                return "tf.distribute.ParameterServerStrategy with a ClusterCoordinator"
            return "tf.distribute.MultiWorkerMirroredStrategy"
    return "tf.distribute strategy of the cluster"
