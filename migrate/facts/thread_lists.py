"""Finds uses of a list of threads that do more than join them.

threads = tf.train.start_queue_runners(sess, coord)
coord.join(threads)  # Of an empty list it does the same.
print(len(threads))  # Of an empty list it does not.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts.scopes import Scope, Scopes

_JOINS = "join"
_ADDS = ("append", "extend")
_Function = (ast.FunctionDef, ast.AsyncFunctionDef)


def find_other_use(
    scopes: Scopes, value: ast.AST, seen: frozenset[ast.AST] = frozenset()
) -> ast.AST | None:
    """Returns a use of a list, or of a list that contains its threads, besides joining."""
    if value in seen:
        return None
    above = scopes.parents.get(value)
    seen |= {value}
    values: Iterator[ast.AST]
    match above:
        case ast.Expr():
            return None
        case ast.keyword() | ast.BinOp() | ast.List() | ast.Starred():
            values = iter([above])
        case ast.Assign() if all(map(_is_kept, above.targets)):
            values = (r for t in above.targets for r in _find_reads(scopes, t))
        case ast.AugAssign() if above.value is value and _is_kept(above.target):
            values = _find_reads(scopes, above.target)
        case ast.Attribute(attr=name) if name in _ADDS and _is_alone(scopes, above):
            return None
        case ast.For() if above.iter is value and _ends_each(above):
            return None
        case ast.Call(func=ast.Attribute(attr=name)) if name == _JOINS:
            return None
        case ast.Call(func=ast.Attribute(value=kept, attr=name)) if name in _ADDS:
            values = _find_reads(scopes, kept) if _is_kept(kept) else iter([kept])
        case ast.Call() if above.func is not value:
            inside = _find_parameter_reads(scopes, above, value)
            if inside is None:
                return value
            values = inside
        case ast.Return():
            values = _find_calls(scopes, above)
        case _:
            return value
    return next(
        (
            found
            for one in values
            if (found := find_other_use(scopes, one, seen)) is not None
        ),
        None,
    )


def _is_kept(target: ast.expr) -> bool:
    return isinstance(target, ast.Name | ast.Attribute)


def _is_alone(scopes: Scopes, function: ast.Attribute) -> bool:
    """Whether the result of a method's call is not used."""
    call = scopes.parents.get(function)
    return isinstance(call, ast.Call) and isinstance(scopes.parents[call], ast.Expr)


def _ends_each(loop: ast.For) -> bool:
    """Whether a loop is `for t in threads: t.join()`, which does nothing for an empty list."""
    return not loop.orelse and all(
        isinstance(statement, ast.Expr)
        and isinstance(call := statement.value, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and isinstance(call.func.value, ast.Name)
        and isinstance(loop.target, ast.Name)
        and call.func.value.id == loop.target.id
        for statement in loop.body
    )


def _find_reads(scopes: Scopes, target: ast.expr) -> Iterator[ast.AST]:
    """Yields the reads of a name in its scope; of an attribute, those of all objects."""
    if isinstance(target, ast.Name):
        yield from _find_name_reads(
            scopes, target.id, scopes.find_scope(target).find_owner(target.id)
        )
    for node in scopes.walk():
        if (
            isinstance(target, ast.Attribute)
            and isinstance(node, ast.Attribute)
            and node.attr == target.attr
            and isinstance(node.ctx, ast.Load)
        ):
            yield node


def _find_name_reads(
    scopes: Scopes, name: str, owner: Scope | None
) -> Iterator[ast.AST]:
    for node in scopes.walk():
        if (
            isinstance(node, ast.Name)
            and node.id == name
            and isinstance(node.ctx, ast.Load)
            and scopes.find_scope(node).find_owner(name) is owner
        ):
            yield node


def _find_parameter_reads(
    scopes: Scopes, call: ast.Call, value: ast.AST
) -> Iterator[ast.AST] | None:
    """Yields the reads of the parameter through which a function of the file gets a value."""
    if not isinstance(call.func, ast.Name):
        return None
    owner = scopes.find_scope(call.func).find_owner(call.func.id)
    bound = owner.bindings.get(call.func.id, []) if owner is not None else []
    function = bound[0] if len(bound) == 1 else None
    if not isinstance(function, _Function):
        return None
    if isinstance(value, ast.keyword):
        name = value.arg
    else:
        given = function.args.posonlyargs + function.args.args
        index = next((i for i, a in enumerate(call.args) if a is value), len(given))
        name = given[index].arg if index < len(given) else None
    if name is None:
        return None
    return _find_name_reads(scopes, name, scopes.scope_by_node[function])


def _find_calls(scopes: Scopes, statement: ast.Return) -> Iterator[ast.AST]:
    """Yields calls of the function that contains a `return`, or of methods with its name."""
    function = next(n for n in scopes.walk_above(statement) if isinstance(n, _Function))
    for node in scopes.walk():
        if isinstance(node, ast.Call):
            called = node.func
            name = getattr(called, "attr", None) or getattr(called, "id", None)
            if name == function.name:
                yield node
