"""The part of a model_fn that a functional Keras model can hold: a DAG of layers."""

from __future__ import annotations

import ast
import dataclasses

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.model_fn import places, told
from migrate.frontends.model_fn.expressions import (
    bound_call,
    calls,
    is_docstring,
    layer_arguments,
    walked,
)
from migrate.frontends.model_fn.layer_names import LayerNames, Passed, literal
from migrate.frontends.model_fn.layer_objects import Applied
from migrate.frontends.model_fn.modes import ModeValues, NotSplit, is_scope
from migrate.frontends.model_fn.places import Place
from migrate.program.keras_model import Helper, Layer
from migrate.tables import estimator as estimator_table
from migrate.tables import keras_models as table
from migrate.tables.keras_contrib import ContribRow
from migrate.tables.layers import LayerRow

# What a layer is told by a helper's parameter.
_WORDS = ("training", "is_training", "reuse")


@dataclasses.dataclass
class _Parts:
    """What is read of a helper.

    Attributes:
      deciding: its names that only say which mode it is.
      opened, gone: statements of which the suite, or nothing, is left.
      asked: what is gone with them.
    """

    function: ast.FunctionDef
    deciding: list[str]
    opened: list[ast.With | ast.If] = dataclasses.field(default_factory=list)
    gone: list[ast.stmt] = dataclasses.field(default_factory=list)
    asked: list[ast.AST] = dataclasses.field(default_factory=list)


