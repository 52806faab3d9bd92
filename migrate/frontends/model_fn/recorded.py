"""Checks that Keras can record a network's statements: layers, and functions of tensors."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.model_fn import chosen_functions
from migrate.frontends.model_fn.calls import find_uses, list_calls, walk
from migrate.frontends.model_fn.grown import is_adding
from migrate.frontends.model_fn.layer_objects import LayerObjects
from migrate.frontends.model_fn.messages import is_print
from migrate.frontends.model_fn.modes import ModeValues, NotSplit, is_scope
from migrate.frontends.model_fn.network_objects import NetworkObjects
from migrate.source.nodes import walk_breadth_first
from migrate.tables import keras_models as table
from migrate.tables.layers import LAYER_CLASSES, LayerRow

_METHODS = frozenset({"get_shape", "as_list", "items", "keys", "values", "get"})
_BUILTINS = frozenset(
    {
        *("bool", "dict", "enumerate", "float", "int", "isinstance", "len", "list"),
        *("max", "min", "range", "reversed", "str", "sum", "tuple", "type", "zip"),
    }
)
_SIMPLE = (
    *(ast.Assign, ast.AugAssign, ast.Expr, ast.For, ast.If),
    *(ast.Assert, ast.Pass, ast.Raise),
)


class Recorded:
    """Knows which calls make layers in one model_fn, and which code may stand between layers.

    Attributes:
      variables: whether calls of tf.get_variable count as layers too.
    """

    variables = False

    def __init__(self, function: ast.FunctionDef, scopes: Scopes) -> None:
        self.function, self._scopes = function, scopes
        self.instances = NetworkObjects(scopes)
        self.objects = LayerObjects(scopes, self.instances)
        # Functions whose code is now being checked, and functions now searched for layers.
        self._entered: set[ast.FunctionDef] = set()
        self._asked: set[ast.FunctionDef] = set()

    def makes_layers(self, node: ast.AST) -> bool:
        """Whether code calls a layer, or a function of the module that calls one."""
        for inner in walk_breadth_first(node):
            if isinstance(inner, ast.Call):
                symbol = self._scopes.resolve(inner.func) or ""
                if symbol in table.SEVERAL or self.find_row(symbol) is not None:
                    return True
                if self.objects.find_row(inner) or self.objects.is_applied(inner):
                    return True
                helper = self.find_helper(inner)
                if helper is not None and self._makes(helper):
                    return True
        return False

    def _makes(self, helper: ast.FunctionDef) -> bool:
        if helper is self.function or helper in self._asked:
            return False  # The function calls itself.
        self._asked.add(helper)
        try:
            return any(map(self.makes_layers, helper.body))
        finally:
            self._asked.discard(helper)

    def find_row(self, symbol: str) -> LayerRow | None:
        """The layer that a function makes."""
        if self.variables and symbol == table.VARIABLE:
            return table.WEIGHT
        return table.LAYERS.get(symbol)

    def find_helper(self, call: ast.Call) -> ast.FunctionDef | None:
        """The function or the object's method, in the program's files, that a call runs."""
        return self.instances.find_function(call) or self._scopes.find_function(
            call.func
        )

    def bind_arguments(
        self, call: ast.Call, function: ast.FunctionDef
    ) -> dict[str, ast.expr] | None:
        """A helper's parameters by name, without a method's object."""
        return names.bind_call(call, function, self.instances.is_method(function))

    def check(
        self, statement: ast.stmt, env: dict[str, ModeValues], plain: bool = False
    ) -> None:
        """Raises an error if Keras could not record a statement.

        Args:
          env: mode -> the values that are known in it.
          plain: whether the statement is in a function that makes no layers, and so may be
            a `return`.

        Raises:
          NotSplit: the statement holds something else than layers and functions of tensors.
        """
        for node in walk(statement):
            if isinstance(node, ast.With) and is_scope(node, self._scopes):
                continue  # The names of scopes are read with their layers.
            if plain and isinstance(node, ast.Return):
                continue
            if isinstance(node, ast.stmt) and not isinstance(node, _SIMPLE):
                raise NotSplit(
                    node, f"there is a {_name_kind(node)} statement among its layers"
                )
            if isinstance(node, (ast.Lambda, ast.Yield, ast.Await, ast.NamedExpr)):
                raise NotSplit(node, f"there is a {_name_kind(node)} among its layers")
            if isinstance(node, ast.Call):
                self._check_call(node, env)
        for node, symbol in find_uses(statement, self._scopes):
            if not self._is_known(symbol):
                raise NotSplit(
                    node,
                    f"{symbol} is among its layers, and a functional Keras "
                    "model cannot contain it",
                )

    def _check_function(
        self, function: ast.FunctionDef, env: dict[str, ModeValues]
    ) -> None:
        """Checks a called function once, if it makes no layers.

        The front-end collects the layers of other functions where these are called.
        """
        if function in self._entered or self._makes(function):
            return
        self._entered.add(function)
        try:
            self.check_plain(function.body, env)
        finally:
            self._entered.discard(function)

    def check_plain(self, body: list[ast.stmt], env: dict[str, ModeValues]) -> None:
        """Raises NotSplit if Keras could not record the body of a function without layers."""
        for statement in body:
            if isinstance(statement, ast.With) and is_scope(statement, self._scopes):
                self.check_plain(statement.body, env)
                continue
            if isinstance(statement, ast.Return):
                statement = ast.Expr(statement.value or ast.Constant(None))
            self.check(statement, env, plain=True)

    def _is_known(self, symbol: str) -> bool:
        return (
            symbol in table.NETWORK
            or symbol in table.BETWEEN
            or symbol in table.VALUES
            or symbol in table.SEVERAL
            or self.find_row(symbol) is not None
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
        helper = self.find_helper(call)
        if helper is not None:
            self._check_function(helper, env)
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
        if helper is None and self._is_of_tensors(func):
            return
        if helper is None and not is_adding(call, self._scopes):
            why = "may be anything"
            if self._is_imported(func):
                why = "is in another file, which is not migrated with it"
            raise NotSplit(call, f"{ast.unparse(func)}() among its layers {why}")

    def _is_of_tensors(self, function: ast.expr) -> bool:
        """Whether a name only stands for functions of tensors, such as activations."""
        if not isinstance(function, ast.Name):
            return False
        found = chosen_functions.find_chosen_functions(function, self._scopes)
        return bool(found) and all(
            isinstance(one, str) and one in table.NETWORK and self.find_row(one) is None
            for one in found
        )

    def find_foreign_call(self, statements: Iterable[ast.stmt]) -> ast.Call | None:
        """The first call of an imported function that is not TensorFlow's."""
        for statement in statements:
            for call in list_calls(statement):
                if (
                    self._scopes.resolve(call.func) is None
                    and self.find_helper(call) is None
                ):
                    if self._is_imported(call.func):
                        return call
        return None

    def _is_imported(self, node: ast.expr) -> bool:
        """Whether an expression names an import of the module."""
        while isinstance(node, ast.Attribute):
            node = node.value
        if not isinstance(node, ast.Name):
            return False
        owner = self._scopes.find_scope(node).find_owner(node.id)
        imports = (ast.Import, ast.ImportFrom)
        return owner is not None and any(
            isinstance(bound, imports) for bound in owner.bindings[node.id]
        )


def _name_kind(node: ast.AST) -> str:
    return type(node).__name__.lower()
