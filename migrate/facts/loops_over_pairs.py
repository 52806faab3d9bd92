"""A loop over pairs of gradients and variables, as two loops.

    for gradient, variable in pairs:
        total = tf.Variable(tf.zeros(variable.shape))
        totals.append(total)
        updates.append(total.assign_add(gradient))

The first statements need no gradient. They can go through the variables alone, before a
second loop goes through the pairs.
"""

from __future__ import annotations

import ast
import dataclasses

from migrate.facts import names
from migrate.facts.gradient_pairs import Walk
from migrate.facts.scopes import Scopes
from migrate.source.nodes import walk_breadth_first
from migrate.tables import one_tensor, roles

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
# Methods of tensors, variables, shapes and strings that change nothing else.
_METHODS = frozenset(
    {"as_list", "assign", "assign_add", "assign_sub", "format", "get_shape"}
    | {"initialized_value", "read_value", "replace", "split", "value"}
)


@dataclasses.dataclass(frozen=True, eq=False)
class Halves:
    """A loop over pairs as two loops: over the variables, then over the pairs.

    Attributes:
      first: the statements that need no gradient.
      carried: the names that they bind and the other statements read; for each, the list
        to which they append it anyway.
    """

    first: tuple[ast.stmt, ...]
    carried: dict[str, str | None]


def split_loop(walk: Walk, scopes: Scopes) -> Halves | None:
    """Divides the statements of a loop; None if the order may matter, or nothing is won.

    The statements that need no gradient would run for all variables before the others run.
    """
    loop, target = walk.over, walk.target
    if (
        not isinstance(loop, ast.For)
        or not isinstance(target, ast.Tuple)
        or loop.orelse
    ):
        return None
    gradient = target.elts[0]
    assert isinstance(gradient, ast.Name)
    if not all(_is_plain(s, scopes) for s in loop.body):
        return None
    header = _find_names(loop.target)
    bound = [n for s in loop.body for n in _list_bound(s)]
    if len(set(bound)) < len(bound) or header & {*bound}:
        return None
    changed = {n for s in loop.body for n in names.find_mutations(s)}
    if changed & names.find_reads(loop.iter):
        return None
    if not all(_is_filled_here(name, loop, scopes) for name in changed):
        return None
    late = {gradient.id}
    second: list[ast.stmt] = []
    while True:
        more = [s for s in loop.body if s not in second and names.find_reads(s) & late]
        if not more:
            break
        second += more
        for s in more:
            late |= names.find_binds(s) | names.find_mutations(s)
    first = [s for s in loop.body if s not in second]
    if not first or not second or any(isinstance(s, ast.If) for s in first):
        return None
    if any(_makes_variables(s, scopes) for s in second):
        return None
    needed = {n for s in second for n in names.find_reads(s)}
    variable = target.elts[1]
    assert isinstance(variable, ast.Name)
    filled = {n for s in first for n in names.find_mutations(s)}
    if not all(_reads_own_entry(n, variable.id, loop.body) for n in needed & filled):
        return None
    carried: dict[str, str | None] = {}
    for statement in first:
        for name in _list_bound(statement):
            if name not in needed:
                continue
            at = loop.body.index(statement)
            if any(s in second and name in names.find_reads(s) for s in loop.body[:at]):
                return None  # It reads what the round before left.
            carried[name] = _find_list_of(name, loop.body)
    return Halves(tuple(first), carried)


def _find_names(target: ast.expr) -> set[str]:
    return {n.id for n in walk_breadth_first(target) if isinstance(n, ast.Name)}


def _list_bound(statement: ast.stmt) -> list[str]:
    return [
        n.id
        for n in names.walk_scope(statement)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    ]


