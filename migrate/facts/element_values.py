"""What a name may stand for, also one that takes the objects of a loop from their list."""

from __future__ import annotations

import ast

from migrate.facts.scopes import Scope, Scopes

# The names that are being followed: `for w in w_list: w_list.append(w)` leads in a circle.
_Followed = frozenset[tuple[ast.AST, str]]


def list_values(name: ast.Name, scopes: Scopes) -> list[ast.expr]:
    """Returns the expressions whose values a name may have; [] if that is not known.

    The tool writes `for n, w in zip(sizes, w_list)` and `w = next(made_w)` in steps, and
    `w_list.append(w)` where the graph is built.
    """
    return _list_values(name, scopes, frozenset()) or []


def _list_values(
    name: ast.Name, scopes: Scopes, followed: _Followed
) -> list[ast.expr] | None:
    """Returns what a name may be; None if that is not known.

    A name that is being followed has no other values than those that are found already.
    """
    owner = scopes.find_scope(name).find_owner(name.id)
    if owner is None:
        return None
    if (owner.node, name.id) in followed:
        return []
    followed |= {(owner.node, name.id)}
    found: list[ast.expr] = []
    for at in owner.bindings[name.id]:
        values: list[ast.expr] | None = None
        match at:
            case ast.Assign(
                targets=[ast.Name()],
                value=ast.Call(func=ast.Name("next"), args=[ast.Name() as iterator]),
            ):
                values = _list_taken(iterator, scopes, followed)
            case ast.Assign(targets=[ast.Name()], value=value):
                values = [value]
            case ast.For(
                target=ast.Tuple(elts=targets),
                iter=ast.Call(func=ast.Name("zip"), args=walked),
            ) if len(targets) == len(walked):
                for target, each in zip(targets, walked):
                    if isinstance(target, ast.Name) and target.id == name.id:
                        values = (
                            _list_elements(each, scopes, followed)
                            if isinstance(each, ast.Name)
                            else None
                        )
        if values is None:
            return None
        found += values
    return found


def list_taken(iterator: ast.Name, scopes: Scopes) -> list[ast.expr]:
    """Returns what `next(iterator)` may give; [] if that is not known."""
    return _list_taken(iterator, scopes, frozenset()) or []


def _list_taken(
    iterator: ast.Name, scopes: Scopes, followed: _Followed
) -> list[ast.expr] | None:
    owner = scopes.find_scope(iterator).find_owner(iterator.id)
    match owner.bindings[iterator.id] if owner else []:
        case [
            ast.Assign(
                value=ast.Call(func=ast.Name("iter"), args=[ast.Name() as listed])
            )
        ]:
            return _list_elements(listed, scopes, followed)
    return None


def list_elements(listed: ast.Name, scopes: Scopes) -> list[ast.expr]:
    """Returns what is appended to a list that begins empty; [] if that is not known."""
    return _list_elements(listed, scopes, frozenset()) or []


def _list_elements(
    listed: ast.Name, scopes: Scopes, followed: _Followed
) -> list[ast.expr] | None:
    owner = scopes.find_scope(listed).find_owner(listed.id)
    match owner.bindings[listed.id] if owner else []:
        case [ast.Assign(value=ast.List(elts=[]))]:
            pass
        case _:
            return None
    assert owner is not None
    found: list[ast.expr] = []
    for node in scopes.walk():
        if not _is_load(node, listed.id, owner, scopes):
            continue
        match scopes.parents[node], scopes.parents[scopes.parents[node]]:
            case ast.Attribute(attr="append"), ast.Call(args=[ast.Name() as element]):
                values: list[ast.expr] | None = _list_values(element, scopes, followed)
            case ast.Attribute(attr="append"), ast.Call(args=[element]):
                values = [element]
            case ast.Call(func=ast.Name("iter" | "zip")), _:
                continue
            case _:
                return None
        if values is None:
            return None
        found += values
    return found


def _is_load(node: ast.AST, name: str, owner: Scope, scopes: Scopes) -> bool:
    return (
        isinstance(node, ast.Name)
        and node.id == name
        and isinstance(node.ctx, ast.Load)
        and scopes.find_scope(node).find_owner(name) is owner
    )
