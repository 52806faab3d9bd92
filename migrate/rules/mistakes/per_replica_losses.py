"""D104: a replica's loss is the mean of its own part of the batch.

Gradients of the replicas are added up. So the loss of each has to be divided by the
size of the whole batch; the mean of its part makes every step as many times too large
as there are replicas.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.program.ir import code
from migrate.rules.mistakes import replicas
from migrate.rules.mistakes.mistake import Mistake, binding, method, name_of

_MEANS = frozenset({"tf.reduce_mean", "tf.math.reduce_mean"})


def find(scopes: Scopes) -> Iterator[Mistake]:
    if _divides_itself(scopes):
        return
    functions = [function for _, function in replicas.runs(scopes)]
    functions += [function for _, function, _ in replicas.called_outside(scopes)]
    for function in dict.fromkeys(functions):
        for mean in _means(scopes, function):
            root = _root(mean.func)
            if root is None:
                continue
            average = code(root, ".nn.compute_average_loss(", mean.args[0], ")")
            yield Mistake(
                mean,
                "D104",
                "the mean of a replica's part of the batch: the replicas' gradients "
                "are added up, so each loss is divided by the whole batch",
                "tf.nn.compute_average_loss(per_example_loss)",
                ((mean, average),),
                name_of(scopes, mean.func),
            )


def divided(scopes: Scopes, function: ast.FunctionDef) -> bool:
    """Whether the function's loss is, or is about to be, of the whole batch."""
    if _divides_itself(scopes) or list(_means(scopes, function)):
        return True
    losses = _differentiated(function)
    return any(
        isinstance(n, ast.Assign)
        and names.binds(n) & losses
        and isinstance(n.value, ast.Call)
        and name_of(scopes, n.value.func) == "tf.nn.compute_average_loss"
        for n in ast.walk(function)
    )


def returned(function: ast.FunctionDef) -> bool:
    """Whether what a function returns is the loss that it differentiates."""
    given = [n.value for n in ast.walk(function) if isinstance(n, ast.Return)]
    return bool(given) and all(
        v is not None and names.key(v) in _differentiated(function) for v in given
    )


def _divides_itself(scopes: Scopes) -> bool:
    """Whether the module counts its replicas, or adds up over them."""
    return any(
        isinstance(node, ast.Attribute)
        and node.attr in ("num_replicas_in_sync", "all_reduce")
        for node in ast.walk(scopes.tree)
    )


def _differentiated(function: ast.FunctionDef) -> set[str]:
    return {
        name
        for node in ast.walk(function)
        if isinstance(node, ast.Call) and method(node) == "gradient" and node.args
        if (name := names.key(node.args[0])) is not None
    }


def _means(scopes: Scopes, function: ast.FunctionDef) -> Iterator[ast.Call]:
    """Losses that are the mean of losses per example."""
    differentiated = _differentiated(function)
    for statement in ast.walk(function):
        if not (
            isinstance(statement, ast.Assign)
            and names.binds(statement) & differentiated
            and isinstance(statement.value, ast.Call)
        ):
            continue
        mean = statement.value
        if (
            name_of(scopes, mean.func) in _MEANS
            and len(mean.args) == 1
            and binding(scopes, statement.targets[0]) is mean
            and not mean.keywords
            and _is_per_example(scopes, function, mean.args[0])
        ):
            yield mean


def _root(node: ast.expr) -> ast.expr | None:
    """`tf` of `tf.reduce_mean`, `tf.math.reduce_mean`."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node if isinstance(node, ast.Name) else None


def _is_per_example(scopes: Scopes, function: ast.FunctionDef, node: ast.expr) -> bool:
    """What a loss object without reduction gives: a loss per example."""
    if isinstance(node, ast.Name):
        value = binding(scopes, node)
        return value is not None and _is_per_example(scopes, function, value)
    if not isinstance(node, ast.Call):
        return False
    made = binding(scopes, node.func)
    if not (
        isinstance(made, ast.Call)
        and name_of(scopes, made.func).startswith("tf.keras.losses.")
    ):
        return False
    reduction = names.argument(made, "reduction")
    return (
        isinstance(reduction, ast.Attribute) and reduction.attr == "NONE"
    ) or names.literal(reduction) in ("none",)
