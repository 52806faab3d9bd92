"""D104: a replica's loss is the mean of its own part of the batch.

Gradients of the replicas are added up. So the loss of each has to be divided by the
size of the whole batch; the mean of its part makes every step as many times too large
as there are replicas.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator

from migrate.facts import names, reach
from migrate.facts.scopes import Scopes
from migrate.program.code import Code, make_code
from migrate.rules.mistakes import (
    called_steps,
    keras_versions,
    part_sizes,
    replicas,
    shown_losses,
    values,
    whole_batches,
)
from migrate.rules.mistakes.mistake import (
    Mistake,
    find_binding,
    find_method,
    find_name,
    find_tensorflow,
)
from migrate.source.nodes import walk_breadth_first

_MEANS = frozenset({"tf.reduce_mean", "tf.math.reduce_mean"})
_REASON = (
    "each replica takes the mean over its part of the batch, and the strategy adds up the "
    "gradients. So each loss is divided by the size of the whole batch"
)
_ADDED_UP = (
    "the step has a loss for each example, and the tape adds them up. That is larger than "
    "the mean by the number of examples. So it is divided by the size of the whole batch"
)
# Functions that return a loss for each example, besides Keras's own.
_EACH = frozenset(
    {
        "tf.nn.sparse_softmax_cross_entropy_with_logits",
        "tf.nn.softmax_cross_entropy_with_logits",
    }
)


def find(scopes: Scopes) -> Iterator[Mistake]:
    by: dict[ast.FunctionDef, ast.expr] = {}
    run: dict[ast.FunctionDef, list[ast.Call]] = {}
    for call, function in replicas.list_runs(scopes):
        assert isinstance(call.func, ast.Attribute)
        by.setdefault(function, call.func.value)
        run.setdefault(function, []).append(call)
    alone: set[ast.FunctionDef] = set()  # Steps that one replica still runs.
    for call, function, strategy in replicas.find_called_outside(scopes):
        by.setdefault(function, strategy)
        used = not isinstance(scopes.parents[call], ast.Expr)
        if (
            not called_steps.may_be_run(scopes, call, function, strategy)
            or (used and not returns_loss(function))
            or keras_versions.stays(scopes, function)
        ):
            alone.add(function)
    for function, strategy in by.items():
        if divides_itself(scopes, function):
            continue
        for loss in _find_losses(scopes, function):
            wrong = _check_loss(scopes, function, loss, strategy, run.get(function, []))
            if wrong is not None and (
                function in alone
                or (function not in run and not is_divided(scopes, function, strategy))
            ):
                wrong = dataclasses.replace(wrong, edits=())
            if wrong is not None:
                yield wrong


@dataclasses.dataclass(frozen=True)
class _Loss:
    """One loss that a step differentiates.

    Attributes:
      value: the expression that computes it.
      home: the function that contains it.
      alone: whether only the step uses it.
    """

    value: ast.expr
    home: ast.FunctionDef
    alone: bool = True


def _find_losses(scopes: Scopes, function: ast.FunctionDef) -> Iterator[_Loss]:
    """Yields the losses that one expression of the step, or of its function, computes."""
    differentiated = _find_differentiated(function)
    for statement in walk_breadth_first(function):
        if not (
            isinstance(statement, ast.Assign)
            and names.find_binds(statement) & differentiated
            and find_binding(scopes, statement.targets[0]) is statement.value
        ):
            continue
        yield _Loss(statement.value, function)
        made = statement.value
        helper = (
            replicas.find_function(scopes, made.func)
            if isinstance(made, ast.Call)
            else None
        )
        given = values.list_returns(helper) if helper is not None else None
        if helper is None or given is None or len(given) != 1:
            continue
        value = find_binding(scopes, given[0]) or given[0]
        called = values.find_calls(scopes, helper)
        yield _Loss(value, helper, called is not None and len(called) == 1)


def _check_loss(
    scopes: Scopes,
    function: ast.FunctionDef,
    loss: _Loss,
    strategy: ast.expr,
    runs: list[ast.Call],
) -> Mistake | None:
    """Returns the mistake in a loss, if there is one."""
    mean = loss.value
    reason = _REASON
    edits: list[tuple[ast.expr, Code]] | None = None
    recipe = "tf.nn.compute_average_loss(per_example_loss)"
    part = part_sizes.find_divisor(scopes, mean)
    whole = part_sizes.find_whole_batch(scopes, part)
    if isinstance(part, ast.Name) and whole is not None:
        seen = values.means_same_at(scopes, whole, mean)
        edits = [(part, make_code(whole.id))] if seen else []
        recipe = "divided by the size of the whole batch"
    elif part is not None:
        if not _is_applied(scopes, function, strategy) or not (
            part_sizes.is_of_part(scopes, function, loss.home, part)
            or part_sizes.is_number_of_part(scopes, part, strategy)
        ):
            return None
        recipe = "loss / strategy.num_replicas_in_sync, or " + recipe
        of = part_sizes.find_counted(scopes, part)
        edits = whole_batches.share_mean(scopes, mean, strategy, of)
    elif part_sizes.adds_up(scopes, mean):
        return _find_undivided(scopes, function, loss, strategy)
    elif not isinstance(mean, ast.Call):
        return None
    elif _is_mean(scopes, loss, mean):
        edits = _average_losses(scopes, mean, mean.args[0], strategy)
    elif not runs and _is_per_example(scopes, loss.home, mean):
        # No replica ran it yet. To run it on replicas, it has to return one number to add up.
        if not _is_applied(scopes, function, strategy):
            return None
        reason = _ADDED_UP
        edits = _average_losses(scopes, mean, mean, strategy)
    elif _is_mean_of_all(scopes, function, loss, strategy):
        recipe = (
            "Write loss / strategy.num_replicas_in_sync, or "
            "tf.nn.compute_average_loss of the losses of the examples."
        )
        of = whole_batches.find_rows(scopes, function, loss.home, mean)
        edits = whole_batches.share_mean(scopes, mean, strategy, of)
    if edits is None:
        return None
    if _is_left(scopes, function, loss, runs):
        edits = []
    if edits and loss.alone and returns_loss(function):
        # Results of the replicas that were averaged are now added up.
        reported = _find_reported(scopes, runs)
        edits = [*edits, *reported] if reported is not None else []
    return Mistake(
        mean,
        "D104",
        reason,
        recipe,
        tuple(edits) if loss.alone else (),
        find_name(scopes, mean.func) if isinstance(mean, ast.Call) else "",
    )


def _average_losses(
    scopes: Scopes, node: ast.expr, losses: ast.expr, strategy: ast.expr
) -> list[tuple[ast.expr, Code]]:
    """Replaces an expression by the losses per example, divided by the whole batch."""
    home = find_tensorflow(scopes)
    mean: Code | None = make_code(home, ".nn.compute_average_loss(", losses, ")")
    if replicas.find_strategy(scopes, strategy) in replicas.SYNCHRONOUS:
        mean = whole_batches.average_losses(scopes, losses, home)
    return [(node, mean)] if home and mean is not None else []


def _is_left(
    scopes: Scopes, function: ast.FunctionDef, loss: _Loss, runs: list[ast.Call]
) -> bool:
    """Whether other code uses the loss too, or already divides something."""
    bound = scopes.parents[loss.value]
    named = names.find_binds(bound) if isinstance(bound, ast.Assign) else set()
    return (
        shown_losses.is_shown(scopes, function, _find_differentiated(function), runs)
        or shown_losses.is_read_otherwise(scopes, loss.home, named)
        or _are_scaled(function)
        or part_sizes.rates_divided(scopes, ast.Div)
    )


def _is_mean(scopes: Scopes, loss: _Loss, mean: ast.Call) -> bool:
    """Whether a call is the mean of losses per example."""
    return (
        find_name(scopes, mean.func) in _MEANS
        and len(mean.args) == 1
        # Losses per example have only one axis.
        and all(
            k.arg == "axis" and names.read_literal(k.value) in (0, -1)
            for k in mean.keywords
        )
        and _is_per_example(scopes, loss.home, mean.args[0])
    )


def _is_applied(scopes: Scopes, function: ast.FunctionDef, strategy: ast.expr) -> bool:
    """Whether the replicas' gradients are added up and applied as they are."""
    return replicas.find_strategy(
        scopes, strategy
    ) in replicas.SYNCHRONOUS and _are_applied_unscaled(scopes, function)


