"""Variables that a model makes by itself: calls of tf.get_variable."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterable, Iterator

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.model_fn.calls import uses
from migrate.frontends.model_fn.modes import ModeValues, NotSplit
from migrate.frontends.model_fn.network import Network
from migrate.program.keras_model import Unit, Weight
from migrate.tables import keras_models as table

# What is known of a symbolic tensor.
_STATIC = ("dtype", "shape", "get_shape")


class Static:
    """What is known of features before there are any: their types and shapes.

    Args:
      features: the model_fn's parameter.
      units: of the network; a statement that only gives a feature a name is known.
    """

    def __init__(self, features: str, units: Iterable[Unit]) -> None:
        self._features = features
        bound = [(n, unit) for unit in units for n in names.binds(unit.statement)]
        self._named = {
            name: unit
            for name, unit in bound
            if [n for n, _ in bound].count(name) == 1
            and isinstance(unit.statement, ast.Assign)
            and isinstance(unit.statement.targets[0], ast.Name)
            and self._is_feature(unit.statement.value)
        }

    def reads(self, node: ast.AST) -> set[str]:
        """Names whose value is read; not those of which only the type or shape is."""
        found: set[str] = set()
        stack = [node]
        while stack:
            current = stack.pop()
            if isinstance(current, ast.Attribute) and current.attr in _STATIC:
                if self._is_feature(current.value):
                    continue
            if isinstance(current, ast.Name):
                found |= names.reads(current)
            stack.extend(ast.iter_child_nodes(current))
        return found

    def named(self, nodes: Iterable[ast.AST]) -> set[Unit]:
        """Statements that give a name to features of which some code knows the shape."""
        read = {n for node in nodes for n in names.reads(node)}
        return {unit for name, unit in self._named.items() if name in read}

    def _is_feature(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            node = node.value
        return isinstance(node, ast.Name) and (
            node.id == self._features or node.id in getattr(self, "_named", {})
        )


class Weights:
    """Recognises the variables of one model_fn.

    Args:
      network: what knows the names that scopes give.
      values: what is known in each mode.
    """

    def __init__(
        self,
        function: ast.FunctionDef,
        scopes: Scopes,
        network: Network,
        values: dict[str, ModeValues],
    ) -> None:
        self._function, self._scopes = function, scopes
        self._network, self._values = network, values

    def names(self) -> set[str]:
        """Names that variables have in the code."""
        return {
            name
            for statement in ast.walk(self._function)
            if isinstance(statement, ast.Assign) and self.is_variable(statement.value)
            for name in names.binds(statement)
        }

    def is_variable(self, node: ast.expr) -> bool:
        """Whether an expression makes a variable."""
        return (
            isinstance(node, ast.Call)
            and self._scopes.resolve(node.func) == table.VARIABLE
        )

    def made(self, unit: Unit) -> Weight | None:
        """The variable that a statement makes.

        Raises:
          NotSplit: it is given what add_weight does not take.
        """
        statement = unit.statement
        if not isinstance(statement, ast.Assign) or not self.is_variable(
            statement.value
        ):
            return None
        call = statement.value
        assert isinstance(call, ast.Call)
        if len(statement.targets) != 1 or not isinstance(
            statement.targets[0], ast.Name
        ):
            raise NotSplit(call, "a variable that has no name of its own in the code")
        bound = names.bound_arguments(call, table.VARIABLE_PARAMETERS)
        if bound is None or "name" not in bound or "shape" not in bound:
            raise NotSplit(call, "a variable whose name and shape are not written out")
        written = {
            name: value
            for name, value in bound.items()
            if name != "name"
            and not (isinstance(value, ast.Constant) and value.value is None)
        }
        extra = set(written) - set(table.WEIGHT_ARGUMENTS) - set(table.WEIGHT_IGNORED)
        if extra:
            raise NotSplit(call, f"tf.get_variable with {sorted(extra)[0]}")
        scope = tuple(
            name
            for outer in unit.around
            if isinstance(outer, ast.With)
            for name in self._network.scope_names(outer, self._values)
        )
        arguments = tuple(
            (name, written[name]) for name in table.WEIGHT_ARGUMENTS if name in written
        )
        return Weight(unit, call, bound["name"], arguments, scope)

    def in_loop(self, unit: Unit, loop: ast.For) -> Iterator[Weight]:
        """Variables that the statements of a loop make, as many as it has rounds."""
        targets = names.binds(loop.target)
        for statement in loop.body:
            weight = self.made(Unit(statement, unit.around))
            if weight is None:
                continue
            if not names.reads(weight.name) & targets:
                raise NotSplit(weight.call, "a variable in a loop, under one name")
            yield dataclasses.replace(weight, loop=loop)

    def check(self, weight: Weight, changing: set[str], static: Static) -> None:
        """Fails where a variable could not be made before there are tensors.

        Args:
          changing: names that a step alone knows.
          static: what is known of features.
        """
        for node in (weight.name, *(value for _, value in weight.arguments)):
            read = static.reads(node) & changing
            if read:
                raise NotSplit(
                    weight.call,
                    f"a variable made of `{sorted(read)[0]}`, which is known in a step "
                    "alone",
                )
        for name, value in weight.arguments:
            if name == "initializer" and not self._is_initializer(value):
                raise NotSplit(value, "an initializer that is not known as a function")
        for node, symbol in uses(weight.call, self._scopes):
            if symbol not in table.VALUES and symbol != table.VARIABLE:
                if not symbol.startswith(table.HOST):
                    raise NotSplit(node, f"a variable made with {symbol}")

    def _is_initializer(self, node: ast.expr) -> bool:
        """Whether it is a function, not an array: add_weight takes no arrays."""
        if isinstance(node, ast.Name) and self._scopes.resolve(node) is None:
            bound = self._scopes.scope_of(node).owner(node.id)
            makers = bound.bindings[node.id] if bound else []
            values = [getattr(maker, "value", None) for maker in makers]
            return bool(values) and all(
                value is not None and self._is_initializer(value) for value in values
            )
        if isinstance(node, ast.Call) and self._scopes.resolve(node.func) is None:
            return self._makes_initializer(node)
        symbol = self._scopes.resolve(node.func if isinstance(node, ast.Call) else node)
        return symbol is not None and symbol in table.VALUES

    def _makes_initializer(self, call: ast.Call) -> bool:
        """Whether a function of the module returns an initializer and nothing else."""
        owner = (
            self._scopes.scope_of(call.func).owner(call.func.id)
            if isinstance(call.func, ast.Name)
            else None
        )
        if owner is None or not isinstance(call.func, ast.Name):
            return False
        bound = owner.bindings[call.func.id]
        if len(bound) != 1 or not isinstance(bound[0], ast.FunctionDef):
            return False
        returns = [n.value for n in ast.walk(bound[0]) if isinstance(n, ast.Return)]
        return bool(returns) and all(
            isinstance(value, ast.Call) and self._is_initializer(value)
            for value in returns
        )
