"""Decides whether a loss that would be divided has uses besides training.

A metric, a message, a condition would have another number; so would what the replicas
return, but where it is added up or averaged.
"""

from __future__ import annotations

import ast

from migrate.facts.scopes import Scopes
from migrate.rules.mistakes import values
from migrate.rules.mistakes.mistake import find_method
from migrate.source.nodes import walk_breadth_first

_DEEP = 4  # Functions that pass a result on.


def is_shown(
    scopes: Scopes, function: ast.FunctionDef, names: set[str], runs: list[ast.Call]
) -> bool:
    """Whether a loss has other uses than gradients and a sum over the replicas.

    Args:
      function: the step.
      names: its names for the losses.
      runs: the calls that let replicas run it.
    """
    read = _read(scopes, function, names)
    returned = any(isinstance(around, ast.Return) for around in read)
    return is_read_otherwise(scopes, function, names) or (
        returned and not all(_is_summed(scopes, r) for r in runs)
    )


def is_read_otherwise(
    scopes: Scopes, function: ast.FunctionDef, names: set[str]
) -> bool:
    """Whether a function uses names other than to return them, or for their gradients."""
    return any(
        not isinstance(around, ast.Return)
        and not (isinstance(around, ast.Call) and find_method(around) == "gradient")
        for around in _read(scopes, function, names)
    )


def _read(scopes: Scopes, function: ast.FunctionDef, names: set[str]) -> list[ast.AST]:
    """Returns the nodes around each place where a function reads one of the names."""
    return [
        scopes.parents[node]
        for node in walk_breadth_first(function)
        if isinstance(node, ast.Name)
        and isinstance(node.ctx, ast.Load)
        and node.id in names
    ]


def _is_summed(scopes: Scopes, result: ast.expr, depth: int = 0) -> bool:
    """Whether a result is dropped, or only reduced over the replicas."""
    around = scopes.parents[result]
    if isinstance(around, ast.Expr):
        return True
    if isinstance(around, ast.Call):
        reduced = find_method(around) == "reduce" and result in around.args[1:2]
        by = scopes.parents[around]
        return reduced and not (
            isinstance(by, ast.BinOp) and isinstance(by.op, (ast.Div, ast.Mult))
        )
    if depth == _DEEP:
        return False
    if isinstance(around, ast.Return):
        function = values.find_function(scopes, around)
        called = values.find_calls(scopes, function) if function is not None else None
        return called is not None and all(
            _is_summed(scopes, call, depth + 1) for call in called
        )
    if not isinstance(around, ast.Assign) or len(around.targets) != 1:
        return False
    target = around.targets[0]
    if not isinstance(target, ast.Name):
        return False
    owner = scopes.find_scope(target).find_owner(target.id)
    return owner is not None and all(
        _is_summed(scopes, node, depth + 1)
        for node in scopes.walk()
        if isinstance(node, ast.Name)
        and node.id == target.id
        and isinstance(node.ctx, ast.Load)
        and scopes.find_scope(node).find_owner(node.id) is owner
    )