def _find_undivided(
    scopes: Scopes, function: ast.FunctionDef, loss: _Loss, strategy: ast.expr
) -> Mistake | None:
    """Reports a sum of losses per example that nothing divides."""
    added = loss.value
    assert isinstance(added, ast.Call)
    if (
        find_name(scopes, added.func) not in part_sizes.SUMS
        or len(added.args) != 1
        or added.keywords
        or not _is_per_example(scopes, loss.home, added.args[0])
        or not _is_applied(scopes, function, strategy)
        or part_sizes.rates_divided(scopes)
    ):
        return None
    return Mistake(
        added,
        "D104",
        "a replica adds up its losses of the examples, and nothing divides the "
        "sum. So every step is larger than one of the mean, by a factor of the "
        "number of examples in the whole batch",
        "If you mean the mean, write tf.nn.compute_average_loss(per_example_loss).",
        symbol=find_name(scopes, added.func),
        kept=True,
    )


def _is_mean_of_all(
    scopes: Scopes, function: ast.FunctionDef, loss: _Loss, strategy: ast.expr
) -> bool:
    """Whether a loss is the mean of all that a replica computed."""
    mean = loss.value
    assert isinstance(mean, ast.Call)
    if not _is_applied(scopes, function, strategy):
        return False
    whole = (
        find_name(scopes, mean.func) in _MEANS
        and len(mean.args) == 1
        and not mean.keywords
    )
    return whole or _takes_mean(scopes, mean)


