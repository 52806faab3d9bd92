"""Where a file names a function, or may: what changes a function has to know all of these."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator

from migrate.facts.scopes import Scopes

_IMPORTING = ("import_module", "__import__")


def names_it(
    text: str, scopes: Scopes | None, name: str, modules: Collection[str]
) -> bool:
    """Whether a file may name a function of another.

    Args:
      scopes: of the text; None where it is no Python 3.
      modules: what the other file is called, and those that have the function from it.
    """
    if scopes is None:
        return _has_word(text, [name]) and _has_word(text, modules)
    if next(by_text(scopes.tree, name), None) is not None:
        return True
    return _imports(scopes.tree, modules) and any(
        _is_named(node, scopes, name) for node in scopes.walk()
    )


def _is_named(node: ast.AST, scopes: Scopes, name: str) -> bool:
    if isinstance(node, ast.alias):
        return node.name in (name, "*")
    if isinstance(node, ast.Name):
        return node.id == name
    return (
        isinstance(node, ast.Attribute)
        and node.attr == name
        and scopes.resolve(node) is None
    )


def _imports(tree: ast.Module, modules: Collection[str]) -> bool:
    """Whether a file imports one of some modules, or something of them."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            dotted = [alias.name for alias in node.names]
            dotted.append(getattr(node, "module", None) or "")
            if {part for one in dotted for part in one.split(".")} & set(modules):
                return True
    return False


def by_text(tree: ast.AST, name: str) -> Iterator[ast.Call]:
    """Calls that may find a function by its name's text: `getattr(module, name)`."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        func = node.func
        called = func.attr if isinstance(func, ast.Attribute) else ""
        called = func.id if isinstance(func, ast.Name) else called
        if called in _IMPORTING:
            # Which module it is: any, where that is not written out.
            if not node.args or not isinstance(node.args[0], ast.Constant):
                yield node
        elif called == "getattr" and len(node.args) > 1:
            owner, text = node.args[:2]
            if isinstance(text, ast.Constant):
                if text.value == name:
                    yield node
            elif isinstance(owner, ast.Name) and owner.id in _imported(tree):
                yield node


def _has_word(text: str, words: Iterable[str]) -> bool:
    return any(re.search(rf"\b{re.escape(word)}\b", text) for word in words)


def _imported(tree: ast.AST) -> set[str]:
    return {
        (alias.asname or alias.name).partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names
    }
