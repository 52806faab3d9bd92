"""Finds the name by which an Estimator is trained."""

from __future__ import annotations

import ast

from migrate.backends.keras_fit.program import Stays
from migrate.facts.names import walk_scope_of_function
from migrate.facts.scopes import Scopes

Target = tuple[str, ast.stmt]


def find_targets(call: ast.Call, scopes: Scopes) -> list[Target]:
    """Returns the names that an Estimator gets, and the statements that bind them.

    Such a statement is an assignment, a loop over Estimators that are written out, a function
    that gets it, or an assignment of a function's result.

    Raises:
      Stays: it has no such name.
    """
    if isinstance(scopes.parents[call], ast.Return):
        return _find_made(call, scopes)
    return [_find_target(call, scopes)]


def _find_made(call: ast.Call, scopes: Scopes) -> list[Target]:
    """Returns the names that get the result of a function."""
    function = scopes.find_scope(call).node
    stays = Stays(call, "a function makes and returns it")
    if not isinstance(function, ast.FunctionDef) or function.decorator_list:
        raise stays
    returns = [
        n
        for n in walk_scope_of_function(function)
        if isinstance(n, ast.Return) and n.value is not call
    ]
    around = scopes.find_scope(function)
    if returns or isinstance(around.node, ast.ClassDef):
        raise stays
    found: list[Target] = []
    for node in scopes.walk():
        if not isinstance(node, ast.Name) or node.id != function.name:
            continue
        if node.ctx.__class__ is not ast.Load:
            continue
        if scopes.find_scope(node).find_owner(node.id) is not around:
            continue
        made = scopes.parents[node]
        match scopes.parents[made]:
            case ast.Assign(targets=[ast.Name(name)]) as statement if (
                isinstance(made, ast.Call) and made.func is node
            ):
                found.append((name, statement))
            case _:
                raise stays
    if not found:
        raise stays
    return found


def _find_target(call: ast.Call, scopes: Scopes) -> Target:
    parent = scopes.parents[call]
    match parent:
        case ast.Assign(targets=[ast.Name() as target]):
            return target.id, parent
        case ast.Tuple() | ast.List():
            return _find_in_loop(call, parent, scopes)
        case ast.Call() | ast.keyword():
            function, name = find_parameter(call, scopes)
            return name, function
        case ast.Assign(targets=[ast.Attribute()]):
            raise Stays(call, "the Estimator is stored in an object")
    raise Stays(call, "the Estimator is not assigned to a variable")


def _find_in_loop(call: ast.Call, row: ast.Tuple | ast.List, scopes: Scopes) -> Target:
    """Returns the loop's name for it: `for name, estimator in ((..., it), ...)`."""
    table, place = scopes.parents[row], row.elts.index(call)
    rows = table.elts if isinstance(table, (ast.Tuple, ast.List)) else []
    loop = scopes.parents[table] if rows else table
    if isinstance(loop, ast.For) and loop.iter is row:  # `for estimator in (it, ...)`
        if isinstance(loop.target, ast.Name) and _are_calls(row.elts, call):
            return loop.target.id, loop
    if not isinstance(loop, ast.For) or loop.iter is not table:
        raise Stays(call, "the Estimator is stored in a list, tuple or dict")
    column = [
        r.elts[place]
        for r in rows
        if isinstance(r, (ast.Tuple, ast.List)) and len(r.elts) > place
    ]
    match loop.target:
        case ast.Tuple(elts=targets) if (
            len(column) == len(rows)
            and len(targets) > place
            and _are_calls(column, call)
        ):
            target = targets[place]
            if isinstance(target, ast.Name):
                return target.id, loop
    raise Stays(call, "the Estimator is stored in a list, tuple or dict")


def _are_calls(values: list[ast.expr], call: ast.Call) -> bool:
    """Whether all of some values are calls of the same function."""
    return all(
        isinstance(v, ast.Call) and ast.dump(v.func) == ast.dump(call.func)
        for v in values
    )


def find_parameter(node: ast.expr, scopes: Scopes) -> tuple[ast.FunctionDef, str]:
    """Returns the function that gets an argument, and the parameter's name.

    Raises:
      Stays: that is not certain.
    """
    call, word = scopes.parents[node], ""
    if isinstance(call, ast.keyword):
        word = call.arg or ""
        call = scopes.parents[call]
    shown = ast.unparse(node) if isinstance(node, ast.Name) else "it"
    if not isinstance(call, ast.Call):
        raise Stays(node, f"`{shown}` is also stored somewhere else")
    function = _find_function(call.func, scopes)
    stays = Stays(node, f"`{shown}` is passed to `{ast.unparse(call.func)}`")
    if function is None or function.decorator_list or function.args.vararg:
        raise stays
    parameters = [a.arg for a in function.args.args]
    if word in parameters:
        return function, word
    if node in call.args:
        place = call.args.index(node)
        before = call.args[:place]
        if not any(isinstance(a, ast.Starred) for a in before):
            if place < len(parameters):
                return function, parameters[place]
    raise stays


def is_caught(node: ast.AST, scopes: Scopes) -> bool:
    """Whether the file handles an error that a node raises."""
    seen: set[ast.AST] = set()
    todo: list[ast.AST] = [node]
    while todo:
        inner = todo.pop()
        if inner in seen:
            continue
        seen.add(inner)
        while (outer := scopes.parents.get(inner)) is not None:
            if isinstance(outer, ast.Try) and outer.handlers and inner in outer.body:
                return True
            if isinstance(outer, ast.FunctionDef):
                todo += _find_reads(outer, scopes)
            inner = outer
    return False


def _find_reads(function: ast.FunctionDef, scopes: Scopes) -> list[ast.AST]:
    """Returns the nodes that name a function, as itself or as a method."""
    return [
        node
        for node in scopes.walk()
        if (isinstance(node, ast.Name) and node.id == function.name)
        or (isinstance(node, ast.Attribute) and node.attr == function.name)
    ]


def _find_function(node: ast.expr, scopes: Scopes) -> ast.FunctionDef | None:
    """Returns the function of the file that a name stands for."""
    if not isinstance(node, ast.Name):
        return None
    owner = scopes.find_scope(node).find_owner(node.id)
    bound = owner.bindings[node.id] if owner is not None else []
    if len(bound) == 1 and isinstance(bound[0], ast.FunctionDef):
        return bound[0]
    return None