def _find_reported(
    scopes: Scopes, runs: list[ast.Call]
) -> list[tuple[ast.expr, Code]] | None:
    """Returns edits from averages of the replicas' results to sums; None for other means."""
    edits: list[tuple[ast.expr, Code]] = []
    for node in scopes.walk():
        if not _says_mean(node):
            continue
        around = scopes.parents[node]
        given = around.args if isinstance(around, ast.Call) else []
        if (
            len(given) < 2
            or node is not given[0]
            or find_method(around) != "reduce"  # type: ignore[arg-type]
            or values.find_single(scopes, given[1]) not in runs
        ):
            return None
        assert isinstance(node, (ast.Attribute, ast.Constant))
        new = (
            make_code(node.value, ".SUM")
            if isinstance(node, ast.Attribute)
            else make_code('"SUM"')
        )
        edits.append((node, new))
    return edits


def _says_mean(node: ast.AST) -> bool:
    if isinstance(node, ast.Attribute):
        return node.attr == "MEAN"
    return isinstance(node, ast.Constant) and node.value in ("MEAN", "mean")


def _takes_mean(scopes: Scopes, call: ast.Call) -> bool:
    """Whether a call is of a Keras loss object that takes the mean itself."""
    made = values.find_single(scopes, call.func)
    return (
        isinstance(made, ast.Call)
        and find_name(scopes, made.func).startswith("tf.keras.losses.")
        and not made.args
        and names.find_argument(made, "reduction") is None
    )


def _are_applied_unscaled(scopes: Scopes, function: ast.FunctionDef) -> bool:
    """Whether nothing scales the gradients before they are applied."""
    taken = [
        node
        for node in walk_breadth_first(function)
        if isinstance(node, ast.Call) and find_method(node) == "gradient"
    ]
    if len(taken) == 1 and _is_in_zip(scopes, taken[0]):
        return True
    made = [
        statement
        for statement in walk_breadth_first(function)
        if isinstance(statement, ast.Assign)
        and isinstance(statement.value, ast.Call)
        and find_method(statement.value) == "gradient"
    ]
    if len(made) != 1 or find_binding(scopes, made[0].targets[0]) is None:
        return False
    name = names.find_key(made[0].targets[0])
    return all(
        _is_in_zip(scopes, node)
        for node in walk_breadth_first(function)
        if isinstance(node, ast.Name)
        and node.id == name
        and isinstance(node.ctx, ast.Load)
    )


def _are_scaled(function: ast.FunctionDef) -> bool:
    """Whether code divides or multiplies anything after it has the gradients."""
    taken = [
        (n.lineno, n.col_offset)
        for n in walk_breadth_first(function)
        if isinstance(n, ast.Call) and find_method(n) == "gradient"
    ]
    return bool(taken) and any(
        isinstance(n, (ast.BinOp, ast.AugAssign))
        and isinstance(n.op, (ast.Div, ast.Mult))
        and (n.lineno, n.col_offset) > min(taken)
        for n in walk_breadth_first(function)
    )


def _is_in_zip(scopes: Scopes, node: ast.expr) -> bool:
    around = scopes.parents[node]
    return isinstance(around, ast.Call) and ast.unparse(around.func) == "zip"


