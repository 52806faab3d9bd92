"""Finds files that name a function, or may: all must be known before it changes."""

from __future__ import annotations

import ast
import pathlib
import re
from collections.abc import Callable, Collection, Iterable, Iterator

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.source.nodes import walk_breadth_first

_IMPORTING = ("import_module", "__import__")
# Words in a file that may find a function by a string.
FINDING = ("getattr", "import *")


def names_it(
    text: str,
    scopes: Scopes | None,
    name: str,
    modules: Collection[str],
    elsewhere: Callable[[ast.Import | ast.ImportFrom], bool] = lambda _: False,
) -> bool:
    """Whether a file may name a function of another.

    Args:
      scopes: of the text; None if it is not Python 3.
      modules: the names of the other file, and of files that have the function from it.
      elsewhere: whether an import certainly means other files with these names.
    """
    if scopes is None:
        return _has_word(text, [name]) and _has_word(text, modules)
    if not _imports(scopes.tree, modules, elsewhere):
        return False
    named = any(_is_named(node, scopes, name) for node in scopes.walk())
    return (
        named or next(find_calls_by_text(scopes.tree, name, modules), None) is not None
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


def _imports(
    tree: ast.Module,
    modules: Collection[str],
    elsewhere: Callable[[ast.Import | ast.ImportFrom], bool],
) -> bool:
    """Whether a file imports one of some modules, or a name from them."""
    for node in walk_breadth_first(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            dotted = [alias.name for alias in node.names]
            dotted.append(getattr(node, "module", None) or "")
            if {part for one in dotted for part in one.split(".")} & set(modules):
                if not elsewhere(node):
                    return True
        elif _imports_by_text(node, modules):
            return True
    return False


def find_calls_by_text(
    tree: ast.AST, name: str, modules: Collection[str]
) -> Iterator[ast.Call]:
    """Yields calls that may find a function by a string: `getattr(module, name)`."""
    for node in walk_breadth_first(tree):
        if isinstance(node, ast.Call) and _read_called_name(node) == "getattr":
            owner, text = (*node.args, None, None)[:2]
            if isinstance(text, ast.Constant):
                if text.value == name:
                    yield node
            elif isinstance(owner, ast.Name) and owner.id in _find_names(tree, modules):
                yield node


def _read_called_name(call: ast.Call) -> str:
    """Returns the last part of the callee's name."""
    func = call.func
    if isinstance(func, ast.Attribute):
        return func.attr
    return func.id if isinstance(func, ast.Name) else ""


def _imports_by_text(node: ast.AST, modules: Collection[str]) -> bool:
    """Whether a call may import one of some modules: `import_module(name)`."""
    if not isinstance(node, ast.Call) or _read_called_name(node) not in _IMPORTING:
        return False
    text = node.args[0] if node.args else None
    if isinstance(text, ast.Constant) and isinstance(text.value, str):
        return bool(set(text.value.split(".")) & set(modules))
    return True


def name_module(path: str) -> str:
    """Returns the name by which an import names a file."""
    pure = pathlib.PurePath(path)
    return pure.parent.name if pure.stem == "__init__" else pure.stem


def _has_word(text: str, words: Iterable[str]) -> bool:
    return any(re.search(rf"\b{re.escape(word)}\b", text) for word in words)


def _find_names(tree: ast.AST, modules: Collection[str]) -> set[str]:
    """Returns the names under which a file imports some modules, or may import them."""
    found: set[str] = set()
    for node in walk_breadth_first(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            found |= {
                (alias.asname or alias.name).partition(".")[0]
                for alias in node.names
                if set(alias.name.split(".")) & set(modules)
            }
        elif isinstance(node, ast.Assign) and _imports_by_text(node.value, modules):
            found |= names.find_binds(node)
    return found
