"""TF1 to TF1: contrib's streaming metrics as the functions of tf.metrics that they call.

    tf.contrib.metrics.streaming_accuracy(predicted, y)
    tf.metrics.accuracy(predictions=predicted, labels=y)

Every line stays where it is.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from migrate.facts import names
from migrate.facts.scopes import Scopes, build_scopes
from migrate.normalise.text import Edit, Text
from migrate.source.nodes import find_plain_names, parse_source, walk_breadth_first
from migrate.tables import contrib_metrics as table


def replace_by_core(text: str, scopes: Scopes) -> tuple[str, Mapping[int, str]] | None:
    """The text with all such calls replaced, and their old names by line; None if none.

    None, too, where one of them is more than called.
    """
    if "streaming_" not in text:
        return None
    edits: list[Edit] = []
    stood: dict[int, str] = {}
    own = _find_tensorflow(scopes)
    for node, symbol in scopes.walk_uses():
        found = table.find_core(symbol)
        if found is None:
            continue
        name, parameters = found
        call = scopes.parents[node]
        if own is None or not (isinstance(call, ast.Call) and call.func is node):
            return None
        bound = names.bind_arguments(call, parameters)
        if bound is None or len(bound) != len(call.args) + len(call.keywords):
            return None
        if any(_is_one(scopes, n) for n in walk_breadth_first(call) if n is not node):
            return None  # One is counted by another.
        owner = scopes.find_scope(node).find_owner(own)
        if owner is not scopes.module:
            return None
        edits.append(Edit(node, f"{own}.metrics.{name}"))
        whole = Text.read_source(text)
        edits += [
            Edit(argument, f"{parameter}={whole.find_segment(argument)}")
            for parameter, argument in zip(parameters, call.args, strict=False)
        ]
        stood[node.lineno] = symbol
    if not edits:
        return None
    new = Text.read_source(text).apply_edits(edits)
    try:
        tree = parse_source(new.source)
    except SyntaxError:
        return None
    return new.apply_edits([Edit(s, "") for s in _find_unread(tree, new)]).source, stood


def _find_unread(tree: ast.Module, text: Text) -> list[ast.stmt]:
    """`slim = tf.contrib.slim` that nothing reads any more."""
    scopes = build_scopes(tree)
    read = find_plain_names(tree, ast.Load)
    return [
        s
        for s in tree.body
        if isinstance(s, ast.Assign)
        and isinstance(s.value, ast.Attribute)
        and (scopes.resolve(s.value) or "").startswith("tf.contrib.")
        and all(isinstance(t, ast.Name) and t.id not in read for t in s.targets)
        and text.is_alone(s)
    ]


def _is_one(scopes: Scopes, node: ast.AST) -> bool:
    """Whether it names such a metric."""
    return (
        isinstance(node, (ast.Attribute, ast.Name))
        and table.find_core(scopes.resolve(node) or "") is not None
    )


def _find_tensorflow(scopes: Scopes) -> str | None:
    """Returns the module's name for TensorFlow; None if it has none of its own."""
    for name, bindings in scopes.module.bindings.items():
        for binding in bindings:
            if isinstance(binding, ast.Import) and any(
                alias.name == "tensorflow" and (alias.asname or alias.name) == name
                for alias in binding.names
            ):
                return name if len(bindings) == 1 else None
    return None