def is_divided(scopes: Scopes, function: ast.FunctionDef, strategy: ast.expr) -> bool:
    """Whether the function's loss is, or will be, divided by the whole batch."""
    if divides_itself(scopes, function):
        return True
    for loss in _find_losses(scopes, function):
        wrong = (
            _check_loss(scopes, function, loss, strategy, []) if loss.alone else None
        )
        if wrong is not None and wrong.edits:
            return True
    return any(
        isinstance(n, ast.Call)
        and find_name(scopes, n.func) == "tf.nn.compute_average_loss"
        for part in (function, *reach.find_reached(scopes, [function]))
        for n in walk_breadth_first(part)
    )


def returns_loss(function: ast.FunctionDef) -> bool:
    """Whether a function returns the loss that it differentiates."""
    given = [n.value for n in walk_breadth_first(function) if isinstance(n, ast.Return)]
    return bool(given) and all(
        v is not None and names.find_key(v) in _find_differentiated(function)
        for v in given
    )


def divides_itself(scopes: Scopes, function: ast.FunctionDef) -> bool:
    """Whether a step divides by its replicas, or the module adds up over them.

    Names that were computed from the number of replicas count, as GLOBAL_BATCH_SIZE does:
    in the step, in its functions, and in the calls that make its losses. If the module
    divides by such a name, or lets replicas reduce, it may do so for every step.
    """
    counts = _find_counts(scopes)
    parts = [function, *reach.find_reached(scopes, [function])]
    for part in list(parts):
        for node in walk_breadth_first(part):
            if isinstance(node, ast.Call):
                made = values.find_values(scopes, node.func) or []
                parts += [m for m in made if isinstance(m, ast.Call)]
    if any(_reads_count(n, counts) for part in parts for n in walk_breadth_first(part)):
        return True
    return any(
        (isinstance(n, ast.Attribute) and n.attr == "all_reduce")
        or (
            isinstance(n, ast.BinOp)
            and isinstance(n.op, ast.Div)
            and any(_reads_count(part, counts) for part in walk_breadth_first(n.right))
        )
        for n in scopes.walk()
    )


def _reads_count(node: ast.AST, counts: set[str]) -> bool:
    """Whether a node reads the number of replicas, or a value computed from it."""
    if isinstance(node, ast.Attribute):
        return node.attr == "num_replicas_in_sync" or node.attr in counts
    return (
        isinstance(node, ast.Name)
        and isinstance(node.ctx, ast.Load)
        and node.id in counts
    )


def _find_counts(scopes: Scopes) -> set[str]:
    """Returns names and attributes that are computed from the number of replicas.

    Only numbers count, and not datasets that are batched by them.
    """
    counts: set[str] = set()
    assigned = [n for n in scopes.walk() if isinstance(n, ast.Assign)]
    while True:
        more = (
            {
                (names.find_key(target) or "").rpartition(".")[2]
                for statement in assigned
                if _is_number(statement.value)
                and any(
                    _reads_count(n, counts) for n in walk_breadth_first(statement.value)
                )
                for target in statement.targets
            }
            - counts
            - {""}
        )
        if not more:
            return counts
        counts |= more


def _is_number(node: ast.expr) -> bool:
    """Whether an expression computes with numbers only: int(...), float(...), max(...)."""
    return not any(
        isinstance(n, ast.Call)
        and names.find_key(n.func) not in ("int", "float", "max", "min", "tf.cast")
        for n in walk_breadth_first(node)
    )


def _find_differentiated(function: ast.FunctionDef) -> set[str]:
    return {
        name
        for node in walk_breadth_first(function)
        if isinstance(node, ast.Call) and find_method(node) == "gradient" and node.args
        if (name := names.find_key(node.args[0])) is not None
    }


def _is_per_example(scopes: Scopes, function: ast.FunctionDef, node: ast.expr) -> bool:
    """Whether an expression gives a loss for each example."""
    if isinstance(node, ast.Name):
        value = find_binding(scopes, node)
        return value is not None and _is_per_example(scopes, function, value)
    if not isinstance(node, ast.Call):
        return False
    symbol = find_name(scopes, node.func)
    if symbol.startswith("tf.keras.losses."):
        return symbol.rpartition(".")[2][:1].islower()
    if symbol in _EACH:
        return True
    made = values.find_single(scopes, node.func)
    if not (
        isinstance(made, ast.Call)
        and find_name(scopes, made.func).startswith("tf.keras.losses.")
    ):
        return False
    reduction = names.find_argument(made, "reduction")
    return (
        isinstance(reduction, ast.Attribute) and reduction.attr == "NONE"
    ) or names.read_literal(reduction) in ("none",)
