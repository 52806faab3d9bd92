"""Reads what a hook's before_run requests, and under which condition."""

from __future__ import annotations

import ast
import dataclasses

from migrate.facts.names import walk_scope_of_function
from migrate.facts.scopes import Scopes
from migrate.frontends.callbacks.reasons import NoCallback
from migrate.source.nodes import walk_breadth_first
from migrate.tables import callbacks as table
from migrate.tables.estimator import find_public


@dataclasses.dataclass(frozen=True, eq=False)
class Asking:
    """One `return SessionRunArgs(fetches)`.

    Attributes:
      statement: the return.
      call: of SessionRunArgs.
      condition: the attribute that says whether it is reached; None if it always is.
      last: whether no statement follows it.
      made: the assignment that makes what is returned; None if the return does.
    """

    statement: ast.Return
    call: ast.Call
    fetches: ast.expr
    condition: ast.Attribute | None
    last: bool
    made: ast.Assign | None = None


def read_request(method: ast.FunctionDef | None, scopes: Scopes) -> Asking | None:
    """Reads the request that before_run returns; None if it requests nothing.

    Raises:
      NoCallback: the request is not readable, or varies by more than an attribute.
    """
    if method is None:
        return None
    found: Asking | None = None
    returns = [n for n in walk_scope_of_function(method) if isinstance(n, ast.Return)]
    for statement in returns:
        value = statement.value
        if value is None or isinstance(value, ast.Constant) and value.value is None:
            continue
        if found is not None:
            raise NoCallback(
                statement, "it requests different tensors in different cases"
            )
        made = _find_request(value, method) if isinstance(value, ast.Name) else None
        value = made.value if made is not None else value
        if not isinstance(value, ast.Call) or (
            find_public(scopes.resolve(value.func) or "") not in table.RUN_ARGS
        ):
            raise NoCallback(
                statement, "the tool cannot tell what its before_run returns"
            )
        found = dataclasses.replace(
            _read_returned_request(statement, value, method, scopes), made=made
        )
    if found is not None:
        early = [r for r in returns if r is not found.statement]
        follows = [r for r in early if r.lineno > found.statement.lineno]
        if early != follows or (early and found.condition is None):
            raise NoCallback(early[0], "before_run returns early")
    return found


def _find_request(name: ast.Name, method: ast.FunctionDef) -> ast.Assign | None:
    """`args = SessionRunArgs(...)`, of a name that only the return reads."""
    uses = [
        n
        for n in walk_breadth_first(method)
        if isinstance(n, ast.Name) and n.id == name.id
    ]
    for statement in method.body:
        if isinstance(statement, ast.Assign) and uses == [*statement.targets, name]:
            return statement
    return None


def _read_returned_request(
    statement: ast.Return, call: ast.Call, method: ast.FunctionDef, scopes: Scopes
) -> Asking:
    given = [*call.args, *(k.value for k in call.keywords)]
    named = [k.value for k in call.keywords if k.arg == "fetches"]
    if len(given) != 1 or not (call.args or named):
        raise NoCallback(call, "SessionRunArgs has more than fetches")
    suite = scopes.parents[statement]
    if suite is method:
        return Asking(statement, call, given[0], None, True)
    if (
        isinstance(suite, ast.If)
        and suite in method.body
        and statement is suite.body[-1]
        and _is_attribute(suite.test)
    ):
        assert isinstance(suite.test, ast.Attribute)
        last = suite is method.body[-1] and not suite.orelse
        return Asking(statement, call, given[0], suite.test, last)
    raise NoCallback(statement, "it requests tensors only in some steps")


def _is_attribute(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "self"
    )


def is_known_to_be_asked(
    read: ast.AST, results: set[ast.expr], condition: ast.Attribute, scopes: Scopes
) -> bool:
    """Whether a read stands where values were asked for.

    Args:
      results: expressions `run_values.results`.
    """
    node, parent = read, scopes.parents[read]
    while not isinstance(parent, ast.FunctionDef):
        if isinstance(parent, ast.If) and node in parent.body:
            tests = [parent.test]
            if isinstance(parent.test, ast.BoolOp) and isinstance(
                parent.test.op, ast.And
            ):
                tests = parent.test.values
            if any(_says(test, results, condition) for test in tests):
                return True
        node, parent = parent, scopes.parents[parent]
    return False


def _says(test: ast.expr, results: set[ast.expr], condition: ast.Attribute) -> bool:
    return (
        ast.dump(test) == ast.dump(condition)
        or is_compared_with_none(test, results) is False
    )


def is_compared_with_none(node: ast.AST, results: set[ast.expr]) -> bool | None:
    """Whether `results is None` (True) or `results is not None` (False) is asked."""
    if (
        isinstance(node, ast.Compare)
        and node.left in results
        and isinstance(node.comparators[0], ast.Constant)
        and node.comparators[0].value is None
    ):
        if isinstance(node.ops[0], ast.Is):
            return True
        if isinstance(node.ops[0], ast.IsNot):
            return False
    return None
