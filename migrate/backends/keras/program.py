"""Plans the Keras models of a program of Estimators, and says which model_fns stay.

The program's own hooks become callbacks, where they can.
"""

from __future__ import annotations

import ast

from migrate.backends.keras import KerasRewrite
from migrate.backends.keras.callbacks import plan_callbacks, staying
from migrate.backends.keras.estimators import imported
from migrate.facts.scopes import Scopes
from migrate.findings import Finding, Outcome
from migrate.frontends import callbacks, model_fn
from migrate.frontends.model_fn.files import joined
from migrate.plan import Plan
from migrate.program.keras_model import SharedModels


def plan_models(
    scopes: Scopes, plan: Plan, shared: SharedModels
) -> tuple[dict[ast.AST, tuple[str, str]], list[Finding]]:
    """Plans every model_fn that can be a Keras model.

    Args:
      shared: those that it has together with other files.

    Returns:
      What is claimed, as node -> (code, reason); and a finding for each that stays.
    """
    own, scopes = scopes, joined(scopes, shared.files)
    found, others, stays = model_fn.recognise(scopes, shared)
    claimed = imported(others, plan)
    flows = [*(one.flow for one in found), *(one.flow for one in others)]
    hooks, kept = callbacks.recognise(
        own,
        [one.model for one in found],
        [call for flow in flows for call, _ in flow.estimators],
        bool(stays),
        shared.hooks,
    )
    claimed |= plan_callbacks(hooks, plan)
    logged = frozenset(node for hook in hooks for node in hook.names)
    for one in found:
        rewrite = KerasRewrite(one.model, one.flow, scopes, plan, one.name, logged)
        rewrite.run()
        claimed.update(rewrite.claimed)
    return claimed, staying(kept) + [
        Finding(
            getattr(one.node, "lineno", 1),
            getattr(one.node, "col_offset", 0) + 1,
            "K110",
            Outcome.KEPT,
            "",
            f"it stays a model_fn: {one.reason}",
        )
        for one in stays
    ]