def _is_plain(statement: ast.stmt, scopes: Scopes) -> bool:
    """Whether a statement only builds a part of the graph, and puts it into containers."""
    if isinstance(statement, ast.If):
        inside = [*statement.body, *statement.orelse]
        return _is_pure(statement.test, scopes) and all(
            _is_plain(s, scopes) and not isinstance(s, ast.If) for s in inside
        )
    match statement:
        case ast.Assign(targets=[ast.Name()], value=value):
            return _is_pure(value, scopes)
        case ast.Assign(
            targets=[ast.Subscript(value=ast.Name(), slice=key)], value=value
        ):
            return _is_pure(value, scopes) and _is_pure(key, scopes)
        case ast.Expr(
            value=ast.Call(
                func=ast.Attribute(value=ast.Name(), attr="append"),
                args=[value],
                keywords=[],
            )
        ):
            return _is_pure(value, scopes)
    return False


def _is_pure(value: ast.expr, scopes: Scopes) -> bool:
    """Whether an expression does nothing but make tensors, variables and updates."""
    for node in walk_breadth_first(value):
        if isinstance(node, (*_COMPREHENSIONS, ast.Lambda, ast.NamedExpr, ast.Await)):
            return False
        if isinstance(node, (ast.Yield, ast.YieldFrom)):
            return False
        if not isinstance(node, ast.Call):
            continue
        symbol = scopes.resolve(node.func)
        if symbol is not None:
            known = symbol in one_tensor.SYMBOLS or symbol in (
                *roles.VARIABLES,
                *roles.ASSIGNMENTS,
            )
            if not known and not roles.is_initializer(symbol):
                return False
            if symbol.startswith(("tf.losses.", "tf.random")):
                return False
        elif not (
            isinstance(node.func, ast.Attribute)
            and node.func.attr in _METHODS
            or isinstance(node.func, ast.Name)
            and node.func.id in ("float", "int", "len", "str")
            and scopes.find_scope(node.func).find_owner(node.func.id) is None
        ):
            return False
    return True


def _makes_variables(statement: ast.stmt, scopes: Scopes) -> bool:
    return any(
        isinstance(n, ast.Call) and scopes.resolve(n.func) in roles.VARIABLES
        for n in walk_breadth_first(statement)
    )


def _is_filled_here(name: str, loop: ast.For, scopes: Scopes) -> bool:
    """Whether a container is made empty in the loop's suite, and read only after the loop."""
    owner = scopes.find_scope(loop).find_owner(name)
    bound = owner.bindings.get(name, []) if owner is not None else []
    match bound:
        case [
            ast.Assign(
                targets=[ast.Name()], value=ast.List(elts=[]) | ast.Dict(keys=[])
            ) as made
        ]:
            pass
        case _:
            return False
    suite = names.find_suite(scopes.parents[loop], loop)
    if suite is None or made not in suite or suite.index(made) > suite.index(loop):
        return False
    return not any(
        name in names.find_reads(s)
        for s in suite[suite.index(made) + 1 : suite.index(loop)]
    )


def _reads_own_entry(container: str, variable: str, body: list[ast.stmt]) -> bool:
    """Whether each round reads only the entry that it makes: `sums[v.name]`."""
    filling = [s for s in body if container in names.find_mutations(s)]
    match filling:
        case [ast.Assign(targets=[ast.Subscript(slice=key)])] if ast.unparse(key) in (
            f"{variable}.name",
            f"{variable}.op.name",
        ):
            entry = f"{container}[{ast.unparse(key)}]"
        case _:
            return False
    if any(container in names.find_reads(s) for s in body[: body.index(filling[0])]):
        return False
    uses = [
        n
        for s in body
        for n in walk_breadth_first(s)
        if isinstance(n, ast.Name) and n.id == container
    ]
    entries = [
        n
        for s in body
        for n in walk_breadth_first(s)
        if isinstance(n, ast.Subscript) and ast.unparse(n) == entry
    ]
    return len(uses) == len(entries)


def _find_list_of(name: str, body: list[ast.stmt]) -> str | None:
    """The list to which each round appends a value, and nothing else."""
    for statement in body:
        match statement:
            case ast.Expr(
                value=ast.Call(
                    func=ast.Attribute(value=ast.Name(id=listed), attr="append"),
                    args=[ast.Name(id=value)],
                )
            ) if value == name:
                others = [
                    s
                    for s in body
                    if s is not statement and listed in names.find_reads(s)
                ]
                if not others:
                    return listed
    return None
