"""Checks the uses of a file's Estimators in other files."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from migrate.backends.keras_fit.program import Program, Stays, Trained
from migrate.facts.scopes import Scopes
from migrate.frontends.model_fn.signature import name_class


def check_others(program: Program, original: str, others: Iterable[str]) -> None:
    """Refuses a file whose Estimators, or models, other files may use.

    Args:
      original: the text that was migrated.
      others: texts of the files that name this one.

    Raises:
      Stays: one has such a name.
    """
    texts = tuple(others)
    if not texts:
        return
    for one in program.trained:
        for name in _find_names(one, program.scopes, original):
            if any(re.search(rf"\b{re.escape(name)}\b", text) for text in texts):
                raise Stays(one.first.call, f"another file uses `{name}`")


def _find_names(one: Trained, scopes: Scopes, original: str) -> Iterator[str]:
    """Yields names by which another file may use, make or pass an Estimator."""
    if one.scope is scopes.module:
        yield one.name
    if isinstance(one.statement, ast.FunctionDef):
        yield one.statement.name
    classes = {source.maker.class_.name for source in one.sources}
    yield from sorted(classes)
    for node in ast.walk(ast.parse(original)):
        if isinstance(node, ast.FunctionDef) and name_class(node.name) in classes:
            yield node.name
    for source in one.sources:
        function = scopes.find_scope(source.call).node
        returned = isinstance(scopes.parents[source.call], ast.Return)
        if returned and isinstance(function, ast.FunctionDef):
            yield function.name
    for node in one.handed:
        call = scopes.parents[node]
        call = scopes.parents[call] if isinstance(call, ast.keyword) else call
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name):
            yield call.func.id
