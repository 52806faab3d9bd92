"""TF1's layers and recurrent cells, where TensorFlow 2.21 has them: in Keras 2.

`tf.compat.v1.layers` and `tf.compat.v1.nn.rnn_cell` are names for these modules of Keras.
TensorFlow 2.16 and later lead to them only where the whole process has Keras 2 switched
on; `tf_keras` has them as they are, in every release from 2.15 to 2.21.
"""

from __future__ import annotations

from migrate.tables import symbols

PACKAGE = "tf_keras.api._v1.keras.__internal__.legacy"
# Prefix in compat.v1 -> (module of the package, name that a file gets for it).
_MODULES = {
    "tf.compat.v1.layers": ("layers", "tf1_layers"),
    "tf.compat.v1.nn.rnn_cell": ("rnn_cell", "tf1_rnn_cell"),
}
# The modules have no others; `keras_style_scope` is for Keras's own tests.
_WITHOUT = ("experimental",)


def find_home(symbol: str) -> tuple[str, str] | None:
    """(import, spelling) of a symbol as TensorFlow 1 names it, or None.

    Also of the two modules themselves, and of contrib's names for the same cells.
    """
    row = symbols.look_up(symbol)
    target = row.target if row is not None else f"tf.compat.v1.{symbol[3:]}"
    for prefix, (module, name) in _MODULES.items():
        rest = target[len(prefix) :]
        if target.startswith(prefix) and rest[:1] in ("", "."):
            if rest[1:].partition(".")[0] in _WITHOUT:
                return None
            return f"from {PACKAGE} import {module} as {name}", name + rest
    return None
