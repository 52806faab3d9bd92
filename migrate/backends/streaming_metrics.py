"""Streaming metrics of a program: those of the emitted streaming_metrics.py."""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.plan import Plan
from migrate.program import ir
from migrate.program.binding_time import Diagnostics
from migrate.program.code import Code, join_code, make_code
from migrate.program.ir import Replication
from migrate.tables import streaming_metrics as table

CALLED = frozenset({table.METRIC, table.VARIABLES})


def rewrite(
    call: ast.Call,
    program: ir.TrainingProgram,
    scopes: Scopes,
    diagnostics: Diagnostics,
    plan: Plan,
) -> dict[ast.AST, tuple[str, str]]:
    """Plans a call that normal form has for a metric; what its function is now."""
    plan.support.add(f"{table.MODULE}.py")
    plan.imports.append(f"import {table.MODULE}")
    arguments: list[str | ast.AST | Code] = ["replicas", *call.args]
    arguments += [make_code(f"{k.arg}=", k.value) for k in call.keywords]
    plan.replace(
        call,
        make_code(
            names.find_key(call.func) or "", "(", join_code(", ", arguments), ")"
        ),
    )
    if names.find_key(call.func) == table.VARIABLES:
        return {}
    function = call.args[0]
    symbol = scopes.resolve(function) or ""
    if program.replication is not Replication.LOCAL:
        diagnostics.refuse(
            "M120",
            call,
            "the program uses tf.metrics with a cluster or towers. TensorFlow 1 "
            "kept the workers' totals on the parameter servers, and each tower had "
            "totals of its own",
            "Evaluate in a separate program that restores the checkpoint.",
            symbol,
        )
    new = symbol.replace("tf.", "tf.compat.v1.", 1)
    plan.replace(function, make_code(new))
    return {
        function: (
            "T107",
            f"{new} on totals that {table.MODULE}.Metric keeps: local variables, under "
            "TF1's names",
        )
    }
