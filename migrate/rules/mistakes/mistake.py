"""What a rule says of one mistake."""

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
      node: where it is.
      code: its code.
      reason: what it does, and what was meant.
      recipe: what to do, where it is not done.
      edits: the fix, as expressions and what they become; empty where it is not certain.
      statements: statements that the fix writes anew, each with what it becomes, or None
        where nothing is left of it.
      done: whether the migrated program does not make it any more, without an edit.
      kept: whether the migrated program makes it too, since TF1's meant the same.
      blocks: whether TensorFlow 2.21 cannot do what stands here: where it is not mended, the
        program is refused.
      symbol: the TensorFlow symbol it is about.
      imports: lines that the fix needs.
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
    """Every call of a module with what it calls, "" where that is not known.

    Keras's own package is named as TensorFlow's: `tf.keras.layers.Dense`.
    """
    return tuple(
        (node, find_name(scopes, node.func))
        for node in scopes.walk()
        if isinstance(node, ast.Call)
    )


def find_name(scopes: Scopes, node: ast.expr) -> str:
    """The TensorFlow name of an expression, "" if it is none."""
    symbol = scopes.resolve(node) or ""
    for package in ("tf_keras.", "keras."):
        if symbol.startswith(package):
            return "tf.keras." + symbol.removeprefix(package)
    return symbol if symbol.startswith("tf.") else ""


def find_method(call: ast.Call) -> str:
    """The name of the method that is called, "" if it is a function."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""


def find_binding(scopes: Scopes, node: ast.expr) -> ast.expr | None:
    """The value of a name that is assigned once."""
    if not isinstance(node, ast.Name):
        return None
    owner = scopes.find_scope(node).find_owner(node.id)
    bound = owner.bindings.get(node.id, []) if owner is not None else []
    if len(bound) == 1 and isinstance(bound[0], ast.Assign):
        if len(bound[0].targets) == 1 and isinstance(bound[0].targets[0], ast.Name):
            return bound[0].value
    return None


def find_tensorflow(scopes: Scopes) -> str:
    """A name by which a module has TensorFlow itself, "" if there is none to be had."""
    bound = scopes.module.bindings
    known = [n for n in ("tf", *bound) if scopes.find_imported_path(n) == "tensorflow"]
    if known or "tf" not in bound:
        return known[0] if known else "tf"
    return (
        "tf.compat.v2"
        if scopes.find_imported_path("tf") == "tensorflow.compat.v1"
        else ""
    )
