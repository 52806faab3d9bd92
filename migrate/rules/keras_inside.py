"""Keras's own layers and models in a model_fn: report those that compute differently or fail."""

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


def refusals(scopes: Scopes, uses: list[tuple[ast.expr, str]]) -> Iterator[Finding]:
    """Those of a program with Estimators."""
    for node, symbol in uses:
        found = keras_defaults.refusal(scopes, node, symbol)
        if found is not None:
            yield found
    if any(symbol == _COMPILED for _, symbol in uses):
        return  # The models are made outside, and Keras trains them.
    for made in _operations_given(scopes.tree):
        yield make_refusal(
            made,
            "L123",
            "add_update",
            "a layer's update that is an operation is run where it is made, before what its "
            "call computes after it; TF1 ran it where something asked for the layer's "
            "updates",
            "Give it a function that makes the update: "
            "`self.add_update(lambda: variable.assign(value))`.",
        )
    if any(symbol.startswith("tf.keras.") for _, symbol in uses):
        one_by_one = list(_updates_chosen(scopes.tree))
        for chosen in one_by_one:
            yield make_refusal(
                chosen,
                "L123",
                "updates",
                "of a network's updates some are chosen one by one; TF1 ran those that were "
                "chosen, TensorFlow 2 runs each that is looked at",
                "Choose layers, and take all updates of each: "
                "`[u for layer in net.layers if layer is not head for u in layer.updates]`.",
            )
        told = {n for chosen in one_by_one for n in walk_breadth_first(chosen)}
        for taken in updates_taken.find_unseen(scopes):
            if taken not in told:
                yield make_refusal(
                    taken,
                    "L123",
                    "updates",
                    "a network's updates are taken one by one, or in part, and the "
                    "tool cannot tell that all are run; TF1 ran what something "
                    "waited for, TensorFlow 2 runs each that is taken",
                    "Give all of them to what waits: `with "
                    "tf.control_dependencies(net.updates):`, or leave them alone.",
                )
    moved, frozen = _runs_updates(scopes.tree), _freezes(scopes, uses)
    for node, symbol in uses:
        if symbol == _NORMALISES and not moved:
            yield make_refusal(
                node,
                "L123",
                symbol,
                "a Keras layer's updates are in no collection, and nothing here runs them, "
                "so its moving averages kept their initial values in TF1; TensorFlow 2 "
                "would move them",
                "Use tf.layers.batch_normalization, and run UPDATE_OPS before the update.",
            )
        elif symbol == _NORMALISES and frozen:
            yield make_refusal(
                node,
                "L123",
                symbol,
                "a layer or network is frozen here: in TF1 it went on to normalise by its "
                "batch, in TensorFlow 2 it would take its moving averages",
                "Use tf.layers.batch_normalization, or leave `trainable` alone and give "
                "the optimizer a `var_list`.",
            )
        elif roles.has_prefix(symbol, _READY):
            yield make_refusal(
                node,
                "K166",
                symbol,
                "TensorFlow 2's network of this name has other layers, with other names, "
                "and moves averages that TF1 left",
                "Write the network out, of layers.",
            )
        elif symbol in _INPUTS and _is_given_a_tensor(scopes, node):
            yield make_refusal(
                node,
                "K166",
                symbol,
                "the program reads the network's output for this tensor; in "
                "TensorFlow 2 that is not a tensor",
                "Make the Input of a shape, and call the network on the tensor: "
                "`logits = model(features)`.",
            )


def _operations_given(tree: ast.AST) -> Iterator[ast.Call]:
    """Calls of a layer's own `add_update` that give it no function."""
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


def _updates_chosen(tree: ast.AST) -> Iterator[ast.expr]:
    """What is gone through one by one, and a condition decides of each."""
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
    """Whether something reads the updates of Keras's layers."""
    for node in walk_breadth_first(tree):
        if isinstance(node, ast.Attribute) and node.attr == "updates":
            return True
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        # Those of no inputs are not the averages'.
        if node.func.attr == "get_updates_for" and not all(
            isinstance(a, ast.Constant) and a.value is None
            for a in [*node.args, *(keyword.value for keyword in node.keywords)]
        ):
            return True
    return False


def _freezes(scopes: Scopes, uses: list[tuple[ast.expr, str]]) -> bool:
    """Whether something says of a layer that it is not to be trained."""
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
    """Whether an Input is, or may be, of a tensor that is there."""
    call = scopes.parents.get(node)
    if not isinstance(call, ast.Call) or call.func is not node:
        return True
    if len(call.args) > 5 or any(isinstance(a, ast.Starred) for a in call.args):
        return True
    return any(keyword.arg in (None, "tensor") for keyword in call.keywords)
