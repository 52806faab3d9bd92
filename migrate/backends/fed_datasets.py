"""Writes an input_fn's fed placeholders as the values that were fed."""

from __future__ import annotations

import ast

from migrate.facts.scopes import Scopes
from migrate.frontends.estimators.fed_datasets import (
    FedInitializer,
    find_fed_initializers,
)
from migrate.plan import Dropped, Plan
from migrate.program.code import join_code, make_code
from migrate.tables import estimator as table

CODE = "I111"


def plan_fed_datasets(scopes: Scopes, plan: Plan) -> dict[ast.AST, tuple[str, str]]:
    """Node -> (code, reason) of what was rewritten: placeholders and runs."""
    claimed: dict[ast.AST, tuple[str, str]] = {}
    for found in find_fed_initializers(scopes):
        for placeholder in found.placeholders:
            call = placeholder.call
            given = [placeholder.value, *call.args]
            named = [make_code(f"{k.arg}=", k.value) for k in call.keywords]
            arguments = join_code(", ", [*given, *named])
            plan.replace(call, make_code(f"{table.MODULE}.fed(", arguments, ")"))
            claimed[call.func] = (CODE, "what an initialiser was fed, as it is")
        _drop_feeds(found, plan)
    return claimed


def _drop_feeds(found: FedInitializer, plan: Plan) -> None:
    plan.replace(found.run, make_code(found.run.func, "(", found.initializer, ")"))
    if found.feeds is not None:
        plan.statements[found.feeds] = [Dropped(found.feeds)]
