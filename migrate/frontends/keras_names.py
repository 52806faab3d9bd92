"""Keras in programs of TensorFlow 2: what a name means, and what a call makes."""

from __future__ import annotations

import ast

from migrate.facts.scopes import Scopes
from migrate.rules.mistakes.mistake import find_binding, find_name
from migrate.source.nodes import walk_breadth_first

# TensorFlow 2's other names of Keras's classes; TF1's namesakes are functions.
_ALIASES = ("tf.optimizers.", "tf.losses.", "tf.metrics.", "tf.initializers.")
_MAKES = ("Sequential", "Model", "Input")
_MAKERS = ("layers", "optimizers", "losses", "applications", "models")


def find_keras_name(scopes: Scopes, node: ast.expr) -> str:
    """The name within Keras of an expression ("optimizers.Adam"), "" if it is none."""
    symbol = find_name(scopes, node)
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
    for inner in walk_breadth_first(node):
        if not isinstance(inner, ast.Call):
            continue
        name = find_keras_name(scopes, inner.func)
        if name.startswith(_MAKES) or name.partition(".")[0] in _MAKERS:
            return True
        if scopes.resolve(inner.func) == "tf.Variable" or is_v1(scopes, inner):
            return True
        called = find_definition(scopes, inner.func)
        if called is None or called.name in seen:
            continue
        seen |= {called.name}
        if isinstance(called, ast.ClassDef):
            if any(_is_model(scopes, base) for base in called.bases):
                return True
            begins = find_method(called, "__init__")
            if begins is not None and makes_model(scopes, begins, seen):
                return True
        elif makes_model(scopes, called, seen):
            return True
    return False


def find_method(owner: ast.ClassDef, name: str) -> ast.FunctionDef | None:
    """The method of a class by its name, if it is defined once."""
    found = [s for s in owner.body if isinstance(s, ast.FunctionDef) and s.name == name]
    return found[0] if len(found) == 1 else None


def find_called_function(scopes: Scopes, node: ast.expr) -> ast.FunctionDef | None:
    """Finds the file's function that a call runs: by its name, or as a method."""
    if isinstance(node, ast.Name):
        found = find_definition(scopes, node)
        return found if isinstance(found, ast.FunctionDef) else None
    if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
        return None
    made = find_binding(scopes, node.value)
    owner = find_definition(scopes, made.func) if isinstance(made, ast.Call) else None
    if not isinstance(owner, ast.ClassDef) or owner.decorator_list:
        return None
    return find_method(owner, node.attr)


def is_v1(scopes: Scopes, made: ast.Call) -> bool:
    """Whether a call makes an optimizer of `tf.compat.v1.train`."""
    symbol = scopes.resolve(made.func) or ""
    return symbol.startswith("tf.train.") and symbol.endswith("Optimizer")


def find_definition(
    scopes: Scopes, node: ast.expr
) -> ast.FunctionDef | ast.ClassDef | None:
    """The function or class of the file that a name stands for, if it is one alone."""
    if not isinstance(node, ast.Name):
        return None
    owner = scopes.find_scope(node).find_owner(node.id)
    bound = owner.bindings.get(node.id, []) if owner is not None else []
    if len(bound) == 1 and isinstance(bound[0], (ast.FunctionDef, ast.ClassDef)):
        return bound[0]
    return None


def _is_model(scopes: Scopes, base: ast.expr) -> bool:
    name = find_keras_name(scopes, base)
    return name.startswith(_MAKES) or name.startswith("layers.")
