"""Operations that give a variable its initial value again, where this value is a constant.

    sums = [tf.Variable(tf.zeros([3]), trainable=False) for _ in range(2)]
    zero = [s.initializer for s in sums]

An assignment of zeros does the same. A random initial value would be drawn anew.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.gradient_pairs import is_only_read, list_reads
from migrate.facts.scopes import Scopes
from migrate.source.nodes import walk_breadth_first

# Initializers, and functions that give initial values -> the function that fills a variable.
_FILLS = {
    **dict.fromkeys(("tf.zeros_initializer", "tf.initializers.zeros"), "zeros_like"),
    **dict.fromkeys(("tf.ones_initializer", "tf.initializers.ones"), "ones_like"),
}
_VALUES = {"zeros": "zeros_like", "zeros_like": "zeros_like"} | {
    "ones": "ones_like",
    "ones_like": "ones_like",
}


def find_constant_initializers(scopes: Scopes) -> Iterator[tuple[ast.Attribute, str]]:
    """Finds `variable.initializer`, each with the function that makes the initial value.

    The function takes the variable: `tf.zeros_like(variable)`.
    """
    for node in scopes.walk():
        if (
            isinstance(node, ast.Attribute)
            and node.attr == "initializer"
            and isinstance(node.ctx, ast.Load)
            and isinstance(node.value, ast.Name)
        ):
            fill = _find_fill_of_name(node.value, scopes)
            if fill is not None and _is_only_run(node, scopes):
                yield node, fill


def _is_only_run(node: ast.AST, scopes: Scopes) -> bool:
    """Whether nothing takes what a run gives for an operation.

    A run of an operation gives None, and a run of an assignment gives a value.
    """
    above = scopes.parents[node]
    while isinstance(above, (ast.List, ast.Tuple, ast.ListComp, ast.Starred)):
        node, above = above, scopes.parents[above]
    if isinstance(above, ast.Assign) and above.value is node:
        if not all(isinstance(t, (ast.Name, ast.Tuple)) for t in above.targets):
            return False
        for target in above.targets:
            for name in _list_names(target):
                reads = list_reads(name, scopes)
                if reads is None or not all(_is_only_run(n, scopes) for n in reads):
                    return False
        return True
    if not isinstance(above, ast.Call) or node not in above.args:
        return False
    if scopes.resolve(above.func) in ("tf.group", "tf.control_dependencies"):
        return True
    return (
        isinstance(above.func, ast.Attribute)
        and above.func.attr == "run"
        and isinstance(scopes.parents[above], ast.Expr)
    )


def _list_names(target: ast.expr) -> list[ast.Name]:
    return [n for n in walk_breadth_first(target) if isinstance(n, ast.Name)]


def _find_fill_of_name(name: ast.Name, scopes: Scopes) -> str | None:
    owner = scopes.find_scope(name).find_owner(name.id)
    if owner is None:
        return None
    generators = getattr(owner.node, "generators", [])
    match generators or owner.bindings[name.id]:
        case [ast.Assign(targets=[ast.Name()], value=ast.Call() as made)]:
            return _find_fill(made, scopes)
        case [
            ast.For(target=ast.Name(), iter=ast.Name() as listed)
            | ast.comprehension(target=ast.Name(), iter=ast.Name() as listed)
        ]:
            return _find_fill_of_list(listed, scopes)
    return None


def _find_fill_of_list(listed: ast.Name, scopes: Scopes) -> str | None:
    """Finds what fills each variable of a list that nothing changes."""
    owner = scopes.find_scope(listed).find_owner(listed.id)
    if owner is None or hasattr(owner.node, "generators"):
        return None
    reads = list_reads(listed, scopes)
    if reads is None or not all(is_only_read(n, scopes) for n in reads):
        return None
    match owner.bindings[listed.id]:
        case [
            ast.Assign(targets=[ast.Name()], value=ast.ListComp(elt=ast.Call() as made))
        ]:
            return _find_fill(made, scopes)
        case [
            ast.Assign(
                targets=[ast.Name()],
                value=ast.List(elts=elements) | ast.Tuple(elts=elements),
            )
        ]:
            fills = {
                _find_fill_of_name(e, scopes) if isinstance(e, ast.Name) else None
                for e in elements
            }
            return fills.pop() if len(fills) == 1 else None
    return None


def _find_fill(made: ast.Call, scopes: Scopes) -> str | None:
    """Finds what fills a variable as the call that makes it does."""
    if any(k.arg in (None, "partitioner", "validate_shape") for k in made.keywords):
        return None
    symbol = scopes.resolve(made.func)
    if symbol == "tf.get_variable":
        given = names.find_argument(made, "initializer", 3)
        if isinstance(given, ast.Call):
            given = given.func
        return _FILLS.get(scopes.resolve(given) or "") if given is not None else None
    if symbol != "tf.Variable":
        return None
    value = names.find_argument(made, "initial_value", 0)
    if not isinstance(value, ast.Call):
        return None
    path = scopes.resolve(value.func) or scopes.import_path(value.func)
    package, _, function = path.rpartition(".")
    return _VALUES.get(function) if package in ("tf", "numpy") else None
