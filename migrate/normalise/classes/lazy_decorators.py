"""Decorators of the file's own that make a property which is built once.

    def define_scope(function):
        attribute = "_cache_" + function.__name__

        @property
        @functools.wraps(function)
        def decorator(self):
            if not hasattr(self, attribute):
                with tf.variable_scope(function.__name__):
                    setattr(self, attribute, function(self))
            return getattr(self, attribute)

        return decorator

They are known by what they do, whatever their names are.
"""

from __future__ import annotations

import ast
import dataclasses
import re

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.source.nodes import walk_breadth_first

_SCOPES = frozenset({"tf.variable_scope", "tf.name_scope"})
# `@define_scope` and `@define_scope(scope="x")`: a decorator of decorators.
_DOUBLE = (
    "def {inner}(*args, **kwargs):\n"
    "    if len(args) == 1 and len(kwargs) == 0 and callable(args[0]):\n"
    "        return {function}(args[0])\n"
    "    else:\n"
    "        return lambda {wrapped}: {function}({wrapped}, *args, **kwargs)"
)


@dataclasses.dataclass(frozen=True)
class Decorator:
    """A decorator that makes a property which is built once.

    Attributes:
      scope: the function of the scope around it, as the file names it; "" for none.
      named: the parameter that names the scope, where there is one.
      passes: whether the scope is given the decorator's other arguments.
    """

    scope: str = ""
    named: str = ""
    passes: bool = False


def find_decorators(tree: ast.Module, scopes: Scopes) -> dict[str, Decorator]:
    """Such decorators of a file, by their names."""
    found = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.args.args:
            read = _read(node, scopes, tree)
            if read is not None:
                found[node.name] = read
    return found


def _list_body(node: ast.FunctionDef) -> list[ast.stmt]:
    """A function's statements without its docstring."""
    return node.body[1:] if ast.get_docstring(node) is not None else node.body


def _read(node: ast.FunctionDef, scopes: Scopes, tree: ast.Module) -> Decorator | None:
    function = node.args.args[0].arg
    body = _list_body(node)
    if len(body) < 2 or any(not _is_double(d, tree) for d in node.decorator_list):
        return None
    assigned = _read_assignments(body[:-2])
    if assigned is None or not _is_property(*body[-2:]):
        return None
    inner = body[-2]
    assert isinstance(inner, ast.FunctionDef)
    own = inner.args.args[0].arg
    asks, gives = inner.body
    if not (isinstance(asks, ast.If) and not asks.orelse and len(asks.body) == 1):
        return None
    shown = re.fullmatch(
        rf"not hasattr\({own}, (.+)\)", ast.unparse(asks.test), re.DOTALL
    )
    if shown is None or ast.unparse(gives) != f"return getattr({own}, {shown[1]})":
        return None
    if function not in assigned.get(shown[1], shown[1]):
        return None  # All properties under one attribute.
    keeps, decorator = asks.body[0], Decorator()
    if isinstance(keeps, ast.With):
        scoped = _read_scoped_decorator(keeps, function, assigned, scopes)
        if scoped is None:
            return None
        keeps, decorator = keeps.body[0], scoped
    if ast.unparse(keeps) != f"setattr({own}, {shown[1]}, {function}({own}))":
        return None
    return decorator


def _read_assignments(body: list[ast.stmt]) -> dict[str, str] | None:
    """The names that statements bind, each to one expression; None: they do more."""
    found: dict[str, str] = {}
    for statement in body:
        if not (
            isinstance(statement, ast.Assign)
            and len(statement.targets) == 1
            and isinstance(statement.targets[0], ast.Name)
        ):
            return None
        found[statement.targets[0].id] = ast.unparse(statement.value)
    return found


def _is_property(inner: ast.stmt, last: ast.stmt) -> bool:
    """Whether a decorator ends in a property of two statements, which it returns."""
    if not (
        isinstance(inner, ast.FunctionDef)
        and isinstance(last, ast.Return)
        and last.value is not None
        and names.find_key(last.value) == inner.name
        and len(inner.args.args) == 1
        and len(inner.body) == 2
    ):
        return False
    applied = [ast.unparse(d) for d in inner.decorator_list]
    return applied[:1] == ["property"] and all("wraps(" in d for d in applied[1:])


def _read_scoped_decorator(
    block: ast.With, function: str, assigned: dict[str, str], scopes: Scopes
) -> Decorator | None:
    """The decorator whose property is built in this block: a scope of its name."""
    if len(block.items) != 1 or len(block.body) != 1:
        return None
    call = block.items[0].context_expr
    if not isinstance(call, ast.Call) or not call.args:
        return None
    if scopes.resolve(call.func) not in _SCOPES:
        return None
    name = ast.unparse(call.args[0])
    name = assigned.get(name, name)
    own_name = f"{function}.__name__"
    either = re.fullmatch(rf"(\w+) or {re.escape(own_name)}", name)
    if name != own_name and either is None:
        return None
    more = [*call.args[1:], *[k.value for k in call.keywords]]
    passes = {ast.unparse(m) for m in more} == {"*args", "kwargs"}
    if more and not passes:
        return None
    return Decorator(ast.unparse(call.func), either[1] if either else "", passes)


def _is_double(decorator: ast.expr, tree: ast.Module) -> bool:
    """Whether it lets a decorator be used with and without arguments."""
    for node in tree.body:
        if not (
            isinstance(node, ast.FunctionDef) and node.name == names.find_key(decorator)
        ):
            continue
        body = _list_body(node)
        inner = body[0]
        if not (
            len(body) == 2
            and isinstance(inner, ast.FunctionDef)
            and len(node.args.args) == 1
            and ast.unparse(body[1]) == f"return {inner.name}"
        ):
            return False
        plain = ast.FunctionDef(**{**vars(inner), "decorator_list": []})
        wrapped = [
            n.args.args[0].arg
            for n in walk_breadth_first(inner)
            if isinstance(n, ast.Lambda) and len(n.args.args) == 1
        ]
        shown = {"function": node.args.args[0].arg, "inner": inner.name}
        return bool(wrapped) and ast.unparse(plain) == _DOUBLE.format(
            wrapped=wrapped[0], **shown
        )
    return False
