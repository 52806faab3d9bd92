"""The training step of eager code: in a function, or in the loop itself."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.half_migrated import losses as losses_of
from migrate.frontends.half_migrated.refused import Refused
from migrate.frontends.keras_names import defined, keras_name
from migrate.program.eager import Division, Source, Step
from migrate.rules.mistakes.mistake import binding, method

_PLAIN = "Write the step with assignments, a tape, apply_gradients and a return."


def tapes(scopes: Scopes, node: ast.AST) -> list[ast.With]:
    """Blocks of `with tf.GradientTape() as tape:`."""
    return [
        inner
        for inner in ast.walk(node)
        if isinstance(inner, ast.With)
        and any(
            isinstance(i.context_expr, ast.Call)
            and scopes.resolve(i.context_expr.func) == "tf.GradientTape"
            for i in inner.items
        )
    ]


def read(
    scopes: Scopes,
    session_name: str,
    source: Source,
    suite: list[ast.stmt],
    call: ast.Call | None,
    later: Iterable[ast.AST],
    counts: Collection[ast.expr] = (),
) -> Step:
    """The step, and what of it the migrated program needs to know.

    Args:
      suite: the statements of the loop that the step is one of.
      call: the call of the function that makes the step; None where it is in `suite`.
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
        found = defined(scopes, call.func)
        assert isinstance(found, ast.FunctionDef)
        function, body = found, found.body
        fetched = _fetch_around(scopes, call, session_name)
        last = body[-1]
        returned = last.value if isinstance(last, ast.Return) else None
        _check_call(call, function, source)
    else:
        body = inline(suite, counts)
        bound = {n for s in body for n in names.binds(s)}
        read_later = {n for node in later for n in names.reads(node)}
        results = tuple(sorted(bound & read_later - set(source.names)))
    _check_body(scopes, body, function, counts)
    gradient, apply = _gradient(body), _apply(body)
    loss = names.argument(gradient, "target", 0)
    if loss is None:
        raise Refused("D125", gradient, "the tape's target is not given", _PLAIN)
    why = None
    divides: Division | None = None
    try:
        reader = losses_of.LossReader(
            scopes, body, _passed(function, call) if function and call else {}
        )
        divides = reader.division(loss)
    except losses_of.UnknownLoss as unknown:
        why = unknown.node
    optimizer = _optimizer(scopes, apply, function, call)
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
        _rows(function, call, source, body),
        optimizer.startswith("optimizers.legacy."),
    )


def _fetch_around(scopes: Scopes, call: ast.Call, session_name: str) -> ast.Call | None:
    """`sess.run(step(x, y))` of a call `step(x, y)`."""
    parent = scopes.parents[call]
    if (
        isinstance(parent, ast.Call)
        and method(parent) == "run"
        and names.key(parent.func.value) == session_name  # type: ignore[attr-defined]
        and parent.args == [call]
        and not parent.keywords
    ):
        return parent
    return None


def _check_call(call: ast.Call, function: ast.FunctionDef, source: Source) -> None:
    given = [*call.args, *(k.value for k in call.keywords)]
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
            "what the step is given cannot be told apart",
            "Pass its arguments one by one.",
        )
    if not any(names.reads(a) & set(source.names) for a in given):
        raise Refused(
            "D125",
            call,
            "the step is not given the batch of the loop",
            "Pass it what the dataset's loop gives.",
        )
    for decorator in function.decorator_list:
        name = ast.unparse(decorator)
        if not (
            name.endswith("tf.function") or ".function" in name or name == "function"
        ):
            raise Refused(
                "D125", function, f"the step is decorated by `{name}`", "Leave it out."
            )


def inline(suite: list[ast.stmt], counts: Collection[ast.expr] = ()) -> list[ast.stmt]:
    """The statements of a loop from its first to the update of the weights.

    Args:
      counts: calls that update metrics; those that follow at once are of the step.
    """
    for index, statement in enumerate(suite):
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            if method(statement.value) == "apply_gradients":
                end = index + 1
                while end < len(suite) and _is_one_of(suite[end], counts):
                    end += 1
                return suite[:end]
    raise Refused("D125", suite[0], "no apply_gradients follows the tape", _PLAIN)


def _is_one_of(statement: ast.stmt, calls: Collection[ast.expr]) -> bool:
    return isinstance(statement, ast.Expr) and statement.value in calls


