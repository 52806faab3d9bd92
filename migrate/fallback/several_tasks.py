"""Estimators that a strategy trains: in graph mode, in one process only.

    config = tf.estimator.RunConfig(train_distribute=tf.distribute.MirroredStrategy())

The package of Estimators asks modules of TensorFlow for several tasks that TensorFlow 2.16
and later do not have. `graph_estimators` ends there with NotImplementedError.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.findings import Finding, Outcome
from migrate.source.nodes import walk_breadth_first

TOLD = "E130"
_CONFIGS = ("tf.estimator.RunConfig", "tf.contrib.tpu.RunConfig")
_PARAMETERS = ("train_distribute", "experimental_distribute")
_VARIABLE = "TF_CONFIG"
_REASON = (
    "in graph mode TensorFlow 2.21 trains Estimators by a strategy in one process only: "
    "with a cluster in TF_CONFIG this ends with NotImplementedError"
)
_RECIPE = (
    "Leave `{}` out: the tasks of TF_CONFIG then train asynchronously, with variables on "
    "parameter servers."
)


def find_strategies(scopes: Scopes, refused: str) -> Iterator[Finding]:
    """Refuses strategies where the program sets TF_CONFIG itself; elsewhere it warns.

    Args:
      refused: the code of a refusal.
    """
    sets = any(_sets_tasks(node) for node in scopes.walk())
    for node in scopes.walk():
        if not isinstance(node, ast.Call):
            continue
        symbol = scopes.resolve(node.func) or ""
        if symbol not in _CONFIGS:
            continue
        for parameter in _PARAMETERS:
            value = names.find_argument(node, parameter)
            if value is None or names.is_none_constant(value):
                continue
            yield Finding(
                value.lineno,
                value.col_offset + 1,
                refused if sets else TOLD,
                Outcome.REFUSED if sets else Outcome.WARNED,
                symbol,
                _REASON,
                _RECIPE.format(parameter),
            )


def _sets_tasks(node: ast.AST) -> bool:
    """`os.environ["TF_CONFIG"] = ...`, or a call that is given the name and a value."""
    if isinstance(node, ast.Subscript):
        return isinstance(node.ctx, ast.Store) and _is_variable(node.slice)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr in ("setdefault", "putenv"):
            return bool(node.args) and _is_variable(node.args[0])
        if node.func.attr == "update":
            return any(map(_is_variable, walk_breadth_first(node))) or any(
                keyword.arg == _VARIABLE for keyword in node.keywords
            )
    return False


def _is_variable(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value == _VARIABLE
