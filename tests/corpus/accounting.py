"""Which names of TensorFlow a text spells, found without the tool's own resolver.

What judges a result must not share the eyes of what made it, so this reads imports and
attributes with nothing but `ast`, and looks names up in the generated list of what
TensorFlow 2.21 exports.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator

from migrate.tables import symbols

VERSION = "2.21.0"
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def spelled(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Dotted paths below `tensorflow` that a module names, each with its line.

    Imports count as well as uses, whatever scope they stand in. A name that a function
    has as a parameter, or assigns, is not the imported one in it.
    """
    imported = _imported(tree)
    yield from ((line, path) for line, path, _ in imported)
    names: dict[str, str] = {}
    for _, path, name in imported:
        if name:
            names[name] = path
    yield from _uses(tree, names)


def _imported(tree: ast.Module) -> list[tuple[int, str, str]]:
    """(line, dotted path, name that is bound to it or "") of TensorFlow's imports."""
    found: list[tuple[int, str, str]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if _is_tensorflow(alias.name):
                    root = "" if alias.asname else "tensorflow"
                    found.append((node.lineno, alias.name, alias.asname or ""))
                    found += [(node.lineno, root, root)] if root else []
        elif isinstance(node, ast.ImportFrom) and not node.level:
            for alias in node.names if _is_tensorflow(node.module or "") else ():
                star = alias.name == "*"
                path = f"{node.module}.{alias.name}"
                name = "" if star else alias.asname or alias.name
                found.append((node.lineno, node.module if star else path, name))
    return found


def _is_tensorflow(module: str) -> bool:
    return module == "tensorflow" or module.startswith("tensorflow.")


def _uses(node: ast.AST, names: dict[str, str]) -> Iterator[tuple[int, str]]:
    if isinstance(node, _FUNCTIONS):
        own = _local_names(node)
        names = {name: path for name, path in names.items() if name not in own}
    path = _path(node, names)
    if path:
        yield getattr(node, "lineno", 1), path
        return
    for child in ast.iter_child_nodes(node):
        yield from _uses(child, names)


def _path(node: ast.AST, names: dict[str, str]) -> str:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if isinstance(node, ast.Name) and node.id in names:
        return ".".join([names[node.id], *reversed(parts)])
    return ""


def _local_names(function: ast.AST) -> set[str]:
    """Parameters and assigned names, but none that the function imports."""
    assert isinstance(function, _FUNCTIONS)
    own = {a.arg for a in ast.walk(function.args) if isinstance(a, ast.arg)}
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            own.add(node.id)
    return own


@functools.cache
def _modules() -> frozenset[str]:
    found: set[str] = set()
    for name in symbols.target_names(VERSION):
        while name:
            name = name.rpartition(".")[0]
            found.add(name)
    return frozenset(found)


def exists(path: str) -> bool:
    """Whether TensorFlow 2.21 has `tensorflow.a.b` as a public name.

    Attributes of what is no module count as there: methods and fields are not listed.
    `tensorflow.keras` is whichever Keras is installed, and is not judged.
    """
    name = "tf" + path.removeprefix("tensorflow")
    name = name.replace("tf.compat.v2", "tf", 1)
    if name in ("tf", "tf.__version__") or name.startswith("tf.keras"):
        return True
    if name in _modules() or name in symbols.target_names(VERSION):
        return True
    while "." in name:
        name = name.rpartition(".")[0]
        if name in _modules():
            return False
        if name in symbols.target_names(VERSION):
            return True
    return False
