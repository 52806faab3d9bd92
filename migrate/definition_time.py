"""Names that Python reads where it defines a function or class, in code that nothing calls.

    class Logger(tf.train.LoggingTensorHook):    ->    class Logger(tf.compat.v1.train...):

Such code stays as it was, because nothing runs it. But its bases, decorators, default values
and the statements of its classes are read when the file is imported.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from migrate.facts.scopes import Scopes, build_scopes
from migrate.facts.trees.unused_code import Unused
from migrate.normalise.text import Edit, Text
from migrate.source.nodes import parse_source, walk_breadth_first
from migrate.tables import signatures

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_TF1 = "tensorflow"


def write_definitions(source: str, unused: Sequence[Unused]) -> str | None:
    """The text whose unused code can be defined on TensorFlow 2; None if it cannot.

    Every line stays at its place.
    """
    tree = parse_source(source)
    scopes = build_scopes(tree)
    edits: list[Edit] = []
    for node in walk_breadth_first(tree):
        if not isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            continue
        if not any(one.first <= node.lineno <= one.last for one in unused):
            continue
        if isinstance(_find_function(scopes, node), _FUNCTIONS):
            continue  # Nothing runs the function around it.
        for part in _list_definition_parts(node):
            for name, symbol in _find_names(scopes, part):
                if signatures.exists(symbol):
                    continue
                new = _spell_compat(name, scopes, symbol)
                if new is None:
                    return None
                edits.append(Edit(name, new))
    return Text.read_source(source).apply_edits(edits).source


def _find_function(scopes: Scopes, node: ast.AST) -> ast.AST | None:
    """The function around a definition."""
    above = scopes.parents.get(node)
    while above is not None and not isinstance(above, _FUNCTIONS):
        above = scopes.parents.get(above)
    return above


def _list_definition_parts(
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef,
) -> Iterator[ast.AST]:
    """The parts of a definition that Python runs at once, without definitions within."""
    yield from node.decorator_list
    if isinstance(node, ast.ClassDef):
        yield from node.bases
        yield from node.keywords
        yield from (
            s for s in node.body if not isinstance(s, (*_FUNCTIONS, ast.ClassDef))
        )
        return
    yield from node.args.defaults
    yield from (d for d in node.args.kw_defaults if d is not None)


def _find_names(scopes: Scopes, part: ast.AST) -> Iterator[tuple[ast.expr, str]]:
    """TensorFlow's names in some code, outermost, with their symbols."""
    inside = set(walk_breadth_first(part))
    for node, symbol in scopes.walk_uses():
        if node in inside and symbol.startswith("tf."):
            yield node, symbol


def _spell_compat(name: ast.expr, scopes: Scopes, symbol: str) -> str | None:
    """Spells a name as one of `tf.compat.v1`; None if that does not have it."""
    twin = f"tf.compat.v1{symbol.removeprefix('tf')}"
    root: ast.expr = name
    while isinstance(root, ast.Attribute):
        root = root.value
    if not isinstance(root, ast.Name) or not signatures.exists(twin):
        return None
    if scopes.find_imported_path(root.id) != _TF1:
        return None
    return f"{root.id}{twin.removeprefix('tf')}"
