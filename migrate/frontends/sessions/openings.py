"""Explains why the tool does not see how long a session is open, and what to do."""

from __future__ import annotations

import ast

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
    return _NO_BLOCK, recipe


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
