"""A function that a model_fn defines stands above it, and is given what it closed over.

    def model_fn(features, labels, mode):    def loss_fn(logits, labels):
        logits = ...                             return tf.reduce_mean(... labels ...)

        def loss_fn(logits):                 def model_fn(features, labels, mode):
            return tf.reduce_mean(               logits = ...
                ... labels ...)                  loss = loss_fn(logits, labels)

        loss = loss_fn(logits)

Python reads a name that is closed over when the function is called, and so it is passed.
"""

from __future__ import annotations

import ast
import builtins
import dataclasses
from collections.abc import Iterator

from migrate.facts.scopes import Scope, Scopes
from migrate.normalise.text import Text, find_lines_inside_strings
from migrate.source.nodes import walk_breadth_first

_BAD = (ast.Global, ast.Nonlocal, ast.Yield, ast.YieldFrom, ast.Await, ast.ClassDef)
_NESTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Import, ast.ImportFrom)


@dataclasses.dataclass(frozen=True)
class _New:
    """Text that is put in at a place (line from 1, byte column)."""

    line: int
    column: int
    new: str


def lift_function(text: Text, scopes: Scopes, function: ast.FunctionDef) -> Text | None:
    """The text with one more function above its model_fn; None if there is none."""
    if scopes.parents.get(function) is not scopes.tree or function.decorator_list:
        return None
    scope = scopes.scope_by_node[function]
    for inner in walk_breadth_first(function):
        if not isinstance(inner, ast.FunctionDef) or not _can_move(inner):
            continue
        if inner is function or _find_suite(inner, scopes) == [inner]:
            continue
        if scope.bindings.get(inner.name) != [inner]:
            continue
        calls = list(_find_calls(inner, function, scopes))
        free = _find_free_names(inner, scope, scopes)
        if None in calls or free is None or not text.is_alone(inner):
            continue
        known = [call for call in calls if call is not None]
        if not all(_knows(call, free, scope, scopes) for call in known):
            continue
        name = _choose_name(inner, function, scopes)
        if name is not None:
            return _move_function(text, function, inner, name, free, known)
    return None


def _find_suite(statement: ast.stmt, scopes: Scopes) -> list[ast.stmt]:
    parent = scopes.parents[statement]
    suites = [part for _, part in ast.iter_fields(parent) if isinstance(part, list)]
    return next(suite for suite in suites if statement in suite)


def _knows(call: ast.Call, free: list[str], scope: Scope, scopes: Scopes) -> bool:
    """Whether all that is closed over is bound where a call stands, for certain."""
    around = set(_walk_around(call, scopes))
    for name in free:
        if scopes.find_scope(call).find_owner(name) is not scope:
            return False
        if not any(
            isinstance(bound, ast.arg) or set(_walk_around(bound, scopes)) <= around
            for bound in scope.bindings[name]
        ):
            return False
    return True


def _walk_around(node: ast.AST, scopes: Scopes) -> Iterator[ast.AST]:
    """Yields the conditions and loops around a node, and `try`."""
    parent = scopes.parents.get(node)
    while parent is not None:
        if isinstance(parent, (ast.If, ast.For, ast.While, ast.Try)):
            yield parent
        parent = scopes.parents.get(parent)


def _can_move(inner: ast.FunctionDef) -> bool:
    """Whether it is the same function wherever it stands."""
    arguments = inner.args
    if inner.decorator_list or arguments.vararg or arguments.kwarg:
        return False
    if arguments.posonlyargs or arguments.kwonlyargs:
        return False
    if any(not isinstance(d, ast.Constant) for d in arguments.defaults):
        return False
    notes = [a.annotation for a in arguments.args] + [inner.returns]
    if any(note is not None for note in notes) or inner.body[0].lineno == inner.lineno:
        return False
    inside = [node for node in walk_breadth_first(inner) if node is not inner]
    return not any(isinstance(node, (*_BAD, *_NESTED)) for node in inside)


def _find_calls(
    inner: ast.FunctionDef, function: ast.FunctionDef, scopes: Scopes
) -> Iterator[ast.Call | None]:
    """Yields the function's calls; None for each other use of its name."""
    own = set(walk_breadth_first(inner))
    for node in walk_breadth_first(function):
        if not isinstance(node, ast.Name) or node.id != inner.name:
            continue
        if (
            scopes.find_scope(node).find_owner(node.id)
            is not scopes.scope_by_node[function]
        ):
            continue
        call = scopes.parents.get(node)
        plain = isinstance(call, ast.Call) and call.func is node and node not in own
        if plain and isinstance(call, ast.Call):
            starred = any(isinstance(a, ast.Starred) for a in call.args)
            if not starred and all(k.arg is not None for k in call.keywords):
                yield call
                continue
        yield None


