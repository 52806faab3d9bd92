"""Recurrent cells and what runs them over time, by their names in recurrent_cells.py.

TF1's cells made their variables through the variable scope in which they were first
applied; `migrate/support/recurrent_cells.py` computes the same and has the same names.
"""

from __future__ import annotations

MODULE = "recurrent_cells"

# Those that have variables of their own, or are made of such.
_CELLS = (
    *("BasicLSTMCell", "LSTMCell", "GRUCell", "BasicRNNCell"),
    *("MultiRNNCell", "DropoutWrapper", "ResidualWrapper"),
)
CELLS: dict[str, str] = {
    f"tf.{package}.{name}": f"{MODULE}.{name}"
    for package in ("nn.rnn_cell", "contrib.rnn")
    for name in _CELLS
}
# Those without variables of their own: they are made of other cells.
WRAPPERS = frozenset(
    symbol for symbol in CELLS if symbol.endswith(("MultiRNNCell", "Wrapper"))
)
# What a cell is applied by; all take a scope's name as a string only.
LOOPS: dict[str, str] = {
    symbol: f"{MODULE}.{symbol.rpartition('.')[2]}"
    for symbol in (
        "tf.nn.dynamic_rnn",
        "tf.nn.bidirectional_dynamic_rnn",
        "tf.nn.static_rnn",
        "tf.nn.static_bidirectional_rnn",
        "tf.contrib.rnn.static_rnn",
        "tf.contrib.rnn.static_bidirectional_rnn",
    )
}
VALUES: dict[str, str] = {
    f"tf.{package}.LSTMStateTuple": f"{MODULE}.LSTMStateTuple"
    for package in ("nn.rnn_cell", "contrib.rnn")
}
TARGETS: dict[str, str] = {**CELLS, **LOOPS, **VALUES}
# Arguments that recurrent_cells.py has not.
REFUSED_ARGUMENTS: dict[str, frozenset[str]] = {
    "DropoutWrapper": frozenset(
        {"variational_recurrent", "seed", "input_size", "dtype"}
        | {"dropout_state_filter_visitor"}
    ),
    "ResidualWrapper": frozenset({"residual_fn"}),
    "LSTMCell": frozenset({"num_unit_shards", "num_proj_shards"}),
}


def find_scope(target: str) -> str:
    """The variable scope of what runs a cell, where it is given none.

    Args:
      target: its name in the emitted module.
    """
    return "bidirectional_rnn" if "bidirectional" in target else "rnn"
