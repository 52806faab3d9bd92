"""Finds loops over towers: they compute gradients, or list losses on devices."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.source.nodes import find_plain_names, walk_breadth_first

_OF_DEVICES = re.compile("device|gpu|tower|replica|worker|task", re.IGNORECASE)
_OF_LOSSES = re.compile("loss|cost|objective", re.IGNORECASE)


def has_gradients(scopes: Scopes, loop: ast.For) -> bool:
    """Whether a loop computes a tower's gradients: by `tf.gradients` on devices only."""
    own = list(_walk_own_nodes(loop.body))
    if any(_computes(scopes, node) for node in own):
        return True
    return any(_takes(scopes, node) for node in own) and any(
        isinstance(node, ast.Call) and scopes.resolve(node.func) == "tf.device"
        for node in own
    )


def takes_gradients(scopes: Scopes, node: ast.AST) -> bool:
    """Whether it is `opt.compute_gradients(...)`, or `tf.gradients(...)`."""
    return _computes(scopes, node) or _takes(scopes, node)


def may_take_gradients(scopes: Scopes, function: ast.expr) -> bool:
    """Whether it is `opt.compute_gradients`, which is called elsewhere."""
    return (
        isinstance(function, ast.Attribute)
        and function.attr == "compute_gradients"
        and scopes.resolve(function) is None
    )


def _computes(scopes: Scopes, node: ast.AST) -> bool:
    """Whether it is `opt.compute_gradients(...)` of an optimizer of the program's."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "compute_gradients"
        and scopes.resolve(node.func) is None
    )


def _takes(scopes: Scopes, node: ast.AST) -> bool:
    """Whether it is `tf.gradients(...)`."""
    return isinstance(node, ast.Call) and scopes.resolve(node.func) == "tf.gradients"


def _walk_own_nodes(body: list[ast.stmt]) -> Iterator[ast.AST]:
    for statement in body:
        yield from names.walk_scope(statement)


def find_loss_loops(scopes: Scopes) -> list[ast.For]:
    """Loops over devices that list losses, or add them up."""
    return [
        node
        for node in walk_breadth_first(scopes.tree)
        if isinstance(node, ast.For)
        and _places(scopes, node)
        and any(True for _ in walk_gathered_losses(scopes, node))
    ]


def shows_towers(scopes: Scopes, loop: ast.For) -> bool:
    """Whether a loop is seen to be over towers, so that this may be told of it.

    Not where it places parts of one model on devices, and not where it makes updates of
    several losses on no device at all.
    """
    if has_gradients(scopes, loop):
        return bool(_OF_DEVICES.search(ast.unparse(loop)))
    lists = {name for name, _, _ in walk_gathered_losses(scopes, loop)}
    if any(_OF_LOSSES.search(name) for name in lists):
        return True
    minimised = [
        node.args[0] if node.args else names.find_argument(node, "loss")
        for node in walk_breadth_first(scopes.tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("minimize", "compute_gradients", "gradients")
    ]
    return any(
        names.find_reads(value) & lists
        for loss in minimised
        if loss is not None
        for value in (loss, *_find_values(scopes, loss))
    )


def _find_values(scopes: Scopes, node: ast.expr) -> list[ast.expr]:
    """Lists the values assigned to a name, anywhere in its scope."""
    if not isinstance(node, ast.Name):
        return []
    owner = scopes.find_scope(node).find_owner(node.id)
    bound = owner.bindings.get(node.id, []) if owner is not None else []
    return [b.value for b in bound if isinstance(b, (ast.Assign, ast.AugAssign))]


def _places(scopes: Scopes, loop: ast.For) -> bool:
    """Whether each round of a loop is on another device of the process."""
    own = find_plain_names(loop.target)
    return any(
        isinstance(node, ast.Call)
        and scopes.resolve(node.func) == "tf.device"
        and bool(names.find_reads(node) & own)
        for block in walk_breadth_first(loop)
        if isinstance(block, ast.With)
        for node in [item.context_expr for item in block.items]
    ) and not any(
        isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and "job:" in node.value
        for node in walk_breadth_first(loop)
    )


def walk_gathered_losses(
    scopes: Scopes, loop: ast.For
) -> Iterator[tuple[str, ast.expr, bool]]:
    """`losses.append(loss)`, or `total += loss`: the name, the value, whether it is a list."""
    for node in walk_breadth_first(loop):
        name, value = "", None
        listed = isinstance(node, ast.Expr)
        call = node.value if isinstance(node, ast.Expr) else None
        if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add):
            if isinstance(node.target, ast.Name):
                name, value = node.target.id, node.value
        elif (
            isinstance(call, ast.Call)
            and isinstance(call.func, ast.Attribute)
            and call.func.attr == "append"
            and isinstance(call.func.value, ast.Name)
            and len(call.args) == 1
        ):
            name, value = call.func.value.id, call.args[0]
        if value is not None and _begins(scopes, loop, name, listed=listed):
            yield name, value, listed


def _begins(scopes: Scopes, loop: ast.For, name: str, *, listed: bool) -> bool:
    """Whether a name is an empty list, or 0, before a loop that uses it once."""
    bound = scopes.find_scope(loop).bindings.get(name, [])
    before = [b for b in bound if b.lineno < loop.lineno]  # type: ignore[attr-defined]
    if len(before) != 1 or not isinstance(before[0], ast.Assign):
        return False
    made = before[0].value
    empty = isinstance(made, ast.List) and not made.elts
    if not (empty if listed else names.read_literal(made) == 0):
        return False
    uses = [
        n for n in walk_breadth_first(loop) if isinstance(n, ast.Name) and n.id == name
    ]
    return len(uses) == 1
