"""Layers of contrib that move the averages of batch normalisation with what they give.

    h = layers.batch_norm(x, is_training=training, updates_collections=None)

In TF1 a run moved these averages if it needed `h`. The layer that the tool writes moves them
whenever code calls it. So its call is an update, as `tf.assign` is.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts import collected_updates, names, reach
from migrate.facts.scopes import Scopes
from migrate.program.functions import list_parameter_names

_PACKAGES = ("tf.contrib.layers.", "tf.contrib.slim.")
# They call `normalizer_fn`, which may stand in a scope of arguments.
_NORMALISING = frozenset(
    {
        "conv2d",
        "conv2d_transpose",
        "conv3d",
        "convolution",
        "convolution2d",
        "convolution2d_transpose",
        "fully_connected",
        "linear",
        "relu",
        "relu6",
        "repeat",
        "separable_conv2d",
        "separable_convolution2d",
        "stack",
    }
)
_AT_ONCE, _FUNCTION, _TRAINING = "updates_collections", "normalizer_fn", "is_training"


class MovedAverages:
    """Knows the calls that move averages at once."""

    def __init__(self, scopes: Scopes) -> None:
        self._scopes = scopes
        given = list(_list_given(scopes))
        # Calls and dicts with `updates_collections=None`.
        self._at_once = {
            place
            for place, name, value in given
            if name == _AT_ONCE and names.is_none_constant(value)
        }
        self._normalises = any(name == _FUNCTION for _, name, _ in given)
        self._parameters = (
            self._find_parameters([v for _, n, v in given if n == _TRAINING])
            if self._at_once
            else {}
        )

    def moves(self, call: ast.Call) -> bool:
        """Whether a call moves averages, which what it gives needs."""
        if not self._at_once:
            return False
        symbol = self._scopes.resolve(call.func) or ""
        told = {k.arg: k.value for k in call.keywords}
        if symbol in collected_updates.CONTRIB:
            training = names.find_argument(call, _TRAINING, 10)
            if training is not None and names.read_literal(training) is False:
                return False
            # Otherwise a scope of arguments may give it.
            return call in self._at_once or _AT_ONCE not in told
        package, _, name = symbol.rpartition(".")
        if f"{package}." not in _PACKAGES or name not in _NORMALISING:
            return False
        if _FUNCTION in told:
            return names.is_given(told[_FUNCTION])
        return self._normalises

    def is_off(self, use: ast.AST, function: ast.AST) -> bool:
        """Whether a use of a function calls it with `is_training=False`."""
        wanted = self._parameters.get(function, set())
        call = self._scopes.parents.get(use)
        if not wanted or not isinstance(call, ast.Call) or call.func is not use:
            return False
        assert isinstance(function, ast.FunctionDef)
        given = _bind(use, call, function)
        return all(names.read_literal(given.get(name)) is False for name in wanted)

    def _find_parameters(self, training: list[ast.expr]) -> dict[ast.AST, set[str]]:
        """The parameters that functions give to layers as `is_training`."""
        found: dict[ast.AST, set[str]] = {}
        todo = list(training)
        while todo:
            value = todo.pop()
            if not isinstance(value, ast.Name):
                continue
            owner = self._scopes.find_scope(value).find_owner(value.id)
            function = owner.node if owner is not None else None
            if not isinstance(function, ast.FunctionDef):
                continue
            if value.id not in list_parameter_names(function):
                continue
            known = found.setdefault(function, set())
            if value.id in known:
                continue
            known.add(value.id)
            for use in self._list_uses(function):
                call = self._scopes.parents.get(use)
                if isinstance(call, ast.Call) and call.func is use:
                    todo += [
                        v
                        for name, v in _bind(use, call, function).items()
                        if name == value.id
                    ]
        return found

    def _list_uses(self, function: ast.FunctionDef) -> Iterator[ast.AST]:
        methods = reach.find_methods(self._scopes)
        for node in self._scopes.walk():
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                if function in reach.find_definitions(self._scopes, node):
                    yield node
            elif isinstance(node, ast.Attribute):
                if function in methods.get(node.attr, ()):
                    yield node


def _list_given(scopes: Scopes) -> Iterator[tuple[ast.AST, str, ast.expr]]:
    """What calls and dicts give to names."""
    for node in scopes.walk():
        match node:
            case ast.Call(keywords=keywords):
                for keyword in keywords:
                    if keyword.arg is not None:
                        yield node, keyword.arg, keyword.value
            case ast.Dict(keys=keys, values=values):
                for key, value in zip(keys, values, strict=True):
                    if isinstance(key, ast.Constant) and isinstance(key.value, str):
                        yield node, key.value, value


def _bind(
    use: ast.AST, call: ast.Call, function: ast.FunctionDef
) -> dict[str, ast.expr]:
    """What a call gives to a function's parameters, with their default values."""
    parameters = list_parameter_names(function)
    if isinstance(use, ast.Attribute) and parameters[:1] == ["self"]:
        parameters = parameters[1:]
    bound = names.bind_arguments(call, tuple(parameters))
    if bound is None:
        return {}
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    usual = arguments.defaults
    for parameter, value in zip(positional[len(positional) - len(usual) :], usual):
        bound.setdefault(parameter.arg, value)
    for parameter, default in zip(arguments.kwonlyargs, arguments.kw_defaults):
        if default is not None:
            bound.setdefault(parameter.arg, default)
    return bound
