"""The part of a model_fn that every mode shares: its layers, and what they alone decide."""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.model_fn import by_mode, training_alone, twins
from migrate.frontends.model_fn.calls import find_uses
from migrate.frontends.model_fn.grown import find_changes
from migrate.frontends.model_fn.messages import (
    check_seed,
    is_message,
    is_of_network,
    is_seed,
)
from migrate.frontends.model_fn.modes import ModeValues, NotSplit, Straight
from migrate.frontends.model_fn.network import Network, NetworkOfVariables
from migrate.frontends.model_fn.slices import (
    Slices,
    drop_units,
    find_closure,
    find_tensor_names,
)
from migrate.frontends.model_fn.weights import check_layers_own
from migrate.program.keras_layers import Twins
from migrate.program.keras_units import Unit
from migrate.source.nodes import walk_breadth_first
from migrate.tables import keras_models as table


class Common:
    """Finds the statements that are done once, before every step.

    Args:
      parameters: the model_fn's, by role.
      values: what is known in each mode.
      slices: of the model_fn.
    """

    _collects: type[Network] = Network
    # Statements that continue the network after its last layer.
    _after_layers: tuple[type[ast.expr], ...] = (ast.Call,)

    def __init__(
        self,
        function: ast.FunctionDef,
        scopes: Scopes,
        parameters: dict[str, str],
        values: dict[str, ModeValues],
        slices: Slices,
    ) -> None:
        self._function, self._scopes = function, scopes
        self._parameters, self._values = parameters, values
        self.network = self._collects(
            function, scopes, values, parameters.get("features", "")
        )
        self._slices = slices
        self.twins: Twins | None = None

    def _find_role(self, role: str) -> str:
        return self._parameters.get(role, "")

    def run(
        self, lines: dict[str, Straight], specs: dict[str, dict[str, ast.expr]]
    ) -> list[Unit]:
        """The statements, in the order of training.

        Args:
          lines: what each mode runs.
          specs: what its EstimatorSpec is given.

        Raises:
          NotSplit: layers differ by mode, or need more than features.
        """
        by_mode.unite_modes(
            lines, self._values, self._scopes, self.network.makes_layers
        )
        self.twins = twins.join_twins(lines, self.network, self._values, self._scopes)
        shared = self._list_layers(lines)
        # What the outputs alone decide, and every mode needs, is the network's too.
        more = self._find_common_units(lines, shared, drop_units(lines, shared), specs)
        shared = [u for u in lines["TRAIN"].units if u in shared or u in more]
        shared = self._add_messages(lines, shared)
        for unit in shared:
            self._check_mode(unit.statement)
        return shared

    def _list_layers(self, lines: dict[str, Straight]) -> list[Unit]:
        """Statements that the layers need, the same in every mode."""
        found: dict[str, list[Unit]] = {}
        training_alone.add_training_layers(lines, self.network, self._scopes)
        for mode, line in lines.items():
            makers = [u for u in line.units if self.network.makes_layers(u.statement)]
            found[mode] = find_closure(line.units, makers, self._slices.built)
        statements = {
            mode: [u.statement for u in units] for mode, units in found.items()
        }
        if not statements["TRAIN"]:
            unclear = self.network.instances.find_unclear_call(self._function)
            if unclear is not None:
                raise NotSplit(*unclear)
            reason = "it has no layers of tf.layers"
            call = self.network.find_foreign_call(
                u.statement for u in lines["TRAIN"].units
            )
            if call is not None:
                reason += f", and {ast.unparse(call.func)}() is in another file, "
                reason += "which is not migrated with it"
            raise NotSplit(self._function, reason)
        for mode in lines:
            if statements[mode] != statements["TRAIN"]:
                raise NotSplit(
                    self._function,
                    f"in mode {mode} it has other layers than in mode TRAIN",
                )
        for unit in found["TRAIN"]:
            self._visit_unit(unit)
        kept = {id(s) for s in statements["TRAIN"]}
        # The same statement is a unit of each mode; that of training stands for all.
        by_statement = {id(u.statement): u for u in lines["TRAIN"].units}
        for line in lines.values():
            line.units = [by_statement.get(id(u.statement), u) for u in line.units]
        return [u for u in lines["TRAIN"].units if id(u.statement) in kept]

    def _visit_unit(self, unit: Unit) -> None:
        scope = tuple(s for s in unit.around if isinstance(s, ast.With))
        self.network.visit_statement(unit.statement, scope)
        if self._find_role("labels") in names.find_reads(unit.statement):
            raise NotSplit(unit.statement, "its layers depend on labels")

    def _find_common_units(
        self,
        lines: dict[str, Straight],
        shared: list[Unit],
        after: dict[str, list[Unit]],
        specs: dict[str, dict[str, ast.expr]],
    ) -> list[Unit]:
        """Statements after the last layer that every mode needs and Keras records."""
        wanted = {
            "PREDICT": ("predictions",),
            "EVAL": ("loss", "eval_metric_ops"),
            "TRAIN": ("loss",),
        }
        needed = {
            mode: self._slices.find_needed(
                after[mode],
                [specs[mode][k] for k in wanted[mode] if k in specs[mode]],
            )
            for mode in after
        }
        common = [u for u in needed["TRAIN"] if all(u in n for n in needed.values())]
        if self.twins is not None:
            return []  # There would be two of them.
        found = [u for u in common if self._is_recorded(u)]
        while True:
            fed = [
                self._find_fed_units(line.units, shared, found)
                for line in lines.values()
            ]
            kept = [u for u in found if all(u in units for units in fed)]
            if len(kept) == len(found):
                return found
            found = kept

    def _is_recorded(self, unit: Unit) -> bool:
        """Whether a statement after the layers is one that Keras records."""
        statement = unit.statement
        if not isinstance(statement, ast.Assign):
            return False
        if not isinstance(statement.value, self._after_layers):
            return False
        if find_tensor_names([unit], self._scopes):
            return False
        if any(s in table.BETWEEN for _, s in find_uses(statement, self._scopes)):
            return False
        try:
            self.network.check(statement, self._values)
        except NotSplit:
            return False
        return True

    def _find_fed_units(
        self, units: list[Unit], shared: list[Unit], found: list[Unit]
    ) -> list[Unit]:
        """Finds the units of `found` that read only names the network has bound.

        If another statement rebinds such a name, it is no longer the network's.
        """
        local = set(self._scopes.scope_by_node[self._function].bindings)
        bound, fed = self._list_model_parameters(), []
        for unit in units:
            reads = {
                r for r in names.find_reads(unit.statement) if "." not in r
            } & local
            if unit in shared:
                bound |= set(self.list_bound_names(unit))
            elif unit in found and reads <= bound:
                fed.append(unit)
                bound |= names.find_binds(unit.statement)
            else:
                bound -= names.find_binds(unit.statement)
        return fed

    def _add_messages(
        self, lines: dict[str, Straight], shared: list[Unit]
    ) -> list[Unit]:
        """Adds the messages that all modes print about layers, and the seed."""
        units = lines["TRAIN"].units
        known = self._list_model_parameters()
        local = set(self._scopes.scope_by_node[self._function].bindings)
        kept = [
            unit
            for unit in units
            if unit not in shared
            and (
                is_message(unit.statement, self._scopes)
                or is_seed(unit.statement, self._scopes)
            )
            and all(
                any(u.statement is unit.statement for u in line.units)
                for line in lines.values()
            )
            and not names.find_reads(unit.statement) & self._find_decided_names()
            and is_of_network(unit, units, shared, known, local)
        ]
        for unit in kept:
            if is_seed(unit.statement, self._scopes):
                check_seed(units, unit, self._scopes)
        by_statement = {id(u.statement): u for u in kept}
        for line in lines.values():
            line.units = [by_statement.get(id(u.statement), u) for u in line.units]
        return [u for u in units if u in shared or u in kept]

    def _list_model_parameters(self) -> set[str]:
        """Parameters of the model_fn that the model is made with."""
        return {
            name
            for role, name in self._parameters.items()
            if role not in ("labels", "mode")
        }

    def _find_decided_names(self) -> set[str]:
        """Names that hold what the mode decides, and its own."""
        found = {n for v in self._values.values() for n in v.decided}
        return found | {self._find_role("mode")}

    def _check_mode(self, statement: ast.stmt) -> None:
        """Refuses reads of the mode among layers, except as a layer's `training`."""
        decided = self._find_decided_names()
        for node in walk_breadth_first(statement):
            if any(node in values.overrides for values in self._values.values()):
                if not self._is_in_training_argument(node):
                    raise NotSplit(node, "its layers depend on the mode")
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                if node.id in decided:
                    if not self._is_in_training_argument(node):
                        raise NotSplit(node, "its layers depend on the mode")

    def _is_in_training_argument(self, node: ast.AST) -> bool:
        parent = self._scopes.parents.get(node)
        while parent is not None and not isinstance(parent, ast.stmt):
            if isinstance(parent, ast.Call):
                value = self._find_training(parent)
                if value is not None:
                    return node in list(walk_breadth_first(value))
                function = self.network.find_helper(parent)
                helper = self.network.helpers.get(function) if function else None
                if function is not None and helper is not None:
                    arguments = self.network.bind_arguments(parent, function) or {}
                    return any(
                        node in list(walk_breadth_first(arguments[name]))
                        for name in helper.unneeded
                        if name in arguments
                    )
                return False
            parent = self._scopes.parents.get(parent)
        return False

    def _find_training(self, call: ast.Call) -> ast.expr | None:
        """Returns the `training` argument of a layer's call; None if it has none."""
        for layer in self.network.layers:
            if call in layer.applied or (
                call is layer.call and isinstance(call.func, ast.Call)
            ):
                return names.find_argument(call, "training", 1)
            if call is layer.call:
                told = [dict(part.told).get("training") for part in layer.parts]
                return next((value for value in told if value is not None), None)
        return None

    def find_tensors(self, shared: list[Unit]) -> set[str]:
        """Names of features, labels, and what the network makes of them."""
        found = {n for u in shared for n in self.list_bound_names(u)}
        return found | {self._find_role("features"), self._find_role("labels")} - {""}

    def is_host(self, unit: Unit, shared: list[Unit]) -> bool:
        """Whether a statement among the layers' is of plain values only."""
        tensors = {self._find_role("features")}
        for other in shared:
            if names.find_reads(other.statement) & tensors:
                tensors |= find_changes(other.statement, self._slices.built)
        if find_changes(unit.statement, self._slices.built) & tensors:
            return False
        return not self.network.makes_layers(unit.statement) and not any(
            symbol in table.NETWORK or symbol in table.BETWEEN
            for _, symbol in find_uses(unit.statement, self._scopes)
        )

    def find_outputs(self, shared: list[Unit], read: set[str]) -> tuple[str, ...]:
        """Names that the network binds and steps read."""
        bound = [
            name
            for unit in shared
            if not self.is_host(unit, shared)
            for name in self.list_bound_names(unit)
        ]
        found = dict.fromkeys(name for name in bound if name in read)
        if not found or not self.network.layers:
            raise NotSplit(self._function, "it has no layers of tf.layers")
        check_layers_own(self.network.layers)
        for name in found:
            if self.twins is None or name not in dict(self.twins.calls):
                self._check_output(name, shared)
        return tuple(found)

    def list_bound_names(self, unit: Unit) -> list[str]:
        """Names that a statement binds; of twins, that of the other too."""
        if self.twins is not None and unit.statement is self.twins.statement:
            return [name for name, _ in self.twins.calls]
        return sorted(names.find_binds(unit.statement))

    def _check_output(self, name: str, shared: list[Unit]) -> None:
        """Refuses an output that is no tensor that Keras records."""
        binding = [u.statement for u in shared if name in names.find_binds(u.statement)]
        last = binding[-1]
        if isinstance(last, ast.AugAssign) and len(binding) > 1:
            last = binding[-2]
        value = last.value if isinstance(last, ast.Assign) else None
        targets = last.targets if isinstance(last, ast.Assign) else []
        plain = len(targets) == 1 and isinstance(targets[0], ast.Name)
        if isinstance(last, ast.For):
            plain, value = True, None
            for inner in walk_breadth_first(last):
                if isinstance(inner, ast.Assign) and name in names.find_binds(inner):
                    value = inner.value
        if plain and value is not None and self._is_tensor(value, shared):
            return
        raise NotSplit(
            last,
            f"the code after the layers reads `{name}`, which may not be a "
            "tensor of the layers",
        )

    def _is_tensor(self, value: ast.expr, shared: list[Unit]) -> bool:
        """Whether an expression gives one tensor that Keras records."""
        if isinstance(value, ast.BinOp):
            sides = (value.left, value.right)
            return any(self._is_tensor(side, shared) for side in sides)
        if isinstance(value, ast.UnaryOp):
            return self._is_tensor(value.operand, shared)
        if isinstance(value, ast.Name):
            bound = [
                u.statement for u in shared if value.id in names.find_binds(u.statement)
            ]
            return bool(bound) and all(
                isinstance(s, ast.Assign)
                and [ast.unparse(t) for t in s.targets] == [value.id]
                and isinstance(s.value, ast.Call)
                and self._is_tensor(s.value, shared)
                for s in bound
            )
        if isinstance(value, ast.Subscript) and isinstance(value.value, ast.Name):
            # One of the features: an output that is an input.
            given = value.value.id == self._find_role("features")
            again = any(value.value.id in names.find_binds(u.statement) for u in shared)
            return (
                given and not again and isinstance(names.read_literal(value.slice), str)
            )
        if isinstance(value, ast.Subscript) and isinstance(value.value, ast.Call):
            # A part of one tensor is also one tensor: dense(net, 1)[:, 0].
            return self._scopes.resolve(value.value.func) in table.LAYERS
        if not isinstance(value, ast.Call) or self.network.instances.constructs(value):
            return False
        symbol = self._scopes.resolve(value.func)
        return symbol in table.NETWORK or self.network.makes_layers(value)

    def has_penalty(self) -> bool:
        """Whether a variable has a penalty."""
        return any(
            layer.row is table.WEIGHT and name == "regularizer"
            for layer in self.network.layers
            for name, _ in layer.arguments
        )


class CommonOfVariables(Common):
    """One common part with variables among its layers, and with sums and products."""

    _collects = NetworkOfVariables
    _after_layers = (ast.Call, ast.BinOp)
