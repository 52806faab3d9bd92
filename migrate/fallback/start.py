"""Writes the first statements of a program in graph mode.

`tf.layers` and `tf.nn.rnn_cell` are Keras 2's on TensorFlow 2.16 and later: they are
there only if the process says so before TensorFlow is imported.
"""

from __future__ import annotations

import ast
from collections.abc import Collection

from migrate import emitted
from migrate.facts.process_keras import VARIABLE
from migrate.facts.scopes import Scopes, build_scopes
from migrate.fallback.added import is_tensorflow, list_imported_modules
from migrate.fallback.imports import V1
from migrate.source.nodes import parse_source, walk_breadth_first
from migrate.tables import graph_mode

_KERAS = f'os.environ.setdefault("{VARIABLE}", "1")  # tf.layers are Keras 2\'s.'
# Packages that import TensorFlow themselves.
_OTHERS = frozenset({"keras", "sonnet", "tensor2tensor", "tensorlayer", "tflearn"})


def begin_in_graph_mode(text: str, own: Collection[str], keras_2: bool = True) -> str:
    """The text with graph mode switched on before its first import that may need it.

    Args:
      own: first names by which the program's files import each other.
      keras_2: whether the process has Keras 2.
    """
    tree = parse_source(text)
    if not any(_may_import(node, own) for node in walk_breadth_first(tree)):
        return text
    scopes = build_scopes(tree)
    switched = any(symbol in graph_mode.SWITCHES for _, symbol in scopes.walk_uses())
    lines = text.split("\n")
    anchor = _find_anchor(tree, own)
    place = anchor.lineno - 1 if anchor is not None else _find_first_free_line(tree)
    before: list[str] = []
    if keras_2 and VARIABLE not in text:
        if not _has_os(tree, place + 1):
            before += ["import os", ""]
        before.append(_KERAS)
    if not switched:
        name = _spell_imported_compat(anchor)
        if name:
            assert anchor is not None and anchor.end_lineno is not None
            end = anchor.end_lineno
            lines[end:end] = ["", f"{name}.disable_v2_behavior()"]
        else:
            name = _choose_free_name(scopes)
            before += [f"import {V1} as {name}", "", f"{name}.disable_v2_behavior()"]
    lines[place:place] = before
    return "\n".join(lines)


def _find_anchor(tree: ast.Module, own: Collection[str]) -> ast.stmt | None:
    """The first statement of the module that may import TensorFlow."""
    return next((node for node in tree.body if _may_import(node, own)), None)


def _may_import(node: ast.AST, own: Collection[str]) -> bool:
    """Whether what a statement imports may import TensorFlow."""
    for module in list_imported_modules(node):
        root = module.partition(".")[0]
        if (
            not root
            or is_tensorflow(module)
            or root.startswith(("tensorflow_", "tf_"))
            or root in _OTHERS
            or root in own
            or emitted.list_files(root)
        ):
            return True
    return False


def _spell_imported_compat(anchor: ast.stmt | None) -> str:
    """Returns the name of compat.v1 that a statement imports; "" if it does more."""
    if isinstance(anchor, ast.Import) and len(anchor.names) == 1:
        alias = anchor.names[0]
        if alias.name == V1 and alias.asname:
            return alias.asname
        if alias.name == "tensorflow":
            return f"{alias.asname or alias.name}.compat.v1"
    return ""


def _choose_free_name(scopes: Scopes) -> str:
    if scopes.find_imported_path("tf") == V1 or "tf" not in scopes.module.bindings:
        return "tf"
    return "tf_v1"


def _has_os(tree: ast.Module, line: int) -> bool:
    """Whether `os` is imported above a line."""
    return any(
        isinstance(node, ast.Import)
        and node.lineno < line
        and any(alias.name == "os" and not alias.asname for alias in node.names)
        for node in tree.body
    )


def _find_first_free_line(tree: ast.Module) -> int:
    """The lines that must stand first: a docstring, imports from the future."""
    place = 0
    for index, node in enumerate(tree.body):
        text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        if not future and not (text and not index):
            break
        place = node.end_lineno or place
    return place
