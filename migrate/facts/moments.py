"""Whether it matters when a function is called: what it does, and what it reads."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts import reach
from migrate.facts.scopes import Scopes
from migrate.source.nodes import walk_breadth_first
from migrate.tables import host_effects as table

_PURE_FUNCTIONS = (
    table.PURE_BUILTINS | table.RUNS_GIVEN | {"getattr", "hasattr", "super"}
)
_PURE_METHODS = table.PURE_METHODS | table.STATIC | table.GRAPH_METHODS


def depends_on_moment(scopes: Scopes, function: ast.FunctionDef) -> bool:
    """Whether other code may notice that a function is called earlier.

    It builds and runs graph, and nothing else, where this is not so. And it reads only what
    is set once, or in constructors. What its decorators do is not asked.
    """
    around = {
        n for d in _list_decorators(scopes, function) for n in walk_breadth_first(d)
    }
    owner = scopes.parents.get(function)
    reached = reach.find_reached(scopes, function.body)
    parts = [
        *function.body,
        *(p for p in reached if p not in around and p is not owner),
    ]
    inside = {node for part in parts for node in walk_breadth_first(part)}
    calls = [n for n in inside if isinstance(n, ast.Call)]
    if any(_may_be_seen(call, scopes) for call in calls):
        return True
    changed = set(_list_changed(scopes, inside))
    own = {n.attr for n in inside if isinstance(n, ast.Attribute) and _is_set(n)}
    return any(
        (isinstance(n, ast.Attribute) and n.attr in changed)
        or (isinstance(n, ast.Name) and _is_outer_changed(n, scopes, inside, changed))
        or isinstance(n, (ast.Global, ast.Nonlocal, ast.Raise, ast.Assert, ast.Try))
        for n in inside
    ) or any(
        n.attr in own and _is_set(n) and n not in inside
        for n in scopes.walk()
        if isinstance(n, ast.Attribute)
    )


def _list_decorators(scopes: Scopes, function: ast.FunctionDef) -> Iterator[ast.AST]:
    """Yields a function, and the functions that decorate it."""
    waiting: list[ast.AST] = [function]
    seen: set[ast.AST] = set()
    while waiting:
        found = waiting.pop()
        if found in seen:
            continue
        seen.add(found)
        yield found
        for decorator in getattr(found, "decorator_list", ()):
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            if isinstance(called, ast.Name):
                waiting += reach.find_definitions(scopes, called)


def _is_set(node: ast.expr) -> bool:
    return not isinstance(getattr(node, "ctx", None), ast.Load)


def _is_outer_changed(
    name: ast.Name, scopes: Scopes, inside: set[ast.AST], changed: set[str]
) -> bool:
    """Whether a name of the code around the functions may mean something else later."""
    owner = scopes.find_scope(name).find_owner(name.id)
    if owner is None or owner.node in inside:
        return False
    bindings = owner.bindings[name.id]
    return name.id in changed or len(bindings) > 1 or _is_in_loop(bindings[0], scopes)


def _is_in_loop(node: ast.AST, scopes: Scopes) -> bool:
    while not isinstance(node, (ast.FunctionDef, ast.Lambda, ast.Module)):
        if isinstance(node, (ast.For, ast.While, ast.comprehension)):
            return True
        if node not in scopes.parents:
            return False
        node = scopes.parents[node]
    return False


def _may_be_seen(call: ast.Call, scopes: Scopes) -> bool:
    """Whether a call may do more than to compute, and to build and run graph."""
    func = call.func
    symbol = scopes.resolve(func) or ""
    if symbol.startswith("tf."):
        return bool(table.find_longest(symbol, table.TENSORFLOW))
    path = scopes.import_path(func)
    if path:
        return table.find_longest(path, table.FUNCTIONS) is not table.Does.NOTHING
    if isinstance(func, ast.Name):
        if scopes.find_scope(func).find_owner(func.id) is None:
            return func.id not in _PURE_FUNCTIONS
        return not reach.find_definitions(scopes, func)
    if not isinstance(func, ast.Attribute):
        return True
    known = func.attr in _PURE_METHODS or func.attr in reach.find_methods(scopes)
    return not (known or _is_fresh(func.value, scopes))


def _is_fresh(node: ast.expr, scopes: Scopes) -> bool:
    """Whether a list or a dict is of the function that has it alone."""
    if not isinstance(node, ast.Name):
        return False
    owner = scopes.find_scope(node).find_owner(node.id)
    return (
        owner is not None
        and owner is not scopes.module
        and all(
            isinstance(b, ast.Assign)
            and isinstance(b.value, (ast.List, ast.Dict, ast.Set))
            for b in owner.bindings[node.id]
        )
    )


def _list_changed(scopes: Scopes, inside: set[ast.AST]) -> Iterator[str]:
    """Yields attributes and names that code outside of these nodes may set again."""
    for node in scopes.walk():
        if node in inside:
            continue
        if isinstance(node, ast.Attribute) and _is_set(node):
            if not _is_in_constructor(node, scopes):
                yield node.attr
        elif isinstance(node, ast.Subscript) and _is_set(node):
            yield from _find_last_names(node.value)
        elif isinstance(node, ast.AugAssign):
            yield from _find_last_names(node.target)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if scopes.import_path(node.func):
                continue  # `tf.fill(...)`.
            if node.func.attr in table.STATEFUL_METHODS:
                yield from _find_last_names(node.func.value)


def _is_in_constructor(node: ast.AST, scopes: Scopes) -> bool:
    while node in scopes.parents:
        node = scopes.parents[node]
        if isinstance(node, ast.FunctionDef):
            return node.name == "__init__"
        if isinstance(node, (ast.For, ast.While)):
            return False
    return False


def _find_last_names(node: ast.expr) -> Iterator[str]:
    """Yields the names at the end of what may be an attribute or an entry."""
    while isinstance(node, ast.Subscript):
        node = node.value
    if isinstance(node, ast.Attribute):
        yield node.attr
    elif isinstance(node, ast.Name):
        yield node.id
