"""Reads how a hook's methods use their contexts, sessions and results."""

from __future__ import annotations

import ast
import dataclasses

from migrate.facts.scopes import Scopes
from migrate.frontends.callbacks.reasons import NoCallback
from migrate.source.nodes import walk_breadth_first

_UNUSED = "coord"


@dataclasses.dataclass(eq=False)
class Used:
    """One method's uses of its parameters.

    Attributes:
      stops: statements `run_context.request_stop()`.
      reads: calls that read something through a session -> what they read.
      results: expressions `run_values.results`.
      gone: statements that only name or delete parameters.
    """

    stops: list[ast.stmt] = dataclasses.field(default_factory=list)
    reads: dict[ast.Call, ast.expr] = dataclasses.field(default_factory=dict)
    results: list[ast.expr] = dataclasses.field(default_factory=list)
    gone: list[ast.stmt] = dataclasses.field(default_factory=list)


# Hook's method -> what its parameters are.
_ROLES: dict[str, tuple[str, ...]] = {
    "begin": (),
    "after_create_session": ("session", _UNUSED),
    "before_run": ("context",),
    "after_run": ("context", "values"),
    "end": ("session",),
}


def find_parameter_uses(method: ast.FunctionDef, scopes: Scopes) -> Used:
    """Finds a method's uses of its parameters.

    Raises:
      NoCallback: the method does something that no callback can do.
    """
    roles = dict(zip((a.arg for a in method.args.args[1:]), _ROLES[method.name]))
    found = Used()
    sessions = _find_sessions(method, roles, found)
    for node in walk_breadth_first(method):
        if isinstance(node, ast.Delete):
            _delete_statement(node, {*roles, *sessions}, found)
        elif isinstance(node, ast.Assign) and _is_of_no_use(node, roles):
            found.gone.append(node)
    deleted = {n for statement in found.gone for n in walk_breadth_first(statement)}
    for node in walk_breadth_first(method):
        if not isinstance(node, ast.Name) or node in deleted:
            continue
        role = "session" if node.id in sessions else roles.get(node.id)
        if role is None:
            continue
        if not isinstance(node.ctx, ast.Load):
            raise NoCallback(node, f"it assigns `{node.id}` again")
        _read_use(node, role, scopes, found)
    return found


def _find_sessions(
    method: ast.FunctionDef, roles: dict[str, str], found: Used
) -> set[str]:
    """Local names of the session; `session = run_context.session` is gone."""
    names: set[str] = set()
    for node in walk_breadth_first(method):
        if (
            isinstance(node, ast.Assign)
            and isinstance(node.value, ast.Attribute)
            and node.value.attr == "session"
            and isinstance(node.value.value, ast.Name)
            and roles.get(node.value.value.id) == "context"
            and len(node.targets) == 1
            and isinstance(node.targets[0], ast.Name)
        ):
            names.add(node.targets[0].id)
            found.gone.append(node)
    return names


def _is_of_no_use(node: ast.Assign, roles: dict[str, str]) -> bool:
    """`_ = run_context`."""
    return (
        isinstance(node.value, ast.Name)
        and node.value.id in roles
        and len(node.targets) == 1
        and isinstance(node.targets[0], ast.Name)
        and node.targets[0].id == "_"
    )


def _delete_statement(statement: ast.Delete, gone: set[str], found: Used) -> None:
    names = [t.id if isinstance(t, ast.Name) else "" for t in statement.targets]
    if all(name in gone for name in names):
        found.gone.append(statement)
    elif any(name in gone for name in names):
        raise NoCallback(
            statement,
            "one `del` statement deletes a parameter together with other names",
        )


def _read_use(node: ast.Name, role: str, scopes: Scopes, found: Used) -> None:
    parent = scopes.parents[node]
    attribute = parent.attr if isinstance(parent, ast.Attribute) else ""
    if role == "values" and attribute == "results":
        assert isinstance(parent, ast.Attribute)
        found.results.append(parent)
    elif role == "context" and attribute == "request_stop":
        call = scopes.parents[parent]
        statement = scopes.parents[call]
        if not isinstance(call, ast.Call) or not isinstance(statement, ast.Expr):
            raise NoCallback(node, "it passes request_stop to other code")
        found.stops.append(statement)
    elif role == "context" and attribute == "session":
        assert isinstance(parent, ast.Attribute)
        _read_session_call(parent, scopes, found)
    elif role == "session":
        _read_session_call(node, scopes, found)
    elif role == _UNUSED:
        raise NoCallback(node, "it uses the session's coordinator")
    elif attribute:
        raise NoCallback(node, f"a callback has no `{node.id}.{attribute}`")
    else:
        raise NoCallback(node, f"it passes `{node.id}` to other code")


def _read_session_call(session: ast.expr, scopes: Scopes, found: Used) -> None:
    """`session.run(fetches)`, `fetches.eval(session)`."""
    parent = scopes.parents[session]
    call = scopes.parents[parent]
    if isinstance(parent, ast.Attribute) and parent.attr == "run":
        assert isinstance(call, ast.Call)
        given = [*call.args, *(k.value for k in call.keywords)]
        if len(given) == 1 and call.func is parent:
            found.reads[call] = given[0]
            return
    evaluated = parent if isinstance(parent, ast.Call) else call
    if (
        isinstance(evaluated, ast.Call)
        and isinstance(evaluated.func, ast.Attribute)
        and evaluated.func.attr == "eval"
        and len(evaluated.args) + len(evaluated.keywords) == 1
    ):
        found.reads[evaluated] = evaluated.func.value
        return
    raise NoCallback(session, "it uses its session for more than the global step")
