"""Classes of a program that are hooks: derived from SessionRunHook, or from TF1's own hooks."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator

from migrate.facts.reach import find_definitions
from migrate.facts.scopes import Scopes
from migrate.source.nodes import walk_breadth_first
from migrate.tables import estimator as table
from migrate.tables.hooks import DERIVABLE, HOOK_METHODS

_PACKAGES = ("train", "estimator")
_OF_THEIR_OWN = frozenset(f"tf.{p}.SessionRunHook" for p in _PACKAGES)
_TF1S = {
    f"tf.{package}.{name}": name
    for package in _PACKAGES
    for name in table.HOOKS
    if name.endswith("Hook") and name != "SessionRunHook"
}


@dataclasses.dataclass(frozen=True)
class DerivedHook:
    """A class that derives from one of TF1's hooks, and changes what it does.

    Attributes:
      class_: the class.
      base: the expression that names the hook.
      name: the hook's name, as "StopAtStepHook".
      derivable: whether the emitted module has a hook with TF1's methods.
    """

    class_: ast.ClassDef
    base: ast.expr
    name: str

    @property
    def derivable(self) -> bool:
        return self.name in DERIVABLE


def ends_with_values(call: ast.Call, fetches: ast.expr | None, scopes: Scopes) -> bool:
    """Whether a hook that logs tensors runs them once more at the end.

    def end(self, session):
        if self._log_at_end:
            values = session.run(self._current_tensors)
    """
    if not isinstance(fetches, ast.Attribute) or fetches.attr != "_current_tensors":
        return False
    method: ast.AST | None = call
    while method is not None and not isinstance(method, ast.FunctionDef):
        method = scopes.parents.get(method)
    if method is None or method.name != "end" or not method.args.args:
        return False
    of = fetches.value
    if not isinstance(of, ast.Name) or of.id != method.args.args[0].arg:
        return False
    return any(
        found.name == "LoggingTensorHook"
        and method in found.class_.body
        and not _replaces_tensors(found.class_)
        for found in find_derived_hooks(scopes)
    )


def _replaces_tensors(node: ast.ClassDef) -> bool:
    """Whether a class decides by itself what is asked for."""
    return any(
        isinstance(inner, ast.FunctionDef)
        and inner.name == "before_run"
        or isinstance(inner, ast.Attribute)
        and inner.attr == "_current_tensors"
        and isinstance(inner.ctx, ast.Store)
        for inner in walk_breadth_first(node)
    )


def find_hook_classes(scopes: Scopes) -> Iterator[ast.ClassDef]:
    """Classes that are hooks with TF1's methods, over however many classes of the file."""
    for node in scopes.walk():
        if isinstance(node, ast.ClassDef) and _is_hook(node, scopes, frozenset()):
            yield node


def find_derived_hooks(scopes: Scopes) -> list[DerivedHook]:
    """Classes that rely on the methods and attributes of one of TF1's hooks."""
    found = []
    for node in scopes.walk():
        if isinstance(node, ast.ClassDef):
            for base in node.bases:
                name = _TF1S.get(table.find_public(scopes.resolve(base) or ""))
                if name is not None and _relies_on_it(node, scopes):
                    found.append(DerivedHook(node, base, name))
    return found


def _is_hook(node: ast.ClassDef, scopes: Scopes, seen: frozenset[ast.AST]) -> bool:
    for base in node.bases:
        symbol = table.find_public(scopes.resolve(base) or "")
        if symbol in _OF_THEIR_OWN or _TF1S.get(symbol) in DERIVABLE:
            return True
        if isinstance(base, ast.Name):
            for above in find_definitions(scopes, base):
                if isinstance(above, ast.ClassDef) and above not in seen:
                    if _is_hook(above, scopes, seen | {node}):
                        return True
    return False


def _relies_on_it(node: ast.ClassDef, scopes: Scopes) -> bool:
    """Whether a class, or one that derives from it, does more than give arguments."""
    read: set[str] = set()
    written: set[str] = set()
    for item in walk_breadth_first(node):
        if isinstance(item, ast.FunctionDef) and item.name in HOOK_METHODS:
            return True
        if (
            isinstance(item, ast.Attribute)
            and isinstance(item.value, ast.Name)
            and item.value.id == "self"
            and item.attr.startswith("_")
        ):
            (read if isinstance(item.ctx, ast.Load) else written).add(item.attr)
    if read - written:
        return True
    return any(
        isinstance(other, ast.ClassDef)
        and other is not node
        and any(
            isinstance(base, ast.Name) and node in find_definitions(scopes, base)
            for base in other.bases
        )
        for other in scopes.walk()
    )
