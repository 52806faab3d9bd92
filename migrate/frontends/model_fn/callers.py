"""Functions of a network that are called more than once: apart, or sharing variables."""

from __future__ import annotations

import ast
import dataclasses

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.model_fn import argument_scopes, places
from migrate.frontends.model_fn.again import Again, reuse_parameters
from migrate.frontends.model_fn.calls import list_calls
from migrate.frontends.model_fn.contrib_making import ContribMaking
from migrate.frontends.model_fn.messages import is_message
from migrate.frontends.model_fn.modes import ModeValues, NotSplit, Untold, is_scope
from migrate.frontends.model_fn.naming import read_literal
from migrate.program.keras_layers import Helper, Layer
from migrate.source.nodes import walk_breadth_first
from migrate.tables import estimator as estimator_table
from migrate.tables import keras_models as table
from migrate.tables.keras_contrib import ContribRow


class Callers(ContribMaking):
    """Knows how the functions of a network are called.

    Args:
      modes: what is known in each mode.
      features: the model_fn's parameter.
    """

    # Whether the caller makes the layers of a function.
    _counts = True

    def __init__(
        self,
        function: ast.FunctionDef,
        scopes: Scopes,
        training: dict[str, ModeValues],
        features: str = "",
    ) -> None:
        super().__init__(function, scopes, training)
        self._again = Again(self, scopes, features)
        self.helpers: dict[ast.FunctionDef, Helper] = {}
        # Helpers that are called in more than one scope.
        self.told: set[ast.FunctionDef] = set()
        # Prefix of the names of a helper's layers; None if it is not known.
        self._prefixes: dict[ast.FunctionDef, str | None] = {}
        # The variable scopes around each call of a helper, and layers it makes.
        self._around: dict[ast.Call, tuple[ast.With, ...]] = {}
        self._made_by: dict[ast.FunctionDef, list[Layer]] = {}

    def _call_again(
        self,
        call: ast.Call,
        before: Helper,
        bound: dict[str, ast.expr],
        scope: tuple[ast.With, ...],
        env: dict[str, ModeValues],
    ) -> None:
        """Reads a second call: its layers have other names, or are the first call's."""
        function = before.function
        if any(isinstance(layer.row, ContribRow) for layer in self._made_by[function]):
            around = [self._around[before.calls[0][0]], scope]
            given = [
                [ast.dump(w) for w in self._contrib.find_argument_scopes(s)]
                for s in around
            ]
            if given[0] != given[1]:
                raise NotSplit(
                    call,
                    f"another call of {function.name}() is in other argument scopes",
                )
        where = self._find_prefix(scope, env, again=True)
        made = (*before.calls, (call, where))
        self.helpers[function] = dataclasses.replace(before, calls=made)
        prefix = read_literal(where)
        same = prefix is not None and prefix == self._prefixes[function]
        same = same and not before.scope and self._again.is_same(function, bound)
        if same and not self._makes_variables(function):
            if self._moves_averages(function):
                raise NotSplit(
                    call,
                    "one step would update the averages of batch normalisation "
                    "more than once",
                )
            return  # Layers that were made before have them.
        if same and self._is_named_alike(call, before, scope):
            if len(before.calls) > 1 and not before.shared:
                raise NotSplit(
                    call,
                    f"only some of the calls of {function.name}() share their "
                    "variables",
                )
            self._share_layers(call, function)
            return
        self._find_prefix(scope, env)
        if before.shared or any(
            isinstance(n, ast.With) and self.reuses(n)
            for n in walk_breadth_first(function)
        ):
            raise NotSplit(
                call,
                f"only some of the calls of {function.name}() share their variables",
            )
        if before.owner is not None and self._moves_averages(function):
            raise NotSplit(
                call,
                "one step would update the averages of batch normalisation "
                "more than once",
            )
        if self._has_unnamed_layers(function):
            key, home = _make_key(where), find_function(call, self._scopes)
            again = any(
                _make_key(other) == key and find_function(one, self._scopes) is home
                for one, other in before.calls
            )
            if again or not self._again.restarts(function):
                if not self._is_numbered_alike(
                    function, before, where
                ) and not self._is_numbered_in_scopes(
                    call, self.helpers[function], scope
                ):
                    raise NotSplit(
                        call,
                        f"{function.name}() is called several times, and the "
                        "names of its layers depend on the number of calls",
                    )
        untold = not before.scope and (
            prefix is None or prefix != self._prefixes[function]
        )
        if untold or (before.scope and not before.prefix and not where):
            numbered = self._has_numbered_layers(
                function
            ) and not self._is_numbered_in_scopes(call, self.helpers[function], scope)
            if numbered or before.owner is not None:
                raise NotSplit(
                    call,
                    f"another call of {function.name}() is in another variable scope",
                )
            raise Untold(function)

    def _is_numbered_alike(
        self, function: ast.FunctionDef, helper: Helper, where: tuple[ast.expr, ...]
    ) -> bool:
        """Whether Keras numbers a function's layers as TF1 did, call by call.

        Both count layers of a kind as they are made, outside of variable scopes.
        """
        if not self._counts or where or helper.scope or helper.owner is not None:
            return False
        if any(scope for _, scope in helper.calls):
            return False
        made = [layer for layer in self._made_by[function] if layer.row.has_weights]
        for layer in made:
            row = layer.row
            numbered = not isinstance(row, ContribRow) or row.numbered
            own = layer.several is not None or row is table.WEIGHT or layer.applied
            if layer.scope or own or not numbered:
                return False
            if not (layer.name is None or isinstance(layer.name, str)):
                return False
        self._dynamic.update(layer.row.default_name for layer in made)
        return True

    def _is_numbered_in_scopes(
        self, call: ast.Call, helper: Helper, scope: tuple[ast.With, ...]
    ) -> bool:
        """Whether each call's scope counts a function's layers; then they are counted there.

        Args:
          call: one of the helper's calls.
          scope: the scopes around it.
        """
        if not self._counts or helper.owner is not None:
            return False
        if not all(where for _, where in helper.calls):
            return False
        where = next(where for one, where in helper.calls if one is call)
        # A Keras tensor has another name than TF1's.
        scope_nodes = [node for name in where for node in walk_breadth_first(name)]
        if any(isinstance(n, ast.Attribute) and n.attr == "name" for n in scope_nodes):
            return False
        opened = [s for s in scope if places.list_variable_scopes(s, self._scopes)]
        inner = opened[-1] if opened else None
        made = [
            layer
            for layer in self._made_by[helper.function]
            if layer.row.has_weights and not isinstance(layer.name, ast.expr)
        ]
        depths = {len(layer.scope) for layer in made}
        base = 1 if helper.scope else len(helper.calls[0][1])
        for layer in made:
            # One in a scope that the function opens is the same one in every call.
            if layer.several or layer.applied or layer.name is None:
                return False
        if depths != {base}:
            return False
        for layer in made:
            kind = layer.row.default_name
            around = self._find_names(where, call)
            if around.opened.setdefault(kind, inner) is not inner:
                return False
            around.counted.add(kind)
            self._find_names(layer.scope, layer.call).counted.add(kind)
        return True

    def _moves_averages(self, function: ast.FunctionDef) -> bool:
        """Whether a method, or one that it calls, applies batch normalisation."""
        for call in list_calls(function):
            applied = self.objects.read_application(call)
            if applied and applied.row.function in estimator_table.BATCH_NORMALIZATION:
                return True
            helper = self.find_helper(call)
            if helper is not None and self._moves_averages(helper):
                return True
        return False

    def _find_reusing(
        self,
        call: ast.Call,
        function: ast.FunctionDef,
        bound: dict[str, ast.expr],
        env: dict[str, ModeValues],
    ) -> set[str]:
        """Finds the parameters that only say whether a call shares variables."""
        found = reuse_parameters(function, self, self._scopes)
        if function in self.helpers:
            return found
        defaults = argument_scopes.map_defaults(function)
        for name in found:
            value = bound.get(name, defaults.get(name))
            if value is None or not (
                self._scopes.resolve(value) == "tf.AUTO_REUSE"
                or self._is_not_reused(value, env)
            ):
                raise NotSplit(
                    call, f"{function.name}() reuses variables that were made before"
                )
        return found

    def _is_one_in_rounds(
        self, call: ast.Call, function: ast.FunctionDef, bound: dict[str, ast.expr]
    ) -> bool:
        """Whether every round of a loop calls a function with the same variables."""
        return self._again.restarts(function) and self._again.is_same_in_rounds(
            call, bound
        )

    def _is_named_alike(
        self, call: ast.Call, before: Helper, scope: tuple[ast.With, ...]
    ) -> bool:
        """Whether a further call's layers have the names of the first one's."""
        if self._again.restarts(before.function):
            return True
        first = before.calls[0][0]
        around = self._around[first]
        return (
            self._again.begins(call, scope)
            and self._again.begins(first, around)
            and scope[-1] is not around[-1]
        )

    def _makes_variables(self, function: ast.FunctionDef) -> bool:
        return any(
            part.row.has_weights
            for layer in self._made_by[function]
            for part in layer.parts
        )

    def _share_layers(self, call: ast.Call, function: ast.FunctionDef) -> None:
        """Reads a further call that shares the layers of the first."""
        before = self.helpers[function]
        for layer in self._made_by[function]:
            for part in layer.parts:
                if part.row.has_weights and "training" in part.row.call_parameters:
                    raise NotSplit(
                        call,
                        "one step would update the averages of batch "
                        "normalisation more than once",
                    )
        for statement in function.body:
            if any(
                isinstance(node, ast.stmt) and is_message(node, self._scopes)
                for node in walk_breadth_first(statement)
            ):
                raise NotSplit(
                    statement,
                    f"{function.name}() prints or logs something in every call, "
                    "and Keras would call it only once",
                )
        taken = {one.shared for one in self.helpers.values()}
        named = base = self._find_free_name(
            self.function, f"shared_{function.name.strip('_')}"
        )
        number = 1
        while named in taken and not before.shared:
            number += 1
            named = f"{base}_{number}"
        named = before.shared or named
        self.helpers[function] = dataclasses.replace(before, shared=named)

    def name_layers(self) -> list[Layer]:
        """Names the layers, after a check of the functions that share theirs."""
        for helper in self.helpers.values():
            if not helper.shared:
                continue
            first = helper.calls[0][0]
            ways = {ast.unparse(call.func) for call, _ in helper.calls}
            home = find_function(first, self._scopes)
            if len(ways) > 1 or any(
                find_function(call, self._scopes) is not home
                for call, _ in helper.calls
            ):
                raise NotSplit(
                    first,
                    f"several functions call {helper.function.name}(), and the "
                    "calls share variables",
                )
            if self._is_bound_below(first.func, first):
                raise NotSplit(
                    first,
                    f"calls of {helper.function.name}() share variables, and a "
                    "loop or a condition makes its object",
                )
            outer = self.helpers.get(home) if home is not None else None
            if outer is not None and (
                len(outer.calls) > 1 or self._is_in_loop(outer.calls[0][0])
            ):
                if not outer.shared:
                    raise NotSplit(
                        first,
                        f"calls of {helper.function.name}() share variables "
                        f"within each call of {outer.function.name}()",
                    )
        return super().name_layers()

    def _is_bound_below(self, function: ast.expr, call: ast.Call) -> bool:
        """Whether names of a call are bound inside a loop or condition around it."""
        read = names.find_reads(function)
        around = self._scopes.parents.get(call)
        while around is not None and not isinstance(around, ast.FunctionDef):
            opened = isinstance(around, ast.With) and is_scope(around, self._scopes)
            if isinstance(around, ast.stmt) and not opened:
                if names.find_binds(around) & read:
                    return True
            around = self._scopes.parents.get(around)
        return False


def _make_key(where: tuple[ast.expr, ...]) -> str:
    """Returns the variable scopes as text."""
    return "/".join(map(ast.unparse, where))


def find_function(node: ast.AST, scopes: Scopes) -> ast.FunctionDef | None:
    """The function whose code a node is of."""
    around: ast.AST | None = node
    while around is not None and not isinstance(around, ast.FunctionDef):
        around = scopes.parents.get(around)
    return around
