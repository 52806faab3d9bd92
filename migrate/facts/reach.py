"""Finds the functions and classes of a module that some code uses, also indirectly."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable, Mapping, Sequence

from migrate.facts.scopes import Scopes
from migrate.source.nodes import walk_breadth_first


def find_reached(scopes: Scopes, roots: Iterable[ast.AST]) -> list[ast.AST]:
    """Returns definitions and lambdas that the roots name, and that are outside of them.

    A method is found by its name, on whatever object. So the result may have more than the
    code calls, but never less.
    """
    roots = list(roots)
    inside: set[ast.AST] | None = None  # Most code names no definition.
    by_name = find_methods(scopes)
    found: dict[ast.AST, None] = {}
    todo = roots
    while todo:
        for node in walk_breadth_first(todo.pop()):
            targets: Sequence[ast.AST] = ()
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                targets = find_definitions(scopes, node)
            elif isinstance(node, ast.Attribute):
                targets = by_name.get(node.attr, ())
            for target in targets:
                if target in found:
                    continue
                if inside is None:
                    inside = {n for root in roots for n in walk_breadth_first(root)}
                if target not in inside:
                    found[target] = None
                    todo.append(target)
    return list(found)


def find_called(scopes: Scopes, code: ast.AST) -> list[ast.AST]:
    """Returns some code, and the functions of the module that it certainly calls."""
    found = [code]
    for part in found:
        for call in walk_breadth_first(part):
            function = (
                scopes.find_function(call.func) if isinstance(call, ast.Call) else None
            )
            if function is not None and function not in found:
                found.append(function)
    return found


@functools.lru_cache(maxsize=16)
def find_methods(scopes: Scopes) -> Mapping[str, Sequence[ast.AST]]:
    """Maps names to the module's methods, whatever their class."""
    found: dict[str, list[ast.AST]] = {}
    for node in scopes.walk():
        if isinstance(node, ast.ClassDef):
            for item in node.body:
                if isinstance(item, ast.FunctionDef):
                    found.setdefault(item.name, []).append(item)
    return found


def find_definitions(scopes: Scopes, name: ast.Name) -> list[ast.AST]:
    """Returns the functions and classes that a name may stand for."""
    owner = scopes.find_scope(name).find_owner(name.id)
    if owner is None:
        return []
    found: list[ast.AST] = []
    for binding in owner.bindings[name.id]:
        if isinstance(binding, (ast.FunctionDef, ast.ClassDef)):
            found.append(binding)
        elif isinstance(binding, ast.Assign) and isinstance(
            binding.value, (ast.Lambda, ast.Name)
        ):
            found.append(binding.value)
    return found
