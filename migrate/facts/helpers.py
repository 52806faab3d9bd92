"""Functions of the module that run the session, which stay where they are.

    def evaluate(images, labels):
        return sess.run(accuracy, {x: images, y: labels})

The graph is built by the module, so that its step functions are the module's: what such a
function runs is rewritten in its place. The session is the module's own, or a parameter
that every call gives the session.
"""

from __future__ import annotations

import ast
import dataclasses

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.source.nodes import walk_breadth_first


@dataclasses.dataclass(frozen=True, eq=False)
class Helper:
    """A function that uses the session.

    Attributes:
      node: the function.
      sessions: what the session is called in it.
    """

    node: ast.FunctionDef
    sessions: frozenset[str]

    def find_own_names(self) -> set[str]:
        """Names that are its own: parameters, and what it binds."""
        found = {
            a.arg for a in walk_breadth_first(self.node.args) if isinstance(a, ast.arg)
        }
        for statement in self.node.body:
            found |= names.find_binds(statement)
        shared = {
            name
            for node in names.walk_scope_of_function(self.node)
            if isinstance(node, ast.Global)
            for name in node.names
        }
        return found - shared


def find(scopes: Scopes, session: ast.Call, session_name: str) -> tuple[Helper, ...]:
    """The module's functions that run its session; none if it is opened in a function."""
    if scopes.find_scope(session) is not scopes.module:
        return ()
    block = next(
        n
        for n in scopes.walk()
        if isinstance(n, ast.With) and any(i.context_expr is session for i in n.items)
    )
    inside = set(walk_breadth_first(block))
    functions = [
        node
        for node in scopes.walk()
        if isinstance(node, ast.FunctionDef)
        and scopes.find_scope(node) is scopes.module
        and node not in inside
    ]
    given = _find_parameters(scopes, functions, session_name)
    helpers: list[Helper] = []
    for function in functions:
        sessions = set(given.get(function, ()))
        if any(
            isinstance(node, ast.Name)
            and node.id == session_name
            and scopes.find_scope(node).find_owner(session_name) is scopes.module
            for node in walk_breadth_first(function)
        ):
            sessions.add(session_name)
        if sessions:
            helpers.append(Helper(function, frozenset(sessions)))
    return tuple(helpers)


def takes_session(
    scopes: Scopes, helpers: tuple[Helper, ...], call: ast.Call, value: ast.expr
) -> bool:
    """Whether a call gives one of these functions its session by an argument."""
    for helper in helpers:
        parameter = _find_parameter(scopes, helper.node, call, value)
        if parameter is not None:
            return parameter in helper.sessions
    return False


def _find_parameter(
    scopes: Scopes, function: ast.FunctionDef, call: ast.Call, value: ast.expr
) -> str | None:
    """The parameter of the function that a call gives this value."""
    if not (
        isinstance(call.func, ast.Name)
        and call.func.id == function.name
        and scopes.find_scope(call.func).find_owner(function.name) is scopes.module
    ):
        return None
    parameters = tuple(a.arg for a in [*function.args.posonlyargs, *function.args.args])
    bound = names.bind_arguments(call, parameters) or {}
    return next((p for p, given in bound.items() if given is value), None)


def _find_parameters(
    scopes: Scopes, functions: list[ast.FunctionDef], session_name: str
) -> dict[ast.FunctionDef, set[str]]:
    """Parameters that every call gives the session."""
    found: dict[ast.FunctionDef, set[str]] = {}
    grown = True
    while grown:
        grown = False
        for function in functions:
            calls = _find_calls(scopes, function)
            arguments = [
                {
                    parameter
                    for value in [*call.args, *[k.value for k in call.keywords]]
                    if _is_session(scopes, value, session_name, found)
                    and (parameter := _find_parameter(scopes, function, call, value))
                }
                for call in calls or ()
            ]
            every = set.intersection(*arguments) if arguments else set()
            rebound = set().union(*[names.find_binds(s) for s in function.body])
            if every - rebound - found.get(function, set()):
                found.setdefault(function, set()).update(every - rebound)
                grown = True
    return found


def _find_calls(scopes: Scopes, function: ast.FunctionDef) -> list[ast.Call] | None:
    """The function's calls; None where it is used otherwise, too."""
    found: list[ast.Call] = []
    for node in scopes.walk():
        if not (
            isinstance(node, ast.Name)
            and node.id == function.name
            and scopes.find_scope(node).find_owner(node.id) is scopes.module
        ):
            continue
        call = scopes.parents[node]
        if not (isinstance(call, ast.Call) and call.func is node):
            return None
        found.append(call)
    return found


def _is_session(
    scopes: Scopes,
    value: ast.expr,
    session_name: str,
    known: dict[ast.FunctionDef, set[str]],
) -> bool:
    """Whether an argument is the session: by its name, or another function's for it."""
    if not isinstance(value, ast.Name):
        return False
    owner = scopes.find_scope(value).find_owner(value.id)
    if owner is scopes.module:
        return value.id == session_name
    node: ast.AST = value
    while node in scopes.parents:
        node = scopes.parents[node]
        if isinstance(node, ast.FunctionDef) and value.id in known.get(node, ()):
            return True
    return False
