"""D147: the global step taken for the number of the worker's own steps.

It counts the steps of all workers. Between two runs of one worker it grows by as many
as the others have made: data that is chosen by it is skipped, each worker's in turn.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.rules.mistakes import replicas
from migrate.rules.mistakes.mistake import Mistake, find_binding, list_calls
from migrate.source.nodes import walk_breadth_first

_STEPS = frozenset(
    {
        "tf.train.get_or_create_global_step",
        "tf.train.get_global_step",
        "tf.train.create_global_step",
        "tf.contrib.framework.get_or_create_global_step",
    }
)


def find(scopes: Scopes) -> Iterator[Mistake]:
    symbols = {symbol for _, symbol in list_calls(scopes)}
    if "tf.train.Server" not in symbols or "tf.train.SyncReplicasOptimizer" in symbols:
        return  # In step with each other all workers count alike.
    told: set[ast.AST] = set()
    for name, loop in _find_fetched(scopes):
        steps = _find_computed(name, loop)
        for node in walk_breadth_first(loop):
            own = _says_own(node, name)
            if loop not in told and (own or _chooses(scopes, node, steps)):
                told.add(loop)
                assert isinstance(node, ast.expr)
                gaps = "the numbers that a worker sees have gaps, as in TensorFlow 1"
                yield Mistake(
                    node,
                    "D147",
                    f"`{name}` is the global step, which counts the steps of all workers: "
                    + ("not those of this worker, as its name says" if own else gaps),
                    "Count the worker's own steps: local_step += 1.",
                    kept=True,
                )


def _find_computed(name: str, loop: ast.AST) -> set[str]:
    """The name, and what is computed of it: not what counts in epochs, `step // 100`."""
    found = {name}
    for _ in range(3):
        for node in walk_breadth_first(loop):
            if (
                isinstance(node, ast.Assign)
                and not any(
                    isinstance(n, (ast.Call, ast.FloorDiv, ast.Subscript))
                    for n in walk_breadth_first(node.value)
                )
                and names.find_reads(node.value) & found
            ):
                found |= names.find_binds(node)
    return found


def _says_own(node: ast.AST, name: str) -> bool:
    """Whether it binds the name, and the name says that it is the worker's own."""
    return (
        isinstance(node, ast.Name)
        and node.id == name
        and isinstance(node.ctx, ast.Store)
        and "local" in name.lower().split("_")
    )


def _chooses(scopes: Scopes, node: ast.AST, steps: set[str]) -> bool:
    """`data[step % n]`; `batch(step)` of a function that does so."""
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        shown = names.read_literal(node.slice)
        return (
            shown is None
            and bool(names.find_reads(node.slice) & steps)
            and not any(
                isinstance(n, ast.FloorDiv) for n in walk_breadth_first(node.slice)
            )
        )
    if not isinstance(node, ast.Call) or node.keywords:
        return False
    function = replicas.find_function(scopes, node.func)
    if function is None:
        return False
    given = {
        parameter
        for parameter, value in zip(replicas.list_parameters(function), node.args)
        if isinstance(value, ast.Name) and value.id in steps
    }
    return bool(given) and any(
        not isinstance(n, ast.Call) and _chooses(scopes, n, given)
        for n in walk_breadth_first(function)
    )


def _find_fetched(scopes: Scopes) -> Iterator[tuple[str, ast.While | ast.For]]:
    """Names that `sess.run` gives the global step to, in loops."""
    for node in walk_breadth_first(scopes.tree):
        if not (
            isinstance(node, ast.Assign)
            and isinstance(node.value, ast.Call)
            and isinstance(node.value.func, ast.Attribute)
            and node.value.args
        ):
            continue
        if scopes.resolve(node.value.func) == "tf.train.global_step":
            loop = _find_loop(scopes, node)
            if isinstance(node.targets[0], ast.Name) and loop:
                yield node.targets[0].id, loop
        if node.value.func.attr != "run":
            continue
        target, fetches = node.targets[0], node.value.args[0]
        loop = _find_loop(scopes, node)
        if isinstance(target, ast.Name) and loop:
            for name in _find_taken_out(scopes, loop, target.id, fetches):
                yield name, loop
        pairs = [(target, fetches)]
        if isinstance(target, (ast.Tuple, ast.List)) and isinstance(
            fetches, (ast.Tuple, ast.List)
        ):
            pairs = list(zip(target.elts, fetches.elts))
        for given, fetch in pairs:
            if isinstance(given, ast.Name) and loop and _is_step(scopes, fetch):
                yield given.id, loop


def _find_taken_out(
    scopes: Scopes, loop: ast.AST, results: str, fetches: ast.expr
) -> Iterator[str]:
    """Names of `step = results["step"]`, of a dict or list that has the step there."""
    keys: list[object] = []
    if isinstance(fetches, ast.Dict):
        keys = [
            names.read_literal(key)
            for key, value in zip(fetches.keys, fetches.values, strict=True)
            if key is not None and _is_step(scopes, value)
        ]
    elif isinstance(fetches, (ast.List, ast.Tuple)):
        keys = [i for i, value in enumerate(fetches.elts) if _is_step(scopes, value)]
    for node in walk_breadth_first(loop):
        if not isinstance(node, ast.Assign):
            continue
        value = node.value
        if isinstance(value, ast.BinOp) and isinstance(value.op, (ast.Add, ast.Sub)):
            value = value.left  # The next one.
        if (
            isinstance(value, ast.Subscript)
            and isinstance(value.value, ast.Name)
            and value.value.id == results
            and names.read_literal(value.slice) in keys
        ):
            yield from names.find_binds(node)


def _is_step(scopes: Scopes, node: ast.expr) -> bool:
    made = find_binding(scopes, node)
    if not isinstance(made, ast.Call):
        return False
    symbol = scopes.resolve(made.func)
    return symbol in _STEPS or (
        symbol in ("tf.Variable", "tf.get_variable")
        and names.read_literal(names.find_argument(made, "name")) == "global_step"
    )


def _find_loop(scopes: Scopes, node: ast.AST) -> ast.While | ast.For | None:
    while node in scopes.parents:
        node = scopes.parents[node]
        if isinstance(node, (ast.While, ast.For)):
            return node
        if isinstance(node, (ast.FunctionDef, ast.Lambda)):
            return None
    return None
