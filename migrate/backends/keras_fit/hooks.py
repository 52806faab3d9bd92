"""Replaces LoggingTensorHook by a callback that names the results of a step."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.backends.keras_fit.program import Stays, Trained
from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.plan import Plan
from migrate.program.code import Code, join_code, make_code
from migrate.tables import keras_fit as table


def is_logging(call: ast.AST, scopes: Scopes) -> bool:
    """Whether a call makes a LoggingTensorHook."""
    return isinstance(call, ast.Call) and (
        scopes.import_path(call.func).lstrip(".") == table.LOGGING
    )


def find_asked_names(every: list[Trained], scopes: Scopes) -> frozenset[str]:
    """Returns the names of tensors that hooks of a training ask for.

    Raises:
      Stays: such a hook asks in another way.
    """
    found: set[str] = set()
    for call in _walk_given(every, scopes):
        found |= set(_read_tensors(call, scopes).values())
    return frozenset(found)


def plan_logging(every: list[Trained], scopes: Scopes, plan: Plan) -> None:
    """Plans the hooks that trainings get."""
    for call in _walk_given(every, scopes):
        tensors = _read_tensors(call, scopes)
        given = names.find_argument(call, "tensors", 0)
        assert given is not None
        if isinstance(given, (ast.List, ast.Tuple)):
            pairs = [make_code(f'"{name}": "{name}"') for name in tensors]
            plan.replace(given, make_code("{", join_code(", ", pairs), "}"))
        plan.replace(call.func, make_code(f"{table.MODULE}.Logging"))


def find_given_logging(every: list[Trained], scopes: Scopes) -> set[ast.AST]:
    """Returns the names of LoggingTensorHook in the hooks of trainings."""
    return {call.func for call in _walk_given(every, scopes)}


def split_waiting(
    hooks: ast.expr | None, scopes: Scopes
) -> tuple[list[Code], list[Code]]:
    """Splits hooks into those that wait for a step's values themselves, and the others."""
    waiting: list[Code] = []
    others: list[Code] = []
    if isinstance(hooks, (ast.List, ast.Tuple)):
        for element in hooks.elts:
            waits = is_logging(element, scopes)
            (waiting if waits else others).append(make_code(element))
    elif hooks is not None:
        others.append(make_code("*", hooks))
    return waiting, others


def _walk_given(every: list[Trained], scopes: Scopes) -> Iterator[ast.Call]:
    seen: set[ast.AST] = set()
    for one in every:
        for run in one.runs:
            given = {**run.given, **run.training}.get("hooks")
            for hook in _walk_elements(given, scopes):
                if is_logging(hook, scopes) and hook not in seen:
                    seen.add(hook)
                    assert isinstance(hook, ast.Call)
                    yield hook


def _walk_elements(hooks: ast.expr | None, scopes: Scopes) -> Iterator[ast.expr]:
    """Yields hooks that are written out, or bound to a name."""
    if isinstance(hooks, (ast.List, ast.Tuple)):
        for element in hooks.elts:
            yield from _walk_elements(element, scopes)
    elif isinstance(hooks, ast.Name):
        owner = scopes.find_scope(hooks).find_owner(hooks.id)
        match owner.bindings[hooks.id] if owner is not None else []:
            case [ast.Assign(value=value)]:
                yield from _walk_elements(value, scopes)
    elif hooks is not None:
        yield hooks


def _find_dict(node: ast.expr | None, scopes: Scopes) -> ast.expr | None:
    """Returns the dict that only this name has; other nodes as they are."""
    if not isinstance(node, ast.Name):
        return node
    owner = scopes.find_scope(node).find_owner(node.id)
    reads = [
        other
        for other in scopes.walk()
        if isinstance(other, ast.Name)
        and other.id == node.id
        and isinstance(other.ctx, ast.Load)
        and scopes.find_scope(other).find_owner(other.id) is owner
    ]
    match owner.bindings[node.id] if owner is not None else []:
        case [ast.Assign(targets=[ast.Name()], value=ast.Dict() as value)] if reads == [
            node
        ]:
            return value
    return node


def _read_tensors(call: ast.Call, scopes: Scopes) -> dict[str, str]:
    """Maps a hook's own names for tensors to the tensors' names.

    Raises:
      Stays: they are not written out.
    """
    match _find_dict(names.find_argument(call, "tensors", 0), scopes):
        case ast.Dict(keys=keys, values=values):
            pairs = list(zip(keys, values))
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            pairs = [(element, element) for element in elements]
        case _:
            raise Stays(call, "the tool cannot tell which tensors a hook logs")
    found = {}
    for key, value in pairs:
        if not isinstance(key, ast.Constant) or not isinstance(value, ast.Constant):
            raise Stays(call, "the tool cannot tell which tensors a hook logs")
        found[str(key.value)] = str(value.value)
    return found
