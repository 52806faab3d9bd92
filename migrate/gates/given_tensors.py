"""Refuses programs that give their tensors to a library that the tool has not read.

    from otherlib import network

    logits = network(images)

A library of TensorFlow 1 makes variables and operations in a graph. The migrated program has
no graph: such a call fails in its step, or makes variables that nothing trains.
"""

from __future__ import annotations

import ast

from migrate.facts.scopes import build_scopes
from migrate.findings import Finding, Outcome
from migrate.gates.tensor_values import TensorValues, list_imports, may_be_unread
from migrate.gates.unread_values import Unread
from migrate.migration import Migration
from migrate.source.nodes import parse_source
from migrate.unit import Unit

_RECIPE = (
    "Copy the function into a file of this program, so that the tool reads it. Or write "
    "what it does by TensorFlow's own functions."
)


def find_given_tensors(text: str, done: Migration, unit: Unit) -> tuple[Finding, ...]:
    """Refusals of a file that gives tensors to a library; () for every other file.

    Args:
      text: the file's own.
      done: what it becomes.
    """
    if done.text == text and not unit.of_tf1:
        return ()
    scopes = build_scopes(parse_source(text))
    if not any(map(may_be_unread, list_imports(scopes))):
        return ()
    values = TensorValues(scopes, unit.path, unit.options.tree)
    found: dict[str, Finding] = {}  # One for each function of a library.
    for call in scopes.walk():
        if not isinstance(call, ast.Call) or ast.unparse(call.func) in found:
            continue
        library = _find_library(call.func, values)
        if library is None:
            continue
        for given in (*call.args, *(k.value for k in call.keywords)):
            if values.has_tensor(given):
                found.setdefault(
                    ast.unparse(call.func), _make_refusal(call, library, unit)
                )
                break
    if not found:
        return ()
    others = [
        f
        for f in done.findings
        if f.outcome is Outcome.REFUSED and f.code not in ("N100", "T115")
    ]
    return tuple(sorted([*found.values(), *others]))


def _find_library(func: ast.expr, values: TensorValues) -> Unread | None:
    """Where a called function or object comes from, if the tool has not read that."""
    scopes = values.scopes
    if (scopes.resolve(func) or "").startswith(("tf.", "tf_")):
        return None
    path = scopes.import_path(func)
    if path:
        level = values.find_level(func) if path.startswith(".") else 0
        parts = tuple(path.strip(".").split("."))
        return values.find_home(func, level, parts) if may_be_unread(path) else None
    # `net = otherlib.Net()`, and then `net(images)` or `net.forward(images)`.
    for owner in (func, func.value) if isinstance(func, ast.Attribute) else (func,):
        made = values.find_made(owner)
        if isinstance(made, ast.Call) and scopes.import_path(made.func):
            return _find_library(made.func, values)
    return None


def _make_refusal(call: ast.Call, library: Unread, unit: Unit) -> Finding:
    home = library.describe_home(unit.path)
    return Finding(
        call.lineno,
        call.col_offset + 1,
        "T115",
        Outcome.REFUSED,
        "",
        f"the program gives tensors to `{ast.unparse(call.func)}` from {home}",
        library.choose_recipe(_RECIPE),
    )
