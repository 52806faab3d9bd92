"""Calls in a network's code: their arguments by name, their order, what they resolve to."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.source.nodes import list_children
from migrate.tables import keras_models as table
from migrate.tables.keras_contrib import ContribRow
from migrate.tables.layers import LayerRow

# Functions' names for their inputs, if that is not `inputs`.
_INPUTS = {
    table.INPUT_LAYER: "features",
    **{
        symbol: name
        for symbol, row in table.LAYERS.items()
        if isinstance(row, ContribRow)
        for name in [
            {"embed_sequence": "ids", "one_hot_encoding": "labels"}.get(row.kind)
        ]
        if name is not None
    },
}


def map_layer_arguments(call: ast.Call, row: LayerRow) -> dict[str, ast.expr] | None:
    """A layer's arguments by Keras's names; None if Keras's layer lacks one."""
    bound = read_written_arguments(call, row)
    if bound is not None and isinstance(row, ContribRow):
        return row.map_keras_arguments(bound)
    return bound


def read_written_arguments(call: ast.Call, row: LayerRow) -> dict[str, ast.expr] | None:
    """Maps a layer's arguments as they are written; `fused` is often given by name."""
    if len(call.args) > 1 + len(row.parameters):
        return None
    inputs = _INPUTS.get(row.function, "inputs")
    bound = names.bind_arguments(call, (inputs, *row.parameters, "fused"))
    if bound is None or inputs not in bound or "weight_collections" in bound:
        return None
    return {"inputs" if name == inputs else name: e for name, e in bound.items()}


def walk(node: ast.AST) -> Iterator[ast.AST]:
    """Yields a node and all nodes below it, in source order."""
    yield node
    for child in list_children(node):
        yield from walk(child)


def list_calls(node: ast.AST) -> list[ast.Call]:
    """Calls in the order in which they are made: arguments first."""
    found: list[ast.Call] = []
    for child in list_children(node):
        found += list_calls(child)
    if isinstance(node, ast.Call):
        found.append(node)
    return found


def writes_summary(node: ast.AST, scopes: Scopes) -> bool:
    """Whether a summary is written where an expression or statement is run."""
    return any(symbol in table.SUMMARIES for _, symbol in find_uses(node, scopes))


def find_uses(node: ast.AST, scopes: Scopes) -> Iterator[tuple[ast.expr, str]]:
    """Outermost expressions that resolve to symbols."""
    stack = [node]
    while stack:
        current = stack.pop()
        if isinstance(current, (ast.Attribute, ast.Name)):
            if isinstance(current.ctx, ast.Load):
                symbol = scopes.resolve(current)
                if symbol is not None:
                    yield current, symbol
                    continue
        stack.extend(list_children(current))
