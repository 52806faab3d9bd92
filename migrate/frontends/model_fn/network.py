"""The part of a model_fn that a functional Keras model can hold: a DAG of layers."""

from __future__ import annotations

import ast
import dataclasses

from migrate.facts import names
from migrate.facts.names import is_docstring
from migrate.facts.scopes import Scopes
from migrate.frontends.model_fn import (
    contrib_calls,
    op_names,
    places,
    told,
    variables,
)
from migrate.frontends.model_fn.callers import Callers, find_function
from migrate.frontends.model_fn.calls import (
    list_calls,
    read_written_arguments,
    walk,
)
from migrate.frontends.model_fn.modes import (
    ModeValues,
    NotSplit,
    is_scope,
    shares,
)
from migrate.frontends.model_fn.naming import Passed, read_literal
from migrate.frontends.model_fn.places import Place
from migrate.program.keras_layers import Helper
from migrate.source.nodes import walk_breadth_first
from migrate.tables import keras_models as table
from migrate.tables.keras_contrib import ContribRow

# A layer's arguments that come from a helper's parameter.
_WORDS = ("training", "is_training", "reuse")


@dataclasses.dataclass
class _Parts:
    """The statements of one helper that change or go.

    Attributes:
      deciding: its names that only say which mode it is.
      opened: statements of which only the suite is left.
      gone: statements of which nothing is left.
      asked: what is gone with them.
    """

    function: ast.FunctionDef
    deciding: list[str]
    opened: list[ast.With | ast.If] = dataclasses.field(default_factory=list)
    gone: list[ast.stmt] = dataclasses.field(default_factory=list)
    asked: list[ast.AST] = dataclasses.field(default_factory=list)


