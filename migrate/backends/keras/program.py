"""Plans the Keras models of a program of Estimators, and says which model_fns stay.

The program's own hooks become callbacks, where they can.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.backends.keras import KerasRewrite
from migrate.backends.keras.callbacks import (
    plan_callbacks,
    plan_made,
    report_staying_hooks,
)
from migrate.backends.keras.estimators import rewrite_imports
from migrate.facts.scopes import Scopes
from migrate.findings import Finding, Outcome
from migrate.frontends import callbacks, model_fn
from migrate.frontends.model_fn.files import join_scopes
from migrate.plan import Plan
from migrate.program.code import make_code
from migrate.program.keras_files import SharedModels
from migrate.source.nodes import walk_breadth_first


def _find_name_in_all(name: str, scopes: Scopes) -> Iterator[ast.Constant]:
    """Yields the strings in `__all__` that are a name of the module."""
    bound = scopes.module.bindings
    for node in bound.get("__all__", []) if name in bound else []:
        for child in walk_breadth_first(node):
            if isinstance(child, ast.Constant) and child.value == name:
                yield child


def plan_hooks(
    scopes: Scopes, plan: Plan, shared: SharedModels
) -> tuple[dict[ast.AST, tuple[str, str]], list[Finding]]:
    """Plans the hooks of a file that has no model_fn and no Estimator.

    Returns:
      The same as plan_models.
    """
    files = shared.callbacks
    if not (files.own or files.stay):
        return {}, []  # The code that calls them is no Estimator.
    hooks, _, kept = callbacks.recognise(scopes, [], [], False, shared)
    known = {*files.own, *files.stay}
    told = report_staying_hooks(hook for hook in kept if hook.name in known)
    return plan_callbacks(hooks, plan), told


def plan_models(
    scopes: Scopes, plan: Plan, shared: SharedModels
) -> tuple[dict[ast.AST, tuple[str, str]], list[Finding]]:
    """Plans every model_fn that can be a Keras model.

    Args:
      shared: models that the file shares with other files.

    Returns:
      The handled uses, as node -> (code, reason); and a finding for each model_fn that stays.
    """
    own, scopes = scopes, join_scopes(scopes, shared.files)
    found, others, stays = model_fn.recognise(scopes, shared)
    claimed = rewrite_imports(others, plan)
    flows = [*(one.flow for one in found), *(one.flow for one in others)]
    hooks, made, kept = callbacks.recognise(
        own,
        [one.model for one in found],
        [call for flow in flows for call, _ in flow.estimators],
        bool(stays),
        shared,
    )
    told = plan_made(made, plan)
    claimed |= plan_callbacks(hooks, plan)
    logged = frozenset(node for hook in hooks for node in hook.names)
    logged |= {node for one in made for node in one.names}
    for one in found:
        rewrite = KerasRewrite(one.model, one.flow, scopes, plan, one.name, logged)
        rewrite.run()
        claimed.update(rewrite.claimed)
        for name in _find_name_in_all(one.model.function.name, scopes):
            plan.replace(name, make_code(repr(one.name).replace("'", '"')))
    told += [
        Finding(
            table.call.lineno,
            table.call.col_offset + 1,
            "K185",
            Outcome.REWRITTEN,
            "",
            f"`{table.name}` is made once, with the model, for all modes",
        )
        for one in found
        for table in one.model.tables
    ]
    return claimed, told + report_staying_hooks(kept) + [
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
