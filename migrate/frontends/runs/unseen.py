"""Explains why the tool sees no call that runs a session."""

from __future__ import annotations

import ast
from collections.abc import Collection

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.program import ir


def explain_no_run(scopes: Scopes, sessions: Collection[str]) -> tuple[str, str]:
    """The reason and the recipe for a session that no call runs by its name.

    Args:
      sessions: the names of the program's sessions.
    """
    unseen = _find_unseen_run(scopes, sessions)
    if unseen is None:
        return (
            ir.NOTHING_RUNS,
            "Run the training operation in the session: sess.run(train_op). Or "
            "remove the session.",
        )
    return (
        f"{ir.NOTHING_RUNS_BY_NAME}, and the tool does not know whether "
        f"`{ast.unparse(unseen.func)}(...)` runs it",
        "Run the session by its name in the statement `with ... as name:` that opens "
        "it. Pass it to functions as an argument.",
    )


def _find_unseen_run(scopes: Scopes, sessions: Collection[str]) -> ast.Call | None:
    """The first call of a `run` whose object may be a session, by another name."""
    found = [
        node
        for node in scopes.walk()
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "run"
        and (node.args or node.keywords)
        and names.find_key(node.func.value) not in sessions
        and _may_be_session(scopes, node.func.value)
    ]
    return min(found, key=lambda n: (n.lineno, n.col_offset), default=None)


def _may_be_session(scopes: Scopes, value: ast.expr) -> bool:
    """Whether an expression may give a session: not a module, and no other object."""
    if isinstance(value, ast.Name) and value.id in ("self", "cls"):
        return False
    while isinstance(value, (ast.Attribute, ast.Subscript)):
        value = value.value
    if isinstance(value, ast.Call):
        return scopes.resolve(value.func) is None and not _makes_object(scopes, value)
    if not isinstance(value, ast.Name):
        return False
    owner = scopes.find_scope(value).find_owner(value.id)
    bound = owner.bindings.get(value.id, []) if owner is not None else []
    return not any(
        isinstance(b, (ast.Import, ast.ImportFrom, ast.ClassDef))
        or (isinstance(b, ast.Assign) and _makes_object(scopes, b.value))
        for b in bound
    )


def _makes_object(scopes: Scopes, value: ast.expr) -> bool:
    """Whether an expression makes an object of a class of the file."""
    return (
        isinstance(value, ast.Call)
        and isinstance(value.func, ast.Name)
        and any(
            isinstance(b, ast.ClassDef)
            for b in scopes.module.bindings.get(value.func.id, [])
        )
    )
