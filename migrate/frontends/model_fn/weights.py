"""Variables that a model makes by itself: calls of tf.get_variable."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterable, Iterator

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.model_fn import op_names, variables
from migrate.frontends.model_fn.modes import ModeValues, NotSplit
from migrate.frontends.model_fn.network import Network
from migrate.program.keras_layers import Layer, Weight
from migrate.program.keras_units import Unit
from migrate.source.nodes import list_children, walk_breadth_first
from migrate.tables import keras_models as table

# What is known of a symbolic tensor.
_STATIC = ("dtype", "shape", "get_shape")


class Static:
    """One network's features, whose types and shapes are known beforehand.

    Args:
      features: the model_fn's parameter.
      units: of the network; a statement that only gives a feature a name is known.
    """

    def __init__(self, features: str, units: Iterable[Unit]) -> None:
        self._features = features
        bound = [(n, unit) for unit in units for n in names.find_binds(unit.statement)]
        self._named = {
            name: unit
            for name, unit in bound
            if [n for n, _ in bound].count(name) == 1
            and isinstance(unit.statement, ast.Assign)
            and isinstance(unit.statement.targets[0], ast.Name)
            and self._is_feature(unit.statement.value)
        }

    def reads(self, node: ast.AST) -> set[str]:
        """Returns the names whose value is read, not only their type or shape."""
        found: set[str] = set()
        stack = [node]
        while stack:
            current = stack.pop()
            if isinstance(current, ast.Attribute) and current.attr in _STATIC:
                if self._is_feature(current.value):
                    continue
            if isinstance(current, ast.Name):
                found |= names.find_reads(current)
            stack.extend(list_children(current))
        return found

    def find_naming_units(self, nodes: Iterable[ast.AST]) -> set[Unit]:
        """Statements that give a name to features of which some code knows the shape."""
        read = {n for node in nodes for n in names.find_reads(node)}
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

    def list_names(self) -> set[str]:
        """Names that variables have in the code."""
        return {
            name
            for statement in walk_breadth_first(self._function)
            if isinstance(statement, ast.Assign) and self.is_variable(statement.value)
            for name in names.find_binds(statement)
        }

    def is_variable(self, node: ast.expr) -> bool:
        """Whether an expression makes a variable."""
        return (
            isinstance(node, ast.Call)
            and self._scopes.resolve(node.func) == table.VARIABLE
        )

    def read_weight(self, unit: Unit) -> Weight | None:
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
            raise NotSplit(call, "a variable is not assigned to a name of its own")
        written = variables.map_arguments(call)
        scope = tuple(
            name
            for outer in unit.around
            if isinstance(outer, ast.With)
            for name in self._network.list_scope_names(outer, self._values)
        )
        given = tuple(
            (name, written[name]) for name in table.WEIGHT_ARGUMENTS if name in written
        )
        name = op_names.find_given_name(
            call, written["name"], scope, self._function, self._scopes
        )
        return Weight(unit, call, name, given, scope)

    def read_weights_of_loop(self, unit: Unit, loop: ast.For) -> Iterator[Weight]:
        """Variables that the statements of a loop make, as many as it has rounds."""
        targets = names.find_binds(loop.target)
        for statement in loop.body:
            weight = self.read_weight(Unit(statement, unit.around))
            if weight is None:
                continue
            if not names.find_reads(weight.name) & targets:
                raise NotSplit(
                    weight.call,
                    "a loop makes a variable, each time under the same name",
                )
            yield dataclasses.replace(weight, loop=loop)

    def check(self, weight: Weight, changing: set[str], static: Static) -> None:
        """Fails if a variable could not be made before there are tensors.

        Args:
          changing: names that a step alone knows.
          static: what is known of features.
        """
        for node in (weight.name, *(value for _, value in weight.arguments)):
            read = static.reads(node) & changing
            if read:
                raise NotSplit(
                    weight.call,
                    f"a variable is made from `{sorted(read)[0]}`, which only a "
                    "step knows",
                )
        variables.check(weight.call, dict(weight.arguments), self._scopes)


def check_layers_own(layers: Iterable[Layer], weights: Iterable[Weight] = ()) -> None:
    """Fails if a variable is one that a layer makes, as `dense/kernel`.

    TF1 gave the layer's own, where variables are shared. A model would make a second one.

    Raises:
      NotSplit: it is so.
    """
    layers = list(layers)
    own = [layer for layer in layers if layer.row is table.WEIGHT]
    made = {_read_path(x) for x in layers if x.row.has_weights and x not in own}
    every: list[Layer | Weight] = [*own, *weights]
    for variable in every:
        above = _read_path(variable).rpartition("/")[0]
        if above and above in made:
            raise NotSplit(
                variable.call,
                f"it asks for a variable of the layer `{above}`, which makes that itself",
            )


def _read_path(made: Layer | Weight) -> str:
    parts = [p for p in (*made.scope, made.name) if p is not None]
    return "/".join(
        part
        if isinstance(part, str)
        else str(names.read_literal(part) or ast.unparse(part))
        for part in parts
    )
