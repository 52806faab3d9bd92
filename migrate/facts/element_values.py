"""What a name may stand for, also one that takes the objects of a loop from their list."""

from __future__ import annotations

import ast

from migrate.facts.scopes import Scope, Scopes


def list_values(name: ast.Name, scopes: Scopes) -> list[ast.expr]:
    """Returns the expressions whose values a name may have; [] if that is not known.

    The tool writes `for n, w in zip(sizes, w_list)` and `w = next(made_w)` in steps, and
    `w_list.append(w)` where the graph is built.
    """
    owner = scopes.find_scope(name).find_owner(name.id)
    found: list[ast.expr] = []
    for at in owner.bindings[name.id] if owner else []:
        values: list[ast.expr] = []
        match at:
            case ast.Assign(
                targets=[ast.Name()],
                value=ast.Call(func=ast.Name("next"), args=[ast.Name() as iterator]),
            ):
                values = list_taken(iterator, scopes)
            case ast.Assign(targets=[ast.Name()], value=value):
                values = [value]
            case ast.For(
                target=ast.Tuple(elts=targets),
                iter=ast.Call(func=ast.Name("zip"), args=walked),
            ) if len(targets) == len(walked):
                for target, each in zip(targets, walked):
                    if isinstance(target, ast.Name) and target.id == name.id:
                        values = (
                            list_elements(each, scopes)
                            if isinstance(each, ast.Name)
                            else []
                        )
        if not values:
            return []
        found += values
    return found


def list_taken(iterator: ast.Name, scopes: Scopes) -> list[ast.expr]:
    """Returns what `next(iterator)` may give; [] if that is not known."""
    owner = scopes.find_scope(iterator).find_owner(iterator.id)
    match owner.bindings[iterator.id] if owner else []:
        case [
            ast.Assign(
                value=ast.Call(func=ast.Name("iter"), args=[ast.Name() as listed])
            )
        ]:
            return list_elements(listed, scopes)
    return []


def list_elements(listed: ast.Name, scopes: Scopes) -> list[ast.expr]:
    """Returns what is appended to a list that begins empty; [] if that is not known."""
    owner = scopes.find_scope(listed).find_owner(listed.id)
    match owner.bindings[listed.id] if owner else []:
        case [ast.Assign(value=ast.List(elts=[]))]:
            pass
        case _:
            return []
    assert owner is not None
    found: list[ast.expr] = []
    for node in scopes.walk():
        if not _is_load(node, listed.id, owner, scopes):
            continue
        match scopes.parents[node], scopes.parents[scopes.parents[node]]:
            case ast.Attribute(attr="append"), ast.Call(args=[ast.Name() as element]):
                values = list_values(element, scopes)
            case ast.Attribute(attr="append"), ast.Call(args=[element]):
                values = [element]
            case ast.Call(func=ast.Name("iter" | "zip")), _:
                continue
            case _:
                return []
        if not values:
            return []
        found += values
    return found


def _is_load(node: ast.AST, name: str, owner: Scope, scopes: Scopes) -> bool:
    return (
        isinstance(node, ast.Name)
        and node.id == name
        and isinstance(node.ctx, ast.Load)
        and scopes.find_scope(node).find_owner(name) is owner
    )
