"""Summaries that have the names of the variables that they show."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.scopes import Scopes

SUMMARIES = frozenset(
    f"tf.summary.{kind}" for kind in ("audio", "histogram", "image", "scalar")
)


def find_summaries_of_own_names(scopes: Scopes) -> Iterator[ast.Call]:
    """`tf.summary.histogram(v.op.name, v)` for each of the graph's variables."""
    for node in scopes.walk():
        if not isinstance(node, ast.Call):
            continue
        if scopes.resolve(node.func) not in SUMMARIES:
            continue
        name = names.find_argument(node, "name", 0)
        if (
            isinstance(name, ast.Attribute)
            and name.attr == "name"
            and isinstance(name.value, ast.Attribute)
            and name.value.attr == "op"
            and isinstance(name.value.value, ast.Name)
            and _runs_over_variables(scopes, node, name.value.value.id)
        ):
            yield node


def _runs_over_variables(scopes: Scopes, call: ast.Call, name: str) -> bool:
    """Whether a loop around a call binds a name to each variable, or to those of pairs."""
    loops = [
        loop
        for above in scopes.walk_above(call)
        for loop in (
            [above]
            if isinstance(above, ast.For)
            else above.generators
            if isinstance(above, (ast.ListComp, ast.GeneratorExp))
            else []
        )
    ]
    for loop in loops:
        target = loop.target
        if isinstance(target, ast.Name) and target.id == name:
            return any(
                (scopes.resolve(part.func) or "").endswith("_variables")
                for part in ast.walk(loop.iter)
                if isinstance(part, ast.Call)
            )
        if isinstance(target, ast.Tuple) and len(target.elts) == 2:
            last = target.elts[1]  # A gradient and its variable.
            if isinstance(last, ast.Name) and last.id == name:
                return True
    return False
