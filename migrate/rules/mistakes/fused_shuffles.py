"""I112: a shuffle with a seed, and the repeat that follows, gave another order.

TensorFlow 1.15 made one operation of the two (`shuffle_and_repeat_fusion`), which drew from
another stream for each epoch. With that switched off it orders the elements as TensorFlow 2.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.rules.mistakes.mistake import Mistake, find_method

_PARAMETERS = ("buffer_size", "seed", "reshuffle_each_iteration")
_REASON = (
    "for this seed TensorFlow 1.15 gives another order of the elements, because it "
    "joins shuffle and the following repeat into one operation"
)
_RECIPE = (
    "To get the same order in both versions, put another transformation between "
    "the two, such as batch()."
)


def find(scopes: Scopes) -> Iterator[Mistake]:
    """`data.shuffle(n, seed).repeat()`, in one expression or two statements."""
    for node in scopes.walk():
        if not isinstance(node, ast.Call) or find_method(node) != "repeat":
            continue
        assert isinstance(node.func, ast.Attribute)
        shuffled = _find_shuffle(scopes, node.func.value)
        if shuffled is not None and _has_seed(shuffled):
            yield Mistake(
                shuffled,
                "I112",
                _REASON,
                _RECIPE,
                symbol="tf.data.Dataset.shuffle",
            )


def _find_shuffle(scopes: Scopes, data: ast.expr) -> ast.Call | None:
    """The call of `shuffle` whose result an expression is."""
    if isinstance(data, ast.Call):
        return data if find_method(data) == "shuffle" else None
    name = names.find_key(data)
    owner = scopes.find_scope(data).find_owner(name) if name is not None else None
    if owner is None or name is None:
        return None
    # A name is mostly bound anew by each transformation: the last before it counts.
    bound = [
        b
        for b in owner.bindings[name]
        if isinstance(b, ast.Assign) and (b.end_lineno or b.lineno) < data.lineno
    ]
    last = max(bound, key=lambda b: b.lineno, default=None)
    value = last.value if last is not None else None
    return (
        value
        if isinstance(value, ast.Call) and find_method(value) == "shuffle"
        else None
    )


def _has_seed(call: ast.Call) -> bool:
    seed = (names.bind_arguments(call, _PARAMETERS) or {}).get("seed")
    return seed is not None and not (
        isinstance(seed, ast.Constant) and seed.value is None
    )
