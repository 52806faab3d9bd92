"""D106: a dataset that is not distributed, iterated for `strategy.run`.

Every replica is then given the whole batch: all compute the same, and N replicas do
the work of one N times.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.program.code import make_code
from migrate.rules.mistakes import replicas, values
from migrate.rules.mistakes.mistake import Mistake, find_binding, find_method
from migrate.source.nodes import walk_breadth_first


def find(scopes: Scopes) -> Iterator[Mistake]:
    told: set[ast.expr] = set()
    for over, bound, body in (*_find_loops(scopes), *_find_iterators(scopes)):
        if over in told:
            continue
        for node in (n for s in body for n in walk_breadth_first(s)):
            if not isinstance(node, ast.Call):
                continue
            strategy = _find_strategy_of_step(scopes, node, bound)
            if strategy is None:
                continue
            distributed = make_code(
                strategy, ".experimental_distribute_dataset(", over, ")"
            )
            told.add(over)
            mends = values.means_same_at(scopes, strategy, over)
            yield Mistake(
                over,
                "D106",
                "every replica gets the whole batch, because the dataset is not "
                "distributed",
                "strategy.experimental_distribute_dataset(dataset)",
                ((over, distributed),) if mends else (),
                "tf.distribute.Strategy.experimental_distribute_dataset",
            )
            break


def _find_loops(scopes: Scopes) -> Iterator[tuple[ast.expr, set[str], list[ast.stmt]]]:
    """Loops over datasets: these, what each element is called, and what is done."""
    for loop in scopes.walk():
        if not isinstance(loop, ast.For):
            continue
        over = loop.iter
        if (
            isinstance(over, ast.Call)
            and isinstance(over.func, ast.Name)
            and over.func.id == "enumerate"
            and over.args
        ):
            over = over.args[0]
        if replicas.is_dataset(scopes, over):
            yield (
                over,
                names.find_binds(ast.For(loop.target, loop.iter, [], [])),
                loop.body,
            )


def _find_iterators(
    scopes: Scopes,
) -> Iterator[tuple[ast.expr, set[str], list[ast.stmt]]]:
    """`batches = iter(dataset)`, of which `next` is asked.

    By name: `step(next(batches))` is given what the iterator gives.
    """
    for made in scopes.walk():
        if not (isinstance(made, ast.Call) and ast.unparse(made.func) == "iter"):
            continue
        if len(made.args) != 1 or not replicas.is_dataset(scopes, made.args[0]):
            continue
        for node in scopes.walk():
            if (
                isinstance(node, ast.Assign)
                and isinstance(node.value, ast.Call)
                and ast.unparse(node.value.func) == "next"
                and node.value.args
                and find_binding(scopes, node.value.args[0]) is made
            ):
                suite = scopes.parents[node]
                body = next((b for _, b in _list_suites(suite) if node in b), [])
                yield made.args[0], names.find_binds(node), body
            elif (
                isinstance(node, ast.Call)
                and ast.unparse(node.func) == "next"
                and node.args
                and find_binding(scopes, node.args[0]) is made
                and isinstance(node.args[0], ast.Name)
                and (given := _find_statement(scopes, node)) is not None
            ):
                yield made.args[0], {node.args[0].id}, [given]


def _find_statement(scopes: Scopes, node: ast.AST) -> ast.stmt | None:
    """The simple statement that an expression is part of."""
    while node in scopes.parents and not isinstance(node, ast.stmt):
        node = scopes.parents[node]
    return node if isinstance(node, (ast.Expr, ast.Assign, ast.AugAssign)) else None


def _list_suites(owner: ast.AST) -> list[tuple[str, list[ast.stmt]]]:
    if isinstance(owner, ast.Module):
        return [("body", owner.body)]
    return names.list_suites(owner) if isinstance(owner, ast.stmt) else []


def _is_batch(value: ast.expr, bound: set[str]) -> bool:
    """A name of a batch, or `next` of an iterator's."""
    if isinstance(value, ast.Call) and ast.unparse(value.func) == "next" and value.args:
        value = value.args[0]
    return isinstance(value, ast.Name) and value.id in bound


def _find_strategy_of_step(
    scopes: Scopes, call: ast.Call, bound: set[str]
) -> ast.expr | None:
    """The strategy by which a call runs a step on some names; None for other calls.

    Directly, or in a function that is given them and hands them on.
    """
    if find_method(call) in replicas.RUNS:
        given = names.find_argument(call, "args", 1)
        if given is None or not names.find_reads(given) & bound:
            return None
        assert isinstance(call.func, ast.Attribute)
        known = replicas.find_strategy(scopes, call.func.value)
        return call.func.value if known else None
    function = replicas.find_function(scopes, call.func)
    if function is None or call.keywords:
        return None
    parameters = replicas.list_parameters(function)
    passed = {
        parameter
        for parameter, value in zip(parameters, call.args, strict=False)
        if _is_batch(value, bound)
    }
    changed = set().union(*[names.find_binds(s) for s in function.body], set())
    if not passed or passed & changed:
        return None
    for node in walk_breadth_first(function):
        if isinstance(node, ast.Call) and find_method(node) in replicas.RUNS:
            strategy = _find_strategy_of_step(scopes, node, passed)
            if strategy is not None:
                return strategy
    return None
