"""Follows the step, and the rates that depend on it, to the making of an optimizer.

In a graph a rate is a tensor, computed anew in every step. Where a Keras model is made, a
schedule is a function that the optimizer calls; so the step may only be given to
schedules, and a rate to optimizers, through whatever functions of the module.
"""

from __future__ import annotations

import ast
import builtins
import dataclasses
import enum
from collections.abc import Iterable

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.facts.trees.joined import Joined
from migrate.frontends.model_fn.modes import NotSplit
from migrate.source.nodes import list_children
from migrate.tables import keras_models as table
from migrate.tables.optimizers import OPTIMIZERS, SCHEDULES

# Of schedules, the parameter that is the step, and its place.
_STEP = {
    "tf.train.piecewise_constant": ("x", 0),
    "tf.train.piecewise_constant_decay": ("x", 0),
}
_UPDATES = ("minimize", "apply_gradients")
_INTEGERS = ("tf.int32", "tf.int64")
# Methods of dictionaries, lists and texts: what they give follows no step.
_METHODS = frozenset(
    {"get", "keys", "values", "items", "copy", "index", "count"}
    | {"format", "split", "strip", "lower", "upper", "startswith", "endswith", "join"}
)


class Kind(enum.Enum):
    """One kind of value that is not plain."""

    STEP = "the step"
    RATE = "a rate"


@dataclasses.dataclass(frozen=True, eq=False)
class _Closure:
    """A function with what it closes over."""

    function: ast.FunctionDef
    around: dict[str, Value]


Value = Kind | _Closure | None


