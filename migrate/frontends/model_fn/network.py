"""The part of a model_fn that a functional Keras model can hold: a DAG of layers."""

from __future__ import annotations

import ast
import dataclasses

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.model_fn import contrib_calls, places, told
from migrate.frontends.model_fn.calls import (
    bound_call,
    calls,
    layer_arguments,
    walk,
    written_arguments,
)
from migrate.frontends.model_fn.contrib_calls import ContribCalls, Stacked
from migrate.frontends.model_fn.layer_objects import Applied
from migrate.frontends.model_fn.modes import ModeValues, NotSplit, is_scope
from migrate.frontends.model_fn.places import Place
from migrate.frontends.model_fn.recorded import Recorded
from migrate.program.keras_model import Helper, Layer
from migrate.tables import estimator as estimator_table
from migrate.tables import keras_contrib
from migrate.tables import keras_models as table
from migrate.tables.keras_contrib import ContribRow
from migrate.tables.layers import LayerRow

# Of tf.variable_scope, after the values.
_SCOPE_ARGUMENTS = (
    *("initializer", "regularizer", "caching_device", "partitioner", "custom_getter"),
    *("reuse", "dtype", "use_resource", "constraint", "auxiliary_name_scope"),
)
# What a layer is told by a helper's parameter.
_WORDS = ("training", "is_training", "reuse")


@dataclasses.dataclass
class _Names:
    """Names of layers that one variable scope has given.

    Attributes:
      taken: those that were given.
      ended: kinds of which one may not have been made: what comes after has no known name.
    """

    taken: dict[str, int] = dataclasses.field(default_factory=dict)
    ended: set[str] = dataclasses.field(default_factory=set)

    def unique(self, base: str, call: ast.Call, conditional: bool) -> str:
        """TF1's next name: base, base_1, ..., past those that were given.

        Args:
          conditional: whether the layer may not be made.

        Raises:
          NotSplit: that depends on whether another one was made.
        """
        if base in self.ended:
            raise NotSplit(
                call, "a layer without a name, after one that is made under a condition"
            )
        if conditional:
            self.ended.add(base)
        name, number = base, 0
        while name in self.taken:
            number += 1
            name = f"{base}_{number}"
        self.taken[name] = 1
        return name


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


