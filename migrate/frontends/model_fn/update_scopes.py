"""Scopes around an update: they are part of the names that its variables have in checkpoints.

with tf.variable_scope("train"):        train/dense/kernel/Adam, train/beta1_power
    train_op = optimizer.minimize(loss, step)
with tf.name_scope("train"):            dense/kernel/Adam, train/beta1_power
    train_op = optimizer.minimize(loss, step)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.facts.trees.joined import Joined
from migrate.frontends.model_fn.modes import NotSplit
from migrate.frontends.model_fn.signature import is_model_fn
from migrate.source.nodes import walk_breadth_first
from migrate.tables import keras_models as table
from migrate.tables.optimizers import COUNTING, OPTIMIZERS, WITHOUT_STATE

_NAMES, _VARIABLES = "tf.name_scope", "tf.variable_scope"
# What opens a scope in TensorFlow 2, in a graph.
_OPENS = {_NAMES: "tf.name_scope", _VARIABLES: "tf.compat.v1.variable_scope"}
_CURRENT = "tf.get_variable_scope"


def find_update_scopes(
    node: ast.AST, scopes: Scopes, optimizer: ast.expr | None = None
) -> tuple[tuple[str, str], ...]:
    """The scopes that name variables of an update: (what opens each, its name), outermost first.

    Args:
      node: the optimizer's call; or what moves averages, which are variables too.
      optimizer: what makes it, as far as it is known.

    Raises:
      NotSplit: a name is not written out, or something else has it too.
    """
    symbol = scopes.resolve(optimizer.func) if isinstance(optimizer, ast.Call) else ""
    if symbol in WITHOUT_STATE:
        return ()
    counts = symbol in COUNTING or symbol not in OPTIMIZERS
    # Only what counts its updates has variables that a name scope names.
    found = _find_named_scopes(node, scopes, tuple(_OPENS) if counts else (_VARIABLES,))
    if found and counts:
        _check_taken(found, node, scopes)
    return tuple((_OPENS[kind], text) for _, kind, text in found)


def find_variable_scopes(node: ast.AST, scopes: Scopes) -> list[str]:
    """Lists what the variable scopes around some code add to variables' names.

    Raises:
      NotSplit: a name is not written out.
    """
    return [text for _, _, text in _find_named_scopes(node, scopes, (_VARIABLES,))]


def _find_named_scopes(
    node: ast.AST, scopes: Scopes, kinds: tuple[str, ...]
) -> list[tuple[ast.Call, str, str]]:
    """The scopes around some code: (what opens each, its kind, its name)."""
    found: list[tuple[ast.Call, str, str]] = []
    for call, kind in _find_opening_calls(node, _find_function(node, scopes), scopes):
        if kind not in kinds:
            continue
        name = names.find_argument(
            call, "name_or_scope" if kind == _VARIABLES else "name", 0
        )
        if isinstance(name, ast.Call) and scopes.resolve(name.func) == _CURRENT:
            continue
        text = names.read_literal(name) if isinstance(name, ast.expr) else None
        if not isinstance(text, str) or not text or text.endswith("/"):
            raise NotSplit(
                call, "the name of the scope around its update is not written out"
            )
        found.append((call, kind, text))
    return found


def _find_opening_calls(
    node: ast.AST, function: ast.AST, scopes: Scopes
) -> Iterator[tuple[ast.Call, str]]:
    """The calls that open the scopes around some code."""
    statements: list[ast.With] = []
    outer = scopes.parents.get(node)
    while outer is not None and outer is not function:
        if isinstance(outer, ast.With):
            statements.insert(0, outer)
        outer = scopes.parents.get(outer)
    for statement in statements:
        for item in statement.items:
            call = item.context_expr
            symbol = scopes.resolve(call.func) if isinstance(call, ast.Call) else None
            if isinstance(call, ast.Call) and symbol in _OPENS:
                yield call, symbol


def _find_function(node: ast.AST, scopes: Scopes) -> ast.AST:
    outer = scopes.parents.get(node)
    while outer is not None and not isinstance(outer, ast.FunctionDef):
        outer = scopes.parents.get(outer)
    return scopes.tree if outer is None else outer


def _check_taken(
    found: list[tuple[ast.Call, str, str]], node: ast.AST, scopes: Scopes
) -> None:
    """Fails if a scope may have a number, because its name was there before."""
    own, name, function = (
        {one[0] for one in found},
        found[0][2],
        _find_function(node, scopes),
    )
    every = scopes.walk_files() if isinstance(scopes, Joined) else (scopes,)
    for file in every:
        for other in file.walk():
            if not isinstance(other, ast.FunctionDef):
                continue
            if is_model_fn(other) and other is not function:
                continue
            for call in walk_breadth_first(other):
                if isinstance(call, ast.Call) and call not in own:
                    if name in _find_texts(call, file):
                        raise NotSplit(
                            call,
                            "the scope around its update has the same name as this",
                        )


def _find_texts(call: ast.Call, scopes: Scopes) -> set[object]:
    """Texts that a function of TensorFlow is given: it may name operations so."""
    symbol = scopes.resolve(call.func)
    if symbol is None or symbol.startswith(("tf.estimator.", *table.HOST)):
        return set()
    given = [*call.args, *(k.value for k in call.keywords)]
    return {node.value for node in given if isinstance(node, ast.Constant)}
