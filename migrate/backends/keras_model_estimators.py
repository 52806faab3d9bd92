"""Keras in programs that make an Estimator of a compiled model.

TensorFlow 1's Keras is meant: its optimizers, whose slots checkpoints name, and its
layers' defaults.
"""

from __future__ import annotations

import ast

from migrate.findings import Finding, Outcome
from migrate.plan import Plan
from migrate.program.ir import code

_MAKES = "tf.keras.estimator.model_to_estimator"
_OPTIMIZERS = "tf.keras.optimizers."
# Optimizers of TensorFlow 1's Keras: the legacy ones of Keras 2 are the same classes.
_LEGACY = frozenset(
    ("Adadelta", "Adagrad", "Adam", "Adamax", "Ftrl", "Nadam", "RMSprop", "SGD")
)
# Of TensorFlow 1 with another recurrent activation, and the reset gate elsewhere.
_OTHERWISE = frozenset(
    f"tf.keras.layers.{name}" for name in ("GRU", "GRUCell", "LSTM", "LSTMCell")
)


def plan_keras(
    uses: list[tuple[ast.expr, str]], plan: Plan
) -> tuple[dict[ast.AST, tuple[str, str]], list[Finding]]:
    """Plans the names of Keras; what was rewritten, and what is refused."""
    claimed: dict[ast.AST, tuple[str, str]] = {}
    refused: list[Finding] = []
    if not any(symbol == _MAKES for _, symbol in uses):
        return claimed, refused
    for node, symbol in uses:
        name = symbol.removeprefix(_OPTIMIZERS)
        if symbol.startswith(_OPTIMIZERS) and name in _LEGACY:
            target = f"tf_keras.optimizers.legacy.{name}"
            plan.imports.append("import tf_keras")
            plan.replace(node, code(target))
            claimed[node] = (
                "D155",
                f"now {target}: TF1's updates, arguments and slots",
            )
        elif symbol in _OTHERWISE:
            refused.append(
                Finding(
                    node.lineno,
                    node.col_offset + 1,
                    "D137",
                    Outcome.REFUSED,
                    symbol,
                    "TF1's has other activations and gates by default than Keras 2's",
                    "tf.compat.v1.keras.layers, or all of its arguments, in a model_fn.",
                )
            )
    return claimed, refused
