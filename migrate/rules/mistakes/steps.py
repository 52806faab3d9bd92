"""D141: a training step called outside strategy.run. D142: a batch unpacked wrongly.

Called directly, a step runs on one replica: the variables' copies on the others keep
their initial values. A step that is given a batch where it takes its parts, or its
parts where it takes the batch, fails.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.program.code import Code, join_code, make_code
from migrate.rules.mistakes import (
    asynchronous,
    called_steps,
    keras_versions,
    per_replica_losses,
    replicas,
)
from migrate.rules.mistakes.mistake import Mistake

_RUN = "tf.distribute.Strategy.run"
_PASS_BATCH = (
    "Write `args=batch` to pass the parts of a batch, and `args=(batch,)` to pass the "
    "batch as one argument."
)


def find(scopes: Scopes) -> Iterator[Mistake]:
    yield from _find_outside(scopes)
    for call, function in replicas.list_runs(scopes):
        wrong = _find_misfit(scopes, call, function)
        if wrong is not None:
            yield wrong


# -- D141 ------------------------------------------------------------------------------


def _find_outside(scopes: Scopes) -> Iterator[Mistake]:
    switched = False
    for call, step, strategy in replicas.find_called_outside(scopes):
        edits = tuple(_write_run(scopes, call, step, strategy))
        yield Mistake(
            call,
            "D141",
            f"the strategy does not run {step.name}, so it trains one replica, and "
            "the variables of the others do not change. If the strategy runs it, "
            "training is synchronous: in every step all replicas wait, and their "
            "gradients are added up and applied once",
            "Distribute the dataset, divide the loss by the global batch size, and call "
            "strategy.run(step, args=(...)); strategy.reduce adds up what it returns. "
            f"{asynchronous.MEANING}.",
            edits,
            _RUN,
        )
        whole = called_steps.find_unfit(scopes, call, step)
        if whole is not None:
            yield Mistake(
                whole,
                "D142",
                f"{step.name} takes the parts of a batch, but it gets the batch as "
                "one argument",
                "Unpack the batch: step(model, *batch).",
                ((whole, make_code("*", whole)),),
                _RUN,
            )
        if edits and not switched:
            switched = True
            yield from keras_versions.find(scopes, step)


def _write_run(
    scopes: Scopes, call: ast.Call, step: ast.FunctionDef, strategy: ast.expr
) -> list[tuple[ast.expr, Code]]:
    """Returns the call as one of `strategy.run`; nothing if it is not certain.

    It is certain if three things hold. The arguments come from a dataset, which is
    distributed too, or are the same in every step. The loss is divided by the whole batch.
    The step returns that loss, or the result is not used.
    """
    loop = replicas.find_loop(scopes, call)
    if loop is None or not called_steps.may_be_run(scopes, call, step, strategy):
        return []
    _, over = loop
    if not per_replica_losses.is_divided(scopes, step, strategy):
        return []
    if keras_versions.stays(scopes, step):
        return []
    arguments = join_code(", ", list(call.args))
    given: list[str | ast.AST | Code] = [
        *(", args=(", arguments),
        ",)" if len(call.args) == 1 else ")",
    ]
    if call.keywords:
        by_name = [make_code(f'"{k.arg}": ', k.value) for k in call.keywords]
        given += [", kwargs={", join_code(", ", by_name), "}"]
    run = make_code(strategy, ".run(", call.func, *given, ")")
    if not isinstance(scopes.parents[call], ast.Expr):
        if not per_replica_losses.returns_loss(step):
            return []
        run = make_code(strategy, '.reduce("SUM", ', run, ", axis=None)")
    edits: list[tuple[ast.expr, Code]] = [(call, run)]
    if replicas.is_dataset(scopes, over):
        edits.append(
            (over, make_code(strategy, ".experimental_distribute_dataset(", over, ")"))
        )
    return edits


# -- D142 ------------------------------------------------------------------------------


def _find_misfit(
    scopes: Scopes, call: ast.Call, function: ast.FunctionDef
) -> Mistake | None:
    """Returns a call of `run` whose `args` do not fit the function."""
    given = names.find_argument(call, "args", 1)
    takes = replicas.count_required_arguments(function)
    if (
        given is None
        or takes is None
        or names.find_argument(call, "kwargs", 2) is not None
    ):
        return None
    least, most = takes
    counted = len(given.elts) if isinstance(given, ast.Tuple) else None
    if isinstance(given, ast.Tuple):
        if any(isinstance(e, ast.Starred) for e in given.elts):
            return None
        if least <= len(given.elts) <= most:
            return None
    elif not isinstance(given, ast.Name):
        return None
    edits: tuple[tuple[ast.expr, Code], ...] = ()
    recipe = _PASS_BATCH
    parts = _count_parts(scopes, call, given)
    if counted is None:
        if parts is None or (parts > 1 and least <= parts <= most):
            return None  # The tuple fits, or nothing is known of it.
        shown = f"a batch of {parts} parts" if parts > 1 else "the rows of a batch"
        if least <= 1 <= most:
            edits = ((given, make_code("(", given, ",)")),)
    elif counted == 1 and parts is not None and least <= parts <= most:
        assert isinstance(given, ast.Tuple)
        shown = "one batch"
        edits = ((given, make_code(given.elts[0])),)
    elif most == 1 and least == 1 and _count_unpacked(function) == counted:
        shown = f"the {counted} parts of a batch"
        edits = ((given, make_code("(", given, ",)")),)
    else:
        shown = f"{counted} argument" + "s" * (counted != 1)
        recipe = "Write in `args` one value for each parameter of the function."
    wanted = str(most) if least == most else f"{least} to {most}"
    return Mistake(
        given,
        "D142",
        f"{function.name} takes {wanted} and is given {shown}",
        recipe,
        edits,
        _RUN,
    )


def _count_parts(scopes: Scopes, call: ast.Call, given: ast.expr) -> int | None:
    """Counts the parts of a loop's batch that is `args`, or its only element."""
    alone = given
    if isinstance(given, ast.Tuple) and len(given.elts) == 1:
        alone = given.elts[0]
    if not isinstance(alone, ast.Name):
        return None
    handed = _follow_parameter(scopes, alone)
    if handed is not None:
        call, alone = handed
    loop = replicas.find_loop(scopes, call)
    if loop is None or not isinstance(alone, ast.Name):
        return None
    target, over = loop
    if not (isinstance(target, ast.Name) and target.id == alone.id):
        return None
    return replicas.count_elements(scopes, over)


