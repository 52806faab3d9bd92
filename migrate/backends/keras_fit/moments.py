"""Values that would be read at another moment than an Estimator read them.

An Estimator copies its params when it is made, and calls its model_fn for each run. A model
is made once, before its first run, from values that are read there. That is the same while
nothing changes them in between.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from migrate.backends.keras_fit.places import find_suite, find_within
from migrate.backends.keras_fit.program import Run, Stays, Trained
from migrate.facts import draws, effects
from migrate.facts.reach import find_definitions, find_reached
from migrate.facts.scopes import Scopes
from migrate.source.nodes import walk_breadth_first
from migrate.tables import keras_fit as table

_Variable = tuple[str, ast.AST]  # A name, and what has the scope that owns it.
_DEFINITIONS = (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)


def check_moments(
    one: Trained, runs: list[Run], place: ast.stmt, scopes: Scopes
) -> None:
    """Fails where something changes between an Estimator's making and its last run.

    Args:
      place: the statement before which its model is made.

    Raises:
      Stays: something of it may change.
    """
    suite = find_suite(place, scopes)
    ends = [find_within(run.statement, suite, scopes) for run in runs]
    last = max(suite.index(end) for end in ends if end is not None)
    while_run = _reach(suite[suite.index(place) : last + 1], scopes)
    _check_deletions(while_run, scopes)
    made = [source.maker.class_ for source in one.sources]
    read = _find_read([*made, *find_reached(scopes, made)], scopes)
    for node, variable in _find_changes(while_run, scopes):
        if variable in read:
            raise Stays(node, f"its model reads `{variable[0]}`, which changes")
    for value in _walk_moved(one, runs):
        origin = find_within(value, suite, scopes)
        between: list[ast.AST] = []
        if origin is not None:
            between += suite[suite.index(origin) + 1 : last + 1]
        else:  # It is made in another function, or around this suite.
            between += [*_find_later(value, place, scopes), *suite[: last + 1]]
        read = _find_read([value], scopes)
        same = _find_aliases(read, scopes)
        for node, variable in _find_changes(_reach(between, scopes), scopes):
            binds = isinstance(node, ast.Name)
            if variable in read or (variable in same and not binds):
                raise Stays(
                    node, f"`{variable[0]}` changes after `{one.name}` has received it"
                )


def check_called_again(input_fn: ast.expr, scopes: Scopes) -> None:
    """Fails where it shows that an input_fn is called once more, to see what it gives.

    Raises:
      Stays: it draws numbers.
    """
    parts = _reach([input_fn], scopes)
    for node in _walk(parts):
        if isinstance(node, ast.Call) and _is_draw(node, {*parts}, scopes):
            raise Stays(
                node,
                "its input_fn draws random numbers, and `fit` would call it once more",
            )


def _is_draw(call: ast.Call, called: set[ast.AST], scopes: Scopes) -> bool:
    """Whether another call of these functions would draw other numbers."""
    if _makes_generator(call, scopes) or _has_own_generator(call, called, scopes):
        return False
    if effects.consumes(call) or draws.draws_from_module(scopes, call):
        return True
    # `shuffle` of a generator changes a list: that of a dataset gives another one.
    alone = isinstance(scopes.parents[call], ast.Expr)
    method = isinstance(call.func, ast.Attribute) and call.func.attr
    return draws.draws_from_generator(scopes, call) and (alone or method != "shuffle")


def _makes_generator(node: ast.AST, scopes: Scopes) -> bool:
    return (
        isinstance(node, ast.Call)
        and scopes.find_dotted_path(node.func) in table.GENERATORS
    )


def _has_own_generator(call: ast.Call, called: set[ast.AST], scopes: Scopes) -> bool:
    """Whether it draws from a generator that each call of its function makes anew."""
    match call.func:
        case ast.Attribute(value=ast.Call() as value):
            return _makes_generator(value, scopes)
        case ast.Attribute(value=ast.Name() as name):
            owner = scopes.find_scope(name).find_owner(name.id)
            return (
                owner is not None
                and owner.node in called
                and isinstance(owner.node, (ast.FunctionDef, ast.Lambda))
                and all(
                    isinstance(binding, ast.Assign)
                    and _makes_generator(binding.value, scopes)
                    for binding in owner.bindings[name.id]
                )
            )
    return False


def _check_deletions(parts: Iterable[ast.AST], scopes: Scopes) -> None:
    """Without its checkpoints an Estimator begins anew: a model goes on."""
    for node in _walk(parts):
        if isinstance(node, ast.Call):
            path = scopes.import_path(node.func)
            if path in table.DELETING or scopes.resolve(node.func) in table.DELETING:
                raise Stays(node, "the program deletes files between its runs")


def _walk_moved(one: Trained, runs: list[Run]) -> Iterator[ast.expr]:
    """Expressions that are computed where the model is made, or run."""
    for source in one.sources:
        if source.params is not None:
            yield source.params
        if isinstance(source.model_dir, ast.Attribute):
            yield source.model_dir  # Other expressions are kept in a variable.
        yield from source.config.values()
        yield from source.maker.positional
        yield from (keyword.value for keyword in source.maker.given)
    for run in runs:
        yield from run.training.values()
        yield from run.evaluation.values()


def _find_later(node: ast.AST, place: ast.stmt, scopes: Scopes) -> list[ast.AST]:
    """Statements of a function that stand after an expression.

    A module's are after it, too, where it is the module that runs the model.
    """
    end = getattr(node, "end_lineno", 0)
    scope = scopes.find_scope(node)
    if not isinstance(scope.node, ast.FunctionDef) and scope is not scopes.find_scope(
        place
    ):
        return []
    body: list[ast.stmt] = getattr(scope.node, "body", [])
    return [
        statement
        for statement in body
        if (statement.end_lineno or 0) > end
        and not isinstance(statement, (ast.FunctionDef, ast.ClassDef))
    ]


def _reach(parts: Iterable[ast.AST], scopes: Scopes) -> list[ast.AST]:
    roots = list(parts)
    return [*roots, *find_reached(scopes, roots)]


def _walk(parts: Iterable[ast.AST]) -> Iterator[ast.AST]:
    for part in parts:
        yield from walk_breadth_first(part)


def _find_read(parts: Iterable[ast.AST], scopes: Scopes) -> set[_Variable]:
    """Variables that code reads, and that are not its own."""
    nodes = list(_walk(parts))
    own = set(nodes)
    found: set[_Variable] = set()
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            owner = scopes.find_scope(node).find_owner(node.id)
            if owner is not None and owner.node not in own:
                found.add((node.id, owner.node))
    return found


def _find_aliases(variables: set[_Variable], scopes: Scopes) -> set[_Variable]:
    """Variables that may stand for the same objects, parameters of functions among them."""
    pairs: list[tuple[_Variable, _Variable]] = []
    for node in scopes.walk():
        given: list[tuple[ast.expr, _Variable]] = []
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    given.append((node.value, _find_variable(target, scopes)))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            for function in find_definitions(scopes, node.func):
                if isinstance(function, ast.FunctionDef):
                    names = [a.arg for a in function.args.args]
                    given += [(v, (n, function)) for v, n in zip(node.args, names)]
                    words = [(k.value, k.arg or "") for k in node.keywords]
                    given += [(v, (n, function)) for v, n in words]
        for value, other in given:
            if isinstance(value, ast.Name):
                pairs.append((_find_variable(value, scopes), other))
    found = set(variables)
    while more := {v for pair in pairs if found & {*pair} for v in pair} - found:
        found |= more
    return found


def _find_variable(node: ast.Name, scopes: Scopes) -> _Variable:
    owner = scopes.find_scope(node).find_owner(node.id)
    return node.id, owner.node if owner is not None else scopes.tree


def _find_changes(
    parts: Iterable[ast.AST], scopes: Scopes
) -> Iterator[tuple[ast.AST, _Variable]]:
    """Variables that code binds, or whose objects it may change."""
    for node in _walk(parts):
        changed: ast.AST | None = None
        match node:
            case ast.Name(ctx=ast.Store() | ast.Del()):
                changed = node
            case ast.Attribute() | ast.Subscript() if not isinstance(
                node.ctx, ast.Load
            ):
                changed = node.value
            case ast.Call(func=ast.Attribute(value=value, attr=method)):
                alone = isinstance(scopes.parents[node], ast.Expr)
                if method in table.CHANGING or (alone and method not in table.LOGGED):
                    changed = value
        while isinstance(changed, (ast.Attribute, ast.Subscript)):
            changed = changed.value
        if isinstance(changed, ast.Name):
            owner = scopes.find_scope(changed).find_owner(changed.id)
            if owner is None:
                continue
            if isinstance(changed.ctx, ast.Load) and all(
                isinstance(b, _DEFINITIONS) for b in owner.bindings[changed.id]
            ):
                continue  # A call of a module's function.
            yield node, (changed.id, owner.node)
