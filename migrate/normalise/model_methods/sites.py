"""Estimators that are given a method, or what a method returns."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.objects import Objects
from migrate.facts.scopes import Scopes

_ESTIMATOR = "tf.estimator.Estimator"


@dataclasses.dataclass(frozen=True, eq=False)
class Site:
    """An Estimator that is given a method, or what a method returns.

    Attributes:
      node: `self.model_fn`.
      built: `self.model_fn(...)`, where the method is called for a model_fn.
    """

    call: ast.Call
    node: ast.Attribute
    built: ast.Call | None


def sites_of(scopes: Scopes) -> Iterator[Site]:
    objects = Objects(scopes)
    for use, symbol in scopes.walk_uses():
        call = scopes.parents.get(use)
        if symbol != _ESTIMATOR or not isinstance(call, ast.Call):
            continue
        value = names.argument(call, "model_fn", 0) if call.func is use else None
        built = value if isinstance(value, ast.Call) else None
        node = built.func if built is not None else value
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if objects.class_of(node.value) or objects.class_named(node.value):
                yield Site(call, node, built)
