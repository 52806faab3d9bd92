"""D158: Keras 3's optimizer in a step that a strategy runs.

An optimizer makes its variables in its first step. Of Keras 3 that fails under
`strategy.run` ("You must feed a value for placeholder tensor"); Keras 2 does it. Where a
step becomes one of the strategy's, the module's Keras becomes Keras 2, all of it: models
of the one and optimizers of the other do not fit.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.program.code import Code, make_code
from migrate.rules.mistakes import values
from migrate.rules.mistakes.mistake import Mistake, find_method, find_name
from migrate.tables import symbols


def find(scopes: Scopes, step: ast.FunctionDef) -> Iterator[Mistake]:
    """Yields the fix that makes one step use Keras 2."""
    made = _find_optimizer(scopes, step)
    edits = _make_edits(scopes)
    if made is not None and edits:
        yield Mistake(
            made,
            "D158",
            "an optimizer of Keras 3 cannot make its variables in strategy.run, so "
            "the program now uses Keras 2 (tf_keras)",
            "pip install tf_keras",
            tuple(edits),
            find_name(scopes, made.func),
            imports=("import tf_keras",),
        )


def stays(scopes: Scopes, step: ast.FunctionDef) -> bool:
    """Whether the step needs Keras 2, but the module uses names that Keras 2 lacks."""
    return _find_optimizer(scopes, step) is not None and _make_edits(scopes) is None


def _find_optimizer(scopes: Scopes, step: ast.FunctionDef) -> ast.Call | None:
    """Returns the call that makes the step's optimizer, from TensorFlow's own Keras."""
    for node in names.walk_scope_of_function(step):
        if isinstance(node, ast.Call) and find_method(node) in (
            *("apply_gradients", "minimize", "apply"),
        ):
            assert isinstance(node.func, ast.Attribute)
            made = values.find_single(scopes, node.func.value)
            # For a parameter that cannot be followed, take any optimizer of the module.
            made_here = [made] if made is not None else scopes.walk()
            for call in made_here:
                if isinstance(call, ast.Call) and _is_newer(scopes, call.func):
                    if find_name(scopes, call.func).startswith("tf.keras.optimizers."):
                        return call
    return None


def _is_newer(scopes: Scopes, node: ast.expr) -> bool:
    path = scopes.find_dotted_path(node) or ""
    return path.startswith(("tensorflow.keras", "keras."))


def _make_edits(scopes: Scopes) -> list[tuple[ast.expr, Code]] | None:
    """Returns every name of Keras as Keras 2's; None if Keras 2 lacks one."""
    edits: list[tuple[ast.expr, Code]] = []
    for node, _ in scopes.walk_uses():
        path = scopes.find_dotted_path(node) or ""
        if not (_is_newer(scopes, node) or path == "keras"):
            continue
        new = "tf_keras" + path.removeprefix("tensorflow.").removeprefix("keras")
        if new != "tf_keras" and not symbols.exists_in_target(new):
            return None
        edits.append((node, make_code(new)))
    return edits
