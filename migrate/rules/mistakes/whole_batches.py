"""Writes the mean over a whole batch, from losses that each replica has for its part.

The parts may have different sizes: the last batch of a dataset is often smaller, and may
leave some replicas without an example. So the replicas add up their numbers of losses.
"""

from __future__ import annotations

import ast
from typing import TypeGuard

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.program.code import Code, make_code
from migrate.rules.mistakes import replicas, values
from migrate.rules.mistakes.mistake import find_binding, find_name
from migrate.rules.mistakes.mistake import find_tensorflow as tensorflow_name
from migrate.source.nodes import walk_breadth_first

# Losses with one label for each example.
_SPARSE = frozenset(
    {
        "tf.nn.sparse_softmax_cross_entropy_with_logits",
        "tf.keras.losses.sparse_categorical_crossentropy",
        "tf.keras.losses.SparseCategoricalCrossentropy",
    }
)
# Functions that give the same result twice, and cost little.
_PLAIN = frozenset(
    f"tf.{name}"
    for name in (
        *("cast", "convert_to_tensor", "expand_dims", "one_hot", "reshape", "squeeze"),
    )
)
_LABELS, _PREDICTIONS = ("y_true", "labels"), ("y_pred", "logits")


def average_losses(scopes: Scopes, losses: ast.expr, tensorflow: str) -> Code | None:
    """Returns the mean of losses over the whole batch; None if their number is unknown.

    Args:
      losses: the losses, of a name or a call.
      tensorflow: the name that TensorFlow has in the module.
    """
    number = _find_number(scopes, losses, tensorflow)
    return _divide_losses(losses, number, tensorflow) if number is not None else None


def weigh(mean: ast.expr, rows: str, tensorflow: str) -> Code:
    """Multiplies a mean of a replica's part by its number of examples; 0 without examples.

    Args:
      rows: an expression with one example per row.
    """
    before = f"{tensorflow}.fill({tensorflow}.shape({rows})[:1], "
    number = f"{tensorflow}.shape({rows})[0]"
    return _divide_losses(mean, number, tensorflow, before, ")")


def share_mean(
    scopes: Scopes, mean: ast.expr, strategy: ast.expr, of: ast.expr | None
) -> list[tuple[ast.expr, Code]]:
    """Multiplies a mean of a part by the part's share of the whole batch.

    Args:
      of: an expression with a row for each example of the part; None if it is not known.
    """
    home = tensorflow_name(scopes)
    if of is not None and home:
        return [(mean, weigh(mean, ast.unparse(of), home))]
    if not values.means_same_at(scopes, strategy, mean):
        return []
    return [(mean, make_code(mean, " / ", strategy, ".num_replicas_in_sync"))]


def _divide_losses(
    losses: ast.expr, number: str, tensorflow: str, before: str = "", after: str = ""
) -> Code:
    whole = f'{tensorflow}.distribute.get_replica_context().all_reduce("SUM", {number})'
    start = f"{tensorflow}.nn.compute_average_loss({before}"
    return make_code(start, losses, f"{after}, global_batch_size={whole})")


def _find_number(scopes: Scopes, losses: ast.expr, tensorflow: str) -> str | None:
    """Returns the number of losses of a replica, without computing a loss again."""
    if isinstance(losses, ast.Name):
        return f"{tensorflow}.size({losses.id})"
    if not isinstance(losses, ast.Call):
        return None
    labels = _find_argument(losses, _LABELS, 0)
    if labels is not None and _is_plain(scopes, labels):
        if _find_function(scopes, losses) in _SPARSE:
            return f"{tensorflow}.size({ast.unparse(labels)})"
        return f"{tensorflow}.shape({ast.unparse(labels)})[0]"
    predictions = _find_argument(losses, _PREDICTIONS, 1)
    if predictions is not None and _is_plain(scopes, predictions):
        return f"{tensorflow}.shape({ast.unparse(predictions)})[0]"
    return None


def _find_argument(
    call: ast.Call, called: tuple[str, ...], position: int
) -> ast.expr | None:
    found = (names.find_argument(call, name, position) for name in called)
    return next((value for value in found if value is not None), None)


