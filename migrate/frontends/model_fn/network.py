"""The part of a model_fn that a functional Keras model can hold: a DAG of layers."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.model_fn.grown import is_adding
from migrate.frontends.model_fn.layer_objects import Applied, LayerObjects
from migrate.frontends.model_fn.messages import is_print
from migrate.frontends.model_fn.modes import ModeValues, NotSplit, is_scope
from migrate.frontends.model_fn.network_objects import NetworkObjects
from migrate.program.keras_model import Helper, Layer
from migrate.tables import estimator as estimator_table
from migrate.tables import keras_models as table
from migrate.tables.keras_contrib import ContribRow
from migrate.tables.layers import LAYER_CLASSES, LayerRow

# Of tf.variable_scope, after the values.
_SCOPE_ARGUMENTS = (
    *("initializer", "regularizer", "caching_device", "partitioner", "custom_getter"),
    *("reuse", "dtype", "use_resource", "constraint", "auxiliary_name_scope"),
)
_METHODS = frozenset({"get_shape", "as_list", "items", "keys", "values", "get"})
_BUILTINS = frozenset(
    {
        *("bool", "dict", "enumerate", "float", "int", "isinstance", "len", "list"),
        *("max", "min", "range", "reversed", "str", "sum", "tuple", "type", "zip"),
    }
)
# What a layer is told by a helper's parameter.
_WORDS = ("training", "is_training", "reuse")
_SIMPLE = (
    *(ast.Assign, ast.AugAssign, ast.Expr, ast.For, ast.If),
    *(ast.Assert, ast.Pass, ast.Raise),
)


@dataclasses.dataclass
class _Names:
    """Names of layers that one variable scope has given.

    Attributes:
      taken: how often each was given.
      known: whether each is known when the program is migrated.
    """

    taken: dict[str, int] = dataclasses.field(default_factory=dict)

    def unique(self, base: str) -> str:
        """TF1's next name: base, base_1, ..., past those that were given."""
        name, number = base, 0
        while name in self.taken:
            number += 1
            name = f"{base}_{number}"
        self.taken[name] = 1
        return name


class Passed(ast.With):
    """Stands for the variable scope that a helper is told by its caller."""

    name: ast.Name

    @classmethod
    def of(cls, parameter: str) -> Passed:
        """The scope that a parameter names."""
        found = cls(items=[], body=[])
        found.name = ast.Name(parameter, ast.Load())
        return found


