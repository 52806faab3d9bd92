"""Programs migrated by half: Keras and a GradientTape, or its fit, in a graph's cluster.

What chat answers and tutorials give: the cluster, the server, the device setter and the
MonitoredTrainingSession of TensorFlow 1 around eager code of TensorFlow 2. It never
trained on more than one process; the cluster says which strategy was meant.
"""

from __future__ import annotations

import ast

from migrate.facts.scopes import Scopes
from migrate.frontends.half_migrated.bare_loop import BareLoopReader, empty_block
from migrate.frontends.half_migrated.cluster import SERVERS
from migrate.frontends.half_migrated.keras_training import trained_by_keras
from migrate.frontends.half_migrated.reader import Reader
from migrate.frontends.half_migrated.refused import Refused
from migrate.program.eager import BareLoop, EagerProgram, FitProgram
from migrate.rules.mistakes.mistake import calls, method
from migrate.tables import roles

__all__ = ["Refused", "recognise"]


def recognise(scopes: Scopes) -> EagerProgram | FitProgram | BareLoop | Refused | None:
    """The program of a file; why it is not taken; or None where there is none."""
    found = list(calls(scopes))
    symbols = {symbol for _, symbol in found}
    if "tf.train.ClusterSpec" not in symbols:
        return None
    sessions = [call for call, symbol in found if symbol in roles.SESSIONS]
    if any(_distributes(call, symbol) for call, symbol in found):
        return None
    if not sessions and not symbols & SERVERS:
        return None
    if "tf.GradientTape" not in symbols:
        return trained_by_keras(scopes, found, sessions)
    if not sessions:
        return None
    try:
        if not symbols & SERVERS and all(empty_block(scopes, s) for s in sessions):
            return BareLoopReader(scopes, found, sessions).read()
        return Reader(scopes, found, sessions).read()
    except Refused as refused:
        return refused


def _distributes(call: ast.Call, symbol: str) -> bool:
    """Whether a program has a strategy already."""
    return (
        symbol.startswith("tf.distribute.")
        and symbol.endswith("Strategy")
        or (method(call) == "scope" and not symbol)
    )
