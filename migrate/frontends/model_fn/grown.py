"""Dictionaries and lists that a model_fn builds up: `metrics["auc"] = ...`, `nets.append(net)`.

A statement that adds to one binds it anew, as far as slices are concerned.
"""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.source.nodes import walk_breadth_first

_ADDING = frozenset({"append", "extend", "update", "setdefault", "insert"})


def find_grown_names(function: ast.FunctionDef, scopes: Scopes) -> frozenset[str]:
    """Finds names only of new dictionaries and lists that have no second name."""
    scope = scopes.scope_by_node[function]
    found = {
        name
        for name, bound in scope.bindings.items()
        if all(_is_new(statement) for statement in bound)
    }
    for node in walk_breadth_first(function):
        if isinstance(node, (ast.Assign, ast.AnnAssign, ast.NamedExpr)):
            if isinstance(node.value, ast.Name):
                found.discard(node.value.id)  # Another name for the same object.
    return frozenset(found)


def find_changes(statement: ast.stmt, built: frozenset[str]) -> set[str]:
    """Names that a statement binds, or adds to."""
    return names.find_binds(statement) | (names.find_mutations(statement) & built)


def is_adding(call: ast.Call, scopes: Scopes) -> bool:
    """Whether a call adds to what its function builds up."""
    func = call.func
    if not isinstance(func, ast.Attribute) or func.attr not in _ADDING:
        return False
    if not isinstance(func.value, ast.Name):
        return False
    owner = scopes.find_scope(func.value).find_owner(func.value.id)
    return (
        owner is not None
        and isinstance(owner.node, ast.FunctionDef)
        and func.value.id in find_grown_names(owner.node, scopes)
    )


def read_added_items(
    statement: ast.stmt, name: str
) -> list[tuple[ast.expr, ast.expr]] | None:
    """Keys and values that a statement adds to a dictionary; None if not certain."""
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target = statement.targets[0]
        if isinstance(target, ast.Subscript) and _is(target.value, name):
            return [(target.slice, statement.value)]
    call = statement.value if isinstance(statement, ast.Expr) else None
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
        if call.func.attr == "update" and _is(call.func.value, name):
            pairs = [
                (ast.Constant(keyword.arg), keyword.value)
                for keyword in call.keywords
                if keyword.arg is not None
            ]
            given = [list_items(value) for value in call.args]
            if None not in given and len(pairs) == len(call.keywords):
                return [*(pair for some in given for pair in some or ()), *pairs]
    return None


def list_items(node: ast.expr) -> list[tuple[ast.expr, ast.expr]] | None:
    """Keys and values of a dictionary that is written out, or dict(a=1)."""
    if isinstance(node, ast.Dict) and None not in node.keys:
        return [(k, v) for k, v in zip(node.keys, node.values) if k is not None]
    if isinstance(node, ast.Call) and _is(node.func, "dict") and not node.args:
        if all(k.arg is not None for k in node.keywords):
            return [(ast.Constant(k.arg), k.value) for k in node.keywords]
    return None


def _is(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _is_new(statement: ast.AST) -> bool:
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return False
    value = statement.value
    if isinstance(value, ast.Call):
        return isinstance(value.func, ast.Name) and value.func.id in ("dict", "list")
    return isinstance(value, (ast.Dict, ast.List)) and isinstance(
        statement.targets[0], ast.Name
    )
