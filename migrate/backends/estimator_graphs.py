"""Code of graphs that a kept model_fn cannot run as it is, since TF2 makes its variables."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.names import is_none_constant
from migrate.facts.resource_variables import uses_resource_variables
from migrate.facts.scopes import Scopes
from migrate.findings import Finding, Outcome
from migrate.plan import Plan
from migrate.program.code import make_code
from migrate.source.nodes import walk_breadth_first

_LISTS = frozenset(
    {"tf.trainable_variables", "tf.global_variables", "tf.all_variables"}
)
_COLLECTION = "tf.get_collection"
# What gives a tensor. The emitted averages are of variables alone.
_ON_SERVERS = (
    "if the Estimator trains on parameter servers, TensorFlow 1 moved averages to the "
    "values from before the update. The migrated program moves them to the values after "
    "it, as in one process"
)
_TENSORS = ("tf.losses.", "tf.nn.", "tf.reduce_", "tf.add_n", "tf.math.")


def plan_graph_code(
    scopes: Scopes, plan: Plan, functions: frozenset[ast.AST]
) -> tuple[list[Finding], list[Finding]]:
    """Plans what can be written otherwise.

    Args:
      functions: those whose code builds graphs.

    Returns:
      What is rewritten, and what is refused.
    """
    rewritten: list[Finding] = []
    refused: list[Finding] = []
    for node in dict.fromkeys(n for f in functions for n in walk_breadth_first(f)):
        if isinstance(node, ast.Compare) and _compares_variables(scopes, node):
            kept = isinstance(node.ops[0], ast.NotIn)
            plan.replace(
                node,
                make_code(
                    "all(" if kept else "any(",
                    node.left,
                    " is not other" if kept else " is other",
                    " for other in ",
                    node.comparators[0],
                    ")",
                ),
            )
            said = "TF1 compared variables by identity"
            rewritten.append(_tell(node, "V128", Outcome.REWRITTEN, said))
        elif isinstance(node, ast.Attribute) and node.attr == "initialized_value":
            if scopes.resolve(node) is None:
                plan.replace(node, make_code(node.value, ".read_value"))
                said = "a variable has its initial value when it is made"
                rewritten.append(_tell(node, "E102", Outcome.REWRITTEN, said))
        elif isinstance(node, ast.Call):
            refused += _refuse_call(scopes, node)
            if _averages(scopes, node) and not uses_resource_variables(scopes):
                found = _tell(node, "N191", Outcome.REWRITTEN, _ON_SERVERS)
                rewritten.append(dataclasses.replace(found, noted=True))
    return rewritten, refused


def _refuse_call(scopes: Scopes, call: ast.Call) -> Iterator[Finding]:
    symbol = scopes.resolve(call.func) or ""
    if symbol.startswith("tf.layers."):
        penalty = names.find_argument(call, "activity_regularizer")
        if penalty is not None and not is_none_constant(penalty):
            yield _tell(
                penalty,
                "N105",
                Outcome.REFUSED,
                "the program gives this layer an activity penalty, and the tool "
                "does not collect that with the other penalties",
                "Add it to the loss yourself: loss += penalty(h) / batch_size.",
            )
    if _averages(scopes, call):
        for item in _list_items(call.args[0] if call.args else None):
            value = _find_single_value(scopes, item) or item
            made = scopes.resolve(value.func) if isinstance(value, ast.Call) else None
            if made is not None and made.startswith(_TENSORS):
                yield _tell(
                    item,
                    "O120",
                    Outcome.REFUSED,
                    "this moving average is of a tensor, not of a variable",
                    "Keep the average in a variable of your own: "
                    "average.assign(0.9 * average + 0.1 * loss).",
                )


def _averages(scopes: Scopes, call: ast.Call) -> bool:
    """`ema.apply(...)`, of `ema = tf.train.ExponentialMovingAverage(...)`."""
    if not (isinstance(call.func, ast.Attribute) and call.func.attr == "apply"):
        return False
    made = _find_single_value(scopes, call.func.value) or call.func.value
    return (
        isinstance(made, ast.Call)
        and scopes.resolve(made.func) == "tf.train.ExponentialMovingAverage"
    )


def _list_items(node: ast.expr | None) -> list[ast.expr]:
    """The elements of a list that is written out, or of sums of such."""
    if isinstance(node, (ast.List, ast.Tuple)):
        return list(node.elts)
    if isinstance(node, ast.BinOp):
        return [*_list_items(node.left), *_list_items(node.right)]
    return []


def _compares_variables(scopes: Scopes, node: ast.Compare) -> bool:
    """`v in variables`, of a list of variables that has a name."""
    if len(node.ops) != 1 or not isinstance(node.ops[0], (ast.In, ast.NotIn)):
        return False
    listed = node.comparators[0]
    value = _find_single_value(scopes, listed) or listed
    if not isinstance(value, ast.Call):
        return False
    symbol = scopes.resolve(value.func)
    if symbol == _COLLECTION and value.args:
        return (scopes.resolve(value.args[0]) or "").endswith("_VARIABLES")
    return symbol in _LISTS


def _find_single_value(scopes: Scopes, node: ast.expr) -> ast.expr | None:
    """The value of a name that is assigned once."""
    if not isinstance(node, ast.Name):
        return None
    owner = scopes.find_scope(node).find_owner(node.id)
    bound = owner.bindings.get(node.id, []) if owner is not None else []
    if len(bound) == 1 and isinstance(bound[0], ast.Assign):
        if isinstance(bound[0].targets[0], ast.Name):
            return bound[0].value
    return None


def _tell(
    node: ast.expr, code_: str, outcome: Outcome, reason: str, recipe: str = ""
) -> Finding:
    return Finding(node.lineno, node.col_offset + 1, code_, outcome, "", reason, recipe)
