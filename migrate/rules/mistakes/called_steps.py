"""Calls of a training step outside `strategy.run`: what they give it, and of which loop."""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.rules.mistakes import replicas, values
from migrate.source.nodes import find_plain_names, walk_breadth_first


def may_be_run(
    scopes: Scopes, call: ast.Call, step: ast.FunctionDef, strategy: ast.expr
) -> bool:
    """Whether such a call is given what a loop over a dataset gives, and nobody else is.

    Beside it a step may be given what stays the same in the loop: its model.
    """
    loop = replicas.find_loop(scopes, call)
    if loop is None or any(k.arg is None for k in call.keywords):
        return False
    target, over = loop
    bound = _read_element(scopes, target, call)
    given = [*call.args, *(k.value for k in call.keywords)]
    from_loop = [a for a in given if names.find_reads(a) & set(bound)]
    inside = {n for a in from_loop for n in walk_breadth_first(a)}
    return (
        fits(scopes, call, step)
        and bool(from_loop)
        and all(_is_part(a) for a in from_loop)
        and all(_stays(scopes, a, call) for a in given if a not in from_loop)
        and all(node in inside for nodes in bound.values() for node in nodes)
        and values.means_same_at(scopes, strategy, call)
        and (replicas.is_dataset(scopes, over) or replicas.is_distributed(scopes, over))
    )


def fits(scopes: Scopes, call: ast.Call, step: ast.FunctionDef) -> bool:
    """Whether a step is given as many arguments as it takes."""
    takes, count = (
        replicas.count_required_arguments(step),
        len(call.args) + len(call.keywords),
    )
    whole = find_whole_batch(scopes, call)
    if takes is None:
        return False
    if whole is not None and (unpacked := _count_unpacked(scopes, call, step)):
        count += unpacked - 1
    return takes[0] <= count <= takes[1]


def find_unfit(
    scopes: Scopes, call: ast.Call, step: ast.FunctionDef
) -> ast.expr | None:
    """The batch that a call gives as one where the step takes its parts."""
    whole = find_whole_batch(scopes, call)
    takes, count = (
        replicas.count_required_arguments(step),
        len(call.args) + len(call.keywords),
    )
    if whole is None or isinstance(whole, ast.Starred) or takes is None:
        return None
    parts = _count_unpacked(scopes, call, step)
    if count >= takes[0] or parts is None:
        return None
    return whole if takes[0] <= count - 1 + parts <= takes[1] else None


def find_whole_batch(scopes: Scopes, call: ast.Call) -> ast.expr | None:
    """The argument that is the loop's batch as a whole: `batch`, or `*batch`."""
    loop = replicas.find_loop(scopes, call)
    if loop is None or not isinstance(loop[0], ast.Name):
        return None
    for given in call.args:
        inner = given.value if isinstance(given, ast.Starred) else given
        if isinstance(inner, ast.Name) and inner.id == loop[0].id:
            return given
    return None


def _count_unpacked(
    scopes: Scopes, call: ast.Call, step: ast.FunctionDef
) -> int | None:
    """Into how many arguments the batch goes; None where it is one."""
    loop, whole = replicas.find_loop(scopes, call), find_whole_batch(scopes, call)
    takes, count = (
        replicas.count_required_arguments(step),
        len(call.args) + len(call.keywords),
    )
    if loop is None or whole is None or takes is None:
        return None
    if not isinstance(whole, ast.Starred) and count >= takes[0]:
        return None
    parts = replicas.count_elements(scopes, loop[1])
    return parts if parts is not None and parts > 1 else None


def _read_element(
    scopes: Scopes, target: ast.expr, call: ast.Call
) -> dict[str, list[ast.AST]]:
    """Names of an element's parts, each with where the loop reads it.

    `x, y = batch` in the loop names parts, too, of one replica's or of all.
    """
    loop: ast.AST = call
    while not isinstance(loop, ast.For):
        loop = scopes.parents[loop]
    bound = find_plain_names(target)
    apart: set[ast.AST] = set()
    for statement in loop.body:
        if (
            isinstance(statement, ast.Assign)
            and names.find_key(statement.value) in bound
        ):
            if isinstance(statement.targets[0], ast.Tuple):
                bound |= names.find_binds(statement)
                apart.add(statement.value)
    read: dict[str, list[ast.AST]] = {name: [] for name in bound}
    for node in (n for s in loop.body for n in walk_breadth_first(s)):
        if isinstance(node, ast.Name) and node.id in bound and node not in apart:
            if isinstance(node.ctx, ast.Load):
                read[node.id].append(node)
    return read


def _is_part(node: ast.expr) -> bool:
    """An element, or a part of it, as it stands: all replicas have theirs under it."""
    if isinstance(node, ast.Starred):
        node = node.value
    while isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        node = node.value
    return isinstance(node, (ast.Name, ast.Tuple)) and all(
        isinstance(e, ast.Name) for e in getattr(node, "elts", ())
    )


def _stays(scopes: Scopes, node: ast.expr, call: ast.Call) -> bool:
    """Whether an argument is the same in every step: an object, a number."""
    loop: ast.AST = call
    while not isinstance(loop, ast.For):
        loop = scopes.parents[loop]
    changed = {n for s in loop.body for n in names.find_binds(s)}
    if isinstance(node, ast.Constant):
        return True
    return names.find_key(node) is not None and not names.find_reads(node) & changed