class Network(LayerNames):
    """Collects the layers of a network's statements, in the order of their making.

    Args:
      modes: what is known in each mode.
    """

    def __init__(
        self, function: ast.FunctionDef, scopes: Scopes, training: dict[str, ModeValues]
    ) -> None:
        super().__init__(function, scopes)
        self._training = training
        self.layers: list[Layer] = []
        self.helpers: dict[ast.FunctionDef, Helper] = {}
        self._dynamic = self._repeated()
        # Variable scopes in loops and under conditions.
        self.within: list[ast.With] = []
        # Layer objects that were made and not called yet.
        self._unapplied: dict[ast.Call, ast.Call] = {}
        # What a helper's first call says by True and False, by parameter.
        self._literals: dict[ast.FunctionDef, dict[str, str]] = {}
        # What stands before the names of a helper's layers; None where that is not known.
        self._prefixes: dict[ast.FunctionDef, str | None] = {}
        # Attributes that only say whether it is training -> by mode, what they say.
        self._kept: dict[ast.ClassDef, dict[str, dict[str, bool]]] = {}

    def _repeated(self) -> set[str]:
        """Kinds of unnamed layers that a loop, or a helper called often, makes."""
        return set()

    def visit(self, statement: ast.stmt, scope: tuple[ast.With, ...]) -> None:
        """Takes a statement's layers.

        Args:
          scope: the variable scopes around it.
        """
        self._statement(statement, scope, self._training)

    def _statement(
        self,
        statement: ast.stmt,
        scope: tuple[ast.With, ...],
        env: dict[str, ModeValues],
    ) -> None:
        self.check(statement, env)
        for call in calls(statement):
            symbol = self._scopes.resolve(call.func)
            where = places.place(call, statement, self._scopes)
            around = (*scope, *where.within)
            if symbol in table.LAYERS:
                self._function_of_layers(call, symbol, around, env, where)
            elif self.objects.row(call) is not None:
                self._unapplied[call] = call
            elif (applied := self.objects.applied(call)) is not None:
                self._apply(applied, around, env, where)
            elif symbol is None and (function := self.helper(call)) is not None:
                self._call(call, function, around, env, where.repeated)
        self._take_scopes(statement)

    def _take_scopes(self, statement: ast.stmt) -> None:
        """Variable scopes in a loop or under a condition are in their layers' names."""
        for node in walked(statement):
            if isinstance(node, ast.With):
                self.within.append(node)

    def _call(
        self,
        call: ast.Call,
        function: ast.FunctionDef,
        scope: tuple[ast.With, ...],
        env: dict[str, ModeValues],
        repeated: bool,
    ) -> None:
        """A helper: its layers are those of all its calls."""
        keeps = function.name == "__init__" and any(
            not isinstance(value, ast.Constant)
            and all(values.of_test(value) is not None for values in env.values())
            for value in (self.bound(call, function) or {}).values()
        )
        if not keeps and not any(self.makes_layers(s) for s in function.body):
            for statement in function.body:
                if isinstance(statement, ast.Return):
                    statement = ast.Expr(statement.value or ast.Constant(None))
                self.check(statement, env)
            return
        bound = self.bound(call, function)
        if bound is None:
            raise NotSplit(call, f"the arguments of {function.name}() are not certain")
        unneeded, inner = told.told(call, bound, env, self._scopes)
        literals = {
            name: ast.dump(value)
            for name, value in bound.items()
            if isinstance(value, ast.Constant) and isinstance(value.value, bool)
        }
        if self._literals.setdefault(function, literals) != literals:
            raise NotSplit(call, f"{function.name}() is called in more than one way")
        owner = self.instances.owner(function)
        before = self.helpers.get(function)
        if before is not None:
            where = self._where(scope, env)
            made = (*before.calls, (call, where))
            self.helpers[function] = dataclasses.replace(before, calls=made)
            if before.unneeded != tuple(unneeded):
                raise NotSplit(
                    call, f"{function.name}() is called with and without a mode"
                )
            if any(
                isinstance(n, ast.With) and self.reuses(n) for n in ast.walk(function)
            ):
                raise NotSplit(
                    call, f"{function.name}() is called again, and shares its variables"
                )
            if owner is not None and self._moves_averages(function):
                raise NotSplit(call, "averages that are moved more than once")
            prefix = literal(where)
            same = prefix is not None and prefix == self._prefixes[function]
            if before.scope:
                same = bool(where)
            if not same or self._unnamed(function):
                raise NotSplit(
                    call,
                    f"{function.name}() is called again, and its layers' names would "
                    "depend on how often",
                )
            return
        if repeated and self._unnamed(function):
            raise NotSplit(
                call,
                f"{function.name}() is called in a loop, and its layers have no name",
            )
        parts = _Parts(function, list(unneeded))
        where = self._where(scope, env)
        self._prefixes[function] = literal(where)
        told_scope = ""
        if self._prefixes[function] is None:
            # What the caller calls its scope, the helper does not know.
            told_scope = self._free(function, "scope")
            scope = (Passed.of(told_scope),)
            if self._numbered(function):
                raise NotSplit(
                    call,
                    f"{function.name}() has layers without names, in a variable scope "
                    "whose name is another function's",
                )
        kept = self._keep(function, owner, unneeded, inner)
        self.helpers[function] = Helper(
            function,
            tuple(unneeded),
            (),
            (),
            owner,
            ((call, where),),
            told_scope,
            tuple(kept),
        )
        body = [s for s in function.body if s not in kept]
        self._suite(body, scope, inner, parts)
        self.helpers[function] = dataclasses.replace(
            self.helpers[function], opened=tuple(parts.opened), gone=tuple(parts.gone)
        )
        words = {*parts.deciding, *self._words(function, owner)}
        gone = {inner for node in parts.asked for inner in ast.walk(node)}
        for node in (n for statement in body for n in ast.walk(statement)):
            word = names.key(node) if isinstance(node, ast.expr) else None
            if word in words and node not in gone and not self._only_training(node):
                raise NotSplit(
                    node, f"{function.name}() does more with `{word}` than layers do"
                )

    def _keep(
        self,
        function: ast.FunctionDef,
        owner: ast.ClassDef | None,
        unneeded: list[str],
        env: dict[str, ModeValues],
    ) -> list[ast.stmt]:
        """Statements of a constructor that keep what says whether it is training.

        Whatever of it a method's environment should have is put there.
        """
        if owner is None:
            return []
        known = self._kept.setdefault(owner, {})
        found: list[ast.stmt] = []
        for name in unneeded:
            if any(name not in values.known for values in env.values()):
                continue  # The mode itself.
            for statement, attribute in self.instances.keeps(function, name).items():
                found.append(statement)
                known[attribute] = {m: v.known[name] for m, v in env.items()}
        receiver = self.instances.receiver(function)
        for attribute, by_mode in known.items():
            for mode, values in env.items():
                values.known[f"{receiver}.{attribute}"] = by_mode[mode]
        return found

    def _words(self, function: ast.FunctionDef, owner: ast.ClassDef | None) -> set[str]:
        """Attributes that a method knows to say whether it is training."""
        if owner is None:
            return set()
        receiver = self.instances.receiver(function)
        return {f"{receiver}.{attribute}" for attribute in self._kept.get(owner, ())}

    def bound(
        self, call: ast.Call, function: ast.FunctionDef
    ) -> dict[str, ast.expr] | None:
        """A helper's parameters by name, without a method's object."""
        return bound_call(call, function, self.instances.is_method(function))

    def _only_training(self, node: ast.AST) -> bool:
        """Whether a name is read as a layer's, or a helper's, word for training."""
        parent = self._scopes.parents.get(node)
        while isinstance(parent, (ast.keyword, ast.Compare, ast.BoolOp, ast.UnaryOp)):
            if isinstance(parent, ast.keyword) and parent.arg in _WORDS:
                return True
            parent = self._scopes.parents.get(parent)
        if isinstance(parent, ast.Call):
            return self.helper(parent) in self.helpers
        return False

    def _moves_averages(self, function: ast.FunctionDef) -> bool:
        """Whether a method, or one that it calls, applies batch normalisation."""
        for call in calls(function):
            applied = self.objects.applied(call)
            if applied and applied.row.function in estimator_table.BATCH_NORMALIZATION:
                return True
            helper = self.helper(call)
            if helper is not None and self._moves_averages(helper):
                return True
        return False

    def _suite(
        self,
        body: list[ast.stmt],
        scope: tuple[ast.With, ...],
        env: dict[str, ModeValues],
        parts: _Parts,
    ) -> None:
        for index, statement in enumerate(body):
            if isinstance(statement, ast.With) and is_scope(statement, self._scopes):
                parts.opened.append(statement)
                self._suite(statement.body, (*scope, statement), env, parts)
            elif isinstance(statement, ast.Return):
                if statement.value is None or index + 1 != len(body):
                    raise NotSplit(statement, "a return in the middle of a function")
                expression = ast.Expr(statement.value)
                self._statement(expression, scope, env)
            elif is_docstring(statement):
                continue
            elif told.drops_in_training(statement, env, self._scopes):
                assert isinstance(statement, ast.If)
                parts.opened.append(statement)
                parts.asked.append(statement.test)
                self._suite(statement.body, scope, {"TRAIN": env["TRAIN"]}, parts)
            elif name := told.takes_decision(statement, env, self._scopes):
                parts.deciding.append(name)
                parts.gone.append(statement)
                parts.asked.append(statement)
            else:
                self._statement(statement, scope, env)

    def _apply(
        self,
        applied: Applied,
        scope: tuple[ast.With, ...],
        env: dict[str, ModeValues],
        place: Place,
    ) -> None:
        """A layer object: its first call names its variables, others share them."""
        maker, row = applied.maker, applied.row
        before = next((x for x in self.layers if x.call is maker), None)
        if before is not None:
            if row.function in estimator_table.BATCH_NORMALIZATION:
                raise NotSplit(applied.call, "averages that are moved more than once")
            self._check_training(
                applied.call, row.call_parameters, applied.arguments, env
            )
            again = dataclasses.replace(before, applied=(*before.applied, applied.call))
            self.layers[self.layers.index(before)] = again
            return
        self._unapplied.pop(maker, None)
        name = applied.arguments.get("name")
        if isinstance(name, ast.Constant) and isinstance(name.value, str):
            given = self._names_in(self._where(scope, env), applied.call)
            if name.value in given.taken:
                raise NotSplit(applied.call, f"two layers named {name.value!r}")
        call = maker if applied.kept else applied.call
        self._check_scope(applied, scope, env)
        apart = self._scopes.scope_of(maker) is not self._scopes.scope_of(applied.call)
        if (
            apart
            and place.repeated
            and row.has_weights
            and "name" not in applied.arguments
        ):
            raise NotSplit(
                applied.call, "a layer object without a name, first called in a loop"
            )
        self._layer(call, row, dict(applied.arguments), scope, env, place)
        if applied.kept:
            self.layers[-1] = dataclasses.replace(
                self.layers[-1], inputs=None, applied=(applied.call,)
            )

    def _function_of_layers(
        self,
        call: ast.Call,
        symbol: str,
        scope: tuple[ast.With, ...],
        env: dict[str, ModeValues],
        place: Place,
    ) -> None:
        """A call of tf.layers.dense and its kind."""
        row = table.LAYERS[symbol]
        bound = layer_arguments(call, row)
        if bound is None or "inputs" not in bound:
            raise NotSplit(call, f"arguments of {symbol} that its Keras layer has not")
        reuse = bound.pop("reuse", None)
        if reuse is not None and not self._is_not_reused(reuse, env):
            raise NotSplit(call, f"{symbol} with reuse shares another's variables")
        self._layer(call, row, bound, scope, env, place)

    def _layer(
        self,
        call: ast.Call,
        row: LayerRow,
        bound: dict[str, ast.expr],
        scope: tuple[ast.With, ...],
        env: dict[str, ModeValues],
        place: Place,
    ) -> None:
        """A layer.

        Args:
          bound: arguments by name, `inputs` and `training` too.
        """
        self._check_training(call, row.call_parameters, bound, env)
        arguments = tuple(
            (name, value)
            for name, value in bound.items()
            if name not in ("inputs", "name", *row.call_parameters)
            and not (isinstance(value, ast.Constant) and value.value is None)
        )
        where = self._where(scope, env)
        reused = any(self.reuses(s) for s in scope)
        given = self._names_in(where, call)
        name: str | ast.expr | None = bound.get("name")
        texts = row.texts(bound) if isinstance(row, ContribRow) else ()
        if row.function == "tf.layers.dropout" and "rate" not in bound:
            texts = (("rate", "0.5"),)  # Keras's has no default.
        if isinstance(name, ast.Constant):
            if name.value is None:
                name = None
            elif isinstance(name.value, str):
                if reused and name.value in given.taken:
                    raise NotSplit(call, "two layers of one name share their variables")
                given.taken[name.value] = 1
        if name is None and row.has_weights:
            rounds = place.repeated and not (where and place.apart)
            if rounds or (row.default_name in self._dynamic and not where):
                if where or (isinstance(row, ContribRow) and not row.numbered):
                    raise NotSplit(
                        call, "layers without names, in a loop in a variable scope"
                    )
                self._dynamic.add(row.default_name)
            else:
                name = given.unique(row.default_name, call, place.conditional)
        inputs = bound["inputs"]
        self.layers.append(Layer(call, row, inputs, arguments, name, where, texts))

    def named(self) -> list[Layer]:
        """The layers; of a kind that a loop makes too, none has a number of ours.

        Raises:
          NotSplit: a layer object is not called where that can be seen.
        """
        for call in self._unapplied:
            raise NotSplit(call, "a layer object that is called out of sight")
        return [
            dataclasses.replace(layer, name=None)
            if isinstance(layer.name, str)
            and not layer.scope
            and layer.row.default_name in self._dynamic
            else layer
            for layer in self.layers
        ]

    def _check_training(
        self,
        call: ast.Call,
        parameters: tuple[str, ...],
        bound: dict[str, ast.expr],
        env: dict[str, ModeValues],
    ) -> None:
        """Keras trains where the model is called with training=True, and so must this."""
        if "training" not in parameters:
            return
        value = bound.get("training")
        for mode, values in env.items():
            test = False if value is None else values.of_test(value)
            if test is None or test != (mode == "TRAIN"):
                raise NotSplit(
                    call,
                    "a layer that is not in training mode in training, and only there",
                )
