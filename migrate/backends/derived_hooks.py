"""Gives classes that derive from TF1's hooks a base with TF1's methods, or refuses them."""

from __future__ import annotations

import ast

from migrate.facts.scopes import Scopes
from migrate.findings import Finding, Outcome
from migrate.frontends.sessions.derived_hooks import DerivedHook, find_derived_hooks
from migrate.plan import Plan
from migrate.program.code import make_code
from migrate.source.nodes import walk_breadth_first
from migrate.tables import estimator as table
from migrate.tables.hooks import CALLBACK


def plan_derived_hooks(
    scopes: Scopes, plan: Plan
) -> tuple[dict[ast.AST, tuple[str, str]], list[Finding]]:
    """Node -> (code, reason) of what was rewritten, and findings for what cannot be."""
    claimed: dict[ast.AST, tuple[str, str]] = {}
    refused: list[Finding] = []
    for found in find_derived_hooks(scopes):
        if not found.derivable:
            refused.append(_make_refusal(found, scopes))
            continue
        target = f"{table.DERIVABLE_MODULE}.{found.name}"
        symbol = scopes.resolve(found.base) or ""
        for node in walk_breadth_first(found.class_):
            # `tf.train.LoggingTensorHook.after_run(self, ...)` too.
            named = isinstance(node, ast.expr) and scopes.resolve(node)
            if node is found.base or (named and named.startswith(f"{symbol}.")):
                rest = (named or symbol)[len(symbol) :]
                plan.replace(node, make_code(target + rest))
                claimed[node] = ("H110", "a hook with TF1's methods and attributes")
        plan.support.update(table.BESIDE[table.DERIVABLE_MODULE])
        plan.imports.append(f"import {table.DERIVABLE_MODULE}")
    return claimed, refused


def _make_refusal(found: DerivedHook, scopes: Scopes) -> Finding:
    return Finding(
        found.base.lineno,
        found.base.col_offset + 1,
        "H122",
        Outcome.REFUSED,
        scopes.resolve(found.base) or "",
        f"your class overrides methods of {found.name}, and the hook that replaces "
        f"{found.name} would not call them",
        "Write your additions as a tf.train.CheckpointSaverListener, or as a "
        f"separate tf.train.SessionRunHook beside {found.name}. {CALLBACK}",
    )
