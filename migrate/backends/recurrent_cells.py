"""Recurrent cells of a program: those of the emitted recurrent_cells.py."""

from __future__ import annotations

import ast

from migrate.facts.scopes import Scopes
from migrate.plan import Plan
from migrate.program import scope_defaults
from migrate.program.binding_time import Diagnostics
from migrate.program.code import make_code
from migrate.source.nodes import walk_breadth_first
from migrate.tables import recurrent

_SUPPORT = f"{recurrent.MODULE}.py"


def rewrite(
    call: ast.Call,
    symbol: str,
    scopes: Scopes,
    diagnostics: Diagnostics,
    plan: Plan,
    default: ast.expr | None,
) -> tuple[str, str]:
    """Plans the call of a cell's class, or of what runs one over time; what it is now.

    Args:
      default: the initialiser that a variable scope gave to the cell.
    """
    target = recurrent.TARGETS[symbol]
    reason = _find_refusal(call, target, scopes)
    if reason is not None:
        diagnostics.refuse("V103", call, *reason, symbol=symbol)
    plan.support.add(_SUPPORT)
    plan.imports.append(f"import {recurrent.MODULE}")
    if default is None:
        plan.replace(call.func, make_code(target))
    else:
        plan.replace(call, scope_defaults.write_call(call, symbol, target, default))
    return "T107", f"{target}: the same values and variables"


def _find_refusal(
    call: ast.Call, target: str, scopes: Scopes
) -> tuple[str, str] | None:
    name = target.rpartition(".")[2]
    for keyword in call.keywords:
        if keyword.arg is None or keyword.arg in recurrent.REFUSED_ARGUMENTS.get(
            name, ()
        ):
            return (
                f"the tool does not carry over {name}({keyword.arg or '**'}=...)",
                "Leave the argument out, or write the cell yourself.",
            )
        if keyword.arg == "scope" and not isinstance(keyword.value, ast.Constant):
            return (
                "the scope of this recurrent network is not a string",
                "Pass the scope's name as a string, or no scope.",
            )
        if keyword.arg == "reuse" and not _is_off(keyword.value):
            return _SHARED
    shared = any(
        isinstance(node, ast.Call)
        and (
            (
                scopes.resolve(node.func) == "tf.variable_scope"
                and any(
                    k.arg == "reuse" and not _is_off(k.value) for k in node.keywords
                )
            )
            or (
                isinstance(node.func, ast.Attribute)
                and node.func.attr == "reuse_variables"
            )
        )
        for node in walk_breadth_first(scopes.tree)
    )
    return _SHARED if shared else None


_SHARED = (
    "the program enters a variable scope again, so the tool cannot tell which "
    "recurrent cells share variables",
    "Make each cell once, and call the same cell where you need it again. Do not enter "
    "a variable scope twice: evaluate the model that you train.",
)


def _is_off(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and not value.value
