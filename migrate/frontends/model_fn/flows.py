"""Where a model_fn goes before an Estimator has it: builders, names, partials, lambdas.

    def model_fn_builder(rate):
        def model_fn(features, labels, mode): ...
        return model_fn

    estimator = tf.estimator.Estimator(model_fn_builder(0.1))

Every name on the way must lead to Estimators alone, for what it stands for changes.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.scopes import Scope, Scopes
from migrate.frontends.model_fn.calls import bound_call
from migrate.frontends.model_fn.modes import NotSplit

_ESTIMATOR = "tf.estimator.Estimator"


@dataclasses.dataclass(frozen=True, eq=False)
class Elsewhere:
    """A model_fn, or a function that makes some, of another file.

    Attributes:
      node: what names it.
      statement: the import that brings it, or its module.
      alias: of the import.
      name: in the other file.
      makes: whether it is called for a model_fn.
    """

    node: ast.expr
    statement: ast.Import | ast.ImportFrom
    alias: ast.alias
    name: str
    makes: bool

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


class _IsElsewhere(Exception):
    """Of a search that leads to another file."""

    def __init__(self, found: Elsewhere) -> None:
        super().__init__()
        self.found = found


@dataclasses.dataclass(eq=False)
class Flow:
    """One model_fn, and how Estimators come by it.

    Attributes:
      estimators: calls of Estimator, and their argument that leads to the model_fn.
      mentions: expressions that name the model_fn.
      lambdas: lambdas whose body is a call of it, and that call.
      partials: calls of functools.partial that give it arguments.
      ways: (scope, name) of what else is named on the way, and its uses there.
    """

    estimators: list[tuple[ast.Call, ast.expr]] = dataclasses.field(
        default_factory=list
    )
    mentions: list[ast.Name] = dataclasses.field(default_factory=list)
    lambdas: list[tuple[ast.Lambda, ast.Call]] = dataclasses.field(default_factory=list)
    partials: list[ast.Call] = dataclasses.field(default_factory=list)
    ways: dict[tuple[int, str], tuple[Scope, list[ast.Name]]] = dataclasses.field(
        default_factory=dict
    )

    def take(
        self,
        other: Flow,
        call: ast.Call | None = None,
        value: ast.expr | None = None,
    ) -> None:
        """Adds the way of another Estimator."""
        if call is not None and value is not None:
            self.estimators.append((call, value))
        self.mentions += [n for n in other.mentions if n not in self.mentions]
        self.lambdas += [x for x in other.lambdas if x not in self.lambdas]
        self.partials += [c for c in other.partials if c not in self.partials]
        for key, (scope, uses) in other.ways.items():
            self.ways.setdefault(key, (scope, []))[1].extend(uses)

    def bound(self, function: ast.FunctionDef) -> frozenset[str]:
        """Parameters that functools.partial or a lambda gives, the same in each.

        Raises:
          NotSplit: that is not certain.
        """
        found: set[frozenset[str]] = set()
        for call in self.partials:
            given = _given(call, function)
            if given is None:
                raise NotSplit(call, "what functools.partial gives is not certain")
            found.add(given)
        for around, call in self.lambdas:
            found.add(_given_in(around, call, function))
        if len(found) > 1 or (
            found and len(self.partials) + len(self.lambdas) < len(self.mentions)
        ):
            raise NotSplit(function, "it is given more arguments here than there")
        return found.pop() if found else frozenset()


class Flows:
    """Finds the model_fns of a module.

    Attributes:
      found: model_fn -> its flow.
      elsewhere: what is of other files, by the text that names it -> its flow, and
        each place.
      lost: Estimators whose model_fn is not in sight, and why.
    """

    def __init__(self, scopes: Scopes) -> None:
        self._scopes = scopes
        self.found: dict[ast.FunctionDef, Flow] = {}
        self.elsewhere: dict[str, tuple[Flow, list[Elsewhere]]] = {}
        self.lost: list[tuple[ast.Call, str]] = []
        for call, value in self._estimators():
            flow = Flow()
            try:
                function = self._trace(value, flow, set())
            except NotSplit as reason:
                self.lost.append((call, reason.reason))
                continue
            except _IsElsewhere as other:
                text = ast.unparse(other.found.node)
                known, places = self.elsewhere.setdefault(text, (Flow(), []))
                places.append(other.found)
                known.take(flow, call, value)
                continue
            self.found.setdefault(function, Flow()).take(flow, call, value)

    def export(self, name: str) -> None:
        """Adds a model_fn that Estimators of other files have, or a function makes."""
        bound = self._scopes.module.bindings.get(name, [])
        if len(bound) != 1 or not isinstance(bound[0], ast.FunctionDef):
            return
        flow = Flow()
        roles = {argument.arg for argument in bound[0].args.args}
        if {"labels", "mode"} <= roles:
            self.found.setdefault(bound[0], Flow())
            return
        try:
            function = self._returned(bound[0], flow, set())
        except (NotSplit, _IsElsewhere):
            return
        flow.ways.setdefault((id(self._scopes.module), name), (self._scopes.module, []))
        self.found.setdefault(function, Flow()).take(flow)

    def _estimators(self) -> Iterator[tuple[ast.Call, ast.expr]]:
        for node, symbol in self._scopes.walk_uses():
            call = self._scopes.parents.get(node)
            if symbol != _ESTIMATOR or not isinstance(call, ast.Call):
                continue
            if call.func is node:
                value = names.argument(call, "model_fn", 0)
                if value is not None:
                    yield call, value

    def _trace(self, node: ast.expr, flow: Flow, seen: set[ast.AST]) -> ast.FunctionDef:
        """The function that an expression leads to.

        Raises:
          NotSplit: it is not in sight.
        """
        if node in seen:
            raise NotSplit(node, "its model_fn is not in sight")
        seen.add(node)
        if isinstance(node, ast.Name):
            return self._named(node, flow, seen)
        if isinstance(node, ast.Attribute):
            self._module(node, node, False)
        if isinstance(node, ast.Lambda) and isinstance(node.body, ast.Call):
            if isinstance(node.body.func, ast.Name):
                function = self._here(node.body.func, flow, seen)
                if flow.mentions[-1:] == [node.body.func]:
                    flow.lambdas.append((node, node.body))
                    return function
        if isinstance(node, ast.Call) and self._is_partial(node.func) and node.args:
            function = self._here(node.args[0], flow, seen)
            if flow.mentions[-1:] == [node.args[0]]:
                flow.partials.append(node)
                return function
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            return self._built(node.func, flow, seen)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            self._module(node.func, node.func, True)
        raise NotSplit(
            node, "its model_fn is no function of this module that is in sight"
        )

    def _here(self, node: ast.expr, flow: Flow, seen: set[ast.AST]) -> ast.FunctionDef:
        """The same, where it has to be a function of this file."""
        try:
            return self._trace(node, flow, seen)
        except _IsElsewhere:
            raise NotSplit(
                node, "its model_fn is of another file, and given arguments"
            ) from None

    def _module(self, node: ast.Attribute, mention: ast.expr, makes: bool) -> None:
        """`module.model_fn`: fails with where that is."""
        if isinstance(node.value, ast.Name):
            _, bound = self._bound(node.value)
            self._import(bound, node.value.id, mention, node.attr, makes)

    def _import(
        self, bound: ast.AST, local: str, node: ast.expr, name: str, makes: bool
    ) -> None:
        if not isinstance(bound, (ast.Import, ast.ImportFrom)):
            return
        for alias in bound.names:
            if (alias.asname or alias.name) == local:
                of = name or alias.name
                raise _IsElsewhere(Elsewhere(node, bound, alias, of, makes))

    def _named(self, node: ast.Name, flow: Flow, seen: set[ast.AST]) -> ast.FunctionDef:
        owner, bound = self._bound(node)
        if isinstance(bound, ast.FunctionDef):
            flow.mentions.append(node)
            return bound
        if isinstance(bound, ast.Assign) and isinstance(bound.targets[0], ast.Name):
            self._pass(owner, node, flow)
            return self._trace(bound.value, flow, seen)
        self._import(bound, node.id, node, "", False)
        raise NotSplit(
            node, "its model_fn is no function of this module that is in sight"
        )

    def _built(self, name: ast.Name, flow: Flow, seen: set[ast.AST]) -> ast.FunctionDef:
        """What a function returns that makes model_fns."""
        owner, bound = self._bound(name)
        self._import(bound, name.id, name, "", True)
        if not isinstance(bound, ast.FunctionDef):
            raise NotSplit(name, "what makes its model_fn is not in sight")
        self._pass(owner, name, flow)
        return self._returned(bound, flow, seen)

    def _returned(
        self, builder: ast.FunctionDef, flow: Flow, seen: set[ast.AST]
    ) -> ast.FunctionDef:
        if builder.decorator_list:
            raise NotSplit(builder, "what makes its model_fn is decorated")
        returned = [
            n
            for n in names.walk_scope_of_function(builder)
            if isinstance(n, ast.Return) and n.value is not None
        ]
        if len(returned) != 1:
            raise NotSplit(
                builder, f"{builder.name}() may return more than one model_fn"
            )
        assert returned[0].value is not None
        return self._trace(returned[0].value, flow, seen)

    def _bound(self, node: ast.Name) -> tuple[Scope, ast.AST]:
        owner = self._scopes.scope_of(node).owner(node.id)
        bound = owner.bindings[node.id] if owner is not None else []
        if owner is None or len(bound) != 1:
            raise NotSplit(
                node, f"`{node.id}` is bound more than once, or not in sight"
            )
        return owner, bound[0]

    def _pass(self, owner: Scope, node: ast.Name, flow: Flow) -> None:
        flow.ways.setdefault((id(owner), node.id), (owner, []))[1].append(node)

    def _is_partial(self, node: ast.expr) -> bool:
        root = node.value if isinstance(node, ast.Attribute) else node
        if not isinstance(root, ast.Name):
            return False
        owner = self._scopes.scope_of(root).owner(root.id)
        for bound in owner.bindings[root.id] if owner is not None else ():
            if isinstance(node, ast.Attribute):
                if isinstance(bound, ast.Import) and node.attr == "partial":
                    return any(a.name == "functools" for a in bound.names)
            elif isinstance(bound, ast.ImportFrom) and bound.module == "functools":
                return any((a.asname or a.name) == root.id for a in bound.names)
        return False

    def check(self, function: ast.FunctionDef) -> None:
        """Fails where something else than Estimators has the model_fn."""
        flow = self.found[function]
        owner = self._scopes.scope_of(function)
        ways = [(owner, function.name, flow.mentions)]
        ways += [(scope, key[1], uses) for key, (scope, uses) in flow.ways.items()]
        self._check(ways, flow)

    def check_elsewhere(self, text: str) -> None:
        """The same, of a model_fn that is of another file."""
        flow, places = self.elsewhere[text]
        ways = [(scope, key[1], uses) for key, (scope, uses) in flow.ways.items()]
        names_of = [p.node for p in places if isinstance(p.node, ast.Name)]
        if names_of:
            ways.append((self._scopes.module, names_of[0].id, names_of))
        self._check(ways, flow)

    def _check(self, ways: list[tuple[Scope, str, list[ast.Name]]], flow: Flow) -> None:
        for scope, name, uses in ways:
            known = set(uses)
            for node in self._scopes.walk():
                if isinstance(node, ast.Name) and node.id == name:
                    if isinstance(node.ctx, ast.Load) and node not in known:
                        if self._scopes.scope_of(node).owner(name) is scope:
                            raise NotSplit(
                                node, f"{name} is used by more than Estimators"
                            )
        for call, _ in flow.estimators:
            if any(isinstance(a, ast.Starred) for a in call.args) or any(
                k.arg is None for k in call.keywords
            ):
                raise NotSplit(call, "arguments of Estimator that are not written out")


def _given(call: ast.Call, function: ast.FunctionDef) -> frozenset[str] | None:
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


def _given_in(
    around: ast.Lambda, call: ast.Call, function: ast.FunctionDef
) -> frozenset[str]:
    """Parameters that a lambda gives beside what an Estimator does.

    Raises:
      NotSplit: it gives an Estimator's argument otherwise than by its name.
    """
    own = around.args
    roles = [a.arg for a in own.args]
    bound = bound_call(call, function)
    if bound is None or own.defaults or own.vararg or own.kwarg or own.kwonlyargs:
        raise NotSplit(around, "what a lambda gives its model_fn is not certain")
    found: set[str] = set()
    passed: set[str] = set()
    for name, value in bound.items():
        if isinstance(value, ast.Name) and value.id in roles:
            if value.id != name or name in passed:
                raise NotSplit(value, f"a lambda gives its model_fn `{name}` anew")
            passed.add(name)
        elif names.reads(value) & set(roles[:3]):
            raise NotSplit(value, "a lambda changes what its model_fn is given")
        else:
            found.add(name)
    return frozenset(found)
