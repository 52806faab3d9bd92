"""Whether a network that is called again has the variables of its first call."""

from __future__ import annotations

import ast

from migrate.facts.scopes import Scopes
from migrate.frontends.model_fn.network import Network
from migrate.source.nodes import walk_breadth_first
from migrate.tables import keras_models as table


def shares_variables(
    function: ast.FunctionDef, reused: frozenset[str], network: Network, scopes: Scopes
) -> bool:
    """Whether a second call of a helper has the variables of the first.

    Args:
      reused: its parameters that say so.
    """
    for call in walk_breadth_first(function):
        if not isinstance(call, ast.Call) or not _makes_variables(
            call, network, scopes
        ):
            continue
        around: ast.AST | None = call
        while around is not None and not _is_reused_in(around, reused, network, scopes):
            around = scopes.parents.get(around)
        given = {k.arg: k.value for k in call.keywords}
        named = "name" in given and _is_name(given.get("reuse"), reused)
        if around is None and not named:
            return False
    return True


def _makes_variables(call: ast.Call, network: Network, scopes: Scopes) -> bool:
    symbol = scopes.resolve(call.func) or ""
    if symbol in table.SEVERAL:
        return True
    row = network.find_row(symbol)
    if row is not None:
        return row.has_weights
    made = network.objects.find_row(call)
    if made is not None:
        return made.has_weights
    return network.find_helper(call) is not None and network.makes_layers(call)


def _is_reused_in(
    node: ast.AST, reused: frozenset[str], network: Network, scopes: Scopes
) -> bool:
    """Whether a variable scope takes what is there where a parameter says so."""
    if not isinstance(node, ast.With):
        return False
    for item in node.items:
        call = item.context_expr
        if not isinstance(call, ast.Call):
            continue
        if scopes.resolve(call.func) == "tf.variable_scope":
            reuse = next((k.value for k in call.keywords if k.arg == "reuse"), None)
            if _is_name(reuse, reused) or network.reuses(node):
                return True
    return False


def _is_name(node: ast.expr | None, known: frozenset[str]) -> bool:
    return isinstance(node, ast.Name) and node.id in known
