"""The part of a model_fn that every mode shares, where it is no DAG of layers alone.

Variables of `tf.get_variable`, and whatever functions of tensors are applied to them, make
a subclassed model: what depends on nothing that is fed is made in `__init__`, and the rest
is `call`, which is told whether it is training.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.model_fn import checks
from migrate.frontends.model_fn.layer_objects import Applied
from migrate.frontends.model_fn.modes import ModeValues, NotSplit, Straight
from migrate.frontends.model_fn.network import Network, uses
from migrate.frontends.model_fn.slices import Slices, closure
from migrate.program.keras_model import Called, Step, Unit, Weight
from migrate.tables import keras_models as table

_RESULTS = {
    "PREDICT": ("predictions",),
    "EVAL": ("loss", "eval_metric_ops"),
    "TRAIN": ("loss",),
}


class CalledNetwork(Network):
    """Collects the layers that `call` applies; what else it holds, a step may hold."""

    def check(self, statement: ast.stmt, env: dict[str, ModeValues]) -> None:
        """Anything goes here: `Subclassed` looks at it."""

    def _apply(self, applied: Applied, *rest: Any) -> None:
        if applied.kept:
            raise NotSplit(applied.call, "a layer object beside variables of its own")
        super()._apply(applied, *rest)

    def _call(self, call: ast.Call, function: ast.FunctionDef, *_: object) -> None:
        if any(self.makes_layers(s) for s in function.body):
            raise NotSplit(
                call, f"{function.name}() makes layers beside variables of its own"
            )


class Subclassed:
    """Finds what `__init__` makes and `call` computes. (`Common` is its functional twin.)

    Args:
      parameters: the model_fn's, by role.
      values: what is known in each mode.
    """

    def __init__(
        self,
        function: ast.FunctionDef,
        scopes: Scopes,
        parameters: dict[str, str],
        values: dict[str, ModeValues],
    ) -> None:
        self._function, self._scopes = function, scopes
        self._parameters, self._values = parameters, values
        self.network: Network = CalledNetwork(function, scopes, values)
        self._slices = Slices(function, scopes)
        self._steps: list[Step] = []
        self._made: list[Unit] = []
        self._weights: list[Weight] = []
        self._training: dict[ast.expr, str] = {}

    def _role(self, role: str) -> str:
        return self._parameters.get(role, "")

    def run(
        self, lines: dict[str, Straight], specs: dict[str, dict[str, ast.expr]]
    ) -> list[Unit]:
        """The statements, in the order of the model_fn.

        Args:
          lines: what each mode runs.
          specs: what its EstimatorSpec is given.

        Raises:
          NotSplit: they differ by mode, not only in training, or need more than features.
        """
        self._unify(lines)
        modes = self._modes(lines, specs)
        order = sorted(
            modes, key=lambda u: (u.statement.lineno, u.statement.col_offset)
        )
        changing = self._changing(order, modes)
        for unit in order:
            weight = self._weight(unit)
            if weight is not None:
                self._check_made(weight.call, changing)
                self._weights.append(weight)
                self._made.append(unit)
            elif not names.binds(unit.statement) & changing:
                self._made.append(unit)
            else:
                self._step(unit, modes[unit], changing)
        self._check_names(changing)
        if not self._weights and not self.network.layers:
            raise NotSplit(self._function, "it has neither layers nor variables")
        return order

    def _unify(self, lines: dict[str, Straight]) -> None:
        """The same statement is a unit of each mode; the first stands for all."""
        first: dict[int, Unit] = {}
        for line in lines.values():
            for unit in line.units:
                first.setdefault(id(unit.statement), unit)
            line.units = [first[id(u.statement)] for u in line.units]

    def _modes(
        self, lines: dict[str, Straight], specs: dict[str, dict[str, ast.expr]]
    ) -> dict[Unit, bool | None]:
        """What every mode needs, and the value of `training` where it runs."""
        needed = {
            mode: self._slices.needed(
                lines[mode].units,
                [specs[mode][k] for k in _RESULTS[mode] if k in specs[mode]],
            )
            for mode in lines
        }
        labelled = {self._role("labels")}
        common: list[Unit] = []
        for unit in needed["TRAIN"]:
            if names.reads(unit.statement) & labelled or self._is_graph(unit):
                labelled |= names.binds(unit.statement)
            elif all(unit in units for units in needed.values()):
                common.append(unit)
        found: dict[Unit, set[str]] = {}
        for mode, line in lines.items():
            for unit in closure(line.units, common, self._slices.built):
                found.setdefault(unit, set()).add(mode)
        return {unit: self._when(unit, where) for unit, where in found.items()}

    def _is_graph(self, unit: Unit) -> bool:
        """Whether a statement is of a step: losses, metrics and what reads the graph."""
        return any(
            symbol.startswith(("tf.losses.", "tf.metrics.", "tf.train."))
            or symbol in (table.COLLECTION, table.TRAINABLE)
            for _, symbol in uses(unit.statement, self._scopes)
        )

    def _when(self, unit: Unit, modes: set[str]) -> bool | None:
        if self._role("labels") in names.reads(unit.statement):
            raise NotSplit(unit.statement, "its network depends on labels")
        every = set(self._values)
        if modes == every:
            return None
        if modes == {"TRAIN"} or modes == every - {"TRAIN"}:
            return modes == {"TRAIN"}
        raise NotSplit(
            unit.statement, "its network differs by more than whether it is training"
        )

    # What is made once.

    def _changing(self, order: list[Unit], modes: dict[Unit, bool | None]) -> set[str]:
        """Names that depend on features or on the mode: those that `call` binds."""
        found = {self._role("features"), self._role("mode")}
        found |= {name for values in self._values.values() for name in values.decided}
        before = -1
        while before != len(
            found
        ):  # A loop's statement may read what a later one binds.
            before = len(found)
            for unit in order:
                weight = self._weight(unit)
                if weight is None and (
                    modes[unit] is not None
                    or names.reads(unit.statement) & found
                    or not self._is_plain(unit)
                ):
                    found |= names.binds(unit.statement)
        return found

    def _is_plain(self, unit: Unit) -> bool:
        """Whether a statement is of plain values, whenever it runs."""
        weights = {n for w in self._weight_names() for n in (w,)}
        return not names.reads(unit.statement) & weights and all(
            symbol in table.VALUES or symbol.startswith(table.HOST)
            for _, symbol in uses(unit.statement, self._scopes)
        )

    def _weight_names(self) -> set[str]:
        return {
            name
            for statement in ast.walk(self._function)
            if isinstance(statement, ast.Assign) and self._is_variable(statement.value)
            for name in names.binds(statement)
        }

    def _is_variable(self, node: ast.expr) -> bool:
        return (
            isinstance(node, ast.Call)
            and self._scopes.resolve(node.func) == table.VARIABLE
        )

    def _weight(self, unit: Unit) -> Weight | None:
        """The variable that a statement makes."""
        statement = unit.statement
        if not isinstance(statement, ast.Assign) or not self._is_variable(
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
            for name in self.network.scope_names(outer, self._values)
        )
        arguments = tuple(
            (name, written[name]) for name in table.WEIGHT_ARGUMENTS if name in written
        )
        return Weight(unit, call, bound["name"], arguments, scope)

    def _check_made(self, call: ast.Call, changing: set[str]) -> None:
        """A variable is made before there are tensors."""
        read = names.reads(call) & changing
        if read:
            raise NotSplit(
                call,
                f"a variable made of `{sorted(read)[0]}`, which is known in a step alone",
            )
        for keyword in call.keywords:
            if keyword.arg == "initializer" and not self._is_initializer(keyword.value):
                raise NotSplit(
                    keyword.value, "an initializer that is not known as a function"
                )
        for node, symbol in uses(call, self._scopes):
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

    # What is called.

    def _step(self, unit: Unit, when: bool | None, changing: set[str]) -> None:
        scope = tuple(s for s in unit.around if isinstance(s, ast.With))
        before = len(self.network.layers)
        self.network.visit(unit.statement, scope)
        for layer in self.network.layers[before:]:
            for _, value in layer.arguments:
                read = names.reads(value) & changing
                if read:
                    raise NotSplit(
                        layer.call,
                        f"a layer made of `{sorted(read)[0]}`, which is known in a step "
                        "alone",
                    )
        if self.network.layers[before:] and not isinstance(
            unit.statement, (ast.Assign, ast.AugAssign)
        ):
            raise NotSplit(unit.statement, "layers in a loop beside variables")
        self._modes_of(unit.statement)
        self._steps.append(Step(unit, when))

    def _modes_of(self, node: ast.AST) -> None:
        """What it reads of the mode, which `call` knows as `training`."""
        if isinstance(node, ast.expr):
            tests = [values.of_test(node) for values in self._values.values()]
            if None not in tests and not isinstance(node, ast.Constant):
                if len(set(tests)) == 1:
                    self._training[node] = str(tests[0])
                elif len(set(tests[1:])) == 1:
                    self._training[node] = "training" if tests[0] else "not training"
                else:
                    raise NotSplit(node, "its network depends on the mode itself")
                return
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            if node.id == self._role("mode"):
                raise NotSplit(node, "its network depends on the mode itself")
        for child in ast.iter_child_nodes(node):
            self._modes_of(child)

    def _check_names(self, changing: set[str]) -> None:
        """A name that is made once is not bound again by `call`."""
        again = {n for u in self._made for n in names.binds(u.statement)} & {
            n for s in self._steps for n in names.binds(s.unit.statement)
        }
        if again:
            raise NotSplit(
                self._function, f"`{sorted(again)[0]}` is a plain value, then a tensor"
            )
        counts = [n for w in self._weights for n in names.binds(w.unit.statement)]
        twice = [n for n in counts if counts.count(n) > 1]
        if twice:
            raise NotSplit(self._function, f"`{twice[0]}` is more than one variable")

    # What the split asks of it.

    def check(self) -> None:
        """Fails where `call` holds what no step may hold."""
        layers = [layer.call.func for layer in self.network.layers]
        values = [value for x in self.network.layers for _, value in x.arguments]
        values += [
            keyword.value
            for layer in self.network.layers
            for keyword in layer.call.keywords
            if keyword.arg == "training"
        ]
        steps = checks.Steps(
            self._function,
            self._scopes,
            set(),
            (*layers, *values, *self._training),
            table.CALL_ALLOWED,
        )
        for step in self._steps:
            steps.check(step.unit.statement)

    def tensors(self, shared: list[Unit]) -> set[str]:
        """Names of features, labels, variables, and what `call` makes of them."""
        found = {n for s in self._steps for n in names.binds(s.unit.statement)}
        found |= {n for w in self._weights for n in names.binds(w.unit.statement)}
        return found | {self._role("features"), self._role("labels")} - {""}

    def is_host(self, unit: Unit, shared: list[Unit]) -> bool:
        """None is computed anew: what steps read of them, the model keeps."""
        return False

    def outputs(self, shared: list[Unit], read: set[str]) -> tuple[str, ...]:
        """Names that `call` binds and steps read."""
        found = dict.fromkeys(
            name
            for step in self._steps
            for name in sorted(names.binds(step.unit.statement))
            if name in read
        )
        if not found:
            raise NotSplit(self._function, "its steps read nothing of its network")
        return tuple(found)

    def penalised(self) -> bool:
        """Whether a variable has a penalty."""
        return any(n == "regularizer" for w in self._weights for n, _ in w.arguments)

    def called(self, read: Iterable[str]) -> Called:
        """What the class is written from.

        Args:
          read: names that the steps of training, evaluation and prediction read.
        """
        inside = {n for s in self._steps for n in names.reads(s.unit.statement)}
        bound = {n for u in self._made for n in names.binds(u.statement)}
        return Called(
            tuple(self._made),
            tuple(self._weights),
            tuple(self._steps),
            # A layer's arguments are read where it is made.
            frozenset(bound & (inside | set(read)) - self._of_layers_alone(read)),
            self._training,
        )

    def _of_layers_alone(self, read: Iterable[str]) -> set[str]:
        """Names that `call` reads in the arguments of layers only."""
        given = {
            id(node)
            for layer in self.network.layers
            for _, value in layer.arguments
            for node in ast.walk(value)
        }
        elsewhere = {
            node.id
            for step in self._steps
            for node in ast.walk(step.unit.statement)
            if isinstance(node, ast.Name) and id(node) not in given
        }
        every = {n for s in self._steps for n in names.reads(s.unit.statement)}
        return every - elsewhere - set(read)
