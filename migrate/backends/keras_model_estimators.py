"""Keras in programs that make an Estimator of a compiled model.

TensorFlow 1's Keras is meant: its optimizers, whose slots checkpoints name.
"""

from __future__ import annotations

import ast

from migrate.plan import Plan
from migrate.program.code import make_code

_MAKES = "tf.keras.estimator.model_to_estimator"
_OPTIMIZERS = "tf.keras.optimizers."
# Optimizers of TensorFlow 1's Keras: the legacy ones of Keras 2 are the same classes.
_LEGACY = frozenset(
    ("Adadelta", "Adagrad", "Adam", "Adamax", "Ftrl", "Nadam", "RMSprop", "SGD")
)


def plan_keras(
    uses: list[tuple[ast.expr, str]], plan: Plan
) -> dict[ast.AST, tuple[str, str]]:
    """Plans the names of Keras; what was rewritten."""
    claimed: dict[ast.AST, tuple[str, str]] = {}
    if not any(symbol == _MAKES for _, symbol in uses):
        return claimed
    for node, symbol in uses:
        name = symbol.removeprefix(_OPTIMIZERS)
        if symbol.startswith(_OPTIMIZERS) and name in _LEGACY:
            target = f"tf_keras.optimizers.legacy.{name}"
            plan.imports.append("import tf_keras")
            plan.replace(node, make_code(target))
            claimed[node] = (
                "E101",
                f"now {target}: TF1's updates, arguments and slots",
            )
    return claimed
