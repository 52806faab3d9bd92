"""Checks a Supervisor's or a scaffold's `init_fn`, which is called with a new session."""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.source.nodes import walk_breadth_first


def restores_only(value: ast.expr, scopes: Scopes) -> bool:
    """Whether an `init_fn` gives its session only to savers that restore.

    Args:
      value: a function of (scaffold, session), or a conditional between it and None.
      scopes: those of the module.
    """
    if isinstance(value, ast.IfExp):
        return isinstance(value.orelse, ast.Constant) and restores_only(
            value.body, scopes
        )
    if isinstance(value, ast.Constant):
        return value.value is None
    return _restores(value, 1, scopes)


def _restores(function: ast.AST, position: int, scopes: Scopes) -> bool:
    """Whether a function gives its argument at a position only to savers."""
    if isinstance(function, ast.Lambda):
        own = _find_parameter(function.args, position)
        call = function.body
        if own is None or not isinstance(call, ast.Call):
            return False
        at = [
            index
            for index, value in enumerate(call.args)
            if isinstance(value, ast.Name) and value.id == own
        ]
        if isinstance(call.func, ast.Name) and len(at) == 1:
            uses = [
                n
                for n in walk_breadth_first(call)
                if isinstance(n, ast.Name) and n.id == own
            ]
            return len(uses) == 1 and _restores(call.func, at[0], scopes)
        return _restores_only(function, own)
    if isinstance(function, ast.FunctionDef):
        return _restores_only(function, _find_parameter(function.args, position))
    if isinstance(function, ast.IfExp):
        return all(
            (isinstance(part, ast.Constant) and part.value is None)
            or _restores(part, position, scopes)
            for part in (function.body, function.orelse)
        )
    if not isinstance(function, ast.Name):
        return False
    bindings = _find_bindings(function, scopes)
    if len(bindings) != 1:
        return False
    made = bindings[0]
    if isinstance(made, ast.FunctionDef):
        if made.decorator_list:
            return False
        calls = _find_passed(made, position)
        if calls is not None:
            return _restores(calls[0], calls[1], scopes)
        return _restores(made, position, scopes)
    if isinstance(made, ast.Assign) and isinstance(made.value, ast.Call):
        return _makes_such(made.value, position, scopes)
    return False


def _find_passed(
    function: ast.FunctionDef, position: int
) -> tuple[ast.Name, int] | None:
    """Returns the callee and the position in `def start(session): load(saver, session)`."""
    own = _find_parameter(function.args, position)
    last = function.body[-1]
    call = last.value if isinstance(last, (ast.Expr, ast.Return)) else None
    uses = [
        n
        for n in walk_breadth_first(function)
        if isinstance(n, ast.Name) and n.id == own
    ]
    if not (
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and len(uses) == 1
        and uses[0] in call.args
    ):
        return None
    return call.func, call.args.index(uses[0])


def _makes_such(call: ast.Call, position: int, scopes: Scopes) -> bool:
    """Whether a function of the file returns only such functions, or None."""
    if not isinstance(call.func, ast.Name):
        return False
    owner = scopes.find_scope(call.func).find_owner(call.func.id)
    bound = owner.bindings.get(call.func.id, []) if owner is not None else []
    maker = bound[0] if len(bound) == 1 else None
    if not isinstance(maker, ast.FunctionDef) or maker.decorator_list:
        return False
    returned = [
        n.value
        for n in names.walk_scope_of_function(maker)
        if isinstance(n, ast.Return) and n.value is not None
    ]
    return bool(returned) and all(
        (isinstance(value, ast.Constant) and value.value is None)
        or _restores(value, position, scopes)
        for value in returned
    )


def _find_bindings(name: ast.Name, scopes: Scopes) -> list[ast.AST]:
    """Returns the bindings of a name, without `name = None`."""
    owner = scopes.find_scope(name).find_owner(name.id)
    bindings = owner.bindings.get(name.id, []) if owner is not None else []
    return [
        b
        for b in bindings
        if not (
            isinstance(b, ast.Assign)
            and isinstance(b.value, ast.Constant)
            and b.value.value is None
        )
    ]


def _find_parameter(arguments: ast.arguments, position: int) -> str | None:
    listed = [*arguments.posonlyargs, *arguments.args]
    return listed[position].arg if len(listed) > position else None


def _restores_only(function: ast.FunctionDef | ast.Lambda, own: str | None) -> bool:
    """Whether the session's name is used only as the first argument of `restore`."""
    if own is None:
        return False
    body = function.body if isinstance(function.body, list) else [function.body]
    given = {
        call.args[0]
        for part in body
        for call in walk_breadth_first(part)
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr == "restore"
        and len(call.args) == 2
    }
    return all(
        node in given
        for part in body
        for node in walk_breadth_first(part)
        if isinstance(node, ast.Name) and node.id == own
    )
