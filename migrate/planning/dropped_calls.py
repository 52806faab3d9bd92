"""S114: statements that only read the graph, and that no step needs: `print(h.get_shape())`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts import effects, reach
from migrate.facts.scopes import Scopes
from migrate.findings import Finding, Outcome
from migrate.program import ir
from migrate.program.binding_time import list_every_flow
from migrate.source.nodes import walk_breadth_first
from migrate.tables import roles

_LOST_CALL = (
    "dropped: this call ran once, when the graph was built. It used a tensor that "
    "now exists only in a step"
)
_LOST_INSIDE = (
    "dropped: this function was called when the graph was built. It used a tensor that "
    "now exists only in a step"
)
_LOST_LIST = (
    "dropped: this call listed the graph's variables, but layers make their "
    "variables in the first step"
)
_RECIPE_OF_LIST = (
    "If you need it, move it into the session, after the first `run` of a step."
)


def _lists_variables(node: ast.AST, scopes: Scopes) -> bool:
    """Whether a call gives the graph's variables, which a program may count or print."""
    return isinstance(node, ast.Call) and (scopes.resolve(node.func) or "") in (
        roles.TRAINABLE | roles.GLOBAL
    )


def find(program: ir.TrainingProgram, scopes: Scopes) -> Iterator[Finding]:
    """Reports dropped statements that only read the graph: `print(h.get_shape())`."""
    dropped = list(_list_dropped(program, scopes))
    shown: dict[ast.Call, None] = {}
    for call in dropped:
        inside = list(_list_shown_inside(call, dropped, scopes))
        shown.update(dict.fromkeys(inside))
        place = call.lineno, call.col_offset + 1
        if any(_lists_variables(n, scopes) for n in walk_breadth_first(call)):
            yield Finding(
                *place, "S114", Outcome.WARNED, "", _LOST_LIST, _RECIPE_OF_LIST
            )
        else:
            told = effects.is_shown(call, scopes) or inside
            outcome = Outcome.WARNED if told else Outcome.REWRITTEN
            yield Finding(*place, "S114", outcome, "", _LOST_CALL)
    for call in shown:
        place = call.lineno, call.col_offset + 1
        yield Finding(*place, "S114", Outcome.WARNED, "", _LOST_INSIDE)


def _list_dropped(program: ir.TrainingProgram, scopes: Scopes) -> Iterator[ast.Call]:
    """Lists the calls that are dropped, as statements."""
    fetched = {f for step in program.steps for f in step.flows}
    for flow in list_every_flow(program.flows):
        value = getattr(flow.statement, "value", None)
        if (
            isinstance(flow.statement, ast.Expr)
            and isinstance(value, ast.Call)
            and not (scopes.resolve(value.func) or "").startswith("tf.")
            and (flow.step or flow.pure)
            and not (flow.build or flow.dropped or flow in fetched)
        ):
            yield value


def _list_shown_inside(
    call: ast.Call, dropped: list[ast.Call], scopes: Scopes
) -> Iterator[ast.Call]:
    """Lists what a dropped call of a function prints, if no other call does.

    def show(tensor):
        print(tensor.op.name, tensor.get_shape())
    """
    if not isinstance(call.func, ast.Name):
        return
    for function in reach.find_definitions(scopes, call.func):
        if not isinstance(function, ast.FunctionDef):
            continue
        called = {id(c.func) for c in dropped}
        uses = [
            node
            for node in scopes.walk()
            if isinstance(node, ast.Name)
            and isinstance(node.ctx, ast.Load)
            and node.id == function.name
            and function in reach.find_definitions(scopes, node)
        ]
        if all(id(node) in called for node in uses):
            for statement in function.body:
                if isinstance(statement, ast.Expr):
                    if effects.is_shown(statement.value, scopes):
                        assert isinstance(statement.value, ast.Call)
                        yield statement.value
