"""Finds where a program's own hooks run something in their session: no step has one."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts.scopes import Scopes

_BASES = frozenset(
    f"tf.{package}.{name}"
    for package in ("train", "estimator")
    for name in ("SessionRunHook", "CheckpointSaverListener")
)
# Method -> which parameter is a session; of the others, which has one as `session`.
_SESSION = {
    "after_create_session": 1,
    "end": 1,
    "before_save": 1,
    "after_save": 1,
}
_CONTEXT = {"before_run": 1, "after_run": 1}


def session_runs(scopes: Scopes) -> Iterator[ast.Call]:
    """Calls `session.run(...)` and `run_context.session.run(...)` in hooks' methods."""
    for node in ast.walk(scopes.tree):
        if isinstance(node, ast.ClassDef) and any(
            scopes.resolve(base) in _BASES for base in node.bases
        ):
            for method in node.body:
                if isinstance(method, ast.FunctionDef):
                    yield from _runs(method)


def _runs(method: ast.FunctionDef) -> Iterator[ast.Call]:
    session = _parameter(method, _SESSION.get(method.name))
    context = _parameter(method, _CONTEXT.get(method.name))
    names = {session} if session else set()
    for node in ast.walk(method):
        if isinstance(node, ast.Assign) and _is_session(node.value, names, context):
            names |= {t.id for t in node.targets if isinstance(t, ast.Name)}
    for node in ast.walk(method):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "run"
            and _is_session(node.func.value, names, context)
        ):
            yield node


def _is_session(node: ast.expr, names: set[str], context: str | None) -> bool:
    if isinstance(node, ast.Name):
        return node.id in names
    return (
        isinstance(node, ast.Attribute)
        and node.attr == "session"
        and isinstance(node.value, ast.Name)
        and node.value.id == context
    )


def _parameter(method: ast.FunctionDef, index: int | None) -> str | None:
    """The name of a method's parameter, by its place after `self`."""
    if index is None or len(method.args.args) <= index:
        return None
    return method.args.args[index].arg
