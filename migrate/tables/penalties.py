"""Regularisers of TensorFlow 1: what reads their penalties, and what these are.

github.com/tensorflow/tensorflow/blob/v1.15.5/tensorflow/contrib/layers/python/layers/regularizers.py
github.com/tensorflow/tensorflow/blob/v1.15.5/tensorflow/python/ops/losses/util.py
"""

from __future__ import annotations

import ast
import dataclasses
import re

# A text without one of these words asks for no penalties.
READS = re.compile("regularization_loss|REGULARIZATION_LOSSES|get_total_loss")
KEY = "tf.GraphKeys.REGULARIZATION_LOSSES"
NAME = "regularization_losses"
TOTAL = "tf.losses.get_total_loss"
# Functions that give the sum of the penalties, and all that ask for them.
SUMS = frozenset({"tf.losses.get_regularization_loss", TOTAL})
ASKS = SUMS | {"tf.losses.get_regularization_losses"}
# Functions that ask for them in other ways.
OTHER_READS = frozenset({"tf.contrib.layers.apply_regularization"})
# A layer's argument -> its variable.
WEIGHTS: dict[str, str] = {
    "kernel_regularizer": "kernel",
    "bias_regularizer": "bias",
}
# Contrib's layers add their penalties in a graph of their own.
LAYERS_OF_CONTRIB = ("tf.contrib.layers.", "tf.contrib.slim.")
# Scopes in which variables may be those that another statement has made.
SCOPES = frozenset({"tf.variable_scope", "tf.variable_op_scope"})
L2_LOSS = "tf.nn.l2_loss"


@dataclasses.dataclass(frozen=True)
class Form:
    """A function that makes a regulariser.

    Attributes:
      parameter: its only one.
      text: the penalty of a variable.
    """

    parameter: str
    text: str


_L2 = "{tf}.multiply({scale}, {tf}.nn.l2_loss({weight}))"
_L1 = "{tf}.multiply({scale}, {tf}.reduce_sum({tf}.abs({weight})))"
_SQUARES = "{tf}.multiply({scale}, {tf}.reduce_sum({tf}.square({weight})))"
FORMS: dict[str, Form] = {
    "tf.contrib.layers.l2_regularizer": Form("scale", _L2),
    "tf.contrib.layers.l1_regularizer": Form("scale", _L1),
    "tf.contrib.slim.l2_regularizer": Form("scale", _L2),
    "tf.contrib.slim.l1_regularizer": Form("scale", _L1),
    "tf.keras.regularizers.l2": Form("l", _SQUARES),
    "tf.keras.regularizers.l1": Form("l", _L1),
}
# Parts of a scale that mean the same at another place.
PLAIN = (ast.Constant, ast.Name, ast.Attribute, ast.expr_context, ast.operator) + (
    ast.BinOp,
    ast.UnaryOp,
    ast.unaryop,
)
# What may run an expression several times, or later.
REPEATS = (
    *(ast.For, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
    *(ast.Lambda, ast.IfExp, ast.BoolOp, ast.Try),
)
# Calls of a block that holds the whole program.
STARTS = frozenset({"tf.app.run", "tf.Session", "tf.train.MonitoredTrainingSession"})
