"""Finds where a program averages its towers' gradients, and what it does with them.

By a call of a function, whatever its name, or by statements of its own:

    average_grads = []
    for grad_and_vars in zip(*tower_grads):
        ...
        average_grads.append((grad, grad_and_vars[0][1]))
"""

from __future__ import annotations

import ast
import dataclasses
import functools
from collections.abc import Callable

from migrate.facts import names, reach
from migrate.facts.scopes import Scopes
from migrate.facts.towers.averages import averages_towers
from migrate.source.nodes import walk_breadth_first

_Reads = Callable[..., bool]  # Whether a function averages the towers' gradients.


@dataclasses.dataclass(frozen=True)
class Average:
    """An average over towers.

    Attributes:
      value: the expression that gives it; None if statements do.
      statement: what computes it.
      result: the name it has; None if the call is part of an expression.
      begun: `average_grads = []`, for statements that fill a list.
      applied: whether it goes into apply_gradients and nowhere else.
      pairs: whether it is of (gradient, variable), and not of gradients alone.
    """

    value: ast.expr | None
    statement: ast.stmt
    result: str | None
    begun: ast.Assign | None
    applied: bool
    pairs: bool = True


def find(
    scopes: Scopes, loop: ast.For, gradients: str, count: str, *, pairs: bool = True
) -> Average | None:
    """Finds the average of the list with a name, which a loop over towers fills.

    Args:
      count: how many towers there are, as the program writes it.
      pairs: whether the list is of (gradient, variable).
    """
    scope = scopes.find_scope(loop)
    inside = set(walk_breadth_first(loop))
    uses = sorted(
        (
            n
            for n in walk_breadth_first(scopes.tree)
            if isinstance(n, ast.Name)
            and n.id == gradients
            and isinstance(n.ctx, ast.Load)
            and n not in inside
            and scopes.find_scope(n).find_owner(gradients) is scope
            and n.lineno > loop.lineno
        ),
        key=lambda n: (n.lineno, n.col_offset),
    )
    if not uses:
        return None
    reads = functools.partial(
        averages_towers,
        scopes=scopes,
        count=count,
        pairs=pairs,
        number=_find_number(scopes, loop, count),
    )
    for spelling in (
        _find_average_by_call,
        _find_average_by_statements,
        _find_average_where_applied,
    ):
        found = spelling(scopes, uses, gradients, reads)
        if found is not None:
            return dataclasses.replace(
                found, pairs=pairs, applied=found.applied and pairs
            )
    return None


def _find_number(scopes: Scopes, loop: ast.For, count: str) -> int | None:
    """The number of towers, where a name has it that is bound once."""
    owner = scopes.find_scope(loop).find_owner(count)
    bound = owner.bindings[count] if owner is not None else []
    if len(bound) != 1 or not isinstance(bound[0], ast.Assign):
        return None
    number = names.read_literal(bound[0].value)
    return number if type(number) is int else None


def _find_average_by_call(
    scopes: Scopes, uses: list[ast.Name], gradients: str, reads: _Reads
) -> Average | None:
    call = scopes.parents[uses[0]]
    if not (
        isinstance(call, ast.Call)
        and call.args[:1] == uses[:1]
        and isinstance(call.func, ast.Name)
    ):
        return None
    statement = scopes.parents[call]
    rebinds = isinstance(statement, ast.Assign) and gradients in names.find_binds(
        statement
    )
    if len(uses) > 1 and not rebinds:
        return None
    applied = goes_into_an_update(scopes, call)
    for definition in reach.find_definitions(scopes, call.func):
        if isinstance(definition, ast.FunctionDef) and reads(
            definition, given=_match_arguments(definition, call), once=applied
        ):
            kept = names.find_statement(scopes.parents, call)
            return Average(call, kept, None, None, applied)
    return None