def _follow_parameter(
    scopes: Scopes, name: ast.Name
) -> tuple[ast.Call, ast.expr] | None:
    """Returns the only call of a parameter's function, and the argument for it.

    `distributed_step(batch)` passes a loop's batch on to `strategy.run`.
    """
    function: ast.AST = name
    while not isinstance(function, ast.FunctionDef):
        if function not in scopes.parents:
            return None
        function = scopes.parents[function]
    parameters = replicas.list_parameters(function)
    called = [
        node
        for node in scopes.walk()
        if isinstance(node, ast.Call)
        and replicas.find_function(scopes, node.func) is function
    ]
    if name.id not in parameters or len(called) != 1 or called[0].keywords:
        return None
    at = parameters.index(name.id)
    if at >= len(called[0].args) or isinstance(called[0].args[0], ast.Starred):
        return None
    return called[0], called[0].args[at]


def _count_unpacked(function: ast.FunctionDef) -> int | None:
    """Counts the parts into which a function of one parameter unpacks it."""
    parameter = next(iter(replicas.list_parameters(function)), None)
    for node in names.walk_scope_of_function(function):
        if (
            isinstance(node, ast.Assign)
            and isinstance(node.value, ast.Name)
            and node.value.id == parameter
            and isinstance(node.targets[0], ast.Tuple)
        ):
            return len(node.targets[0].elts)
    return None