class Network(Callers):
    """Collects the layers of a network's statements, in the order of their making.

    Args:
      modes: what is known in each mode.
      features: the model_fn's parameter.
    """

    def __init__(
        self,
        function: ast.FunctionDef,
        scopes: Scopes,
        training: dict[str, ModeValues],
        features: str = "",
    ) -> None:
        super().__init__(function, scopes, training, features)
        # Variable scopes in loops and under conditions.
        self.within: list[ast.With] = []
        # Attributes that only say whether it is training -> their value in each mode.
        self._kept: dict[ast.ClassDef, dict[str, dict[str, bool]]] = {}
        # Parameter of a helper -> what True and False mean in its first call.
        self._literals: dict[ast.FunctionDef, dict[str, str]] = {}

    # Layers.

    def visit_statement(self, statement: ast.stmt, scope: tuple[ast.With, ...]) -> None:
        """Takes a statement's layers.

        Args:
          scope: the variable scopes around it.
        """
        self._read_statement(statement, scope, self._training)

    def _read_statement(
        self,
        statement: ast.stmt,
        scope: tuple[ast.With, ...],
        env: dict[str, ModeValues],
    ) -> None:
        self.check(statement, env)
        for call in list_calls(statement):
            symbol = self._scopes.resolve(call.func)
            where = places.find_place(call, statement, self._scopes)
            around = (*scope, *where.within)
            if self.variables and symbol == table.VARIABLE:
                self._read_variable(call, around, env, where)
            elif symbol in table.LAYERS:
                self._read_layer_function(call, symbol, around, env, where)
            elif (stacked := self._contrib.read_stack(call)) is not None:
                self._make_stack(call, stacked, around, env, where)
            elif self.objects.find_row(call) is not None:
                self._unapplied[call] = call
            elif (applied := self.objects.read_application(call)) is not None:
                self._apply(applied, around, env, where)
            elif symbol is None and (function := self.find_helper(call)) is not None:
                self._read_call(call, function, around, env, where)
        self._take_scopes(statement)

    def _take_scopes(self, statement: ast.stmt) -> None:
        """Notes the blocks of a statement, whose scopes are in their layers' names."""
        for node in walk(statement):
            if isinstance(node, ast.With):
                self.within.append(node)

    def _read_layer_function(
        self,
        call: ast.Call,
        symbol: str,
        scope: tuple[ast.With, ...],
        env: dict[str, ModeValues],
        place: Place,
    ) -> None:
        """Reads a call of a function that makes a layer, such as tf.layers.dense."""
        row = table.LAYERS[symbol]
        bound = read_written_arguments(call, row)
        if bound is None:
            raise NotSplit(
                call, f"the Keras layer for {symbol} does not have these arguments"
            )
        if isinstance(row, ContribRow):
            self._make_contrib_layer(call, row, bound, scope, env, place)
            return
        self._check_reuse(call, row, bound, env)
        self._make_layer(call, row, bound, scope, env, place)

    def _read_variable(
        self,
        call: ast.Call,
        scope: tuple[ast.With, ...],
        env: dict[str, ModeValues],
        place: Place,
    ) -> None:
        """Reads a call of tf.get_variable as a layer that gives its value."""
        bound = variables.map_arguments(call)
        variables.check(call, bound, self._scopes)
        name = bound["name"]
        counted = names.find_reads(name)
        if self._is_in_loop(call) and not (counted or (place.within and place.apart)):
            raise NotSplit(
                call, "a loop makes a variable, each time under the same name"
            )
        home = find_function(call, self._scopes)
        fed = self._again.find_fed_parameter(home) if home is not None else ""
        if not fed:
            raise NotSplit(
                call, "a function without a tensor argument makes a variable"
            )
        if home is self.function:
            where_ = self._find_prefix(scope, env)
            bound["name"] = op_names.find_given_name(
                call, name, where_, home, self._scopes
            )
        inputs = ast.Name(fed, ast.Load())
        self._make_layer(
            call, table.WEIGHT, {**bound, "inputs": inputs}, scope, env, place
        )

    # Functions that make layers.

    def _read_call(
        self,
        call: ast.Call,
        function: ast.FunctionDef,
        scope: tuple[ast.With, ...],
        env: dict[str, ModeValues],
        place: Place,
    ) -> None:
        """Reads a call of a helper: its layers are those of all its calls."""
        keeps = function.name == "__init__" and any(
            not isinstance(value, ast.Constant)
            and all(values.decide_test(value) is not None for values in env.values())
            for value in (self.bind_arguments(call, function) or {}).values()
        )
        if not keeps and not any(self.makes_layers(s) for s in function.body):
            self.check_plain(function.body, env)
            return
        bound = self.bind_arguments(call, function)
        if bound is None:
            raise NotSplit(
                call, f"the tool cannot tell the arguments of {function.name}() apart"
            )
        reusing = self._find_reusing(call, function, bound, env)
        bound = {name: value for name, value in bound.items() if name not in reusing}
        unneeded, inner = told.find_mode_parameters(call, bound, env, self._scopes)
        unneeded += sorted(reusing)
        for values in inner.values():
            values.known |= dict.fromkeys(reusing, False)
        literals = {
            name: ast.dump(value)
            for name, value in bound.items()
            if isinstance(value, ast.Constant) and isinstance(value.value, bool)
        }
        if self._literals.setdefault(function, literals) != literals:
            raise NotSplit(
                call,
                f"two calls of {function.name}() have different constants as arguments",
            )
        owner = self.instances.find_owner(function)
        before = self.helpers.get(function)
        if before is not None:
            if before.unneeded != tuple(unneeded):
                raise NotSplit(
                    call, f"only some of the calls of {function.name}() pass the mode"
                )
            self._call_again(call, before, bound, scope, env)
            return
        self._again.begin_call(function, bound)
        shared = self._is_in_loop(call) and self._is_one_in_rounds(
            call, function, bound
        )
        apart = place.apart and self._again.restarts(function)
        counted = place.repeated and not shared and not apart
        counted = counted and self._has_unnamed_layers(function)
        where = self._find_prefix(scope, env)
        self._prefixes[function] = read_literal(where)
        self._around[call] = scope
        outer, told_scope, in_scope = scope, "", False
        prefix = function in self.told
        if self._prefixes[function] is None or prefix:
            # The helper does not know the name of the caller's scope.
            told_scope = self._find_free_name(function, "prefix" if prefix else "scope")
            scope = (
                Passed.make_scope(told_scope, prefix),
                *self._contrib.find_argument_scopes(scope),
            )
            in_scope = self._has_numbered_layers(function)
        if shared and told_scope:
            raise NotSplit(call, f"a loop calls {function.name}() in a variable scope")
        self._known_in[function] = inner
        parts = _Parts(function, list(unneeded))
        kept = self._keep(function, owner, unneeded, inner)
        self.helpers[function] = Helper(
            function,
            tuple(unneeded),
            (),
            owner=owner,
            calls=((call, where),),
            scope=told_scope,
            prefix=prefix,
            kept=tuple(kept),
        )
        first, earlier = len(self.layers), self.helpers.keys() - {function}
        parts.gone += contrib_calls.find_params(function, self._scopes)
        body = [s for s in function.body if s not in kept]
        self._read_suite(body, scope, inner, parts)
        self.helpers[function] = dataclasses.replace(
            self.helpers[function], opened=tuple(parts.opened), gone=tuple(parts.gone)
        )
        inside = self.helpers.keys() - earlier
        self._made_by[function] = [
            layer
            for layer in self.layers[first:]
            if not layer.applied or find_function(layer.call, self._scopes) in inside
        ]
        helper = self.helpers[function]
        if in_scope and (
            place.reopens or not self._is_numbered_in_scopes(call, helper, outer)
        ):
            raise NotSplit(
                call,
                f"{function.name}() makes layers without names in a variable "
                "scope that another function names",
            )
        if (
            counted
            and not in_scope
            and not self._is_numbered_alike(function, helper, where)
            and (place.reopens or not self._is_numbered_in_scopes(call, helper, outer))
        ):
            raise NotSplit(
                call,
                f"a loop calls {function.name}(), and the layers of this "
                "function have no names",
            )
        if shared and self._makes_variables(function):
            self._share_layers(call, function)
        words = {*parts.deciding, *self._find_words(function, owner)}
        gone = {inner for node in parts.asked for inner in walk_breadth_first(node)}
        for node in (n for statement in body for n in walk_breadth_first(statement)):
            word = names.find_key(node) if isinstance(node, ast.expr) else None
            if word in words and node not in gone and not self._is_training_word(node):
                raise NotSplit(
                    node, f"{function.name}() uses `{word}` for more than layers"
                )

    def _keep(
        self,
        function: ast.FunctionDef,
        owner: ast.ClassDef | None,
        unneeded: list[str],
        env: dict[str, ModeValues],
    ) -> list[ast.stmt]:
        """Finds the constructor's statements that keep the word for training.

        It adds their values to the methods' environments.
        """
        if owner is None:
            return []
        known = self._kept.setdefault(owner, {})
        found: list[ast.stmt] = []
        for name in unneeded:
            if any(name not in values.known for values in env.values()):
                continue  # The mode itself.
            for statement, attribute in self.instances.find_kept(
                function, name
            ).items():
                found.append(statement)
                known[attribute] = {m: v.known[name] for m, v in env.items()}
        receiver = self.instances.find_receiver(function)
        for attribute, by_mode in known.items():
            for mode, values in env.items():
                values.known[f"{receiver}.{attribute}"] = by_mode[mode]
        return found

    def _find_words(
        self, function: ast.FunctionDef, owner: ast.ClassDef | None
    ) -> set[str]:
        """Returns the attributes by which a method knows whether it is training."""
        if owner is None:
            return set()
        receiver = self.instances.find_receiver(function)
        return {f"{receiver}.{attribute}" for attribute in self._kept.get(owner, ())}

    def _is_training_word(self, node: ast.AST) -> bool:
        """Whether a name is read as a layer's, or a helper's, word for training."""
        parent = self._scopes.parents.get(node)
        while isinstance(parent, (ast.keyword, ast.Compare, ast.BoolOp, ast.UnaryOp)):
            if isinstance(parent, ast.keyword) and parent.arg in _WORDS:
                return True
            parent = self._scopes.parents.get(parent)
        if isinstance(parent, ast.Dict):
            return self._is_normalizer_word(node, parent)
        if isinstance(parent, ast.Call):
            return self.find_helper(parent) in self.helpers
        return False

    def _is_normalizer_word(self, node: ast.AST, given: ast.Dict) -> bool:
        """Whether a value is `is_training` of normalizer_params."""
        keys = [k for k, value in zip(given.keys, given.values) if value is node]
        if not keys or names.read_literal(keys[0]) not in _WORDS:
            return False
        around = self._scopes.parents.get(given)
        if isinstance(around, ast.keyword):
            return around.arg == "normalizer_params"
        return any(around in helper.gone for helper in self.helpers.values())

    def _read_suite(
        self,
        body: list[ast.stmt],
        scope: tuple[ast.With, ...],
        env: dict[str, ModeValues],
        parts: _Parts,
    ) -> None:
        """A helper's statements, but those that only bind normalizers' arguments."""
        for index, statement in enumerate(body):
            if statement in parts.gone:
                continue
            if isinstance(statement, ast.With) and is_scope(statement, self._scopes):
                parts.opened.append(statement)
                self._read_suite(statement.body, (*scope, statement), env, parts)
            elif isinstance(statement, ast.Return):
                if statement.value is None or index + 1 != len(body):
                    raise NotSplit(
                        statement, "a function of its network returns before its end"
                    )
                expression = ast.Expr(statement.value)
                self._read_statement(expression, scope, env)
            elif is_docstring(statement):
                continue
            elif shares(statement, self._scopes):
                parts.gone.append(statement)
            elif told.drops_in_training(statement, env, self._scopes):
                assert isinstance(statement, ast.If)
                parts.opened.append(statement)
                parts.asked.append(statement.test)
                self._read_suite(statement.body, scope, {"TRAIN": env["TRAIN"]}, parts)
            elif name := told.find_decision_name(statement, env, self._scopes):
                parts.deciding.append(name)
                parts.gone.append(statement)
                parts.asked.append(statement)
            else:
                self._read_statement(statement, scope, env)


class NetworkOfVariables(Network):
    """Collects variables, too."""

    variables = True
