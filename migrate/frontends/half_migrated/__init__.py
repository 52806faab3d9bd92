"""Programs migrated by half: Keras and a GradientTape, or its fit, in a graph's cluster.

What chat answers and tutorials give: the cluster, the server, the device setter and the
MonitoredTrainingSession of TensorFlow 1 around eager code of TensorFlow 2. It never
trained on more than one process; the cluster says which strategy was meant.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.half_migrated.bare_loop import (
    BareLoopReader,
    find_empty_block,
    find_idle_block,
)
from migrate.frontends.half_migrated.cluster import SERVERS
from migrate.frontends.half_migrated.keras_training import read_keras_training
from migrate.frontends.half_migrated.reader import Reader
from migrate.frontends.half_migrated.refused import MIXED, Refused
from migrate.program.eager import BareLoop, EagerProgram, FitProgram
from migrate.rules.mistakes import replicas
from migrate.rules.mistakes.mistake import find_method, list_calls
from migrate.tables import roles

__all__ = ["Refused", "recognise"]

# Ways of TensorFlow 2 to have other processes compute, without a strategy.
_CONNECTS = frozenset(
    {
        "tf.config.experimental_connect_to_cluster",
        "tf.config.experimental_connect_to_host",
    }
)
# What belongs to a program that builds graphs, if it has a tape or not.
_OF_GRAPHS = ("tf.estimator.", "tf.placeholder", "tf.disable_")
# Arguments of a session that say nothing about the code in its block.
_TAKEN = frozenset({"master", "target", "config", "cluster", "is_chief"})


def recognise(scopes: Scopes) -> EagerProgram | FitProgram | BareLoop | Refused | None:
    """Returns the program of a file, or its refusal; None if there is none."""
    found = list(list_calls(scopes))
    symbols = {symbol for _, symbol in found}
    if "tf.train.ClusterSpec" not in symbols:
        return None
    sessions = [call for call, symbol in found if symbol in roles.SESSIONS]
    if any(_distributes(call, symbol) for call, symbol in found):
        return None
    alone = not sessions and not symbols & SERVERS
    if alone and any(symbol.startswith(_OF_GRAPHS) for symbol in symbols):
        return None
    if "tf.GradientTape" not in symbols:
        return read_keras_training(scopes, found, sessions)
    if sessions and "tf.placeholder" in symbols and _has_tensor_loss(scopes, found):
        return None
    if not sessions:
        trains = any(_applies(call) for call, _ in found)
        return _read_bare(scopes, found, ()) if trains else None
    if not symbols & SERVERS and all(find_empty_block(scopes, s) for s in sessions):
        return _read_bare(scopes, found, sessions)
    try:
        return Reader(scopes, found, sessions).read()
    except Refused as refused:
        idle = all(
            find_idle_block(scopes, s) and {k.arg for k in s.keywords} <= _TAKEN
            for s in sessions
        )
        if idle and not symbols & SERVERS and refused.reason != MIXED:
            bare = _read_bare(scopes, found, sessions)
            return refused if isinstance(bare, Refused) else bare
        return refused


def _read_bare(
    scopes: Scopes, found: list[tuple[ast.Call, str]], sessions: Sequence[ast.Call]
) -> BareLoop | Refused:
    """Reads a loop that no session runs, or its refusal."""
    try:
        return BareLoopReader(scopes, found, sessions).read()
    except Refused as refused:
        return refused


def _applies(call: ast.Call) -> bool:
    return find_method(call) == "apply_gradients"


def _has_tensor_loss(scopes: Scopes, found: list[tuple[ast.Call, str]]) -> bool:
    """Whether an optimizer minimises a tensor, so a tape only gives the loss gradients.

    Eager code applies the tape's gradients, or gives `minimize` a function.
    """
    if any(_applies(call) for call, _ in found):
        return False
    losses = [
        names.find_argument(call, "loss", 0)
        for call, _ in found
        if find_method(call) == "minimize"
    ]
    return bool(losses) and not any(
        loss is None
        or isinstance(loss, ast.Lambda)
        or replicas.find_function(scopes, loss) is not None
        for loss in losses
    )


def _distributes(call: ast.Call, symbol: str) -> bool:
    """Whether a program has a strategy already."""
    return (
        symbol.startswith("tf.distribute.")
        and symbol.endswith("Strategy")
        or symbol in _CONNECTS
        or (find_method(call) == "scope" and not symbol)
    )