class Network(Recorded):
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
        # Name of a variable scope, as it is written -> names given in it.
        self._given: dict[str, _Names] = {}
        self._dynamic = self._repeated()
        # Variable scopes in loops and under conditions.
        self.within: list[ast.With] = []
        # Layer objects that were made and not called yet.
        self._unapplied: dict[ast.Call, ast.Call] = {}
        # The scopes around a helper's first call.
        self._first: dict[ast.FunctionDef, tuple[ast.With, ...]] = {}
        # What a helper's first call says by True and False, by parameter.
        self._literals: dict[ast.FunctionDef, dict[str, str]] = {}
        self._contrib = ContribCalls(scopes)
        # What is known of the modes in each function.
        self._known_in: dict[ast.AST, dict[str, ModeValues]] = {function: training}

    def _repeated(self) -> set[str]:
        """Kinds of unnamed layers that a loop, or a helper called often, makes."""
        return set()

    # Layers.

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
            elif (stacked := self._contrib.stacked(call)) is not None:
                self._stacked(call, stacked, around, env, where)
            elif self.objects.row(call) is not None:
                self._unapplied[call] = call
            elif (applied := self.objects.applied(call)) is not None:
                self._apply(applied, around, env, where)
            elif symbol is None and (function := self.helper(call)) is not None:
                self._call(call, function, around, env, where.repeated)
        self._take_scopes(statement)

    def _take_scopes(self, statement: ast.stmt) -> None:
        """Variable scopes in a loop or under a condition are in their layers' names."""
        for node in walk(statement):
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
        if not any(self.makes_layers(s) for s in function.body):
            for statement in function.body:
                if isinstance(statement, ast.Return):
                    statement = ast.Expr(statement.value or ast.Constant(None))
                self.check(statement, env)
            return
        bound = bound_call(call, function)
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
        before = self.helpers.get(function)
        if before is not None:
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
            if scope or self._first[function] or self._unnamed(function):
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
        self._first[function] = scope
        self._known_in[function] = inner
        parts = _Parts(function, list(unneeded))
        self.helpers[function] = Helper(function, tuple(unneeded), ())
        parts.gone += contrib_calls.params(function, self._scopes)
        self._suite(function.body, scope, inner, parts)
        self.helpers[function] = Helper(
            function, tuple(unneeded), tuple(parts.opened), tuple(parts.gone)
        )
        gone = {inner for node in parts.asked for inner in ast.walk(node)}
        for node in ast.walk(function):
            if isinstance(node, ast.Name) and node.id in parts.deciding:
                if node not in gone and not self._only_training(node):
                    raise NotSplit(
                        node,
                        f"{function.name}() does more with `{node.id}` than layers do",
                    )

    def _only_training(self, node: ast.AST) -> bool:
        """Whether a name is read as a layer's, or a helper's, word for training."""
        parent = self._scopes.parents.get(node)
        while isinstance(parent, (ast.keyword, ast.Compare, ast.BoolOp, ast.UnaryOp)):
            if isinstance(parent, ast.keyword) and parent.arg in _WORDS:
                return True
            parent = self._scopes.parents.get(parent)
        if isinstance(parent, ast.Dict):
            return self._of_normalizer(node, parent)
        if isinstance(parent, ast.Call):
            return self.helper(parent) in self.helpers
        return False

    def _of_normalizer(self, node: ast.AST, given: ast.Dict) -> bool:
        """Whether a value is `is_training` of normalizer_params."""
        keys = [k for k, value in zip(given.keys, given.values) if value is node]
        if not keys or names.literal(keys[0]) not in _WORDS:
            return False
        around = self._scopes.parents.get(given)
        if isinstance(around, ast.keyword):
            return around.arg == "normalizer_params"
        return any(around in helper.gone for helper in self.helpers.values())

    def _unnamed(self, function: ast.FunctionDef) -> bool:
        """Whether a helper has layers outside of scopes that a parameter names."""
        parameters = {a.arg for a in function.args.args}
        return self._unnamed_in(function.body, parameters)

    def _unnamed_in(self, body: list[ast.stmt], parameters: set[str]) -> bool:
        for statement in body:
            if isinstance(statement, ast.With) and is_scope(statement, self._scopes):
                scoped = any(
                    self._scopes.resolve(item.context_expr.func) == "tf.variable_scope"  # type: ignore[attr-defined]
                    and names.reads(item.context_expr) & parameters
                    for item in statement.items
                )
                if not scoped and self._unnamed_in(statement.body, parameters):
                    return True
                continue
            for call in calls(statement):
                symbol = self._scopes.resolve(call.func) or ""
                row = table.LAYERS.get(symbol)
                helper = self.helper(call)
                if symbol in table.SEVERAL:
                    return True
                if helper is not None and self._unnamed(helper):
                    return True
                if row is None or not row.has_weights:
                    continue
                arguments = layer_arguments(call, row)
                name = (arguments or {}).get("name")
                if name is None or not names.reads(name) & parameters:
                    return True
        return False

    def _suite(
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
                self._suite(statement.body, (*scope, statement), env, parts)
            elif isinstance(statement, ast.Return):
                if statement.value is None or index + 1 != len(body):
                    raise NotSplit(statement, "a return in the middle of a function")
                expression = ast.Expr(statement.value)
                self._statement(expression, scope, env)
            elif _docstring(statement):
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
            where = tuple(e for s in scope for e in self.scope_names(s, env))
            given = self._given.setdefault("/".join(map(ast.unparse, where)), _Names())
            if name.value in given.taken:
                raise NotSplit(applied.call, f"two layers named {name.value!r}")
        call = maker if applied.kept else applied.call
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
        bound = written_arguments(call, row)
        if bound is None:
            raise NotSplit(call, f"arguments of {symbol} that its Keras layer has not")
        if isinstance(row, ContribRow):
            self._of_contrib(call, row, bound, scope, env, place)
            return
        self._check_reuse(call, row, bound, env)
        self._layer(call, row, bound, scope, env, place)

    def _check_reuse(
        self,
        call: ast.Call,
        row: LayerRow,
        bound: dict[str, ast.expr],
        env: dict[str, ModeValues],
    ) -> None:
        """Takes `reuse` off a layer's arguments."""
        reuse = bound.pop("reuse", None)
        if reuse is not None and not self._is_not_reused(reuse, env):
            raise NotSplit(
                call, f"{row.function} with reuse shares another's variables"
            )

    def _of_contrib(
        self,
        call: ast.Call,
        row: ContribRow,
        given: dict[str, ast.expr],
        scope: tuple[ast.With, ...],
        env: dict[str, ModeValues],
        place: Place,
    ) -> None:
        """A function of contrib's layers, with what is said beside its call.

        Args:
          given: by TF1's names.
        """
        bound, normalizer = self._completed(call, row, given, scope, env)
        self._layer(call, row, bound, scope, env, place)
        if normalizer is not None:
            made = self.layers[-1]
            self.layers[-1] = dataclasses.replace(made, normalizer=normalizer)

    def _completed(
        self,
        call: ast.Call,
        row: ContribRow,
        given: dict[str, ast.expr],
        scope: tuple[ast.With, ...],
        env: dict[str, ModeValues],
    ) -> tuple[dict[str, ast.expr], Layer | None]:
        """Arguments by Keras's names, and the normalizer."""
        scoped = self._contrib.scoped(row, call, scope)
        written = given | {n: v for n, v in scoped.items() if n not in given}
        normalizer = self._contrib.normalizer(written, call, scope)
        if not set(written) <= {"inputs", *row.parameters, "fused"}:
            raise NotSplit(call, f"arguments that {row.function} has not")
        self._check_reuse(call, row, written, env)
        bound = row.keras(written)
        if bound is None:
            raise NotSplit(
                call, f"arguments of {row.function} that its Keras layer has not"
            )
        if normalizer is None:
            return bound, None
        inner, params = normalizer
        self._check_reuse(call, inner, params, env)
        own = inner.keras(params)
        if own is None:
            raise NotSplit(
                call, f"arguments of {inner.function} that its Keras layer has not"
            )
        name = own.pop("name", None)
        self._check_training(call, inner.call_parameters, own, env)
        return bound, self._made(
            call, inner, own, inner.default_name if name is None else name, ()
        )

    def _stacked(
        self,
        call: ast.Call,
        stacked: Stacked,
        scope: tuple[ast.With, ...],
        env: dict[str, ModeValues],
        place: Place,
    ) -> None:
        """Layers one after the other: <scope>/<scope>_1, ..._2."""
        row, given, several = stacked.row, dict(stacked.bound), stacked.several
        below = given.pop("scope", None)
        bound, normalizer = self._completed(call, row, given, scope, env)
        where = tuple(e for s in scope for e in self.scope_names(s, env))
        if any(self.reuses(s) for s in scope) or self._in_loop(call):
            raise NotSplit(call, "layers one after the other, made more than once")
        taken = self._given.setdefault("/".join(map(ast.unparse, where)), _Names())
        if below is None:
            python_name = keras_contrib.PYTHON_NAMES.get(row.kind, row.kind)
            unique = taken.unique(several.scope, call, place.conditional)
            name = f"{unique}/{python_name}"
        elif isinstance(below, ast.Constant) and isinstance(below.value, str):
            if below.value in taken.taken:
                raise NotSplit(call, f"two scopes named {below.value!r}")
            taken.taken[below.value] = 1
            name = f"{below.value}/{below.value}"
        else:
            raise NotSplit(call, "layers one after the other, below a name of its own")
        if not all(isinstance(e, ast.Constant) for e in where):
            raise NotSplit(call, "layers one after the other, in a scope of many names")
        made = self._made(call, row, bound, f"{name}_%d", where)
        texts = tuple(t for t in made.texts if t[0] not in several.parameters)
        self.layers.append(
            dataclasses.replace(
                made, texts=texts, normalizer=normalizer, several=several
            )
        )

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
        where = tuple(e for s in scope for e in self.scope_names(s, env))
        reused = any(self.reuses(s) for s in scope)
        given = self._given.setdefault("/".join(map(ast.unparse, where)), _Names())
        name: str | ast.expr | None = bound.get("name")
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
        self.layers.append(self._made(call, row, bound, name, where))

    def _made(
        self,
        call: ast.Call,
        row: LayerRow,
        bound: dict[str, ast.expr],
        name: str | ast.expr | None,
        where: tuple[ast.expr, ...],
    ) -> Layer:
        arguments = tuple(
            (name, value)
            for name, value in bound.items()
            if name not in ("inputs", "name", *row.call_parameters)
            and not (isinstance(value, ast.Constant) and value.value is None)
        )
        texts = row.texts(bound) if isinstance(row, ContribRow) else ()
        if row.function == "tf.layers.dropout" and "rate" not in bound:
            texts = (("rate", "0.5"),)  # Keras's has no default.
        told = tuple((n, bound[n]) for n in row.call_parameters if n in bound)
        inputs = bound.get("inputs")
        return Layer(call, row, inputs, arguments, name, where, texts, told=told)

    def _in_loop(self, node: ast.AST | None) -> bool:
        """Whether code runs more than once where its function runs once."""
        while node is not None and not isinstance(node, ast.FunctionDef):
            node = self._scopes.parents.get(node)
            if isinstance(node, (ast.For, ast.While, ast.comprehension)):
                return True
        return False

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

    def _is_not_reused(self, node: ast.expr, env: dict[str, ModeValues]) -> bool:
        """Whether a word for `reuse` is False, or None."""
        if isinstance(node, ast.Constant) and node.value is None:
            return True
        return all(values.of_test(node) is False for values in env.values())

    def reuses(self, scope: ast.With) -> bool:
        """Whether a scope takes variables that are there already."""
        return any(
            self._scopes.resolve(node) == "tf.AUTO_REUSE"
            for item in scope.items
            for node in ast.walk(item.context_expr)
            if isinstance(node, (ast.Name, ast.Attribute))
        )

    def scope_names(
        self, scope: ast.With, env: dict[str, ModeValues]
    ) -> list[ast.expr]:
        """What a `with` puts before the names of variables."""
        found = []
        for item in scope.items:
            call = item.context_expr
            assert isinstance(call, ast.Call)
            if self._scopes.resolve(call.func) != "tf.variable_scope":
                continue
            bound = names.bound_arguments(
                call, ("name_or_scope", "default_name", "values", *_SCOPE_ARGUMENTS)
            )
            reuse = (bound or {}).pop("reuse", None)
            if reuse is not None and self._scopes.resolve(reuse) != "tf.AUTO_REUSE":
                if not self._is_not_reused(reuse, env):
                    raise NotSplit(scope, "a variable scope shares its variables")
            if bound is None or set(bound) != {"name_or_scope"}:
                raise NotSplit(
                    scope, "a variable scope that does more than give a name"
                )
            found.append(bound["name_or_scope"])
        return found

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
        if value is not None:
            env = self._known_in.get(self._scopes.scope_of(value).node, env)
        for mode, values in env.items():
            test = False if value is None else values.of_test(value)
            if test is None or test != (mode == "TRAIN"):
                raise NotSplit(
                    call,
                    "a layer that is not in training mode in training, and only there",
                )


def _docstring(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )
