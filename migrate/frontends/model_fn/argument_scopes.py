"""Argument scopes that a function of the file makes, and returns.

    def small_arg_scope(weight_decay=0.0005):
        with slim.arg_scope(
            [slim.conv2d], weights_regularizer=slim.l2_regularizer(weight_decay)
        ) as scope:
            return scope

    with slim.arg_scope(small_arg_scope(0.01)):
        net = slim.conv2d(net, 32, [3, 3])

Each layer is given what the scope gave it, so nothing of the function is left.
"""

from __future__ import annotations

import ast
import dataclasses

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.model_fn.modes import NotSplit
from migrate.source.nodes import walk_breadth_first
from migrate.tables import contrib_graph


@dataclasses.dataclass(frozen=True)
class Made:
    """A call of such a function.

    Attributes:
      opened: the calls of `arg_scope` in it, outermost first.
      bound: its parameters in this call, by name.
    """

    function: ast.FunctionDef
    opened: tuple[ast.Call, ...]
    bound: dict[str, ast.expr]


def find_returned_scope(node: ast.expr | None, scopes: Scopes) -> Made | None:
    """What a call of a function that returns an argument scope opens.

    Raises:
      NotSplit: the function does more.
    """
    function = scopes.function(node.func) if isinstance(node, ast.Call) else None
    if function is None or not isinstance(node, ast.Call):
        return None
    bound = names.bind_call(node, function)
    opened = _find_opened_scopes(function.body, function, scopes)
    if bound is None or opened is None:
        raise NotSplit(node, f"{function.name}() does more than open argument scopes")
    return Made(function, tuple(opened), defaults(function) | bound)


def defaults(function: ast.FunctionDef) -> dict[str, ast.expr]:
    """What parameters are where a call does not give them."""
    arguments = function.args
    last = arguments.args[len(arguments.args) - len(arguments.defaults) :]
    found = {a.arg: value for a, value in zip(last, arguments.defaults)}
    for argument, value in zip(arguments.kwonlyargs, arguments.kw_defaults):
        if value is not None:
            found[argument.arg] = value
    return found


def _find_opened_scopes(
    body: list[ast.stmt], function: ast.FunctionDef, scopes: Scopes
) -> list[ast.Call] | None:
    """The argument scopes of a suite that ends with the innermost of them."""
    *before, last = body
    for statement in before:
        text = isinstance(statement, ast.Expr) and isinstance(
            statement.value, ast.Constant
        )
        if not text and not _is_dictionary(statement):
            return None
    if not isinstance(last, ast.With):
        return None
    found: list[ast.Call] = []
    for item in last.items:
        call = item.context_expr
        if not isinstance(call, ast.Call):
            return None
        if scopes.resolve(call.func) not in contrib_graph.ARG_SCOPES:
            return None
        found.append(call)
    inner = last.body[0]
    if len(last.body) == 1 and isinstance(inner, ast.Return):
        named = last.items[-1].optional_vars
        same = isinstance(inner.value, ast.Name) and isinstance(named, ast.Name)
        if same and inner.value.id == named.id:  # type: ignore[union-attr]
            return found
        return None
    rest = _find_opened_scopes(last.body, function, scopes)
    return None if rest is None else [*found, *rest]


def _is_dictionary(statement: ast.stmt) -> bool:
    """Whether a statement gives a name to a dictionary: arguments of a normalizer."""
    return (
        isinstance(statement, ast.Assign)
        and [type(t) for t in statement.targets] == [ast.Name]
        and isinstance(statement.value, (ast.Dict, ast.Call))
    )


class Values:
    """What expressions of such functions are where layers are made.

    Attributes:
      replaced: names of their parameters -> what these are.
      functions: those that were read.
    """

    def __init__(self, scopes: Scopes) -> None:
        self._scopes = scopes
        self._bound: dict[ast.AST, Made] = {}
        self.replaced: dict[ast.Name, ast.expr] = {}
        self.functions: dict[ast.FunctionDef, None] = {}

    def begin(self, one: Made) -> None:
        """From now on, the function's parameters are those of this call.

        Raises:
          NotSplit: it was called with others.
        """
        before = self._bound.setdefault(one.function, one)
        kinds = [{n: ast.dump(v) for n, v in m.bound.items()} for m in (before, one)]
        if kinds[0] != kinds[1]:
            raise NotSplit(
                one.function,
                f"another call of {one.function.name}() has other arguments",
            )
        self.functions[one.function] = None

    def resolve_value(self, value: ast.expr) -> ast.expr:
        """An expression, or what a parameter is that it names; conditions are decided."""
        if isinstance(value, ast.IfExp):
            test = self.resolve_value(value.test)
            if isinstance(test, ast.Constant):
                return self.resolve_value(value.body if test.value else value.orelse)
        if isinstance(value, ast.Name):
            return self.parameter(value) or value
        return value

    def parameter(self, name: ast.Name) -> ast.expr | None:
        """What a parameter of such a function is; None for other names."""
        home = self._scopes.scope_of(name).owner(name.id)
        one = self._bound.get(home.node) if home is not None else None
        return one.bound.get(name.id) if one is not None else None

    def replace(self, name: ast.Name, call: ast.AST) -> None:
        """Writes what a parameter is in its place.

        Raises:
          NotSplit: it is not known where the layer is made.
        """
        value = self.parameter(name)
        assert value is not None
        there = self._scopes.module
        for node in walk_breadth_first(value):
            plain = (ast.Constant, ast.Name, ast.Attribute, ast.expr_context)
            if not isinstance(node, (*plain, ast.UnaryOp, ast.unaryop)):
                raise NotSplit(
                    value,
                    "the function that opens argument scopes is given a "
                    "computed argument",
                )
            if isinstance(node, ast.Name):
                owner = self._scopes.scope_of(node).owner(node.id)
                if owner is not there or self._scopes.resolve(node) is not None:
                    raise NotSplit(
                        node,
                        f"`{node.id}` does not exist where the program makes a layer",
                    )
        self.replaced[name] = value
