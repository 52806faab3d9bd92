"""Finds the sources of a name's value: assignments, attributes of objects, calls.

    class Trainer:
        def __init__(self, strategy):
            self.strategy = strategy        # of the calls `Trainer(...)`
        def fit(self, dataset): ...         # of the calls `trainer.fit(...)`

It reads one module. If the module does not show a source, because a name is from another
file, or an object is passed on, the result is None.
"""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.source.nodes import walk_breadth_first

_DEEP = 12  # Steps from one name to the next. A program has few.


def find_values(scopes: Scopes, node: ast.expr) -> list[ast.expr] | None:
    """Returns the expressions whose value another has; None if one of them is unknown."""
    found: list[ast.expr] = []
    todo, seen = [(node, 0)], set()
    while todo:
        value, depth = todo.pop()
        if value in seen:
            continue
        seen.add(value)
        if not _leads_on(scopes, value):
            found.append(value)
            continue
        from_here = find_sources(scopes, value)
        if from_here is None or depth == _DEEP:
            return None
        todo += [(v, depth + 1) for v in from_here]
    return [v for v in found if not (isinstance(v, ast.Constant) and v.value is None)]


def find_single(scopes: Scopes, node: ast.expr) -> ast.expr | None:
    """Returns the only expression whose value another has."""
    found = find_values(scopes, node)
    return found[0] if found is not None and len(found) == 1 else None


def _leads_on(scopes: Scopes, node: ast.expr) -> bool:
    if isinstance(node, ast.Call):
        return (
            isinstance(node.func, ast.Name)
            and _find_function_by_name(scopes, node.func) is not None
        )
    return isinstance(node, (ast.Name, ast.IfExp)) or _is_own(node)


def _is_own(node: ast.AST) -> bool:
    """Whether an expression is `self.x`."""
    return (
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "self"
    )


def find_sources(scopes: Scopes, node: ast.expr) -> list[ast.expr] | None:
    """Returns the sources of the value of a name, an attribute, a conditional or a call."""
    if isinstance(node, ast.IfExp):
        return [node.body, node.orelse]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        function = _find_function_by_name(scopes, node.func)
        return list_returns(function) if function is not None else None
    if isinstance(node, ast.Attribute):
        owner = find_class(scopes, node)
        return (
            _find_assigned(scopes, owner, node.attr)
            if owner and _is_own(node)
            else None
        )
    if not isinstance(node, ast.Name):
        return None
    scope = scopes.find_scope(node).find_owner(node.id)
    found: list[ast.expr] = []
    if scope is None:
        return None
    for bound in scope.bindings.get(node.id, []):
        if isinstance(bound, ast.arg):
            given = _find_passed(scopes, bound, scope.node)
        else:
            given = _find_bound(scopes, bound, node.id)
        if given is None:
            return None
        found += given
    return found


def _find_bound(scopes: Scopes, bound: ast.AST, name: str) -> list[ast.expr] | None:
    """Returns the values that one binding gives a name."""
    if isinstance(bound, ast.AnnAssign) and bound.value is not None:
        return [bound.value]
    if not isinstance(bound, ast.Assign) or len(bound.targets) != 1:
        return None
    target = bound.targets[0]
    if isinstance(target, ast.Name):
        return [bound.value]
    if not isinstance(target, ast.Tuple):
        return None
    places = [n for n, e in enumerate(target.elts) if names.find_key(e) == name]
    if len(places) != 1 or any(isinstance(e, ast.Starred) for e in target.elts):
        return None
    given = [bound.value]
    if isinstance(bound.value, ast.Call):
        given = find_sources(scopes, bound.value) or []
    parts = [
        value.elts[places[0]]
        for value in given
        if isinstance(value, ast.Tuple) and len(value.elts) == len(target.elts)
    ]
    return parts if parts and len(parts) == len(given) else None


def _find_assigned(
    scopes: Scopes, owner: ast.ClassDef, attribute: str
) -> list[ast.expr] | None:
    """Returns the values that the methods of a class assign to an attribute of `self`."""
    found: list[ast.expr] = []
    for node in walk_breadth_first(owner):
        if (
            not isinstance(node, ast.Attribute)
            or node.attr != attribute
            or not (_is_own(node) and isinstance(node.ctx, ast.Store))
        ):
            continue
        statement = scopes.parents[node]
        if not isinstance(statement, ast.Assign) or statement.targets != [node]:
            return None
        found.append(statement.value)
    return found or None


def find_class(scopes: Scopes, node: ast.AST) -> ast.ClassDef | None:
    """Returns the class whose method contains a node."""
    while node in scopes.parents:
        node = scopes.parents[node]
        if isinstance(node, ast.ClassDef):
            return node
    return None


def find_function(scopes: Scopes, node: ast.AST) -> ast.FunctionDef | None:
    """Returns the innermost function around a node."""
    while node in scopes.parents:
        node = scopes.parents[node]
        if isinstance(node, ast.FunctionDef):
            return node
    return None


def find_named_method(scopes: Scopes, node: ast.expr) -> ast.FunctionDef | None:
    """Returns the method that `self.step` names, if the class defines it once."""
    owner = find_class(scopes, node) if _is_own(node) else None
    if owner is None:
        return None
    assert isinstance(node, ast.Attribute)
    found = [
        s for s in owner.body if isinstance(s, ast.FunctionDef) and s.name == node.attr
    ]
    stored = _find_assigned(scopes, owner, node.attr)
    return found[0] if len(found) == 1 and not stored else None