def _find_free_names(
    inner: ast.FunctionDef, scope: Scope, scopes: Scopes
) -> list[str] | None:
    """Names of the model_fn that it reads, in order; None if one is a function."""
    found: dict[str, None] = {}
    for node in walk_breadth_first(inner):
        if isinstance(node, ast.Name) and scopes.find_scope(node) is not scope:
            if scopes.find_scope(node).find_owner(node.id) is scope:
                found[node.id] = None
    of_functions = any(
        isinstance(bound, ast.FunctionDef)
        for name in found
        for bound in scope.bindings[name]
    )
    return None if of_functions else list(found)


def _choose_name(
    inner: ast.FunctionDef, function: ast.FunctionDef, scopes: Scopes
) -> str | None:
    """Chooses the function's name in the module: its own, or after the model_fn's."""
    for name in (inner.name, f"{function.name.strip('_')}_{inner.name}"):
        if name in scopes.module.bindings or hasattr(builtins, name):
            continue
        others = [
            node
            for node in scopes.walk()
            if isinstance(node, ast.Name)
            and node.id == name
            and scopes.find_scope(node).find_owner(name) in (None, scopes.module)
        ]
        local = name != inner.name and any(
            isinstance(node, ast.Name) and node.id == name
            for node in walk_breadth_first(function)
        )
        if not others and not local:
            return name
    return None


def _move_function(
    text: Text,
    function: ast.FunctionDef,
    inner: ast.FunctionDef,
    name: str,
    free: list[str],
    calls: list[ast.Call],
) -> Text:
    last = not inner.args.defaults
    changes = [_New(inner.lineno, inner.col_offset, f"def {name}")]
    passed = ", ".join(free)
    for call in calls:
        if name != inner.name:
            changes.append(_New(call.lineno, call.col_offset, name))
        if free:
            changes.append(_add_argument(call, free, passed, last))
    if free:
        changes.append(_add_parameter(text, inner, passed, last))
    lines = list(text.lines)
    for change in sorted(changes, key=lambda c: (c.line, c.column), reverse=True):
        line = lines[change.line - 1]
        at = text.find_column(change.line, change.column)
        end = at
        for old in (f"def {inner.name}", inner.name):
            replaces = change.new in (f"def {name}", name) and line[at:].startswith(old)
            if replaces:
                end = at + len(old)
                break
        lines[change.line - 1] = line[:at] + change.new + line[end:]
    return _insert_above(Text(tuple(lines), text.origins), function, inner)


def _add_argument(call: ast.Call, free: list[str], passed: str, last: bool) -> _New:
    """Adds the closed-over names to a call: after its arguments, or before them."""
    given: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
    if not given:
        return _New(call.end_lineno or 0, (call.end_col_offset or 1) - 1, passed)
    if not last:
        first = min(given, key=lambda n: (n.lineno, n.col_offset))
        return _New(first.lineno, first.col_offset, f"{passed}, ")
    final = max(given, key=lambda n: (n.end_lineno or 0, n.end_col_offset or 0))
    if call.keywords:
        passed = ", ".join(f"{name}={name}" for name in free)
    return _New(final.end_lineno or 0, final.end_col_offset or 0, f", {passed}")


def _add_parameter(text: Text, inner: ast.FunctionDef, passed: str, last: bool) -> _New:
    arguments = inner.args.args
    if arguments and last:
        final = arguments[-1]
        return _New(final.end_lineno or 0, final.end_col_offset or 0, f", {passed}")
    if arguments:
        return _New(arguments[0].lineno, arguments[0].col_offset, f"{passed}, ")
    line = text.lines[inner.lineno - 1]
    column = len(line[: line.index("(", line.index(inner.name))].encode()) + 1
    return _New(inner.lineno, column, passed)


def _insert_above(
    text: Text, function: ast.FunctionDef, inner: ast.FunctionDef
) -> Text:
    """The text with a function of the model_fn moved above that, comments and all."""
    first, end = inner.lineno, inner.end_lineno or inner.lineno
    while text.lines[first - 2].strip().startswith("#"):
        first -= 1
    verbatim = find_lines_inside_strings(inner)
    lines = [
        text.lines[n - 1] if n in verbatim else text.lines[n - 1][inner.col_offset :]
        for n in range(first, end + 1)
    ]
    origins = list(text.origins[first - 1 : end])
    # The blank lines after it go with it.
    while end < len(text.lines) and not text.lines[end].strip():
        end += 1
    text = text.splice(first, end, [], [])
    at = function.lineno
    while at > 1 and text.lines[at - 2].strip().startswith("#"):
        at -= 1
    return text.splice(at, at - 1, [*lines, "", ""], [*origins, 0, 0])
