"""Reports Keras's layers and models in a model_fn that compute differently or fail."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts.scopes import Scopes
from migrate.findings import Finding, make_refusal
from migrate.rules import keras_defaults, updates_taken
from migrate.source.nodes import walk_breadth_first
from migrate.tables import roles

_COMPILED = "tf.keras.estimator.model_to_estimator"
_NORMALISES = "tf.keras.layers.BatchNormalization"
_INPUTS = frozenset({"tf.keras.Input", "tf.keras.layers.Input"})
_READY = ("tf.keras.applications",)


def find_refusals(
    scopes: Scopes, uses: list[tuple[ast.expr, str]]
) -> Iterator[Finding]:
    """Yields the refusals of a program with Estimators."""
    for node, symbol in uses:
        found = keras_defaults.make_refusal(scopes, node, symbol)
        if found is not None:
            yield found
    if any(symbol == _COMPILED for _, symbol in uses):
        return  # The models are made outside, and Keras trains them.
    for made in _find_given_operations(scopes.tree):
        yield make_refusal(
            made,
            "L123",
            "add_update",
            "this update of a layer is an operation. TensorFlow 2 runs it where "
            "the layer makes it. TensorFlow 1 ran it where something asked for the "
            "layer's updates",
            "Pass a function that makes the update: `self.add_update(lambda: "
            "variable.assign(value))`.",
        )
    if any(symbol.startswith("tf.keras.") for _, symbol in uses):
        one_by_one = list(_find_chosen_updates(scopes.tree))
        for chosen in one_by_one:
            yield make_refusal(
                chosen,
                "L123",
                "updates",
                "the program chooses some of a network's updates one by one. "
                "TensorFlow 1 ran only the chosen ones, but TensorFlow 2 runs each "
                "one that is looked at",
                "Choose layers, and take all updates of each layer: `[u for layer "
                "in net.layers if layer is not head for u in layer.updates]`.",
            )
        told = {n for chosen in one_by_one for n in walk_breadth_first(chosen)}
        for taken in updates_taken.find_unseen(scopes):
            if taken not in told:
                yield make_refusal(
                    taken,
                    "L123",
                    "updates",
                    "the program takes a network's updates one by one or in part, "
                    "and the tool cannot tell whether it runs them all. TensorFlow "
                    "1 ran those that something waited for, but TensorFlow 2 runs "
                    "each one that is taken",
                    "Wait for all of them, `with "
                    "tf.control_dependencies(net.updates):`, or use none of them.",
                )
    moved, frozen = _runs_updates(scopes.tree), _freezes(scopes, uses)
    for node, symbol in uses:
        if symbol == _NORMALISES and not moved:
            yield make_refusal(
                node,
                "L123",
                symbol,
                "nothing in this program runs the updates of this Keras layer, "
                "because they are in no collection. In TensorFlow 1 its moving "
                "averages kept their initial values, but TensorFlow 2 would move "
                "them",
                "Use tf.layers.batch_normalization, and run UPDATE_OPS before the update.",
            )
        elif symbol == _NORMALISES and frozen:
            yield make_refusal(
                node,
                "L123",
                symbol,
                "the program freezes a layer or a network here. In TensorFlow 1 it "
                "still normalised by its batch, but in TensorFlow 2 it would use "
                "its moving averages",
                "Use tf.layers.batch_normalization. Or leave `trainable` "
                "unchanged, and give the optimizer a `var_list`.",
            )
        elif roles.has_prefix(symbol, _READY):
            yield make_refusal(
                node,
                "K166",
                symbol,
                "TensorFlow 2's network of this name has other layers with other "
                "names, and it moves averages that TensorFlow 1 did not move",
                "Write the network out with single layers.",
            )
        elif symbol in _INPUTS and _is_given_a_tensor(scopes, node):
            yield make_refusal(
                node,
                "K166",
                symbol,
                "the program reads the network's output for this tensor, but in "
                "TensorFlow 2 that output is not a tensor",
                "Make the Input from a shape, and call the network on the tensor: "
                "`logits = model(features)`.",
            )


def _find_given_operations(tree: ast.AST) -> Iterator[ast.Call]:
    """Yields calls of a layer's own `add_update` whose argument is not a function."""
    for node in walk_breadth_first(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        given = [
            *node.args[:1],
            *(k.value for k in node.keywords if k.arg == "updates"),
        ]
        if node.func.attr == "add_update" and not all(
            isinstance(value, ast.Lambda) for value in given
        ):
            yield node


def _find_chosen_updates(tree: ast.AST) -> Iterator[ast.expr]:
    """Yields Keras's updates that a loop goes through, and of which a condition takes some."""
    for node in walk_breadth_first(tree):
        if isinstance(node, ast.comprehension) and node.ifs:
            if _reads_updates(node.iter):
                yield node.iter
        elif isinstance(node, ast.For) and _reads_updates(node.iter):
            if any(
                isinstance(inner, (ast.If, ast.IfExp))
                for inner in walk_breadth_first(node)
            ):
                yield node.iter


def _reads_updates(node: ast.expr) -> bool:
    return any(
        isinstance(inner, ast.Attribute)
        and inner.attr in ("updates", "get_updates_for")
        for inner in walk_breadth_first(node)
    )


def _runs_updates(tree: ast.AST) -> bool:
    """Whether some code reads the updates of Keras's layers."""
    for node in walk_breadth_first(tree):
        if isinstance(node, ast.Attribute) and node.attr == "updates":
            return True
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        # Updates without inputs are not those of averages.
        if node.func.attr == "get_updates_for" and not all(
            isinstance(a, ast.Constant) and a.value is None
            for a in [*node.args, *(keyword.value for keyword in node.keywords)]
        ):
            return True
    return False


def _freezes(scopes: Scopes, uses: list[tuple[ast.expr, str]]) -> bool:
    """Whether some code says that a layer is not to be trained."""
    calls = [scopes.parents.get(n) for n, s in uses if s.startswith("tf.keras.")]
    return any(
        isinstance(call, ast.Call) and any(k.arg == "trainable" for k in call.keywords)
        for call in calls
    ) or any(
        isinstance(node, ast.Attribute)
        and node.attr == "trainable"
        and isinstance(node.ctx, ast.Store)
        for node in walk_breadth_first(scopes.tree)
    )


def _is_given_a_tensor(scopes: Scopes, node: ast.expr) -> bool:
    """Whether an Input gets, or may get, an existing tensor."""
    call = scopes.parents.get(node)
    if not isinstance(call, ast.Call) or call.func is not node:
        return True
    if len(call.args) > 5 or any(isinstance(a, ast.Starred) for a in call.args):
        return True
    return any(keyword.arg in (None, "tensor") for keyword in call.keywords)
