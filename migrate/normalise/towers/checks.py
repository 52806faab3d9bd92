"""What towers do that replicas would do otherwise, or not at all."""

from __future__ import annotations

import ast

from migrate.facts import reach
from migrate.normalise.towers.view import Unclear, View
from migrate.tables.layers import LAYER_FUNCTIONS

_NOT_SHARED = frozenset({"tf.Variable", "tf.contrib.eager.Variable"})
_NOT_READ = frozenset(
    {"tf.layers.BatchNormalization"}
    | {"tf.keras.layers.BatchNormalization", "tf.contrib.layers.batch_norm"}
    | {"tf.nn.fused_batch_norm"}
)


def check(view: View) -> None:
    """Checks the loop and all that it calls.

    Raises:
      Unclear: its towers make variables of their own, move averages, or apply their
        gradients.
    """
    loop = view.loop
    if loop.orelse or isinstance(loop.target, ast.Starred):
        raise Unclear
    for root in [loop, *reach.reached(view.scopes, [loop])]:
        for node in ast.walk(root):
            if isinstance(node, (ast.Break, ast.Continue)) and root is loop:
                raise Unclear
            if isinstance(node, ast.Call):
                _check_call(view, node)


def _check_call(view: View, node: ast.Call) -> None:
    symbol = view.scopes.resolve(node.func) or ""
    if symbol in _NOT_SHARED:
        raise Unclear("every tower makes a variable of its own")
    layer = LAYER_FUNCTIONS.get(symbol)
    if layer is not None and layer.has_weights and "reuse" not in view.text.source:
        raise Unclear("every tower makes a layer of its own: nothing is reused")
    if symbol in _NOT_READ:
        raise Unclear("towers normalise batches, each by its own part")
    if not isinstance(node.func, ast.Attribute) or symbol:
        return
    if node.func.attr == "apply_gradients":
        raise Unclear("every tower applies its gradients by itself")
