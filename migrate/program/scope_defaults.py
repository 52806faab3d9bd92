"""The initialiser of a variable scope, and what it reaches besides its own text.

`tf.variable_scope(..., initializer=i)` gave `i` to every variable made while it was
open: also to the kernels of layers, and in functions that were called inside. TF2 has
no such default; it is written out at `tf.get_variable` in the scope's own text only.
A cell or layer object makes its variables when it is first applied, wherever it was made.
"""

from __future__ import annotations

import ast

from migrate.facts import names, reach
from migrate.facts.scopes import Scopes
from migrate.source.nodes import walk_breadth_first
from migrate.tables import recurrent
from migrate.tables.layers import LAYER_CLASSES, LAYER_FUNCTIONS

_KERNEL = "kernel_initializer"
# Cells and layers whose kernels the scope initialises, and that have no row.
_CELLS = ("tf.nn.rnn_cell.", "tf.contrib.rnn.", "tf.contrib.cudnn_rnn.")
_SEPARABLE = frozenset({"tf.layers.separable_conv1d", "tf.layers.separable_conv2d"})


def find_reached_call(scopes: Scopes, block: ast.With) -> ast.Call | None:
    """The first call that takes its initial values from the scope unseen; None if none.

    Args:
      scopes: the module's.
      block: `with tf.variable_scope(..., initializer=...):`.
    """
    objects = _find_objects(scopes)
    for node in _list_calls(block):
        if _takes_default(scopes, node) or names.find_key(node.func) in objects:
            return node
    for definition in reach.find_reached(scopes, block.body):
        for node in _list_calls(definition):
            if (
                _takes_default(scopes, node)
                or _is_bare_variable(scopes, node)
                or names.find_key(node.func) in objects
            ):
                return node
    return None


def _find_objects(scopes: Scopes) -> set[str]:
    """The names of cells and layers that have no initialiser of their own."""
    found: set[str] = set()
    for node in scopes.walk():
        if isinstance(node, ast.Assign) and any(
            _takes_default(scopes, made) for made in _list_calls(node.value)
        ):
            keys = (names.find_key(target) for target in node.targets)
            found |= {key for key in keys if key is not None}
    return found


def _list_calls(root: ast.AST) -> list[ast.Call]:
    found = [n for n in walk_breadth_first(root) if isinstance(n, ast.Call)]
    return sorted(found, key=lambda n: (n.lineno, n.col_offset))


def _takes_default(scopes: Scopes, call: ast.Call) -> bool:
    """A layer or cell whose kernel has no initialiser of its own, or what applies cells."""
    symbol = scopes.resolve(call.func) or ""
    if symbol in _SEPARABLE or symbol.startswith(_CELLS) or symbol in recurrent.LOOPS:
        return True
    row = LAYER_FUNCTIONS.get(symbol) or LAYER_CLASSES.get(symbol)
    if row is None or _KERNEL not in row.parameters:
        return False
    before = 1 if symbol in LAYER_FUNCTIONS else 0  # The inputs.
    position = before + row.parameters.index(_KERNEL)
    return not names.is_given(names.find_argument(call, _KERNEL, position))


def _is_bare_variable(scopes: Scopes, call: ast.Call) -> bool:
    return scopes.resolve(call.func) == "tf.get_variable" and not names.is_given(
        names.find_argument(call, "initializer", 3)
    )
