"""Keras's own training in a cluster's session."""

from __future__ import annotations

import ast

from migrate.facts.scopes import Scopes
from migrate.frontends.half_migrated.refused import Refused
from migrate.frontends.keras_names import makes_model
from migrate.rules.mistakes.mistake import binding, method

# Methods by which Keras trains by itself.
_TRAIN = frozenset({"fit", "fit_generator", "train_on_batch"})


def trained_by_keras(
    scopes: Scopes, found: list[tuple[ast.Call, str]], sessions: list[ast.Call]
) -> Refused | None:
    """`model.fit` in a cluster's session, which has no part in what Keras does."""
    blocks = [scopes.parents[scopes.parents[call]] for call in sessions]
    inside = {n for b in blocks if isinstance(b, ast.With) for n in ast.walk(b)}
    for call, symbol in found:
        if method(call) in _TRAIN and not symbol and call in inside:
            assert isinstance(call.func, ast.Attribute)
            made = binding(scopes, call.func.value)
            if made is not None and makes_model(scopes, made):
                return Refused(
                    "D150",
                    call,
                    f"`{method(call)}` trains in its own process: Keras runs neither in "
                    "this session nor on its server",
                    "Leave the session and the device setter out; make and compile the "
                    "model in the scope of the strategy that the cluster describes, and "
                    "give fit a tf.data.Dataset and steps_per_epoch.",
                )
    return None
