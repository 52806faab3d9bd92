"""Keeps sessions that load their graph, by their names of tensorflow.compat.v1."""

from __future__ import annotations

import ast

from migrate.facts.scopes import Scopes
from migrate.frontends.estimators.loaded_sessions import find_root, recognise
from migrate.plan import Plan
from migrate.program.code import Code, join_code, make_code
from migrate.source.nodes import walk_breadth_first
from migrate.tables import loaded_sessions as table

_DONE = ("K132", "it has a graph of its own, which it loads: it runs as it did")


def plan_loaded(scopes: Scopes, plan: Plan) -> dict[ast.AST, tuple[str, str]]:
    """Node -> (code, reason) of what such sessions of an Estimator's file use."""
    claimed: dict[ast.AST, tuple[str, str]] = {}
    for session in recognise(scopes):
        inside = set(walk_breadth_first(session.block))
        for node, symbol in scopes.walk_uses():
            if node not in inside or symbol not in table.IN_COMPAT:
                continue
            own = find_root(node, scopes)
            new = make_code(f"{own}.compat.v1{symbol.removeprefix('tf')}")
            if node is session.call.func and session.bare:
                plan.replace(session.call, _add_graph(session.call, new, own))
                claimed[session.call] = _DONE
            else:
                plan.replace(node, new)
            claimed[node] = _DONE
    return claimed


def _add_graph(call: ast.Call, name: Code, own: str) -> Code:
    """The session with a graph of its own, which it had alone."""
    given: list[str | ast.AST | Code] = [*call.args]
    given += [make_code(f"{k.arg}=", k.value) for k in call.keywords]
    return make_code(name, "(", join_code(", ", [*given, f"graph={own}.Graph()"]), ")")
