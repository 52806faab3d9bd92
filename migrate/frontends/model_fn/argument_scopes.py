"""Reads functions of the file that make an argument scope and return it.

    def small_arg_scope(weight_decay=0.0005):
        with slim.arg_scope(
            [slim.conv2d], weights_regularizer=slim.l2_regularizer(weight_decay)
        ) as scope:
            return scope

    with slim.arg_scope(small_arg_scope(0.01)):
        net = slim.conv2d(net, 32, [3, 3])

Each layer gets the arguments of the scope, so the result does not need the function.
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
      opened: the calls of `arg_scope` in the function, outermost first.
      bound: the values of the function's parameters in this call, by name.
    """

    function: ast.FunctionDef
    opened: tuple[ast.Call, ...]
    bound: dict[str, ast.expr]


def find_returned_scope(node: ast.expr | None, scopes: Scopes) -> Made | None:
    """The argument scopes of a call, if the called function returns one.

    Raises:
      NotSplit: the function does more than open argument scopes.
    """
    function = scopes.find_function(node.func) if isinstance(node, ast.Call) else None
    if function is None or not isinstance(node, ast.Call):
        return None
    bound = names.bind_call(node, function)
    opened = _find_opened_scopes(function.body, function, scopes)
    if bound is None or opened is None:
        raise NotSplit(node, f"{function.name}() does more than open argument scopes")
    return Made(function, tuple(opened), map_defaults(function) | bound)


def map_defaults(function: ast.FunctionDef) -> dict[str, ast.expr]:
    """The default values of a function's parameters, by name."""
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
    """The argument scopes that a suite opens, if it ends by returning the innermost one."""
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
    """Whether a statement assigns a dictionary, such as the arguments of a normalizer."""
    return (
        isinstance(statement, ast.Assign)
        and [type(t) for t in statement.targets] == [ast.Name]
        and isinstance(statement.value, (ast.Dict, ast.Call))
    )


class Values:
    """Finds the values of such functions' expressions at the place where a layer is made.

    Attributes:
      replaced: uses of the functions' parameters -> their values.
      functions: the functions that were read.
    """

    def __init__(self, scopes: Scopes) -> None:
        self._scopes = scopes
        self._bound: dict[ast.AST, Made] = {}
        self.replaced: dict[ast.Name, ast.expr] = {}
        self.functions: dict[ast.FunctionDef, None] = {}

    def begin_call(self, one: Made) -> None:
        """Uses the arguments of this call as the values of the function's parameters.

        Raises:
          NotSplit: another call of the function has other arguments.
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
        """The expression, with decided conditions, or the value of the parameter that it names."""
        if isinstance(value, ast.IfExp):
            test = self.resolve_value(value.test)
            if isinstance(test, ast.Constant):
                return self.resolve_value(value.body if test.value else value.orelse)
        if isinstance(value, ast.Name):
            return self.find_parameter(value) or value
        return value

    def find_parameter(self, name: ast.Name) -> ast.expr | None:
        """The value of a parameter of such a function; None for other names."""
        home = self._scopes.find_scope(name).find_owner(name.id)
        one = self._bound.get(home.node) if home is not None else None
        return one.bound.get(name.id) if one is not None else None

    def replace(self, name: ast.Name) -> None:
        """Replaces a parameter by its value.

        Raises:
          NotSplit: the value uses names that are not known where the layer is made.
        """
        value = self.find_parameter(name)
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
                owner = self._scopes.find_scope(node).find_owner(node.id)
                if owner is not there or self._scopes.resolve(node) is not None:
                    raise NotSplit(
                        node,
                        f"`{node.id}` does not exist where the program makes a layer",
                    )
        self.replaced[name] = value
