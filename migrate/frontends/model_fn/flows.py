"""Follows a model_fn to its Estimator: through builders, names, partials, lambdas.

    def model_fn_builder(rate):
        def model_fn(features, labels, mode): ...
        return model_fn

    estimator = tf.estimator.Estimator(model_fn_builder(0.1))

Every name on the way must lead only to Estimators, because its value changes.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterable

from migrate.facts import estimator_calls, names
from migrate.facts.estimator_calls import Made, is_partial
from migrate.facts.scopes import Scope, Scopes
from migrate.frontends.model_fn.choices import Choices, Given
from migrate.frontends.model_fn.flow import Elsewhere, Flow
from migrate.frontends.model_fn.modes import NotSplit
from migrate.frontends.model_fn.signature import is_model_fn
from migrate.source.nodes import walk_breadth_first
from migrate.tables.estimator_names import ESTIMATOR

# Attributes by which an Estimator gives its model_fn, which no longer is one.
_OF_MODEL_FNS = frozenset({"model_fn", "_model_fn", "_call_model_fn"})


class _IsElsewhere(Exception):
    """The search leads to another file."""

    def __init__(self, found: Elsewhere) -> None:
        super().__init__()
        self.found = found


class Flows:
    """Finds the model_fns of a module.

    Attributes:
      found: model_fn -> its flow.
      elsewhere: what is of other files, by the text that names it -> its flow, and
        each place.
      lost: Estimators whose model_fn is not in sight, and why.
      together: of each Estimator, the model_fns that it may have.

    Args:
      naming: texts of other files that may call functions of this one.
    """

    def __init__(self, scopes: Scopes, naming: Iterable[str] = ()) -> None:
        self._scopes = scopes
        self._given = Given(scopes, naming)
        self._choices = Choices()
        self.found: dict[ast.FunctionDef, Flow] = {}
        self.elsewhere: dict[str, tuple[Flow, list[Elsewhere]]] = {}
        self.lost: list[tuple[ast.Call, str]] = []
        self.together: list[set[ast.FunctionDef]] = []
        for one in estimator_calls.find_estimator_calls(scopes):
            try:
                self._add(one)
            except NotSplit as reason:
                self.lost.append((one.call, reason.reason))

    def _add(self, one: Made) -> None:
        """The model_fns that an Estimator may have.

        Raises:
          NotSplit: one of them is not in sight.
        """
        self._choices = Choices()
        found: list[tuple[ast.FunctionDef, Flow]] = []
        others: list[tuple[Elsewhere, Flow]] = []
        while True:
            flow = Flow()
            try:
                found.append((self._trace_expression(one.model_fn, flow, set()), flow))
            except _IsElsewhere as other:
                others.append((other.found, flow))
            if not self._choices.begin_next_way():
                break
        self._check_class(one)
        texts = {ast.unparse(place.node) for place, _ in others}
        if others and (found or len(texts) > 1):
            raise NotSplit(
                one.call,
                "the program chooses its model_fn from several, and one is in "
                "another file",
            )
        for place, flow in others:
            known, places = self.elsewhere.setdefault(texts.copy().pop(), (Flow(), []))
            if all(place.node is not other.node for other in places):
                places.append(place)
            known.take(flow, one)
        for function, flow in found:
            self.found.setdefault(function, Flow()).take(flow, one)
        self.together.append({function for function, _ in found})

    def add_export(self, name: str, given: frozenset[str]) -> None:
        """Adds a model_fn that Estimators of other files have, or a function makes.

        Args:
          given: parameters that functools.partial gives it there.
        """
        bound = self._scopes.module.bindings.get(name, [])
        if len(bound) != 1 or not isinstance(bound[0], ast.FunctionDef):
            return
        flow = Flow()
        if is_model_fn(bound[0]):
            self.found.setdefault(bound[0], Flow()).given = given
            return
        try:
            function = self._follow_return(bound[0], flow, set())
        except (NotSplit, _IsElsewhere):
            return
        flow.ways.setdefault((id(self._scopes.module), name), (self._scopes.module, []))
        self.found.setdefault(function, Flow()).take(flow)

    def _check_class(self, one: Made) -> None:
        """Fails if a class of Estimator knows more of it than its methods."""
        for node in walk_breadth_first(one.owner) if one.owner is not None else ():
            if isinstance(node, ast.Attribute) and node.attr in _OF_MODEL_FNS:
                if node is not one.model_fn:
                    raise NotSplit(
                        node, f"the class of the Estimator uses `{ast.unparse(node)}`"
                    )
        for node, symbol in self._scopes.walk_uses() if one.owner is not None else ():
            if symbol == f"{ESTIMATOR}.__init__":
                raise NotSplit(node, "a class calls `Estimator.__init__` by this name")

    def _trace_expression(
        self, node: ast.expr, flow: Flow, seen: set[ast.AST]
    ) -> ast.FunctionDef:
        """Follows an expression to the function that it stands for.

        Raises:
          NotSplit: it is not in sight.
        """
        if node in seen:
            raise NotSplit(node, "the tool cannot tell which model_fn it has")
        seen.add(node)
        options = self._given.list_options(node)
        for scope, name, uses in self._given.ways if options else ():
            known = flow.ways.setdefault((id(scope), name), (scope, []))[1]
            known.extend(uses)
        if options:
            return self._trace_expression(
                self._choices.choose_option(options), flow, seen
            )
        if isinstance(node, ast.Name):
            return self._follow_name(node, flow, seen)
        if isinstance(node, ast.Attribute):
            self._check_module(node, node, False)
        if isinstance(node, ast.Lambda) and isinstance(node.body, ast.Call):
            if isinstance(node.body.func, ast.Name):
                function = self._trace_here(node.body.func, flow, seen)
                if flow.mentions[-1:] == [node.body.func]:
                    flow.lambdas.append((node, node.body))
                    return function
        if (
            isinstance(node, ast.Call)
            and is_partial(node.func, self._scopes)
            and node.args
        ):
            try:
                function = self._trace_expression(node.args[0], flow, seen)
            except _IsElsewhere as other:
                raise _IsElsewhere(_follow_partial(other.found, node)) from None
            if flow.mentions[-1:] == [node.args[0]]:
                flow.partials.append(node)
                return function
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            return self._follow_builder(node.func, flow, seen)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            self._check_module(node.func, node.func, True)
        raise NotSplit(
            node, "the tool does not find its model_fn among the functions of this file"
        )

    def _trace_here(
        self, node: ast.expr, flow: Flow, seen: set[ast.AST]
    ) -> ast.FunctionDef:
        """Traces an expression to a function, which must be of this file."""
        try:
            return self._trace_expression(node, flow, seen)
        except _IsElsewhere:
            raise NotSplit(
                node,
                "its model_fn is in another file, and this file gives it "
                "further arguments",
            ) from None

    def _check_module(
        self, node: ast.Attribute, mention: ast.expr, makes: bool
    ) -> None:
        """Reads `module.model_fn` of an imported module as of another file."""
        if isinstance(node.value, ast.Name):
            _, bound = self._find_binding(node.value)
            self._read_import(bound, node.value.id, mention, node.attr, makes)

    def _read_import(
        self, bound: ast.AST, local: str, node: ast.expr, name: str, makes: bool
    ) -> None:
        if not isinstance(bound, (ast.Import, ast.ImportFrom)):
            return
        for alias in bound.names:
            if (alias.asname or alias.name) == local:
                of = name or alias.name
                raise _IsElsewhere(Elsewhere(node, bound, alias, of, makes))

    def _follow_name(
        self, node: ast.Name, flow: Flow, seen: set[ast.AST]
    ) -> ast.FunctionDef:
        owner, bound = self._find_binding(node)
        if isinstance(bound, ast.FunctionDef):
            call = self._find_passed_call(bound)
            if call is not None and isinstance(call.func, ast.Name):
                self._pass_name(owner, node, flow)
                function = self._trace_here(call.func, flow, seen)
                flow.lambdas.append((bound, call))
                return function
            flow.mentions.append(node)
            return bound
        if isinstance(bound, ast.Assign) and isinstance(bound.targets[0], ast.Name):
            self._pass_name(owner, node, flow)
            return self._trace_expression(bound.value, flow, seen)
        self._read_import(bound, node.id, node, "", False)
        raise NotSplit(
            node, "the tool does not find its model_fn among the functions of this file"
        )

    def _find_passed_call(self, function: ast.FunctionDef) -> ast.Call | None:
        """Finds the call of another model_fn, if a function does nothing else."""
        body = function.body
        if isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
            body = body[1:]
        value = body[0].value if body and isinstance(body[0], ast.Return) else None
        if len(body) != 1 or not isinstance(value, ast.Call):
            return None
        if not isinstance(value.func, ast.Name) or function.decorator_list:
            return None
        owner = self._scopes.find_scope(value.func).find_owner(value.func.id)
        bound = owner.bindings[value.func.id] if owner is not None else []
        if len(bound) != 1 or not isinstance(bound[0], ast.FunctionDef):
            return None
        return value if is_model_fn(bound[0]) else None

    def _follow_builder(
        self, name: ast.Name, flow: Flow, seen: set[ast.AST]
    ) -> ast.FunctionDef:
        """Finds the model_fn that a function with this name returns."""
        owner, bound = self._find_binding(name)
        self._read_import(bound, name.id, name, "", True)
        if not isinstance(bound, ast.FunctionDef):
            raise NotSplit(
                name, "the tool does not find the function that makes its model_fn"
            )
        self._pass_name(owner, name, flow)
        return self._follow_return(bound, flow, seen)

    def _follow_return(
        self, builder: ast.FunctionDef, flow: Flow, seen: set[ast.AST]
    ) -> ast.FunctionDef:
        if builder.decorator_list:
            raise NotSplit(
                builder, "the function that makes its model_fn has a decorator"
            )
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
        return self._trace_expression(returned[0].value, flow, seen)

    def _find_binding(self, node: ast.Name) -> tuple[Scope, ast.AST]:
        owner = self._scopes.find_scope(node).find_owner(node.id)
        bound = owner.bindings[node.id] if owner is not None else []
        if owner is None or len(bound) != 1:
            raise NotSplit(
                node,
                f"`{node.id}` is assigned more than once, or the tool cannot "
                "tell what it is",
            )
        return owner, bound[0]

    def _pass_name(self, owner: Scope, node: ast.Name, flow: Flow) -> None:
        flow.ways.setdefault((id(owner), node.id), (owner, []))[1].append(node)

    def check(self, function: ast.FunctionDef) -> None:
        """Fails if something else than Estimators has the model_fn."""
        flow = self.found[function]
        owner = self._scopes.find_scope(function)
        ways = [(owner, function.name, flow.mentions)]
        ways += [(scope, key[1], uses) for key, (scope, uses) in flow.ways.items()]
        self._check(ways, flow)

    def check_elsewhere(self, text: str) -> None:
        """Does the check for a model_fn of another file."""
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
                        if self._scopes.find_scope(node).find_owner(name) is scope:
                            raise NotSplit(
                                node,
                                f"the program uses `{name}` for more than Estimators",
                            )
        for call, _ in flow.estimators:
            if any(isinstance(a, ast.Starred) for a in call.args) or any(
                k.arg is None for k in call.keywords
            ):
                raise NotSplit(call, "a call of Estimator takes `*args` or `**kwargs`")


def _follow_partial(other: Elsewhere, call: ast.Call) -> Elsewhere:
    """Follows a model_fn through functools.partial, and notes its arguments.

    Raises:
      NotSplit: it gives a model_fn of another file more than keyword arguments.
    """
    words = [keyword.arg for keyword in call.keywords]
    if len(call.args) > 1 or None in words or other.makes or other.given:
        raise NotSplit(
            call,
            "its model_fn is in another file, and this file gives it further arguments",
        )
    return dataclasses.replace(other, given=frozenset(w for w in words if w))
