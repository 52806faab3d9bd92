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
from migrate.rules.mistakes import replicas
from migrate.rules.mistakes.mistake import Mistake, method


def find(scopes: Scopes) -> Iterator[Mistake]:
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
        if not replicas.is_dataset(scopes, over):
            continue
        bound = names.binds(ast.For(loop.target, loop.iter, [], []))
        for node in (n for s in loop.body for n in ast.walk(s)):
            if not (isinstance(node, ast.Call) and method(node) in replicas.RUNS):
                continue
            given = names.argument(node, "args", 1)
            if given is None or not names.reads(given) & bound:
                continue
            assert isinstance(node.func, ast.Attribute)
            if not replicas.strategy_of(scopes, node.func.value):
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
