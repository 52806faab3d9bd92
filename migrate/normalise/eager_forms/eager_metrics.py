"""A function beside the step that counts metrics: eager, as the loop that calls it.

@tf.function                                def test_step(x, y):
def test_step(x, y):                            test_loss(mse(y, model(x)))
    test_loss(mse(y, model(x)))

Each worker's loop has metrics of its own: a function that is traced once, for all
loops, would count in those of the first.
"""

from __future__ import annotations

import ast

from migrate.facts.scopes import Scopes
from migrate.frontends.keras_names import find_keras_name, makes_model
from migrate.normalise.feeds.view import View
from migrate.normalise.text import Text
from migrate.rules.mistakes.mistake import find_binding, find_method
from migrate.source.nodes import walk_breadth_first

_UPDATES = frozenset({"gradient", "minimize", "apply_gradients", "train_on_batch"})
_METRICS = "metrics."
_DRAWS = ("tf.random.", "tf.image.random_", "tf.nn.dropout")


def drop_tracing(text: Text) -> Text | None:
    """The text with one such function untraced; None if none is left."""
    view = View(text)
    for node in view.scopes.walk():
        if not isinstance(node, ast.FunctionDef) or len(node.decorator_list) != 1:
            continue
        decorator = node.decorator_list[0]
        if (
            view.scopes.resolve(decorator) == "tf.function"
            and decorator.lineno == decorator.end_lineno == node.lineno - 1
            and _counts(view.scopes, node)
        ):
            return text.splice(decorator.lineno, decorator.lineno, [], [])
    return None


def _counts(scopes: Scopes, function: ast.FunctionDef) -> bool:
    """Whether it counts metrics, trains nothing, and is the same whenever it is run."""
    if not all(
        isinstance(s, (ast.Assign, ast.Expr, ast.Return)) for s in function.body
    ):
        return False
    counted = False
    for call in (n for n in walk_breadth_first(function) if isinstance(n, ast.Call)):
        if call in function.decorator_list:
            continue
        symbol = scopes.resolve(call.func)
        if find_method(call) in _UPDATES or symbol == "tf.GradientTape":
            return False
        if (symbol or "").startswith(_DRAWS):
            return False  # Eager loops of one process would draw in turn.
        called = call.func.value if find_method(call) == "update_state" else call.func  # type: ignore[attr-defined]
        made = find_binding(scopes, called)
        if isinstance(made, ast.Call) and (
            find_keras_name(scopes, made.func) or makes_model(scopes, made)
        ):
            counted = counted or find_keras_name(scopes, made.func).startswith(_METRICS)
        elif symbol is None or not symbol.startswith("tf."):
            return False  # Python's own, which a trace runs once.
    return counted