class Rates:
    """Follows the step through statements and functions.

    Attributes:
      casts: calls that only make the step another integer, of which a schedule has no need.
      functions: what was followed.
    """

    def __init__(self, scopes: Scopes) -> None:
        self._scopes = scopes
        self.casts: dict[ast.Call, ast.expr] = {}
        self.functions: dict[ast.FunctionDef, None] = {}
        self._open: list[ast.FunctionDef] = []

    def run(self, statements: Iterable[ast.stmt], values: dict[str, Value]) -> Value:
        """Follows statements; `values` gets what their names are.

        Returns:
          What they return.

        Raises:
          NotSplit: something is computed with the step, or a rate.
        """
        returned: Value = None
        for statement in statements:
            found = self._run_statement(statement, values)
            returned = found if found is not None else returned
        return returned

    def _run_statement(self, statement: ast.stmt, values: dict[str, Value]) -> Value:
        if isinstance(statement, ast.FunctionDef):
            values[statement.name] = _Closure(statement, values)
        elif isinstance(statement, ast.Return):
            return (
                None
                if statement.value is None
                else self.evaluate(statement.value, values)
            )
        elif isinstance(statement, ast.Assign):
            value = self.evaluate(statement.value, values)
            target = statement.targets[0]
            if isinstance(target, ast.Name) and len(statement.targets) == 1:
                values[target.id] = value
            elif value is not None:
                raise NotSplit(statement, "its learning rate has several names")
        elif isinstance(statement, (ast.If, ast.With, ast.For)):
            for child in list_children(statement):
                if isinstance(child, ast.expr):
                    self.evaluate(child, values)
            return self.run(
                [*statement.body, *getattr(statement, "orelse", [])], values
            )
        else:
            for child in list_children(statement):
                if (
                    isinstance(child, ast.expr)
                    and self.evaluate(child, values) is not None
                ):
                    raise NotSplit(
                        statement,
                        "its learning rate is changed before the optimizer gets it",
                    )
        return None

    def evaluate(self, node: ast.expr, values: dict[str, Value]) -> Value:
        """Returns the kind of an expression; None if it is plain."""
        if isinstance(node, ast.Name):
            return values.get(node.id)
        if isinstance(node, ast.IfExp):
            self.evaluate(node.test, values)
            return self.evaluate(node.body, values) or self.evaluate(
                node.orelse, values
            )
        if isinstance(node, ast.Call):
            return self._run_call(node, values)
        for child in list_children(node):
            if isinstance(child, ast.expr) and isinstance(
                self.evaluate(child, values), Kind
            ):
                raise NotSplit(
                    node, "its learning rate is changed before the optimizer gets it"
                )
        return None

    def _run_call(self, call: ast.Call, values: dict[str, Value]) -> Value:
        symbol = self._scopes.resolve(call.func) or ""
        if symbol in table.GLOBAL_STEP:
            return Kind.STEP
        given = [*call.args, *(k.value for k in call.keywords)]
        kinds = {argument: self.evaluate(argument, values) for argument in given}
        if symbol in SCHEDULES:
            name, place = _STEP.get(symbol, ("global_step", 1))
            step = names.find_argument(call, name, place)
            if all(kind is None for arg, kind in kinds.items() if arg is not step):
                return Kind.RATE
        elif symbol in OPTIMIZERS:
            if Kind.STEP not in kinds.values():
                return None  # Whether it takes a rate is looked at elsewhere.
        elif symbol == table.AVERAGES:
            if Kind.RATE not in kinds.values():
                return None
        elif symbol in ("tf.cast", "tf.to_int32", "tf.to_int64"):
            kind = kinds[given[0]] if given else None
            if kind is None:
                return None
            if kind is Kind.STEP and (
                symbol != "tf.cast"
                or (len(given) > 1 and self._scopes.resolve(given[1]) in _INTEGERS)
            ):
                if isinstance(self._scopes, Joined) and not self._scopes.is_own(call):
                    raise NotSplit(call, "another file makes the step an integer")
                self.casts[call] = given[0]
                return kind
        elif (closure := self._read_function(call.func, values)) is not None:
            return self._evaluate_call(call, closure, kinds)
        elif Kind.STEP not in kinds.values():
            self._check_known(call, symbol)
            return None
        elif isinstance(call.func, ast.Attribute) and call.func.attr in _UPDATES:
            return None
        self._check_known(call, symbol)
        if any(isinstance(kind, Kind) for kind in kinds.values()):
            raise NotSplit(
                call, "its learning rate is changed before the optimizer gets it"
            )
        return None

    def _check_known(self, call: ast.Call, symbol: str) -> None:
        """Refuses an unknown function in the making of an optimizer.

        Raises:
          NotSplit: the tool does not know the function, which may read the step itself.
        """
        node = call.func
        if symbol or self._is_plain(node):
            return
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
            bound = self._find_binding(node.value)
            if isinstance(bound, ast.Assign) and isinstance(bound.value, ast.Dict):
                node = ast.Subscript(bound.value, node.slice, ast.Load())
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Dict):
            self.evaluate(node.value, {})
            return
        raise NotSplit(
            call,
            f"{ast.unparse(call.func)}() makes its optimizer, and the tool "
            "cannot tell which one",
        )

    def _is_plain(self, node: ast.expr) -> bool:
        """Whether a function is Python's own, or of a library that knows no graph."""
        if isinstance(node, ast.Attribute) and node.attr in _METHODS:
            return True
        root: ast.expr = node
        while isinstance(root, ast.Attribute):
            root = root.value
        if not isinstance(root, ast.Name):
            return False
        if self._scopes.find_scope(root).find_owner(root.id) is None:
            return root is node and hasattr(builtins, root.id)
        bound = self._find_binding(root)
        if not isinstance(bound, (ast.Import, ast.ImportFrom)):
            return False
        module = getattr(bound, "module", None) or bound.names[0].name
        return module.partition(".")[0] in table.LIBRARIES

    def _find_binding(self, node: ast.Name) -> ast.AST | None:
        owner = self._scopes.find_scope(node).find_owner(node.id)
        bound = owner.bindings[node.id] if owner is not None else []
        return bound[0] if len(bound) == 1 else None

    def _read_function(
        self, node: ast.expr, values: dict[str, Value]
    ) -> _Closure | None:
        if isinstance(node, ast.Attribute):
            other = self._scopes.find_function(node)
            return None if other is None else _Closure(other, {})
        if not isinstance(node, ast.Name):
            return None
        known = values.get(node.id)
        if isinstance(known, _Closure):
            return known
        bound = self._find_binding(node)
        if isinstance(bound, ast.FunctionDef):
            return _Closure(bound, {})
        other = self._scopes.find_function(node)
        return None if other is None else _Closure(other, {})

    def _evaluate_call(
        self, call: ast.Call, closure: _Closure, kinds: dict[ast.expr, Value]
    ) -> Value:
        """Follows a call of the module's function; returns the kind of its result."""
        function = closure.function
        if function in self._open:
            raise NotSplit(call, f"{function.name}() calls itself")
        self.functions[function] = None
        bound = names.bind_call(call, function)
        if bound is None:
            if any(isinstance(kind, Kind) for kind in kinds.values()):
                raise NotSplit(
                    call, "the tool does not find the function that makes its optimizer"
                )
            bound = {}
        own: dict[str, Value] = {n: kinds.get(value) for n, value in bound.items()}
        self._open.append(function)
        returned = self.run(function.body, {**closure.around, **own})
        self._open.pop()
        return returned
