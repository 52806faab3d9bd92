"""Keras's layers whose defaults TensorFlow 2 changed under the same name.

TF1's `tf.keras.layers.LSTM` has the gates of `hard_sigmoid`, and its GRU resets before the
product; the Keras 2 that TensorFlow 2 has calls these by their argument only.
"""

from __future__ import annotations

import ast

_GATES = {"recurrent_activation": '"hard_sigmoid"'}
_RESET = {**_GATES, "reset_after": "False"}
# Symbol -> argument: TF1's default.
CHANGED = {
    "tf.keras.layers.LSTM": _GATES,
    "tf.keras.layers.LSTMCell": _GATES,
    "tf.keras.layers.GRU": _RESET,
    "tf.keras.layers.GRUCell": _RESET,
}
# Of the arguments, these may be given by position, counted from 0.
_POSITIONS = {"recurrent_activation": 2}


def find_left_out(symbol: str, call: ast.Call | None) -> dict[str, str]:
    """Arguments that a use leaves to their default, with TF1's; none if there are none.

    Args:
      call: of the symbol; None where it is named only, and anything may call it.
    """
    changed = CHANGED.get(symbol, {})
    if call is None or any(isinstance(a, ast.Starred) for a in call.args):
        return dict(changed)
    given = {keyword.arg for keyword in call.keywords}
    given |= {p for p, index in _POSITIONS.items() if index < len(call.args)}
    return {p: value for p, value in changed.items() if p not in given}
