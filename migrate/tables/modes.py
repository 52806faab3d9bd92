"""tf.estimator.ModeKeys: three strings, which library code compares its `mode` with.

A module that takes nothing else of tf.estimator needs no emitted module for them.
"""

from __future__ import annotations

import ast

from migrate.facts.scopes import Scopes

# As in TensorFlow 1.15.5, and in the module that is emitted for Estimators.
MODES: dict[str, str] = {
    f"tf.{where}.ModeKeys.{name}": value
    for where in ("estimator", "contrib.learn")
    for name, value in (
        ("TRAIN", '"train"'),
        ("EVAL", '"eval"'),
        ("PREDICT", '"infer"'),
    )
} | {"tf.contrib.learn.ModeKeys.INFER": '"infer"'}
# The class itself, where a name is made for it.
CLASS = "tf.estimator.ModeKeys"
NAMESPACE = 'types.SimpleNamespace(TRAIN="train", EVAL="eval", PREDICT="infer")'
_OF_ESTIMATORS = ("tf.estimator.", "tf.contrib.tpu.TPU")


def uses_only_modes(scopes: Scopes) -> bool:
    """Whether modes, each written out, are all that a file takes of tf.estimator."""
    found = False
    for node, symbol in scopes.walk_uses():
        if symbol.startswith(_OF_ESTIMATORS) or symbol == "tf.estimator":
            named = symbol == CLASS and isinstance(scopes.parents.get(node), ast.Assign)
            if not named and (
                symbol not in MODES or not isinstance(node, ast.Attribute)
            ):
                return False
            found = True
    return found
