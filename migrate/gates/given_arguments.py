"""What the calls of a file give to the parameters of a function.

class Trainer(Base):
    def __init__(self, hooks):
        super().__init__(hooks)  # It gives `hooks` to the `__init__` of Base.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.reach import find_definitions
from migrate.facts.scopes import Scopes
from migrate.gates.kept_values import FUNCTIONS, KeptValues

# A function's call, its arguments, and how many parameters stand before these.
_Call = tuple[list[ast.AST], list[ast.keyword], int]


class GivenArguments:
    """The arguments of one file's calls."""

    def __init__(self, scopes: Scopes, kept: KeptValues) -> None:
        self._scopes, self._kept = scopes, kept
        self._subclasses: dict[tuple[ast.ClassDef, bool], list[ast.AST]] = {}

    def find_arguments(
        self, function: ast.AST, parameter: ast.arg
    ) -> Iterator[ast.AST]:
        """A parameter's default, and what the file's calls give for it."""
        if not isinstance(function, (*FUNCTIONS, ast.Lambda)):
            return
        arguments = function.args
        plain = [*arguments.posonlyargs, *arguments.args]
        known = [None] * (len(plain) - len(arguments.defaults)) + arguments.defaults
        pairs = zip([*plain, *arguments.kwonlyargs], [*known, *arguments.kw_defaults])
        yield from (d for own, d in pairs if own is parameter and d is not None)
        calls = [
            *self._find_calls(function),
            *self._find_decorated(function),
        ]
        for call in calls:
            yield from self._find_given(call, arguments, parameter)

    def find_imported(
        self, function: ast.AST, above: ast.AST | None, parameter: ast.arg
    ) -> Iterator[ast.AST]:
        """What the file gives to a function of another file.

        Args:
          above: what the function stands in there.
        """
        if not isinstance(function, FUNCTIONS):
            return
        makes = isinstance(above, ast.ClassDef) and function.name == "__init__"
        name = above.name if isinstance(above, ast.ClassDef) and makes else ""
        for call in self._calls_by_name.get(name or function.name, ()):
            if self._scopes.import_path(call.func):
                given: _Call = [*call.args], call.keywords, int(makes)
                yield from self._find_given(given, function.args, parameter)

    def _find_given(
        self, call: _Call, arguments: ast.arguments, parameter: ast.arg
    ) -> Iterator[ast.AST]:
        """What of a call's arguments a parameter gets."""
        given, keywords, skipped = call
        plain = [*arguments.posonlyargs, *arguments.args]
        own = {a.arg for a in (*plain, *arguments.kwonlyargs)}
        for keyword in keywords:
            if keyword.arg == parameter.arg:
                yield keyword.value
            elif keyword.arg is None:
                yield from self._kept.find_keyed(parameter.arg)
            elif parameter is arguments.kwarg and keyword.arg not in own:
                yield keyword.value
        if parameter not in plain and parameter is not arguments.vararg:
            return
        place = plain.index(parameter) if parameter in plain else len(plain)
        place -= skipped
        starred = [g for g in given[: max(place + 1, 0)] if isinstance(g, ast.Starred)]
        if starred:
            yield starred[0]
        elif parameter is arguments.vararg:
            yield from given[max(place, 0) :]
        elif 0 <= place < len(given):
            yield given[place]

    @functools.cached_property
    def _calls_by_name(self) -> dict[str, list[ast.Call]]:
        """The calls by the last part of what they call, also by way of `partial`."""
        found: dict[str, list[ast.Call]] = {}
        for node in self._scopes.walk():
            if isinstance(node, ast.Call):
                found.setdefault(names.get_last_part(node.func), []).append(node)
                if is_partial(self._scopes, node):
                    whole = ast.Call(node.args[0], node.args[1:], node.keywords)
                    last = names.get_last_part(node.args[0])
                    found.setdefault(last, []).append(whole)
        return found

    def _find_calls(
        self, function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    ) -> Iterator[_Call]:
        if isinstance(function, ast.Lambda):
            for calls in self._calls_by_name.values():
                for call in calls:
                    if self._names_one_of(call.func, [function]):
                        yield [*call.args], call.keywords, 0
            return
        above = self._scopes.parents.get(function)
        if not isinstance(above, ast.ClassDef):
            for call in self._calls_by_name.get(function.name, ()):
                if self._names_one_of(call.func, [function]):
                    yield [*call.args], call.keywords, 0
            return
        if function.name == "__init__":
            yield from self._find_makes(above)
        is_static = any(
            names.get_last_part(d) == "staticmethod" for d in function.decorator_list
        )
        for call in self._calls_by_name.get(function.name, ()):
            if isinstance(call.func, ast.Attribute):
                # `Base.__init__(self, hooks)`.
                whole = self._names_one_of(call.func.value, [above])
                if function.name != "__init__" or whole or self._is_in(call, above):
                    yield [*call.args], call.keywords, int(not (whole or is_static))

    def _find_makes(self, class_: ast.ClassDef) -> Iterator[_Call]:
        """The calls that make objects by a class's `__init__`."""
        classes = self._list_subclasses(class_, own_init=False)
        for name in ("cls", *(c.name for c in classes if isinstance(c, ast.ClassDef))):
            for call in self._calls_by_name.get(name, ()):
                own = name == "cls" and self._find_class(call) in classes
                if own or self._names_one_of(call.func, classes):
                    yield [*call.args], call.keywords, 1

    def _is_in(self, call: ast.Call, class_: ast.ClassDef) -> bool:
        """Whether a call, as of `super().__init__`, is in a class or one made of it."""
        return self._find_class(call) in self._list_subclasses(class_, own_init=True)

    def _list_subclasses(self, class_: ast.ClassDef, own_init: bool) -> list[ast.AST]:
        """A class and those that derive from it.

        Args:
          own_init: also those that have an `__init__` of their own.
        """
        key = class_, own_init
        if key not in self._subclasses:
            self._subclasses[key] = self._find_subclasses(class_, own_init)
        return self._subclasses[key]

    def _find_subclasses(self, class_: ast.ClassDef, own_init: bool) -> list[ast.AST]:
        found: list[ast.AST] = [class_]
        for one in found:
            for node in self._classes:
                if (
                    node not in found
                    and (own_init or not has_init(node))
                    and any(self._names_one_of(base, [one]) for base in node.bases)
                ):
                    found.append(node)
        return found

    @functools.cached_property
    def _classes(self) -> list[ast.ClassDef]:
        return [n for n in self._scopes.walk() if isinstance(n, ast.ClassDef)]

    @functools.cached_property
    def _decorators(self) -> list[tuple[ast.AST, ast.expr]]:
        """What is decorated, with each of its decorators."""
        return [
            (node, decorator)
            for node in self._scopes.walk()
            if isinstance(node, (ast.ClassDef, *FUNCTIONS))
            for decorator in node.decorator_list
        ]

    def _find_class(self, node: ast.AST) -> ast.AST | None:
        above = self._scopes.parents.get(node)
        while above is not None and not isinstance(above, ast.ClassDef):
            above = self._scopes.parents.get(above)
        return above

    def _names_one_of(self, func: ast.expr, wanted: list[ast.AST]) -> bool:
        return isinstance(func, ast.Name) and any(
            one in wanted for one in find_definitions(self._scopes, func)
        )

    def _find_decorated(
        self, function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    ) -> Iterator[_Call]:
        """The classes and functions that a function decorates."""
        if isinstance(function, ast.Lambda):
            return
        makers = [function, self._scopes.parents.get(function)]
        for node, decorator in self._decorators:
            # `@register`, and `@register("name")`, which returns the function.
            is_call = isinstance(decorator, ast.Call)
            func = decorator.func if isinstance(decorator, ast.Call) else decorator
            maker = makers[is_call]
            if maker is not None and self._names_one_of(func, [maker]):
                yield [node], [], 0


def is_partial(scopes: Scopes, call: ast.Call) -> bool:
    """Whether a call is of `functools.partial`."""
    return bool(call.args) and scopes.import_path(call.func) == "functools.partial"


def has_init(class_: ast.ClassDef) -> bool:
    """Whether a class says what its objects are made of."""
    return any(isinstance(m, FUNCTIONS) and m.name == "__init__" for m in class_.body)
