"""The training step of eager code: in a function, or in the loop itself."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Mapping, Sequence

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.half_migrated import losses as losses_of
from migrate.frontends.half_migrated.body import PLAIN, BodyChecks
from migrate.frontends.half_migrated.refused import Refused
from migrate.frontends.keras_names import find_called_function, find_keras_name, is_v1
from migrate.program.eager import Division, Source, Step
from migrate.rules.mistakes import values
from migrate.rules.mistakes.mistake import find_method
from migrate.source.nodes import walk_breadth_first


def read(
    scopes: Scopes,
    session_name: str,
    source: Source,
    inline: Sequence[ast.stmt],
    call: ast.Call | None,
    later: Iterable[ast.AST],
    counts: Collection[ast.expr] = (),
) -> Step:
    """Reads the step, and all that the migrated program needs to know of it.

    Args:
      inline: the statements of the loop that make the step; none if a function does.
      call: the call of that function; None if there is none.
      later: all of the program's code that runs after a step.
      counts: calls that update metrics.

    Raises:
      Refused: it is not read.
    """
    function = None
    body: Sequence[ast.stmt]
    fetched = None
    results: tuple[str, ...] = ()
    returned: ast.expr | None = None
    if call is not None:
        found = find_called_function(scopes, call.func)
        assert found is not None
        function, body = found, found.body
        fetched = _fetch_around(scopes, call, session_name)
        last = body[-1]
        returned = last.value if isinstance(last, ast.Return) else None
        _check_call(call, function, source)
    else:
        body = inline
        bound = {n for s in body for n in names.find_binds(s)}
        read_later = {n for node in later for n in names.find_reads(node)}
        results = tuple(sorted(bound & read_later - set(source.names)))
    BodyChecks(scopes, body, function, counts).run()
    gradient, apply = _find_gradient(body), _apply(body)
    loss = names.find_argument(gradient, "target", 0)
    if loss is None:
        raise Refused("D125", gradient, "the tape's gradient has no target", PLAIN)
    why = None
    divides: Division | None = None
    try:
        reader = losses_of.LossReader(
            scopes,
            body,
            losses_of.map_arguments(function, call) if function and call else {},
        )
        divides = reader.find_division(loss)
    except losses_of.UnknownLoss as unknown:
        why = unknown.node
    optimizer = _find_optimizer(scopes, apply, function, call)
    return Step(
        function,
        tuple(body),
        call,
        fetched,
        results,
        gradient,
        apply,
        returned,
        loss,
        divides,
        why,
        _find_rows(scopes, function, call, source, body),
        optimizer.startswith("optimizers.legacy."),
        optimizer.startswith("tf.train."),
    )


def _fetch_around(scopes: Scopes, call: ast.Call, session_name: str) -> ast.Call | None:
    """`sess.run(step(x, y))` of a call `step(x, y)`."""
    parent = scopes.parents[call]
    if (
        isinstance(parent, ast.Call)
        and find_method(parent) == "run"
        and names.find_key(parent.func.value) == session_name  # type: ignore[attr-defined]
        and parent.args == [call]
        and not parent.keywords
    ):
        return parent
    return None


def list_arguments(call: ast.Call) -> list[ast.expr]:
    """Lists a call's arguments, by position and by name."""
    return [*call.args, *(k.value for k in call.keywords)]


def _check_call(call: ast.Call, function: ast.FunctionDef, source: Source) -> None:
    given = list_arguments(call)
    arguments = function.args
    if (
        any(isinstance(a, ast.Starred) for a in call.args)
        or any(k.arg is None for k in call.keywords)
        or arguments.vararg
        or arguments.kwarg
    ):
        raise Refused(
            "D125",
            call,
            "the tool cannot tell the step's arguments apart",
            "Pass its arguments one by one.",
        )
    if not any(names.find_reads(a) & set(source.names) for a in given):
        raise Refused(
            "D125",
            call,
            "the loop does not pass its batch to the step",
            "Pass to the step what the loop takes from the dataset.",
        )
    for decorator in function.decorator_list:
        name = ast.unparse(decorator)
        if not (
            name.endswith("tf.function") or ".function" in name or name == "function"
        ):
            raise Refused(
                "D125",
                function,
                f"the step has the decorator `{name}`",
                "Remove the decorator.",
            )


def _find_gradient(body: Sequence[ast.stmt]) -> ast.Call:
    found = _find_calls(body, "gradient")
    if len(found) != 1:
        raise Refused(
            "D125",
            body[0],
            "the step does not call the tape's gradient exactly once",
            PLAIN,
        )
    return found[0]


def _apply(body: Sequence[ast.stmt]) -> ast.Call:
    found = _find_calls(body, "apply_gradients")
    if len(found) != 1:
        raise Refused(
            "D125",
            body[0],
            "the step does not call apply_gradients exactly once",
            PLAIN,
        )
    return found[0]


def _find_calls(body: Sequence[ast.stmt], name: str) -> list[ast.Call]:
    return [
        n
        for s in body
        for n in walk_breadth_first(s)
        if isinstance(n, ast.Call) and find_method(n) == name
    ]


def _find_optimizer(
    scopes: Scopes,
    apply: ast.Call,
    function: ast.FunctionDef | None,
    call: ast.Call | None,
) -> str:
    """The name of the optimizer within Keras, or TensorFlow 1's."""
    assert isinstance(apply.func, ast.Attribute)
    node: ast.expr = apply.func.value
    if function is not None and call is not None:
        node = losses_of.map_arguments(function, call).get(
            names.find_key(node) or "", node
        )
    made = values.find_single(scopes, node)
    name = find_keras_name(scopes, made.func) if isinstance(made, ast.Call) else ""
    if not name and isinstance(made, ast.Call) and is_v1(scopes, made):
        return scopes.resolve(made.func) or ""
    if not name.startswith("optimizers."):
        raise Refused(
            "D125",
            apply,
            "the tool cannot tell whether this is an optimizer of Keras",
            "Make the optimizer by tf.keras.optimizers, and keep it in a variable.",
        )
    return name


def map_step_arguments(step: Step) -> Mapping[str, ast.expr]:
    """Maps the parameters of the step's function to its arguments."""
    if step.function is None or step.call is None:
        return {}
    return losses_of.map_arguments(step.function, step.call)


def _find_unconverted(scopes: Scopes, value: ast.expr) -> ast.expr:
    """Returns the argument of `tf.convert_to_tensor` or `tf.cast`, else `value`."""
    if isinstance(value, ast.Call) and value.args:
        if scopes.resolve(value.func) in ("tf.convert_to_tensor", "tf.cast"):
            return value.args[0]
    return value


def _find_rows(
    scopes: Scopes,
    function: ast.FunctionDef | None,
    call: ast.Call | None,
    source: Source,
    body: Sequence[ast.stmt],
) -> str | None:
    """A name of the step that holds the batch, or a part of it, as the loop gave it."""
    bound = {n for s in body for n in names.find_binds(s)}
    if function is None or call is None:
        candidates = list(source.names)
    else:
        candidates = [
            parameter
            for parameter, value in losses_of.map_arguments(function, call).items()
            if names.find_key(_find_unconverted(scopes, value)) in source.names
        ]
    return next((c for c in candidates if c not in bound), None)
