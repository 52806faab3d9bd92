"""Classes of a program that are hooks: derived from SessionRunHook, or from TF1's own hooks."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator

from migrate.facts.reach import definitions
from migrate.facts.scopes import Scopes
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


def hook_classes(scopes: Scopes) -> Iterator[ast.ClassDef]:
    """Classes that are hooks with TF1's methods, over however many classes of the file."""
    for node in scopes.walk():
        if isinstance(node, ast.ClassDef) and _is_hook(node, scopes, frozenset()):
            yield node


def derived_hooks(scopes: Scopes) -> list[DerivedHook]:
    """Classes that rely on the methods and attributes of one of TF1's hooks."""
    found = []
    for node in scopes.walk():
        if isinstance(node, ast.ClassDef):
            for base in node.bases:
                name = _TF1S.get(table.public(scopes.resolve(base) or ""))
                if name is not None and _relies_on_it(node, scopes):
                    found.append(DerivedHook(node, base, name))
    return found


def _is_hook(node: ast.ClassDef, scopes: Scopes, seen: frozenset[ast.AST]) -> bool:
    for base in node.bases:
        symbol = table.public(scopes.resolve(base) or "")
        if symbol in _OF_THEIR_OWN or _TF1S.get(symbol) in DERIVABLE:
            return True
        if isinstance(base, ast.Name):
            for above in definitions(scopes, base):
                if isinstance(above, ast.ClassDef) and above not in seen:
                    if _is_hook(above, scopes, seen | {node}):
                        return True
    return False


def _relies_on_it(node: ast.ClassDef, scopes: Scopes) -> bool:
    """Whether a class, or one that derives from it, does more than give arguments."""
    read: set[str] = set()
    written: set[str] = set()
    for item in ast.walk(node):
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
            isinstance(base, ast.Name) and node in definitions(scopes, base)
            for base in other.bases
        )
        for other in scopes.walk()
    )
