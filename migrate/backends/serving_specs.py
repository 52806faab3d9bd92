"""Placeholders that only describe what a raw serving input receives.

    spec = {"x": tf.placeholder(tf.float32, [None, 3], name="x")}
    receiver = tf.estimator.export.build_raw_serving_input_receiver_fn(spec)

TF1 read their type, shape and name, and made others in the graph of the export: a
tf.TensorSpec says the same without a graph.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.program.ir import Code, code

_PLACEHOLDER = "tf.placeholder"
_RECEIVERS = (
    "tf.estimator.export.build_raw_serving_input_receiver_fn",
    "tf.contrib.learn.build_raw_serving_input_receiver_fn",
)


def specs(scopes: Scopes) -> Iterator[tuple[ast.Call, Code]]:
    """Calls of tf.placeholder that become specs, and these."""
    for node, symbol in scopes.walk_uses():
        call = scopes.parents.get(node)
        if symbol == _PLACEHOLDER and isinstance(call, ast.Call) and call.func is node:
            bound = names.bound_arguments(call, ("dtype", "shape", "name"))
            # Without a name TF1 numbered them.
            if bound is None or not {"dtype", "shape", "name"} <= set(bound):
                continue
            if _only_described(call, scopes):
                yield (
                    call,
                    code(
                        "tf.TensorSpec(shape=",
                        bound["shape"],
                        ", dtype=",
                        bound["dtype"],
                        ", name=",
                        bound["name"],
                        ")",
                    ),
                )


def _only_described(call: ast.Call, scopes: Scopes) -> bool:
    """Whether a placeholder is in a dictionary that receivers are built of, and only they."""
    within = scopes.parents.get(call)
    if not isinstance(within, ast.Dict):
        return False
    use = scopes.parents.get(within)
    if _builds_receiver(use, within, scopes):
        return True
    if not isinstance(use, ast.Assign) or len(use.targets) != 1:
        return False
    target = use.targets[0]
    if not isinstance(target, ast.Name):
        return False
    owner = scopes.scope_of(target).owner(target.id)
    if owner is None or len(owner.bindings[target.id]) != 1:
        return False
    reads = [
        node
        for node in ast.walk(scopes.tree)
        if isinstance(node, ast.Name)
        and node.id == target.id
        and isinstance(node.ctx, ast.Load)
        and scopes.scope_of(node).owner(node.id) is owner
    ]
    return bool(reads) and all(
        _builds_receiver(scopes.parents.get(node), node, scopes) for node in reads
    )


def _builds_receiver(use: ast.AST | None, given: ast.expr, scopes: Scopes) -> bool:
    if isinstance(use, ast.keyword):
        use = scopes.parents.get(use)
    return (
        isinstance(use, ast.Call)
        and use.func is not given
        and scopes.resolve(use.func) in _RECEIVERS
    )