class Network:
    """Collects the layers of a network's statements, in the order of their making.

    Args:
      modes: what is known in each mode.
    """

    def __init__(
        self, function: ast.FunctionDef, scopes: Scopes, training: dict[str, ModeValues]
    ) -> None:
        self.function, self._scopes, self._training = function, scopes, training
        self.layers: list[Layer] = []
        self.helpers: dict[ast.FunctionDef, Helper] = {}
        # Name of a variable scope, as it is written -> names given in it.
        self._given: dict[str, _Names] = {}
        self._dynamic = self._repeated()
        self.instances = NetworkObjects(scopes)
        self.objects = LayerObjects(scopes, self.instances)
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

    # What a statement may hold.

    def makes_layers(self, node: ast.AST) -> bool:
        """Whether code calls a layer, or a function of the module that does."""
        for inner in ast.walk(node):
            if isinstance(inner, ast.Call):
                if self._scopes.resolve(inner.func) in table.LAYERS:
                    return True
                if self.objects.row(inner) or self.objects.is_applied(inner):
                    return True
                helper = self.helper(inner)
                if helper is not None and helper is not self.function:
                    if any(self.makes_layers(s) for s in helper.body):
                        return True
        return False

    def helper(self, call: ast.Call) -> ast.FunctionDef | None:
        """The function of the program's files, or the object's method, that a call runs."""
        return self.instances.function(call) or self._scopes.function(call.func)

    def check(self, statement: ast.stmt, env: dict[str, ModeValues]) -> None:
        """Fails where Keras could not record a statement.

        Args:
          env: mode -> what is known in it.

        Raises:
          NotSplit: it holds something else than layers and functions of tensors.
        """
        for node in _walk(statement):
            if isinstance(node, ast.stmt) and not isinstance(node, _SIMPLE):
                raise NotSplit(
                    node, f"among its layers stands a {_kind(node)} statement"
                )
            if isinstance(node, (ast.Lambda, ast.Yield, ast.Await, ast.NamedExpr)):
                raise NotSplit(node, f"among its layers stands a {_kind(node)}")
            if isinstance(node, ast.Call):
                self._check_call(node, env)
        for node, symbol in uses(statement, self._scopes):
            if not self._known(symbol):
                raise NotSplit(
                    node, f"{symbol} among its layers is nothing that Keras records"
                )

    def _known(self, symbol: str) -> bool:
        return (
            symbol in table.NETWORK
            or symbol in table.VALUES
            or symbol in table.LAYERS
            or symbol in LAYER_CLASSES
            or symbol in ("tf.name_scope", "tf.variable_scope", "tf.AUTO_REUSE")
            or symbol.startswith((*table.HOST, *table.LOGGING))
        )

    def _check_call(self, call: ast.Call, env: dict[str, ModeValues]) -> None:
        symbol = self._scopes.resolve(call.func)
        if symbol is not None:
            return
        func = call.func
        if isinstance(func, ast.Name) and func.id in _BUILTINS:
            return
        if is_print(call, self._scopes) or self.objects.is_applied(call):
            return
        if self.instances.constructs(call) or self.instances.says_nothing(call):
            return
        if isinstance(self._scopes.parents.get(call), ast.Raise):
            return
        if isinstance(func, ast.Attribute) and func.attr in _METHODS:
            return
        if isinstance(func, ast.Attribute) and isinstance(func.value, ast.Constant):
            return  # "layer{}".format(i)
        helper = self.helper(call)
        if helper is None and not is_adding(call, self._scopes):
            why = "may be anything"
            if self._is_imported(func):
                why = "is of another file, which is not migrated with it"
            raise NotSplit(call, f"{ast.unparse(func)}() among its layers {why}")

    def _is_imported(self, node: ast.expr) -> bool:
        """Whether an expression names what the module imports."""
        while isinstance(node, ast.Attribute):
            node = node.value
        if not isinstance(node, ast.Name):
            return False
        owner = self._scopes.scope_of(node).owner(node.id)
        imports = (ast.Import, ast.ImportFrom)
        return owner is not None and any(
            isinstance(bound, imports) for bound in owner.bindings[node.id]
        )

    # Layers.

    def visit(self, statement: ast.stmt, scope: tuple[ast.With, ...]) -> None:
        """Takes a statement's layers.

        Args:
          scope: the variable scopes around it.
        """
        self._statement(statement, scope, self._training, None)

    def _statement(
        self,
        statement: ast.stmt,
        scope: tuple[ast.With, ...],
        env: dict[str, ModeValues],
        helper: ast.FunctionDef | None,
    ) -> None:
        self.check(statement, env)
        repeated = isinstance(statement, (ast.For, ast.If))
        for call in _calls(statement):
            symbol = self._scopes.resolve(call.func)
            if symbol in table.LAYERS:
                self._function_of_layers(call, symbol, scope, env, repeated)
            elif self.objects.row(call) is not None:
                self._unapplied[call] = call
            elif (applied := self.objects.applied(call)) is not None:
                self._apply(applied, scope, env, repeated)
            elif symbol is None and (function := self.helper(call)) is not None:
                self._call(call, function, scope, env, repeated)

    def _call(
        self,
        call: ast.Call,
        function: ast.FunctionDef,
        scope: tuple[ast.With, ...],
        env: dict[str, ModeValues],
        repeated: bool,
    ) -> None:
        """A helper: its layers are those of all its calls."""
        told = [
            value
            for value in (self.bound(call, function) or {}).values()
            if isinstance(value, ast.expr)
            and not isinstance(value, ast.Constant)
            and all(values.of_test(value) is not None for values in env.values())
        ]
        keeps = function.name == "__init__" and bool(told)
        if not keeps and not any(self.makes_layers(s) for s in function.body):
            for statement in function.body:
                if isinstance(statement, ast.Return):
                    statement = ast.Expr(statement.value or ast.Constant(None))
                self.check(statement, env)
            return
        bound = self.bound(call, function)
        if bound is None:
            raise NotSplit(call, f"the arguments of {function.name}() are not certain")
        unneeded: list[str] = []
        inner: dict[str, ModeValues] = {}
        for mode, values in env.items():
            known = ModeValues(mode, "", "", self._scopes)
            for name, value in bound.items():
                test = values.of_test(value)
                if test is not None:
                    known.known[name] = test
                    if (
                        isinstance(value, ast.Constant)
                        and value not in values.overrides
                    ):
                        known.literals.add(name)
                    elif name not in unneeded:
                        unneeded.append(name)
                elif values.is_mode(value):
                    raise NotSplit(call, f"{function.name}() is given the mode itself")
            inner[mode] = known
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
            calls = (*before.calls, (call, where))
            self.helpers[function] = dataclasses.replace(before, calls=calls)
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
            prefix = _literal(where)
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
        withs: list[ast.With] = []
        where = self._where(scope, env)
        self._prefixes[function] = _literal(where)
        told_scope = ""
        if self._prefixes[function] is None:
            # What the caller calls its scope, the helper does not know.
            told_scope = self._free(function, "scope")
            scope = (Passed.of(told_scope),)
            if self._numbered(function):
                raise NotSplit(
                    call, f"{function.name}() has layers without names, in a scope"
                )
        kept = self._keep(function, owner, unneeded, inner)
        self.helpers[function] = Helper(
            function,
            tuple(unneeded),
            (),
            owner,
            ((call, where),),
            told_scope,
            tuple(kept),
        )
        body = [s for s in function.body if s not in kept]
        self._suite(body, scope, inner, function, withs)
        self.helpers[function] = dataclasses.replace(
            self.helpers[function], scopes=tuple(withs)
        )
        words = {*unneeded, *self._words(function, owner)}
        for node in (n for statement in body for n in ast.walk(statement)):
            word = names.key(node) if isinstance(node, ast.expr) else None
            if word in words and not self._only_training(node):
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

    def _where(
        self, scope: tuple[ast.With, ...], env: dict[str, ModeValues]
    ) -> tuple[ast.expr, ...]:
        """What variable scopes put before names."""
        return tuple(e for outer in scope for e in self.scope_names(outer, env))

    def _names_in(self, where: tuple[ast.expr, ...], call: ast.AST) -> _Names:
        """Names that were given below some scopes; a function's own are its own."""
        key = "/".join(map(ast.unparse, where))
        if _literal(where) is None:
            key += f" of {id(self._scopes.scope_of(call))}"
        return self._given.setdefault(key, _Names())

    @staticmethod
    def _free(function: ast.FunctionDef, name: str) -> str:
        """A parameter that a function does not have, nor a name."""
        taken = {n.id for n in ast.walk(function) if isinstance(n, ast.Name)}
        taken |= {n.arg for n in ast.walk(function) if isinstance(n, ast.arg)}
        while name in taken:
            name = f"outer_{name}"
        return name

    def _moves_averages(self, function: ast.FunctionDef) -> bool:
        """Whether a method, or one that it calls, applies batch normalisation."""
        for call in _calls(function):
            applied = self.objects.applied(call)
            if applied and applied.row.function in estimator_table.BATCH_NORMALIZATION:
                return True
            helper = self.helper(call)
            if helper is not None and self._moves_averages(helper):
                return True
        return False

    def _numbered(self, function: ast.FunctionDef) -> bool:
        """Whether layers of a helper have no name, outside of scopes of its own."""
        for statement in function.body:
            for call in _calls(statement):
                row = table.LAYERS.get(self._scopes.resolve(call.func) or "")
                helper = self.helper(call)
                if helper is not None and self._numbered(helper):
                    return True
                if row is not None and row.has_weights:
                    if "name" not in (layer_arguments(call, row) or {}):
                        return True
        return False

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
            for call in _calls(statement):
                row = table.LAYERS.get(self._scopes.resolve(call.func) or "")
                helper = self.helper(call)
                if helper is not None and self._unnamed(helper):
                    return True
                made = self.objects.row(call)
                if made is not None and made.has_weights:
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
        helper: ast.FunctionDef,
        withs: list[ast.With],
    ) -> None:
        for index, statement in enumerate(body):
            if isinstance(statement, ast.With) and is_scope(statement, self._scopes):
                withs.append(statement)
                self._suite(statement.body, (*scope, statement), env, helper, withs)
            elif isinstance(statement, ast.Return):
                if statement.value is None or index + 1 != len(body):
                    raise NotSplit(statement, "a return in the middle of a function")
                expression = ast.Expr(statement.value)
                self._statement(expression, scope, env, helper)
            elif _docstring(statement):
                continue
            else:
                self._statement(statement, scope, env, helper)

    def _apply(
        self,
        applied: Applied,
        scope: tuple[ast.With, ...],
        env: dict[str, ModeValues],
        repeated: bool,
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
        self._layer(call, row, dict(applied.arguments), scope, env, repeated)
        if applied.kept:
            self.layers[-1] = dataclasses.replace(
                self.layers[-1], inputs=None, applied=(applied.call,)
            )

    def _check_scope(
        self, applied: Applied, scope: tuple[ast.With, ...], env: dict[str, ModeValues]
    ) -> None:
        """An object is made with its name, which the scope of its call may begin."""
        if self._scopes.scope_of(applied.maker) is self._scopes.scope_of(applied.call):
            return
        for outer in scope:
            for name in self.scope_names(outer, env):
                if not isinstance(name, ast.Constant):
                    raise NotSplit(
                        applied.call, "a layer object in a scope that a name names"
                    )

    def _function_of_layers(
        self,
        call: ast.Call,
        symbol: str,
        scope: tuple[ast.With, ...],
        env: dict[str, ModeValues],
        repeated: bool,
    ) -> None:
        """A call of tf.layers.dense and its kind."""
        row = table.LAYERS[symbol]
        bound = layer_arguments(call, row)
        if bound is None or "inputs" not in bound:
            raise NotSplit(call, f"arguments of {symbol} that its Keras layer has not")
        reuse = bound.pop("reuse", None)
        if reuse is not None and not self._is_not_reused(reuse, env):
            raise NotSplit(call, f"{symbol} with reuse shares another's variables")
        self._layer(call, row, bound, scope, env, repeated)

    def _layer(
        self,
        call: ast.Call,
        row: LayerRow,
        bound: dict[str, ast.expr],
        scope: tuple[ast.With, ...],
        env: dict[str, ModeValues],
        repeated: bool,
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
            if repeated or row.default_name in self._dynamic:
                if where or (isinstance(row, ContribRow) and not row.numbered):
                    raise NotSplit(
                        call, "layers without names, in a loop in a variable scope"
                    )
                self._dynamic.add(row.default_name)
            else:
                name = given.unique(row.default_name)
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
        if isinstance(scope, Passed):
            return [scope.name]
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
        for mode, values in env.items():
            test = False if value is None else values.of_test(value)
            if test is None or test != (mode == "TRAIN"):
                raise NotSplit(
                    call,
                    "a layer that is not in training mode in training, and only there",
                )


def _literal(where: tuple[ast.expr, ...]) -> str | None:
    """The scopes' names, where they are literals."""
    texts = [n.value for n in where if isinstance(n, ast.Constant)]
    return "/".join(map(str, texts)) if len(texts) == len(where) else None


def layer_arguments(call: ast.Call, row: LayerRow) -> dict[str, ast.expr] | None:
    """A layer's arguments by name; `fused` is by name alone in most programs."""
    if len(call.args) > 1 + len(row.parameters):
        return None
    inputs = "features" if row.function == table.INPUT_LAYER else "inputs"
    bound = names.bound_arguments(call, (inputs, *row.parameters, "fused"))
    if bound is None or inputs not in bound or "weight_collections" in bound:
        return None
    if isinstance(row, ContribRow):
        return row.keras(bound)
    return {"inputs" if name == inputs else name: e for name, e in bound.items()}


def bound_call(
    call: ast.Call, function: ast.FunctionDef, method: bool = False
) -> dict[str, ast.expr] | None:
    """A helper's parameters by name.

    Args:
      method: whether its first one is the object.
    """
    arguments = function.args
    if arguments.vararg or arguments.kwarg or arguments.posonlyargs:
        return None
    if function.decorator_list:
        return None
    parameters = tuple(a.arg for a in [*arguments.args, *arguments.kwonlyargs])
    parameters = parameters[method:]
    return names.bound_arguments(call, parameters)


def _docstring(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def _kind(node: ast.AST) -> str:
    return type(node).__name__.lower()


def _walk(node: ast.AST) -> Iterator[ast.AST]:
    """In source order."""
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _walk(child)


def _calls(node: ast.AST) -> list[ast.Call]:
    """Calls in the order in which they are made: arguments first."""
    found: list[ast.Call] = []
    for child in ast.iter_child_nodes(node):
        found += _calls(child)
    if isinstance(node, ast.Call):
        found.append(node)
    return found


def uses(node: ast.AST, scopes: Scopes) -> Iterator[tuple[ast.expr, str]]:
    """Outermost expressions that resolve to symbols."""
    stack = [node]
    while stack:
        current = stack.pop()
        if isinstance(current, (ast.Attribute, ast.Name)):
            if isinstance(current.ctx, ast.Load):
                symbol = scopes.resolve(current)
                if symbol is not None:
                    yield current, symbol
                    continue
        stack.extend(ast.iter_child_nodes(current))
