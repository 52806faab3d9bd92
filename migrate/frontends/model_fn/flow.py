"""One model_fn, and how Estimators come by it."""

from __future__ import annotations

import ast
import dataclasses

from migrate.facts import names
from migrate.facts.estimator_calls import Made
from migrate.facts.scopes import Scope
from migrate.frontends.model_fn.modes import NotSplit

# What an Estimator gives its model_fn by the name that it has there.
_GIVEN = ("features", "labels", "mode")


@dataclasses.dataclass(frozen=True, eq=False)
class Elsewhere:
    """A model_fn of another file, or a function there that makes model_fns.

    Attributes:
      node: what names it.
      statement: the import that brings it, or its module.
      alias: of the import.
      name: in the other file.
      makes: whether it is called for a model_fn.
      given: parameters that functools.partial gives it.
    """

    node: ast.expr
    statement: ast.Import | ast.ImportFrom
    alias: ast.alias
    name: str
    makes: bool
    given: frozenset[str] = frozenset()

    @property
    def module(self) -> tuple[int, tuple[str, ...]]:
        """Dots before the module's name, and its parts."""
        if isinstance(self.statement, ast.Import):
            return 0, tuple(self.alias.name.split("."))
        of = self.statement.module
        parts = tuple(of.split(".")) if of else ()
        if isinstance(self.node, ast.Attribute):
            parts = (*parts, self.alias.name)
        return self.statement.level, parts


@dataclasses.dataclass(eq=False)
class Flow:
    """One model_fn, and how Estimators come by it.

    Attributes:
      estimators: calls of Estimator, and their argument that leads to the model_fn.
      bases: what names Estimator where a class of it has the model_fn.
      mentions: expressions that name the model_fn.
      lambdas: lambdas, and functions, that do nothing but call it, and that call.
      partials: calls of functools.partial that give it arguments.
      ways: (scope, name) of what else is named on the way, and its uses there.
      given: parameters that Estimators of other files give it; None if none has it.
    """

    estimators: list[tuple[ast.Call, ast.expr]] = dataclasses.field(
        default_factory=list
    )
    bases: list[ast.expr] = dataclasses.field(default_factory=list)
    mentions: list[ast.Name] = dataclasses.field(default_factory=list)
    lambdas: list[tuple[ast.Lambda | ast.FunctionDef, ast.Call]] = dataclasses.field(
        default_factory=list
    )
    partials: list[ast.Call] = dataclasses.field(default_factory=list)
    ways: dict[tuple[int, str], tuple[Scope, list[ast.Name]]] = dataclasses.field(
        default_factory=dict
    )
    given: frozenset[str] | None = None

    def take(self, other: Flow, one: Made | None = None) -> None:
        """Adds the way of another Estimator."""
        known = one is not None and any(call is one.call for call, _ in self.estimators)
        if one is not None and not known:
            self.estimators.append((one.call, one.model_fn))
        if one is not None and one.base is not None and not known:
            self.bases.append(one.base)
        self.mentions += [n for n in other.mentions if n not in self.mentions]
        self.lambdas += [x for x in other.lambdas if x not in self.lambdas]
        self.partials += [c for c in other.partials if c not in self.partials]
        for key, (scope, uses) in other.ways.items():
            self.ways.setdefault(key, (scope, []))[1].extend(uses)

    def find_bound_parameters(self, function: ast.FunctionDef) -> frozenset[str]:
        """Finds the parameters that every functools.partial or lambda gives.

        Raises:
          NotSplit: that is not certain.
        """
        found: set[frozenset[str]] = set()
        if self.given is not None:
            found.add(self.given)
        for call in self.partials:
            given = _find_given_parameters(call, function)
            if given is None:
                raise NotSplit(
                    call,
                    "the tool cannot tell the arguments of functools.partial apart",
                )
            found.add(given)
        for around, call in self.lambdas:
            found.add(_find_parameters_given_around(around, call, function))
        every = len(self.partials) + len(self.lambdas)
        plain = found - {frozenset()} and every < len(self.mentions)
        if len(found) > 1 or plain:
            raise NotSplit(function, "different Estimators give it different arguments")
        return found.pop() if found else frozenset()


def _find_given_parameters(
    call: ast.Call, function: ast.FunctionDef
) -> frozenset[str] | None:
    """Parameters that a call of functools.partial gives."""
    if any(isinstance(a, ast.Starred) for a in call.args):
        return None
    if any(k.arg is None for k in call.keywords):
        return None
    positional = [a.arg for a in function.args.args]
    given = positional[: len(call.args) - 1]
    named = [k.arg for k in call.keywords if k.arg is not None]
    every = {*positional, *(a.arg for a in function.args.kwonlyargs)}
    if len(given) < len(call.args) - 1 or not set(named) <= every:
        return None
    if any(n in positional and positional.index(n) == len(given) for n in named):
        return None  # What an Estimator gives by position would be this one.
    return frozenset([*given, *named])


def _find_parameters_given_around(
    around: ast.Lambda | ast.FunctionDef, call: ast.Call, function: ast.FunctionDef
) -> frozenset[str]:
    """Parameters that a lambda, or a function, gives beside what an Estimator does.

    Raises:
      NotSplit: it gives an Estimator's argument otherwise than by its name.
    """
    own = around.args
    roles = [a.arg for a in own.args]
    bound = names.bind_call(call, function)
    what = "a lambda" if isinstance(around, ast.Lambda) else f"{around.name}()"
    if bound is None or own.vararg or own.kwarg or own.kwonlyargs or own.posonlyargs:
        raise NotSplit(
            around, f"the tool cannot tell which arguments {what} gives the model_fn"
        )
    if any(not names.is_none_constant(default) for default in own.defaults):
        raise NotSplit(
            around, f"the tool cannot tell which arguments {what} gives the model_fn"
        )
    found: set[str] = set()
    passed: set[str] = set()
    for name, value in bound.items():
        if isinstance(value, ast.Name) and value.id in roles:
            if value.id != name or name in passed:
                raise NotSplit(
                    value, f"{what} gives the model_fn another value as `{name}`"
                )
            passed.add(name)
        elif names.find_reads(value) & ({*roles[:1], *_GIVEN} & set(roles)):
            raise NotSplit(value, f"{what} changes the arguments of the model_fn")
        else:
            found.add(name)
    every = {a.arg for a in function.args.args}
    if missing := sorted({*_GIVEN} & every - passed):
        raise NotSplit(around, f"{what} does not pass `{missing[0]}` to the model_fn")
    # What it leaves out has a default.
    every -= {*_GIVEN, "params", "config"}
    return frozenset(found | every - passed)
