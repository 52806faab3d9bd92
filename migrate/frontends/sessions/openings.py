"""Explains why the tool does not see how long a session is open, and what to do."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.findings import NO_OBJECT
from migrate.source.nodes import walk_breadth_first

_NO_BLOCK = "the program does not open the session by a `with ... as name:` of its own"


def explain_opening(
    scopes: Scopes, call: ast.Call, statement: ast.stmt | None
) -> tuple[str, str]:
    """The reason and the recipe.

    Args:
      call: makes the session.
      statement: what it stands in.
    """
    opens = ast.unparse(call.func)
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    if not isinstance(target, ast.Attribute):
        return (
            _NO_BLOCK,
            f"Write `with {opens}(...) as sess:` around the code that runs the session.",
        )
    held = ast.unparse(target)
    recipe = (
        f"Move `{held}` out of the class. Open `with {opens}(...) as sess:` where the "
        "class is used, and change the methods that run the session into functions "
        "that take `sess`."
    )
    owner = _find_class(scopes, call)
    if owner is None:
        return _NO_BLOCK, recipe
    made = _count_objects(scopes, owner)
    if made == 0:
        return (
            f"`{held}` holds the session, and {NO_OBJECT} `{owner.name}`. So the tool "
            "does not see what the session runs",
            recipe,
        )
    if made is not None and made > 1:
        return (
            f"`{held}` holds the session, and this file makes an object of the class "
            f"`{owner.name}` at {made} places. Each object opens a session of its own",
            recipe,
        )
    early = _find_early_return(owner, target.attr) if made == 1 else None
    if early is not None:
        name, line = early
        return (
            f"`{name}` runs the session of `{held}`, and returns early in line {line}. "
            "The tool can write a method where it is called only if each `return` ends "
            "the method",
            "Write what follows the early `return` in an `else:`. Or give the value to a "
            "name in each branch, and return that name at the end.",
        )
    return _NO_BLOCK, recipe


def _find_early_return(owner: ast.ClassDef, held: str) -> tuple[str, int] | None:
    """A method that uses the session, and the line of a `return` that does not end it."""
    for method in owner.body:
        if not isinstance(method, ast.FunctionDef) or not any(
            isinstance(node, ast.Attribute) and node.attr == held
            for node in walk_breadth_first(method)
        ):
            continue
        ends = set(_list_ends(method.body))
        for statement in method.body:
            for node in names.walk_scope(statement):
                if isinstance(node, ast.Return) and node not in ends:
                    return method.name, node.lineno
    return None


def _list_ends(suite: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements in which a suite may end."""
    last = suite[-1]
    yield last
    if isinstance(last, (ast.If, ast.With)):
        yield from _list_ends(last.body)
    if isinstance(last, ast.If) and last.orelse:
        yield from _list_ends(last.orelse)


def _find_class(scopes: Scopes, call: ast.Call) -> ast.ClassDef | None:
    """The class whose method makes the session."""
    outer = scopes.parents.get(call)
    while outer is not None and not isinstance(outer, ast.ClassDef):
        outer = scopes.parents.get(outer)
    return outer


def _count_objects(scopes: Scopes, owner: ast.ClassDef) -> int | None:
    """Counts the places that make an object of a class; None if not known.

    A class that is named otherwise may be called, or have subclasses.
    """
    made = 0
    for node in walk_breadth_first(scopes.tree):
        if isinstance(node, ast.Name) and node.id == owner.name:
            parent = scopes.parents.get(node)
            if isinstance(parent, ast.Call) and ast.unparse(parent.func) == "super":
                continue
            if not (isinstance(parent, ast.Call) and parent.func is node):
                return None
            made += 1
    return made