def _check_body(
    scopes: Scopes,
    body: Sequence[ast.stmt],
    function: ast.FunctionDef | None,
    counts: Collection[ast.expr],
) -> None:
    """Raises Refused where a step does more than compute and update."""
    known: set[str] = set()
    bound = {n for s in body for n in names.binds(s)}
    for index, statement in enumerate(body):
        for inner in _statements(statement):
            if isinstance(inner, ast.Return):
                if function is None or statement is not body[-1]:
                    raise Refused("D125", inner, "a return within the step", _PLAIN)
            elif isinstance(inner, ast.Expr):
                value = inner.value
                told = isinstance(value, ast.Constant) and index == 0
                if (
                    not told
                    and value not in counts
                    and not (
                        isinstance(value, ast.Call)
                        and method(value) == "apply_gradients"
                    )
                ):
                    raise Refused(
                        "D125",
                        inner,
                        f"the step does `{ast.unparse(inner)[:60]}`, which happens once, "
                        "when it is traced, or not in every worker",
                        "Return the values, and do this in the loop.",
                    )
            elif isinstance(inner, ast.AugAssign):
                key = names.key(inner.target)
                if key not in known:
                    raise Refused(
                        "D125", inner, "the step counts in a variable", _PLAIN
                    )
            elif isinstance(inner, ast.Assign):
                stored = [t for t in inner.targets if not _are_names(t)]
                early = (
                    names.reads(inner.value) & bound - known if function is None else ()
                )
                if stored or early:
                    raise Refused(
                        "D125", inner, "the step changes something of the loop", _PLAIN
                    )
                known |= names.binds(inner)
            elif isinstance(inner, ast.With):
                if not tapes(scopes, inner):
                    raise Refused("D125", inner, "a block within the step", _PLAIN)
                for item in inner.items:
                    known |= names.binds_of_item(item)
            else:
                raise Refused(
                    "D125",
                    inner,
                    "control flow in the step, which a distributed step cannot have "
                    "around its update",
                    _PLAIN,
                )
    for node in (n for s in body for n in ast.walk(s)):
        if not isinstance(node, ast.Call):
            continue
        eager = method(node) == "numpy" or (
            isinstance(node.func, ast.Name)
            and node.func.id in ("float", "int", "print")
        )
        if eager:
            raise Refused(
                "D125",
                node,
                "the step takes a tensor's value, which it has not yet",
                _PLAIN,
            )


def _statements(statement: ast.stmt) -> Iterator[ast.stmt]:
    yield statement
    if isinstance(statement, ast.With):
        for inner in statement.body:
            yield from _statements(inner)


def _are_names(target: ast.expr) -> bool:
    if isinstance(target, (ast.Tuple, ast.List)):
        return all(_are_names(e) for e in target.elts)
    return isinstance(target, ast.Name)


def _gradient(body: Sequence[ast.stmt]) -> ast.Call:
    found = _calls(body, "gradient")
    if len(found) != 1:
        raise Refused("D125", body[0], "not one call of the tape's gradient", _PLAIN)
    return found[0]


def _apply(body: Sequence[ast.stmt]) -> ast.Call:
    found = _calls(body, "apply_gradients")
    if len(found) != 1:
        raise Refused("D125", body[0], "not one call of apply_gradients", _PLAIN)
    return found[0]


def _calls(body: Sequence[ast.stmt], name: str) -> list[ast.Call]:
    return [
        n
        for s in body
        for n in ast.walk(s)
        if isinstance(n, ast.Call) and method(n) == name
    ]


def _optimizer(
    scopes: Scopes,
    apply: ast.Call,
    function: ast.FunctionDef | None,
    call: ast.Call | None,
) -> str:
    """The name of the optimizer within Keras."""
    assert isinstance(apply.func, ast.Attribute)
    node: ast.expr = apply.func.value
    if function is not None and call is not None:
        node = _passed(function, call).get(names.key(node) or "", node)
    made = binding(scopes, node)
    name = keras_name(scopes, made.func) if isinstance(made, ast.Call) else ""
    if not name.startswith("optimizers."):
        raise Refused(
            "D126",
            apply,
            "it is not seen to be an optimizer of Keras",
            "Make it by tf.keras.optimizers, and keep it in a variable.",
        )
    return name


def _passed(function: ast.FunctionDef, call: ast.Call) -> Mapping[str, ast.expr]:
    """What a function is given, by its parameters."""
    parameters = [a.arg for a in [*function.args.posonlyargs, *function.args.args]]
    found = dict(zip(parameters, call.args, strict=False))
    found.update({k.arg: k.value for k in call.keywords if k.arg is not None})
    return found


def given(step: Step) -> Mapping[str, ast.expr]:
    """What the step's function is given, by its parameters."""
    if step.function is None or step.call is None:
        return {}
    return _passed(step.function, step.call)


def _rows(
    function: ast.FunctionDef | None,
    call: ast.Call | None,
    source: Source,
    body: Sequence[ast.stmt],
) -> str | None:
    """A name of the step that holds the batch, or a part of it, as the loop gave it."""
    bound = {n for s in body for n in names.binds(s)}
    if function is None or call is None:
        candidates = list(source.names)
    else:
        candidates = [
            parameter
            for parameter, value in _passed(function, call).items()
            if isinstance(value, ast.Name) and value.id in source.names
        ]
    return next((c for c in candidates if c not in bound), None)
