"""Classes of Estimators that have a member of a name that the emitted Estimator has too.

class Ranker(tf.estimator.Estimator):
    def _input(self, path): ...
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts.scopes import Scopes
from migrate.findings import Finding, Outcome
from migrate.source.nodes import walk_breadth_first
from migrate.tables.estimator_names import EMITTED, ESTIMATOR


def refuse_hidden_members(scopes: Scopes) -> Iterator[Finding]:
    """Yields a refusal for each class that hides a member of the Estimator."""
    for owner in _find_classes(scopes):
        found = next(
            (pair for pair in _list_bound_attributes(owner) if pair[1] in EMITTED), None
        )
        if found is None:
            continue
        node, name = found
        yield Finding(
            getattr(node, "lineno", owner.lineno),
            getattr(node, "col_offset", 0) + 1,
            "N111",
            Outcome.REFUSED,
            ESTIMATOR,
            f"the Estimator that the tool writes beside the program has a `{name}` too",
            f"Give {owner.name}'s `{name}` another name in the TF1 program first.",
        )


def _find_classes(scopes: Scopes) -> list[ast.ClassDef]:
    """Classes of Estimator, and those of the file that inherit from them."""
    classes = [node for node in scopes.walk() if isinstance(node, ast.ClassDef)]
    known: dict[str, ast.ClassDef] = {}
    grown = True
    while grown:
        grown = False
        for one in classes:
            if one in known.values():
                continue
            if any(
                scopes.resolve(base) == ESTIMATOR
                or (isinstance(base, ast.Name) and base.id in known)
                for base in one.bases
            ):
                known[one.name] = one
                grown = True
    return list(known.values())


def _list_bound_attributes(owner: ast.ClassDef) -> Iterator[tuple[ast.AST, str]]:
    """Yields the attributes that a class and its methods bind on an object."""
    for statement in owner.body:
        if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            yield statement, statement.name
        elif isinstance(statement, ast.Assign):
            for target in statement.targets:
                if isinstance(target, ast.Name):
                    yield target, target.id
    for node in walk_breadth_first(owner):
        if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
            if isinstance(node.value, ast.Name) and node.value.id == "self":
                yield node, node.attr
