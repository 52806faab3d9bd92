"""Reads the arguments of tf.get_variable: names, shapes, initializers."""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.model_fn.calls import find_uses
from migrate.frontends.model_fn.modes import NotSplit
from migrate.source.nodes import walk_breadth_first
from migrate.tables import keras_models as table


def map_arguments(call: ast.Call) -> dict[str, ast.expr]:
    """Maps the arguments of tf.get_variable by name.

    Raises:
      NotSplit: add_weight does not take one of them.
    """
    bound = names.bind_arguments(call, table.VARIABLE_PARAMETERS)
    if bound is None or "name" not in bound or "shape" not in bound:
        raise NotSplit(call, "the name or the shape of a variable is not written out")
    written = {
        name: value
        for name, value in bound.items()
        if not (isinstance(value, ast.Constant) and value.value is None)
    }
    extra = set(written) - {"name", *table.WEIGHT_ARGUMENTS, *table.WEIGHT_IGNORED}
    if extra:
        raise NotSplit(call, f"tf.get_variable with {sorted(extra)[0]}")
    return {name: v for name, v in written.items() if name not in table.WEIGHT_IGNORED}


def is_initializer(node: ast.expr, scopes: Scopes) -> bool:
    """Whether it is a function, not an array: add_weight takes no arrays."""
    if isinstance(node, ast.Name) and scopes.resolve(node) is None:
        bound = scopes.find_scope(node).find_owner(node.id)
        makers = bound.bindings[node.id] if bound else []
        values = [getattr(maker, "value", None) for maker in makers]
        return bool(values) and all(
            value is not None and is_initializer(value, scopes) for value in values
        )
    if isinstance(node, ast.Call) and scopes.resolve(node.func) is None:
        return _makes_initializer(node, scopes)
    symbol = scopes.resolve(node.func if isinstance(node, ast.Call) else node)
    return symbol is not None and symbol in table.VALUES


def _makes_initializer(call: ast.Call, scopes: Scopes) -> bool:
    """Whether a function of the module returns an initializer and nothing else."""
    owner = (
        scopes.find_scope(call.func).find_owner(call.func.id)
        if isinstance(call.func, ast.Name)
        else None
    )
    if owner is None or not isinstance(call.func, ast.Name):
        return False
    bound = owner.bindings[call.func.id]
    if len(bound) != 1 or not isinstance(bound[0], ast.FunctionDef):
        return False
    returns = [
        n.value for n in walk_breadth_first(bound[0]) if isinstance(n, ast.Return)
    ]
    return bool(returns) and all(
        isinstance(value, ast.Call) and is_initializer(value, scopes)
        for value in returns
    )


def check(call: ast.Call, written: dict[str, ast.expr], scopes: Scopes) -> None:
    """Fails if a variable needs an unknown initializer, or more than plain values."""
    value = written.get("initializer")
    if value is not None and not is_initializer(value, scopes):
        raise NotSplit(value, "the tool does not know the initializer of a variable")
    for node, symbol in find_uses(call, scopes):
        if symbol not in table.VALUES and symbol != table.VARIABLE:
            if not symbol.startswith(table.HOST):
                raise NotSplit(node, f"a variable uses {symbol}")
