"""`with tf.name_scope("input"):` around a part of the input is opened.

What makes a record stands in a dataset's function, where such scopes name nothing.
"""

from __future__ import annotations

import ast

from migrate.normalise.queues.view import View
from migrate.normalise.text import Text, inside_strings
from migrate.tables import queues as table

_NAMING = frozenset({"tf.name_scope", "tf.device", "tf.op_scope"})
_NAMED = ("tf.Variable", "tf.get_variable", "tf.layers", "tf.train.Saver", "tf.summary")


def one_dissolved(view: View) -> Text | None:
    """The text with one block opened that has a part, and not all, of a home's input."""
    inputs = [call for call, symbol in view.calls() if symbol in table.INPUT]
    for call in inputs:
        block: ast.AST = call
        while not isinstance(block, (ast.FunctionDef, ast.Module)):
            block = view.scopes.parents[block]
            if not (isinstance(block, ast.With) and _names_only(view, block)):
                continue
            inside = set(ast.walk(block))
            home = view.home(block)
            beside = [c for c in inputs if view.home(c) is home and c not in inside]
            if beside and not inside_strings(block):
                return _opened(view, block)
    return None


def _names_only(view: View, block: ast.With) -> bool:
    """Whether a block does nothing but name and place what is input."""
    for item in block.items:
        call = item.context_expr
        if item.optional_vars is not None or not isinstance(call, ast.Call):
            return False
        if view.scopes.resolve(call.func) not in _NAMING:
            return False
    return block.body[0].lineno > block.lineno and not any(
        (view.scopes.resolve(n) or "").startswith(_NAMED)
        for n in ast.walk(block)
        if isinstance(n, (ast.Name, ast.Attribute))
    )


def _opened(view: View, block: ast.With) -> Text:
    inner, outer = view.indent(block.body[0]), view.indent(block)
    header = block.items[-1].context_expr.end_lineno or block.lineno
    rows = range(header, block.end_lineno or block.lineno)
    lines = [
        outer + view.text.lines[n].removeprefix(inner)
        if view.text.lines[n].strip()
        else ""
        for n in rows
    ]
    return view.text.spliced(
        block.lineno,
        block.end_lineno or block.lineno,
        lines,
        [view.text.origins[n] for n in rows],
    )
