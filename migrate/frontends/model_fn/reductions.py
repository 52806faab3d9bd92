"""Whether several replicas add up a loss or take its mean.

TF1's optimizers divided a loss by the number of replicas, but for one whose last function
of tf.losses, in the order in which the graph was built, had `reduction=Reduction.SUM`
(TensorFlow 1.15.5, `distribute_lib.get_loss_reduction`).
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.model_fn.modes import NotSplit
from migrate.program.keras_units import Unit
from migrate.source.nodes import walk_breadth_first

_SUMS = ("tf.losses.Reduction.SUM", "sum", "weighted_sum")
_OTHERS = (
    "tf.losses.Reduction.MEAN",
    "tf.losses.Reduction.NONE",
    "tf.losses.Reduction.SUM_BY_NONZERO_WEIGHTS",
    "tf.losses.Reduction.SUM_OVER_BATCH_SIZE",
    "tf.losses.Reduction.SUM_OVER_NONZERO_WEIGHTS",
    "none",
    "weighted_mean",
    "weighted_sum_by_nonzero_weights",
    "weighted_sum_over_batch_size",
)
# The arguments before `reduction` of the function that has the fewest.
_BEFORE = 5


def is_sum(units: Iterable[Unit], scopes: Scopes) -> bool:
    """Whether replicas' losses are added up.

    Args:
      units: what training runs, in order.

    Raises:
      NotSplit: that is known at run time alone.
    """
    found = False
    for unit in units:
        for call in walk_breadth_first(unit.statement):
            if isinstance(call, ast.Call) and _is_loss(call, scopes):
                found = _sums(call, scopes)
            elif isinstance(call, ast.Call):
                _check_helper(call, scopes)
    return found


def _is_loss(call: ast.Call, scopes: Scopes) -> bool:
    symbol = scopes.resolve(call.func) or ""
    last = symbol.rpartition(".")[2]
    return symbol.startswith("tf.losses.") and not last.startswith(("get_", "add_"))


def _sums(call: ast.Call, scopes: Scopes) -> bool:
    given = names.find_argument(call, "reduction")
    if given is None:
        if len(call.args) > _BEFORE:
            raise NotSplit(call, "a loss gets its reduction by position")
        return False
    text = given.value if isinstance(given, ast.Constant) else scopes.resolve(given)
    if text not in (*_SUMS, *_OTHERS):
        raise NotSplit(given, "the reduction of a loss is known only at run time")
    return text in _SUMS


def _check_helper(
    call: ast.Call, scopes: Scopes, seen: frozenset[ast.AST] = frozenset()
) -> None:
    """Refuses a function with a loss that has a `reduction` argument."""
    function = scopes.find_function(call.func)
    if function is None or function in seen:
        return
    for inner in walk_breadth_first(function):
        if isinstance(inner, ast.Call) and _is_loss(inner, scopes):
            if names.find_argument(inner, "reduction") is not None:
                raise NotSplit(
                    inner,
                    "a function of the program makes a loss with a `reduction` "
                    "argument",
                )
        elif isinstance(inner, ast.Call):
            _check_helper(inner, scopes, seen | {function})
