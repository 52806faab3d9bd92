"""`with tf.name_scope("input"):` around a part of the input is opened.

What makes a record stands in a dataset's function, where such scopes name nothing.
"""

from __future__ import annotations

import ast

from migrate.facts.reach import find_reached
from migrate.normalise.queues.view import View
from migrate.normalise.text import Text
from migrate.source.nodes import walk_breadth_first
from migrate.tables import queues as table

_NAMING = frozenset({"tf.name_scope", "tf.device", "tf.op_scope"})
# Calls on which a name scope or a device has an effect.
_NAMED = (
    *("tf.Variable", "tf.get_variable", "tf.layers", "tf.contrib", "tf.keras"),
    *("tf.summary", "tf.placeholder", "tf.Session", "tf.train.Saver", "tf.nn"),
)


def dissolve_block(view: View) -> Text | None:
    """The text with one block opened that names input, and makes nothing else."""
    for call in (call for call, symbol in view.list_calls() if symbol in table.INPUT):
        block: ast.AST = call
        while not isinstance(block, (ast.FunctionDef, ast.Module)):
            block = view.scopes.parents[block]
            if isinstance(block, ast.With) and _names_only(view, block):
                return _open_scope(view, block)
    return None


def _names_only(view: View, block: ast.With) -> bool:
    """Whether a block does nothing but name and place what is input."""
    for item in block.items:
        call = item.context_expr
        if item.optional_vars is not None or not isinstance(call, ast.Call):
            return False
        if view.scopes.resolve(call.func) not in _NAMING:
            return False
    if block.body[0].lineno == block.lineno:
        return False
    rows = range(block.lineno, (block.end_lineno or block.lineno) + 1)
    if view.text.find_lines_begun_in_strings() & set(rows):
        return False
    return not any(
        (view.scopes.resolve(n) or "").startswith(_NAMED)
        for root in [block, *find_reached(view.scopes, [block])]
        for n in walk_breadth_first(root)
        if isinstance(n, (ast.Name, ast.Attribute))
    )


def _open_scope(view: View, block: ast.With) -> Text:
    inner, outer = view.indent(block.body[0]), view.indent(block)
    header = block.items[-1].context_expr.end_lineno or block.lineno
    rows = range(header, block.end_lineno or block.lineno)
    lines = [
        outer + view.text.lines[n].removeprefix(inner)
        if view.text.lines[n].strip()
        else ""
        for n in rows
    ]
    return view.text.splice(
        block.lineno,
        block.end_lineno or block.lineno,
        lines,
        [view.text.origins[n] for n in rows],
    )
