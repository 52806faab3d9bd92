"""Keras in programs of TensorFlow 2: what a name means, and what a call makes."""

from __future__ import annotations

import ast

from migrate.facts.scopes import Scopes
from migrate.rules.mistakes.mistake import name_of

# TensorFlow 2's other names of Keras's classes; TF1's namesakes are functions.
_ALIASES = ("tf.optimizers.", "tf.losses.", "tf.metrics.", "tf.initializers.")
_MAKES = ("Sequential", "Model", "Input")
_MAKERS = ("layers", "optimizers", "losses", "applications", "models")


def keras_name(scopes: Scopes, node: ast.expr) -> str:
    """The name within Keras of an expression ("optimizers.Adam"), "" if it is none."""
    symbol = name_of(scopes, node)
    if symbol.startswith("tf.keras."):
        return symbol.removeprefix("tf.keras.")
    if symbol.startswith(_ALIASES) and symbol.rpartition(".")[2][:1].isupper():
        return symbol.removeprefix("tf.")
    return ""


def makes_model(
    scopes: Scopes, node: ast.AST, seen: frozenset[str] = frozenset()
) -> bool:
    """Whether code makes a Keras model, layer, optimizer or loss, or a variable.

    Functions and classes of the file are followed by their names.
    """
    for inner in ast.walk(node):
        if not isinstance(inner, ast.Call):
            continue
        name = keras_name(scopes, inner.func)
        if name.startswith(_MAKES) or name.partition(".")[0] in _MAKERS:
            return True
        if scopes.resolve(inner.func) == "tf.Variable":
            return True
        called = defined(scopes, inner.func)
        if called is None or called.name in seen:
            continue
        seen |= {called.name}
        if isinstance(called, ast.ClassDef):
            if any(_is_model(scopes, base) for base in called.bases):
                return True
        elif makes_model(scopes, called, seen):
            return True
    return False


def defined(scopes: Scopes, node: ast.expr) -> ast.FunctionDef | ast.ClassDef | None:
    """The function or class of the file that a name stands for, if it is one alone."""
    if not isinstance(node, ast.Name):
        return None
    owner = scopes.scope_of(node).owner(node.id)
    bound = owner.bindings.get(node.id, []) if owner is not None else []
    if len(bound) == 1 and isinstance(bound[0], (ast.FunctionDef, ast.ClassDef)):
        return bound[0]
    return None


def _is_model(scopes: Scopes, base: ast.expr) -> bool:
    name = keras_name(scopes, base)
    return name.startswith(_MAKES) or name.startswith("layers.")