def _find_average_by_statements(
    scopes: Scopes, uses: list[ast.Name], gradients: str, reads: _Reads
) -> Average | None:
    """A comprehension that is assigned, or a loop that fills a list begun before it."""
    statement = names.find_statement(scopes.parents, uses[0])
    while isinstance(scopes.parents[statement], ast.For):
        outer = scopes.parents[statement]
        assert isinstance(outer, ast.For)
        statement = outer
    inside = set(walk_breadth_first(statement))
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
        lists = _find_filled_lists(scopes, statement)
        if len(lists) != 1:
            return None
        ((result, begun),) = lists.items()
        body = [begun, statement]
    else:
        return None
    function = _find_function(
        gradients, [*body, ast.Return(ast.Name(result, ast.Load()))]
    )
    applied = _is_only_applied(scopes, statement, result, inside)
    if not reads(function, once=applied):
        return None
    if _read_later(scopes, statement, names.find_binds(statement) - {result}):
        return None
    return Average(None, statement, result, begun, applied)


def _find_average_where_applied(
    scopes: Scopes, uses: list[ast.Name], gradients: str, reads: _Reads
) -> Average | None:
    """Finds an average in the argument of apply_gradients."""
    value: ast.AST = uses[0]
    while isinstance(value, ast.expr | ast.comprehension):
        parent = scopes.parents[value]
        if (
            _applies(parent)
            and isinstance(parent, ast.Call)
            and value in parent.args[:1]
        ):
            inside = set(walk_breadth_first(value))
            assert isinstance(value, ast.expr)
            if all(use in inside for use in uses) and reads(
                _find_function(gradients, [ast.Return(value)]), once=True
            ):
                return Average(
                    value, names.find_statement(scopes.parents, value), None, None, True
                )
            return None
        value = parent
    return None


def _find_function(parameter: str, body: list[ast.stmt]) -> ast.FunctionDef:
    function = ast.parse(f"def average({parameter}): pass").body[0]
    assert isinstance(function, ast.FunctionDef)
    function.body = body
    return function


def _match_arguments(function: ast.FunctionDef, call: ast.Call) -> dict[str, ast.expr]:
    """Maps a function's parameters to a call's arguments."""
    parameters = [a.arg for a in function.args.args]
    found = dict(zip(parameters, call.args, strict=False))
    return found | {k.arg: k.value for k in call.keywords if k.arg}


def _read_later(scopes: Scopes, statement: ast.stmt, bound: set[str]) -> bool:
    """Whether anything but the average is read of what its statements bind."""
    scope = scopes.find_scope(statement)
    last = statement.end_lineno or statement.lineno
    return any(
        isinstance(n, ast.Name)
        and n.id in bound
        and isinstance(n.ctx, ast.Load)
        and n.lineno > last
        and scopes.find_scope(n).find_owner(n.id) is scope
        for n in walk_breadth_first(scopes.tree)
    )


def _find_filled_lists(scopes: Scopes, loop: ast.For) -> dict[str, ast.Assign]:
    """Lists made empty before a loop in which they grow, with the statement that does."""
    scope = scopes.find_scope(loop)
    found: dict[str, ast.Assign] = {}
    own = names.find_binds(loop)
    for node in walk_breadth_first(loop):
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


def goes_into_an_update(scopes: Scopes, call: ast.Call) -> bool:
    """Whether what a call gives is applied, and nothing else."""
    parent = scopes.parents[call]
    if isinstance(parent, ast.Call):
        return _applies(parent)
    if not (
        isinstance(parent, ast.Assign)
        and parent.value is call
        and isinstance(parent.targets[0], ast.Name)
    ):
        return False
    return _is_only_applied(
        scopes, parent, parent.targets[0].id, set(walk_breadth_first(parent))
    )


def _is_only_applied(
    scopes: Scopes, statement: ast.stmt, name: str, inside: set[ast.AST]
) -> bool:
    """Whether what a statement gives a name to is only ever applied."""
    uses = [
        n
        for n in walk_breadth_first(scopes.tree)
        if isinstance(n, ast.Name)
        and n.id == name
        and isinstance(n.ctx, ast.Load)
        and n not in inside
        and n.lineno > statement.lineno
        and scopes.find_scope(n) is scopes.find_scope(statement)
    ]
    return len(uses) == 1 and _applies(scopes.parents[uses[0]])


def _applies(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "apply_gradients"
    )