def _find_function(scopes: Scopes, losses: ast.Call) -> str:
    """Returns the function by which a call computes losses, or its loss class."""
    symbol = find_name(scopes, losses.func)
    made = values.find_single(scopes, losses.func)
    if not symbol and isinstance(made, ast.Call):
        return find_name(scopes, made.func)
    return symbol


def _is_plain(scopes: Scopes, node: ast.expr) -> bool:
    """Whether an expression may occur twice: it draws nothing and runs no model."""
    return not any(
        isinstance(part, (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom))
        or (isinstance(part, ast.Call) and find_name(scopes, part.func) not in _PLAIN)
        for part in walk_breadth_first(node)
    )


def find_rows(
    scopes: Scopes, step: ast.FunctionDef, home: ast.FunctionDef, mean: ast.expr
) -> ast.Name | None:
    """Returns a name in a mean that holds a part of the batch, as the step gets it.

    The name is an operand, or an argument of TensorFlow or a loss: so it is a tensor.
    """
    if home is not step:
        return None
    batch = _find_batch(scopes, step)
    nodes = list(walk_breadth_first(mean))
    named = find_binding(scopes, mean.args[0]) if _has_one(mean) else None
    nodes += walk_breadth_first(named) if named is not None else []
    for node in nodes:
        if isinstance(node, ast.Name) and node.id in batch:
            around = scopes.parents[node]
            if isinstance(around, ast.BinOp):
                return node
            if isinstance(around, ast.Call) and node is not around.func:
                symbol = _find_function(scopes, around)
                if symbol.startswith("tf.") and ".layers." not in symbol:
                    return node
    return None


def _has_one(mean: ast.expr) -> TypeGuard[ast.Call]:
    return isinstance(mean, ast.Call) and len(mean.args) == 1


def _find_batch(scopes: Scopes, step: ast.FunctionDef) -> set[str]:
    """Returns the names in a step that hold parts of the batch."""
    found: set[str] | None = None
    for node in scopes.walk():
        if not isinstance(node, ast.Call):
            continue
        if replicas.find_function(scopes, node.func) is step:
            given = _find_given_parts(scopes, step, node.args, node)
        elif (
            isinstance(node.func, ast.Attribute)
            and node.func.attr in replicas.RUNS
            and node.args
            and replicas.find_function(scopes, node.args[0]) is step
        ):
            arguments = names.find_argument(node, "args", 1)
            if not isinstance(arguments, ast.Tuple):
                return set()
            given = _find_given_parts(scopes, step, arguments.elts, node)
        else:
            continue
        found = given if found is None else found & given
    bound = {n for s in step.body for n in _find_bound_again(s)}
    return (found or set()) - bound


def _find_bound_again(statement: ast.stmt) -> set[str]:
    return {
        name
        for node in walk_breadth_first(statement)
        if isinstance(node, ast.stmt)
        for name in names.find_binds(node)
    }


def _find_given_parts(
    scopes: Scopes, step: ast.FunctionDef, given: list[ast.expr], call: ast.Call
) -> set[str]:
    """Returns the parameters that each get a part of a loop's batch in a call."""
    loop = replicas.find_loop(scopes, call)
    around = values.find_function(scopes, call)
    target: ast.expr | None = None
    parts: set[str] = set()
    if loop is None and around is not None and around is not step:
        parts = _find_batch(
            scopes, around
        )  # Its own loop passes a batch on to this call.
    elif loop is not None and (
        replicas.is_dataset(scopes, loop[1]) or replicas.is_distributed(scopes, loop[1])
    ):
        target = loop[0]
        parts = {e.id for e in getattr(target, "elts", []) if isinstance(e, ast.Name)}
    found: set[str] = set()
    parameters = replicas.list_parameters(step)
    for at, value in enumerate(given):
        if isinstance(value, ast.Starred):
            whole = _is_same(value.value, target)
            return found | set(parameters[at:]) if whole else found
        if names.find_key(value) in parts and at < len(parameters):
            found.add(parameters[at])
        elif at == len(given) - 1 and _is_same(value, target):
            # A batch of several parts that is given as one is unpacked when it is run.
            found |= set(parameters[at:]) if at + 1 < len(parameters) else set()
    return found


def _is_same(node: ast.expr, target: ast.expr | None) -> bool:
    return (
        target is not None
        and names.find_key(node) == names.find_key(target) is not None
    )
