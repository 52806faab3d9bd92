"""Describes one mistake that a rule has found, and its correction."""

from __future__ import annotations

import ast
import dataclasses
import functools

from migrate.facts.scopes import Scopes
from migrate.program.code import Code


@dataclasses.dataclass(frozen=True, eq=False)
class Mistake:
    """One mistake.

    Attributes:
      node: the place.
      code: its code.
      reason: the effect of the code, and the intended effect.
      recipe: how to correct it, if the tool does not.
      edits: the correction, as expressions and their new form; empty if it is not certain.
      statements: statements that the correction writes anew, each with its new form, or
        None if it is removed.
      done: whether the migrated program no longer has the mistake, without an edit.
      kept: whether the migrated program has it too, because TF1's code meant the same.
      blocks: whether TensorFlow 2.21 cannot run this code: if it is not corrected, the
        program is refused.
      symbol: the TensorFlow symbol that it is about.
      imports: lines that the correction needs.
    """

    node: ast.expr
    code: str
    reason: str
    recipe: str = ""
    edits: tuple[tuple[ast.expr, Code], ...] = ()
    symbol: str = ""
    done: bool = False
    kept: bool = False
    blocks: bool = False
    statements: tuple[tuple[ast.stmt, Code | None], ...] = ()
    imports: tuple[str, ...] = ()


@functools.lru_cache(maxsize=16)
def list_calls(scopes: Scopes) -> tuple[tuple[ast.Call, str], ...]:
    """Returns every call of a module with the name of its function, "" if unknown.

    Keras's own package has TensorFlow's name: `tf.keras.layers.Dense`.
    """
    return tuple(
        (node, find_name(scopes, node.func))
        for node in scopes.walk()
        if isinstance(node, ast.Call)
    )


def find_name(scopes: Scopes, node: ast.expr) -> str:
    """Returns the TensorFlow name of an expression, "" if it has none."""
    symbol = scopes.resolve(node) or ""
    for package in ("tf_keras.", "keras."):
        if symbol.startswith(package):
            return "tf.keras." + symbol.removeprefix(package)
    return symbol if symbol.startswith("tf.") else ""


def find_method(call: ast.Call) -> str:
    """Returns the name of the called method, "" if a function is called."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""


def find_binding(scopes: Scopes, node: ast.expr) -> ast.expr | None:
    """Returns the value of a name that is assigned once."""
    if not isinstance(node, ast.Name):
        return None
    owner = scopes.find_scope(node).find_owner(node.id)
    bound = owner.bindings.get(node.id, []) if owner is not None else []
    if len(bound) == 1 and isinstance(bound[0], ast.Assign):
        if len(bound[0].targets) == 1 and isinstance(bound[0].targets[0], ast.Name):
            return bound[0].value
    return None


def find_tensorflow(scopes: Scopes) -> str:
    """Returns a name that a module has for TensorFlow itself, "" if there is none."""
    bound = scopes.module.bindings
    known = [n for n in ("tf", *bound) if scopes.find_imported_path(n) == "tensorflow"]
    if known or "tf" not in bound:
        return known[0] if known else "tf"
    return (
        "tf.compat.v2"
        if scopes.find_imported_path("tf") == "tensorflow.compat.v1"
        else ""
    )
