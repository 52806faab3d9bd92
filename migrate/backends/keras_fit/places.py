"""Finds the place where a model is made: before its runs, and where its input is known."""

from __future__ import annotations

import ast

from migrate.backends.keras_fit.inputs import Inputs
from migrate.backends.keras_fit.program import Run, Stays, Trained
from migrate.facts.definitions import find_definition
from migrate.facts.scopes import Scopes
from migrate.source.nodes import walk_breadth_first


def find_place(one: Trained, runs: list[Run], scopes: Scopes) -> ast.stmt:
    """Returns the statement before which the model is made: that of its first run.

    Raises:
      Stays: there is none where the Estimator is made.
    """
    statement = one.statement
    uses: list[ast.AST] = [run.statement for run in runs]
    if isinstance(statement, (ast.For, ast.FunctionDef)):
        suite = statement.body  # In evaluation, too, the directory is the model's own.
        uses = [*(run.statement for run in one.runs), *one.attributes]
    else:
        suite = find_suite(statement, scopes)
    found = []
    for use in uses:
        place = find_within(use, suite, scopes)
        if place is None:
            raise Stays(use, f"`{one.name}` is made inside an `if`, a loop or a `with`")
        found.append(place)
    return min(found, key=lambda place: place.lineno)


def find_sample(
    runs: list[Run], place: ast.stmt, scopes: Scopes, inputs: Inputs
) -> Run:
    """Returns a run whose input shows the features, and whose names are bound before.

    Raises:
      Stays: there is none.
    """
    inside = {
        n.id
        for n in walk_breadth_first(place)
        if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)
    }
    if isinstance(place, ast.Assign):
        inside = set()  # Its value is computed first.
    for run in sorted(runs, key=lambda run: not run.kind.startswith("train")):
        given = {**run.given, **run.training}
        if "input_fn" not in given:
            continue
        free = inputs.find_free_names(given["input_fn"])
        if not inside & {n.id for n in free} and all(
            _is_before(n, place, scopes) for n in free
        ):
            return run
    raise Stays(
        runs[0].call, "the place where the model is made comes before its input exists"
    )


def find_suite(statement: ast.stmt, scopes: Scopes) -> list[ast.stmt]:
    """Returns the statements around one in the same suite.

    Raises:
      Stays: the suite is that of an error handler.
    """
    parent = scopes.parents[statement]
    for name in ("body", "orelse", "finalbody"):
        suite = getattr(parent, name, None)
        if isinstance(suite, list) and statement in suite:
            return suite
    raise Stays(statement, "it is made inside a `try`")


def find_within(use: ast.AST, suite: list[ast.stmt], scopes: Scopes) -> ast.stmt | None:
    """Returns the statement of a suite that contains another."""
    node: ast.AST | None = use
    while node is not None:
        if isinstance(node, ast.stmt) and node in suite:
            return node
        node = scopes.parents.get(node)
    return None


def _is_before(node: ast.Name, place: ast.stmt, scopes: Scopes) -> bool:
    """Whether a name is bound before a statement to the value that a read sees."""
    scope = scopes.find_scope(place)
    if scope.find_owner(node.id) is not scope:
        return True
    seen = find_definition(node, scopes)
    bound = [seen] if seen is not None else scope.bindings[node.id]
    between = range(place.lineno, node.lineno)
    return all(getattr(b, "lineno", 0) < place.lineno for b in bound) and not any(
        getattr(b, "lineno", 0) in between for b in scope.bindings[node.id]
    )
