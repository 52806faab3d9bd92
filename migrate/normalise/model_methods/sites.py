"""Estimators that are given a method, or what a method returns."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator

from migrate.facts import estimator_calls
from migrate.facts.names import is_bare_constant
from migrate.facts.objects import Objects
from migrate.facts.scopes import Scopes


@dataclasses.dataclass(frozen=True, eq=False)
class Site:
    """An Estimator that is given a method, or what a method returns.

    Attributes:
      node: `self.model_fn`.
      built: the call that is given what the method needs: `self.model_fn(...)`, also in a
        lambda or a function that does nothing else, or `functools.partial(self.model_fn, ...)`.
      makes: whether that is called for a model_fn, and is none itself.
      late: whether the call is made anew with every model.
    """

    call: ast.Call
    node: ast.Attribute
    built: ast.Call | None = None
    makes: bool = False
    late: bool = False


def find_sites(scopes: Scopes) -> Iterator[Site]:
    objects = Objects(scopes)
    for one in estimator_calls.find_estimator_calls(scopes):
        site = _find_site(one.call, one.model_fn, scopes)
        if site is None or not isinstance(site.node.value, ast.Name):
            continue
        if objects.find_class(site.node.value) or objects.find_named_class(
            site.node.value
        ):
            yield site


def _find_site(call: ast.Call, value: ast.expr, scopes: Scopes) -> Site | None:
    if isinstance(value, ast.Name):
        value = _find_meaning(value, scopes) or value
    if isinstance(value, ast.Attribute):
        return Site(call, value)
    if isinstance(value, ast.Lambda) and isinstance(value.body, ast.Call):
        inner = value.body.func
        if isinstance(inner, ast.Attribute):
            return Site(call, inner, value.body, late=True)
        return None
    if not isinstance(value, ast.Call):
        return None
    if value.args and estimator_calls.is_partial(value.func, scopes):
        first = value.args[0]
        return Site(call, first, value) if isinstance(first, ast.Attribute) else None
    if isinstance(value.func, ast.Attribute):
        return Site(call, value.func, value, True)
    return None


def _find_meaning(name: ast.Name, scopes: Scopes) -> ast.expr | None:
    """Returns a name's value, or a lambda for a function that only returns a call."""
    owner = scopes.find_scope(name).find_owner(name.id)
    bound = owner.bindings[name.id] if owner is not None else []
    if len(bound) != 1:
        return None
    if isinstance(bound[0], ast.Assign) and len(bound[0].targets) == 1:
        return bound[0].value
    if not isinstance(bound[0], ast.FunctionDef):
        return None
    *text, last = bound[0].body
    if not isinstance(last, ast.Return) or not isinstance(last.value, ast.Call):
        return None
    if any(not is_bare_constant(statement) for statement in text):
        return None
    arguments = ast.arguments([], [], None, [], [], None, [])
    return ast.Lambda(arguments, last.value)
