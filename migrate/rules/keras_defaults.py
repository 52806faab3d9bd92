"""K166: a layer that Keras 2 has with other defaults than TensorFlow 1."""

from __future__ import annotations

import ast

from migrate.facts.scopes import Scopes
from migrate.findings import Finding, Outcome
from migrate.tables import keras_defaults


def make_refusal(scopes: Scopes, node: ast.expr, symbol: str) -> Finding | None:
    """The refusal of a use that leaves such a default to the layer; None for others."""
    parent = scopes.parents.get(node)
    called = isinstance(parent, ast.Call) and parent.func is node
    call = parent if called and isinstance(parent, ast.Call) else None
    left_out = keras_defaults.find_left_out(symbol, call)
    if not left_out:
        return None
    name = symbol.rpartition(".")[2]
    told = ", ".join(f"{p}={value}" for p, value in left_out.items())
    recipe = f"Give it {told}."
    if not name.endswith("Cell"):
        layer = name.lower()
        recipe += (
            " To continue TensorFlow 1's checkpoints, rename their variables: "
            f"`{layer}/kernel` is `{layer}/{layer}_cell/kernel` now."
        )
    return Finding(
        node.lineno,
        node.col_offset + 1,
        "K166",
        Outcome.REFUSED,
        symbol,
        f"without {told}, Keras 2's {name} computes another function than "
        "TensorFlow 1's",
        recipe,
    )