def _find_function_by_name(scopes: Scopes, name: ast.Name) -> ast.FunctionDef | None:
    scope = scopes.find_scope(name).find_owner(name.id)
    bound = scope.bindings.get(name.id, []) if scope is not None else []
    if len(bound) == 1 and isinstance(bound[0], ast.FunctionDef):
        return bound[0]
    return None


def list_returns(function: ast.FunctionDef) -> list[ast.expr] | None:
    """Returns the results of a function; None if it returns nothing in some place."""
    found = [
        n.value
        for n in names.walk_scope_of_function(function)
        if isinstance(n, ast.Return)
    ]
    given = [value for value in found if value is not None]
    return given if found and len(given) == len(found) else None


def find_calls(scopes: Scopes, function: ast.FunctionDef) -> list[ast.Call] | None:
    """Returns every call of a function or method; None if it is passed on."""
    owner = scopes.parents.get(function)
    if isinstance(owner, ast.ClassDef):
        if function.name == "__init__":
            return _find_named_calls(scopes, owner)
        return _find_method_calls(scopes, owner, function)
    return _find_named_calls(scopes, function)


def _find_named_calls(
    scopes: Scopes, made: ast.FunctionDef | ast.ClassDef
) -> list[ast.Call] | None:
    found = []
    for node in scopes.walk():
        if not (
            isinstance(node, ast.Name)
            and node.id == made.name
            and isinstance(node.ctx, ast.Load)
        ):
            continue
        scope = scopes.find_scope(node).find_owner(node.id)
        if scope is None or scope.bindings.get(node.id) != [made]:
            continue
        parent = scopes.parents[node]
        if isinstance(parent, ast.Call) and parent.func is node:
            found.append(parent)
        elif not _is_super(parent):
            return None
    return found or None


def _is_super(parent: ast.AST) -> bool:
    """Whether an expression is `super(Trainer, self)`."""
    return isinstance(parent, ast.Call) and names.find_key(parent.func) == "super"


def _find_method_calls(
    scopes: Scopes, owner: ast.ClassDef, function: ast.FunctionDef
) -> list[ast.Call] | None:
    """Returns calls `self.step(...)` in the class, and `trainer.step(...)` of its objects."""
    found = []
    for node in scopes.walk():
        if not isinstance(node, ast.Attribute) or node.attr != function.name:
            continue
        call = scopes.parents[node]
        if _is_own(node):
            if find_class(scopes, node) is not owner:
                continue
        else:
            made = find_values(scopes, node.value)
            if made is None:
                return None
            if not any(
                isinstance(m, ast.Call) and names.find_key(m.func) == owner.name
                for m in made
            ):
                continue
        if not (isinstance(call, ast.Call) and call.func is node):
            return None
        found.append(call)
    return found or None


def _find_passed(
    scopes: Scopes, parameter: ast.arg, function: ast.AST
) -> list[ast.expr] | None:
    """Returns the arguments for a parameter in the calls of its function."""
    if not isinstance(function, ast.FunctionDef) or parameter not in function.args.args:
        return None
    called = find_calls(scopes, function)
    if called is None:
        return None
    at = function.args.args.index(parameter)
    own = isinstance(scopes.parents[function], ast.ClassDef)
    if own and at == 0:
        return None  # The object itself.
    defaults = function.args.defaults
    after = at - (len(function.args.args) - len(defaults))
    found = []
    for call in called:
        if any(isinstance(a, ast.Starred) for a in call.args) or any(
            k.arg is None for k in call.keywords
        ):
            return None
        given = names.find_argument(call, parameter.arg, at - own)
        if given is None and after >= 0:
            given = defaults[after]
        if given is None:
            return None
        found.append(given)
    return found


def find_latest_value(scopes: Scopes, name: ast.Name) -> ast.expr | None:
    """Returns the value of the last assignment to a name before a place; None if unknown."""
    child: ast.AST = name
    while child in scopes.parents:
        parent = scopes.parents[child]
        if isinstance(parent, (ast.FunctionDef, ast.Lambda, ast.ClassDef)):
            suites = [parent.body] if isinstance(parent, ast.FunctionDef) else []
        elif isinstance(parent, ast.Module):
            suites = [parent.body]
        else:
            suites = [s for _, s in names.list_suites(parent)]  # type: ignore[arg-type]
        if isinstance(parent, (ast.For, ast.While)) and child in parent.body:
            if any(name.id in names.find_binds(s) for s in parent.body):
                return None
        for suite in suites:
            before = suite[: suite.index(child)] if child in suite else []
            for statement in reversed(before):
                if name.id not in names.find_binds(statement):
                    continue
                if isinstance(statement, ast.Assign) and isinstance(
                    statement.targets[0], ast.Name
                ):
                    return statement.value
                return None
        if isinstance(parent, (ast.FunctionDef, ast.Lambda, ast.ClassDef)):
            return None
        child = parent
    return None


def means_same_at(scopes: Scopes, value: ast.expr, place: ast.AST) -> bool:
    """Whether a name, or an attribute of `self`, has the same meaning at another place."""
    if isinstance(value, ast.Name):
        here = scopes.find_scope(value).find_owner(value.id)
        return (
            here is not None and scopes.find_scope(place).find_owner(value.id) is here
        )
    return _is_own(value) and find_class(scopes, value) is find_class(scopes, place)
