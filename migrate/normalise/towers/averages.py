"""Where a program averages the gradients of its towers, and what the average is for.

By a call of a function, whatever its name, or by statements of its own:

    average_grads = []
    for grad_and_vars in zip(*tower_grads):
        ...
        average_grads.append((grad, grad_and_vars[0][1]))
"""

from __future__ import annotations

import ast
import dataclasses

from migrate.facts import names, reach
from migrate.facts.averages import averages_towers
from migrate.facts.scopes import Scopes


@dataclasses.dataclass(frozen=True)
class Average:
    """An average over towers.

    Attributes:
      value: the call that gives it; None where statements do.
      statement: what computes it.
      result: the name it has; None where the call is part of an expression.
      begun: `average_grads = []`, for statements that fill a list.
      applied: whether it goes into apply_gradients and nowhere else.
    """

    value: ast.Call | None
    statement: ast.stmt
    result: str | None
    begun: ast.Assign | None
    applied: bool


def find(scopes: Scopes, loop: ast.For, gradients: str, count: str) -> Average | None:
    """The average of the list of that name, which a loop over towers fills.

    Args:
      count: how many towers there are, as the program writes it.
    """
    scope = scopes.scope_of(loop)
    inside = set(ast.walk(loop))
    uses = sorted(
        (
            n
            for n in ast.walk(scopes.tree)
            if isinstance(n, ast.Name)
            and n.id == gradients
            and isinstance(n.ctx, ast.Load)
            and n not in inside
            and scopes.scope_of(n).owner(gradients) is scope
            and n.lineno > loop.lineno
        ),
        key=lambda n: (n.lineno, n.col_offset),
    )
    if not uses:
        return None
    found = _by_call(scopes, uses, gradients, count)
    return found or _by_statements(scopes, uses, gradients, count)


def _by_call(
    scopes: Scopes, uses: list[ast.Name], gradients: str, count: str
) -> Average | None:
    call = scopes.parents[uses[0]]
    if not (
        isinstance(call, ast.Call)
        and uses[0] in call.args
        and isinstance(call.func, ast.Name)
    ):
        return None
    statement = scopes.parents[call]
    rebinds = isinstance(statement, ast.Assign) and gradients in names.binds(statement)
    if len(uses) > 1 and not rebinds:
        return None
    for definition in reach.definitions(scopes, call.func):
        if isinstance(definition, ast.FunctionDef) and averages_towers(
            definition, scopes, count
        ):
            return Average(
                call,
                _statement(scopes, call),
                None,
                None,
                _goes_into_an_update(scopes, call),
            )
    return None


def _by_statements(
    scopes: Scopes, uses: list[ast.Name], gradients: str, count: str
) -> Average | None:
    """A comprehension that is assigned, or a loop that fills a list begun before it."""
    statement = _statement(scopes, uses[0])
    while isinstance(scopes.parents[statement], ast.For):
        outer = scopes.parents[statement]
        assert isinstance(outer, ast.For)
        statement = outer
    inside = set(ast.walk(statement))
    if any(use not in inside for use in uses):
        return None
    begun: ast.Assign | None = None
    if isinstance(statement, ast.Assign):
        target = statement.targets[0]
        if len(statement.targets) != 1 or not isinstance(target, ast.Name):
            return None
        result = target.id
        body: list[ast.stmt] = [statement]
    elif isinstance(statement, ast.For):
        lists = _filled(scopes, statement)
        if len(lists) != 1:
            return None
        ((result, begun),) = lists.items()
        body = [begun, statement]
    else:
        return None
    function = ast.FunctionDef(
        name="average",
        args=ast.arguments([], [ast.arg(gradients)], None, [], [], None, []),
        body=[*body, ast.Return(ast.Name(result, ast.Load()))],
        decorator_list=[],
    )
    if not averages_towers(function, scopes, count):
        return None
    if _read_later(scopes, statement, names.binds(statement) - {result}):
        return None
    applied = _only_applied(scopes, statement, result, inside)
    return Average(None, statement, result, begun, applied)


def _read_later(scopes: Scopes, statement: ast.stmt, bound: set[str]) -> bool:
    """Whether anything but the average is read of what its statements bind."""
    scope = scopes.scope_of(statement)
    last = statement.end_lineno or statement.lineno
    return any(
        isinstance(n, ast.Name)
        and n.id in bound
        and isinstance(n.ctx, ast.Load)
        and n.lineno > last
        and scopes.scope_of(n).owner(n.id) is scope
        for n in ast.walk(scopes.tree)
    )


def _filled(scopes: Scopes, loop: ast.For) -> dict[str, ast.Assign]:
    """Lists made empty before a loop in which they grow, with the statement that does."""
    scope = scopes.scope_of(loop)
    found: dict[str, ast.Assign] = {}
    own = names.binds(loop)
    for node in ast.walk(loop):
        if not (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "append"
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id not in own
        ):
            continue
        made = scope.bindings.get(node.func.value.id, [])
        if (
            len(made) == 1
            and isinstance(made[0], ast.Assign)
            and isinstance(made[0].value, ast.List)
            and not made[0].value.elts
            and made[0].lineno < loop.lineno
        ):
            found[node.func.value.id] = made[0]
    return found


def _statement(scopes: Scopes, node: ast.AST) -> ast.stmt:
    while not isinstance(node, ast.stmt):
        node = scopes.parents[node]
    return node


def _goes_into_an_update(scopes: Scopes, call: ast.Call) -> bool:
    parent = scopes.parents[call]
    if isinstance(parent, ast.Call):
        return _applies(parent)
    if not (
        isinstance(parent, ast.Assign)
        and parent.value is call
        and isinstance(parent.targets[0], ast.Name)
    ):
        return False
    return _only_applied(scopes, parent, parent.targets[0].id, set(ast.walk(parent)))


def _only_applied(
    scopes: Scopes, statement: ast.stmt, name: str, inside: set[ast.AST]
) -> bool:
    """Whether what a statement gives a name to is only ever applied."""
    uses = [
        n
        for n in ast.walk(scopes.tree)
        if isinstance(n, ast.Name)
        and n.id == name
        and isinstance(n.ctx, ast.Load)
        and n not in inside
        and n.lineno > statement.lineno
        and scopes.scope_of(n) is scopes.scope_of(statement)
    ]
    return len(uses) == 1 and _applies(scopes.parents[uses[0]])


def _applies(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "apply_gradients"
    )
