"""D147: the global step taken for the number of the worker's own steps.

It counts the steps of all workers. Between two runs of one worker it grows by as many
as the others have made: data that is chosen by it is skipped, each worker's in turn.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.rules.mistakes.mistake import Mistake, binding, calls

_STEPS = frozenset(
    {
        "tf.train.get_or_create_global_step",
        "tf.train.get_global_step",
        "tf.train.create_global_step",
        "tf.contrib.framework.get_or_create_global_step",
    }
)


def find(scopes: Scopes) -> Iterator[Mistake]:
    symbols = {symbol for _, symbol in calls(scopes)}
    if "tf.train.Server" not in symbols or "tf.train.SyncReplicasOptimizer" in symbols:
        return  # In step with each other all workers count alike.
    for name, loop in _fetched(scopes):
        for node in ast.walk(loop):
            if (
                isinstance(node, ast.Subscript)
                and isinstance(node.ctx, ast.Load)
                and name in names.reads(node.slice)
            ):
                yield Mistake(
                    node,
                    "D147",
                    f"`{name}` is the global step, which counts the steps of all workers: "
                    "what a worker chooses by it has gaps, as it had in TensorFlow 1",
                    "Count the worker's own steps: local_step += 1.",
                    kept=True,
                )
                break


def _fetched(scopes: Scopes) -> Iterator[tuple[str, ast.While | ast.For]]:
    """Names that `sess.run` gives the global step to, in loops."""
    for node in ast.walk(scopes.tree):
        if not (
            isinstance(node, ast.Assign)
            and isinstance(node.value, ast.Call)
            and isinstance(node.value.func, ast.Attribute)
            and node.value.func.attr == "run"
            and node.value.args
        ):
            continue
        target, fetches = node.targets[0], node.value.args[0]
        pairs = [(target, fetches)]
        if isinstance(target, (ast.Tuple, ast.List)) and isinstance(
            fetches, (ast.Tuple, ast.List)
        ):
            pairs = list(zip(target.elts, fetches.elts))
        for given, fetch in pairs:
            loop = _loop(scopes, node)
            if isinstance(given, ast.Name) and loop and _is_step(scopes, fetch):
                yield given.id, loop


def _is_step(scopes: Scopes, node: ast.expr) -> bool:
    made = binding(scopes, node)
    if not isinstance(made, ast.Call):
        return False
    symbol = scopes.resolve(made.func)
    return symbol in _STEPS or (
        symbol in ("tf.Variable", "tf.get_variable")
        and names.literal(names.argument(made, "name")) == "global_step"
    )


def _loop(scopes: Scopes, node: ast.AST) -> ast.While | ast.For | None:
    while node in scopes.parents:
        node = scopes.parents[node]
        if isinstance(node, (ast.While, ast.For)):
            return node
        if isinstance(node, (ast.FunctionDef, ast.Lambda)):
            return None
    return None
