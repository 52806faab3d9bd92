"""D106: a dataset that is not distributed, iterated for `strategy.run`.

Every replica is then given the whole batch: all compute the same, and N replicas do
the work of one N times.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.program.ir import code
from migrate.rules.mistakes.mistake import Mistake, binding, method

_DISTRIBUTES = frozenset(
    {
        "experimental_distribute_dataset",
        "distribute_datasets_from_function",
        "experimental_distribute_datasets_from_function",
    }
)


def find(scopes: Scopes) -> Iterator[Mistake]:
    for loop in ast.walk(scopes.tree):
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
        if not _is_dataset(scopes, over):
            continue
        bound = names.binds(ast.For(loop.target, loop.iter, [], []))
        for node in (n for s in loop.body for n in ast.walk(s)):
            if not (
                isinstance(node, ast.Call)
                and method(node) in ("run", "experimental_run_v2")
            ):
                continue
            given = names.argument(node, "args", 1)
            if given is None or not names.reads(given) & bound:
                continue
            assert isinstance(node.func, ast.Attribute)
            if not _is_strategy(scopes, node.func.value):
                continue
            distributed = code(
                node.func.value, ".experimental_distribute_dataset(", over, ")"
            )
            yield Mistake(
                over,
                "D106",
                "every replica is given the whole batch: the dataset is not distributed",
                "strategy.experimental_distribute_dataset(dataset)",
                ((over, distributed),),
                "tf.distribute.Strategy.experimental_distribute_dataset",
            )
            break


def _is_dataset(scopes: Scopes, node: ast.expr) -> bool:
    """A name that holds a tf.data.Dataset, made by chains of its methods."""
    return isinstance(node, ast.Name) and _made(scopes, node, frozenset())


def is_dataset(scopes: Scopes, node: ast.expr) -> bool:
    """An expression whose value is a tf.data.Dataset; functions of the file are read."""
    return _made(scopes, node, frozenset(), functions=True)


def _made(
    scopes: Scopes, node: ast.expr, seen: frozenset[str], functions: bool = False
) -> bool:
    while isinstance(node, ast.Call):
        if functions and isinstance(node.func, ast.Name):
            return _returned(scopes, node.func, seen)
        if (scopes.resolve(node.func) or "").startswith("tf.data."):
            return True
        if not isinstance(node.func, ast.Attribute) or node.func.attr in _DISTRIBUTES:
            return False
        node = node.func.value
    if not isinstance(node, ast.Name):
        return False
    if node.id in seen:
        return True  # `dataset = dataset.batch(8)`: its other statements tell.
    owner = scopes.scope_of(node).owner(node.id)
    bound = owner.bindings.get(node.id, []) if owner is not None else []
    return bool(bound) and all(
        isinstance(b, ast.Assign)
        and len(b.targets) == 1
        and isinstance(b.targets[0], ast.Name)
        and _made(scopes, b.value, seen | {node.id}, functions)
        for b in bound
    )


def _returned(scopes: Scopes, name: ast.Name, seen: frozenset[str]) -> bool:
    """Whether all that a function of the file returns are datasets."""
    owner = scopes.scope_of(name).owner(name.id)
    bound = owner.bindings.get(name.id, []) if owner is not None else []
    if name.id in seen or len(bound) != 1 or not isinstance(bound[0], ast.FunctionDef):
        return False
    returns = [
        n for n in names.walk_scope_of_function(bound[0]) if isinstance(n, ast.Return)
    ]
    return bool(returns) and all(
        r.value is not None and _made(scopes, r.value, seen | {name.id}, True)
        for r in returns
    )


def _is_strategy(scopes: Scopes, node: ast.expr) -> bool:
    value = binding(scopes, node)
    return isinstance(value, ast.Call) and (
        scopes.resolve(value.func) or ""
    ).startswith("tf.distribute.")
