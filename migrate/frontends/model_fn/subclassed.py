"""The part of a model_fn that every mode shares, where it is no DAG of layers alone.

Variables of `tf.get_variable`, and whatever functions of tensors are applied to them, make
a subclassed model: what depends on nothing that is fed is made in `__init__`, and the rest
is `call`, which is told whether it is training.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterable, Iterator

from migrate.facts import names
from migrate.facts.reach import find_reached
from migrate.facts.scopes import Scopes
from migrate.frontends.model_fn import checks, recurrent
from migrate.frontends.model_fn.called_network import CalledNetwork
from migrate.frontends.model_fn.calls import find_uses
from migrate.frontends.model_fn.grown import find_changes
from migrate.frontends.model_fn.modes import ModeValues, NotSplit, Straight
from migrate.frontends.model_fn.network import Network
from migrate.frontends.model_fn.slices import Slices, find_closure
from migrate.frontends.model_fn.weights import Static, Weights, check_layers_own
from migrate.program.keras_layers import Layer, Weight
from migrate.program.keras_model import Called, Step
from migrate.program.keras_units import Unit
from migrate.source.nodes import list_children, walk_breadth_first
from migrate.tables import keras_models as table
from migrate.tables import recurrent as recurrent_table

_RESULTS = {
    "PREDICT": ("predictions",),
    "EVAL": ("loss", "eval_metric_ops"),
    "TRAIN": ("loss",),
}


class Subclassed:
    """Finds what `__init__` makes and `call` computes. (`Common` is its functional twin.)

    Args:
      parameters: the model_fn's, by role.
      values: what is known in each mode.
      slices: of the model_fn.
    """

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
        self.network: Network = CalledNetwork(function, scopes, values)
        self._variables = Weights(function, scopes, self.network, values)
        self._slices = slices
        self._steps: list[Step] = []
        self._made: list[Unit] = []
        self._weights: list[Weight] = []
        self._training: dict[ast.expr, str] = {}
        self._static = Static("", ())

    def _find_role(self, role: str) -> str:
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
        modes = self._find_modes(lines, specs)
        order = sorted(
            modes, key=lambda u: (u.statement.lineno, u.statement.col_offset)
        )
        changing = self._find_changing(order, modes)
        self._static = Static(self._find_role("features"), order)
        for unit in order:
            weight = self._variables.read_weight(unit)
            if weight is not None:
                self._variables.check(weight, changing, self._static)
                self._weights.append(weight)
                self._made.append(unit)
            elif not self._find_changes(unit) & changing:
                self._made.append(unit)
            else:
                self._read_step(unit, modes[unit], changing)
        self._check_names()
        if not self._weights and not self.network.layers:
            raise NotSplit(self._function, "it has neither layers nor variables")
        return order

    def _unify(self, lines: dict[str, Straight]) -> None:
        """Uses one unit for the same statement in all modes."""
        first: dict[int, Unit] = {}
        for line in lines.values():
            for unit in line.units:
                first.setdefault(id(unit.statement), unit)
            line.units = [first[id(u.statement)] for u in line.units]

    def _find_modes(
        self, lines: dict[str, Straight], specs: dict[str, dict[str, ast.expr]]
    ) -> dict[Unit, bool | None]:
        """Finds the units that all modes need, and their value of `training`."""
        needed = {
            mode: self._slices.find_needed(
                lines[mode].units,
                [specs[mode][k] for k in _RESULTS[mode] if k in specs[mode]],
            )
            for mode in lines
        }
        labelled = {self._find_role("labels")}
        common: list[Unit] = []
        for unit in needed["TRAIN"]:
            if names.find_reads(unit.statement) & labelled or self._is_graph(unit):
                labelled |= self._find_changes(unit)
            elif all(unit in units for units in needed.values()):
                common.append(unit)
        found: dict[Unit, set[str]] = {}
        for mode, line in lines.items():
            for unit in find_closure(line.units, common, self._slices.built):
                found.setdefault(unit, set()).add(mode)
        # A unit of every mode runs in every mode, even if one does not need it.
        for unit, where in found.items():
            if all(unit in line.units for line in lines.values()):
                where |= set(lines)
        return {
            unit: self._find_condition(unit, where) for unit, where in found.items()
        }

    def _is_graph(self, unit: Unit) -> bool:
        """Whether a statement is of a step: losses, metrics and what reads the graph."""
        return any(
            symbol.startswith(("tf.losses.", "tf.metrics.", "tf.train."))
            or symbol in (table.COLLECTION, table.TRAINABLE)
            for _, symbol in find_uses(unit.statement, self._scopes)
        )

    def _find_condition(self, unit: Unit, modes: set[str]) -> bool | None:
        if self._find_role("labels") in names.find_reads(unit.statement):
            raise NotSplit(unit.statement, "its network depends on labels")
        every = set(self._values)
        if modes == every:
            return None
        if modes == {"TRAIN"} or modes == every - {"TRAIN"}:
            return modes == {"TRAIN"}
        raise NotSplit(
            unit.statement, "its network differs between evaluation and prediction"
        )

    # What is made once.

    def _find_changing(
        self, order: list[Unit], modes: dict[Unit, bool | None]
    ) -> set[str]:
        """Names that depend on features or on the mode: those that `call` binds."""
        found = {self._find_role("features"), self._find_role("mode")}
        found |= {name for values in self._values.values() for name in values.decided}
        before: set[str] = set()
        while before != found:  # A loop's statement may read what a later one binds.
            before = set(found)
            for unit in order:
                weight = self._variables.read_weight(unit)
                if weight is None and (
                    modes[unit] is not None
                    or names.find_reads(unit.statement) & found
                    or not self._is_plain(unit)
                ):
                    found |= self._find_changes(unit)
        return found

    def _find_changes(self, unit: Unit) -> set[str]:
        """Names that a statement binds, or whose list or dictionary it adds to."""
        return find_changes(unit.statement, self._slices.built)

    def _is_plain(self, unit: Unit) -> bool:
        """Whether a statement is of plain values, whenever it runs."""
        return not names.find_reads(
            unit.statement
        ) & self._variables.list_names() and all(
            symbol in table.VALUES
            or symbol in recurrent_table.CELLS
            or symbol.startswith(table.HOST)
            for node in (unit.statement, *find_reached(self._scopes, [unit.statement]))
            for _, symbol in find_uses(node, self._scopes)
        )

    # What is called.

    def _read_step(self, unit: Unit, when: bool | None, changing: set[str]) -> None:
        scope = tuple(s for s in unit.around if isinstance(s, ast.With))
        before = len(self.network.layers)
        self.network.visit_statement(unit.statement, scope)
        loops: dict[ast.For, list[Layer | Weight]] = {}
        for index, layer in enumerate(self.network.layers[before:], before):
            loop = self._find_loop(layer.call, unit.statement)
            if loop is not None:
                layer = self.network.layers[index] = dataclasses.replace(
                    layer, loop=loop
                )
                loops.setdefault(loop, []).append(layer)
            self._check_layer(layer, changing)
        if isinstance(unit.statement, ast.For):
            for weight in self._variables.read_weights_of_loop(unit, unit.statement):
                targets = names.find_binds(unit.statement.target)
                self._variables.check(weight, changing - targets, self._static)
                self._weights.append(weight)
                loops.setdefault(unit.statement, []).append(weight)
        for loop, made in loops.items():
            self._check_loop(loop, made, changing)
        self._read_modes(unit.statement)
        for layer in self.network.layers[before:]:
            if layer.row.has_weights:
                self._check_every_mode(layer.call, unit.statement, when)
        self._steps.append(Step(unit, when))

    def _check_every_mode(
        self, call: ast.Call, unit: ast.stmt, when: bool | None
    ) -> None:
        """Refuses a layer that not every mode calls."""
        node, within = self._scopes.parents.get(call), when is not None
        while node is not None and node is not self._scopes.parents.get(unit):
            if isinstance(node, (ast.If, ast.IfExp)):
                within |= any(
                    n in self._training for n in walk_breadth_first(node.test)
                )
            node = self._scopes.parents.get(node)
        if within:
            raise NotSplit(call, "only some of the modes have this layer")

    def _find_loop(self, call: ast.Call, unit: ast.stmt) -> ast.For | None:
        """The loop of a statement in which a layer is made; None if it is made once."""
        outer: list[ast.AST] = []
        node: ast.AST | None = call
        while node is not None and node is not unit:
            node = self._scopes.parents.get(node)
            if isinstance(node, (ast.For, ast.While, ast.comprehension)):
                outer.append(node)
        if not outer:
            return None
        if len(outer) > 1 or not isinstance(outer[0], ast.For) or outer[0] is not unit:
            raise NotSplit(
                call, "it makes layers in nested loops, beside variables of its own"
            )
        return outer[0]

    def _check_layer(self, layer: Layer, changing: set[str]) -> None:
        """Refuses arguments that a step computes, and unnamed layers in an `if`."""
        own = names.find_binds(layer.loop.target) if layer.loop is not None else set()
        for node in layer.carried:
            read = self._static.reads(node) & changing
            if read - own:
                raise NotSplit(
                    layer.call,
                    f"a layer gets `{sorted(read - own)[0]}` as an argument, "
                    "which only a step knows",
                )
        inside = self._scopes.parents.get(layer.call)
        while inside is not None and inside is not self._function:
            if isinstance(inside, ast.If):
                unnamed = layer.name is None or layer.counted
                if unnamed and layer.row.has_weights:
                    raise NotSplit(
                        layer.call, "it makes a layer without a name under a condition"
                    )
            inside = self._scopes.parents.get(inside)

    def _check_loop(
        self, loop: ast.For, made: list[Layer | Weight], changing: set[str]
    ) -> None:
        """Refuses a loop that cannot be repeated in `__init__` to make its layers."""
        if names.find_reads(loop.iter) & changing:
            raise NotSplit(
                loop, "it makes layers in a loop over values that a step computes"
            )
        stops = (ast.Break, ast.Continue)
        if loop.orelse or any(
            isinstance(node, stops) for node in walk_breadth_first(loop)
        ):
            raise NotSplit(
                loop, "it makes layers in a loop with `break`, `continue` or `else`"
            )
        # Made one kind after the other, where TF1 numbered them round by round.
        kinds = [
            x.row.default_name
            for x in made
            if isinstance(x, Layer) and (x.name is None or x.counted)
            if x.row.has_weights
        ]
        if len(kinds) != len(set(kinds)):
            raise NotSplit(
                loop, "it makes several layers of one kind in a loop, without names"
            )
        own = {n for x in made for n in self._find_bound_names(x)}
        again = own & {
            n.id
            for n in walk_breadth_first(self._function)
            if isinstance(n, ast.Name)
            and isinstance(n.ctx, ast.Store)
            and n not in set(walk_breadth_first(loop))
        }
        if again:
            raise NotSplit(
                loop, f"`{sorted(again)[0]}` is the name of several variables"
            )

    @staticmethod
    def _find_bound_names(made: Layer | Weight) -> set[str]:
        return (
            names.find_binds(made.unit.statement) if isinstance(made, Weight) else set()
        )

    def _read_modes(self, node: ast.AST) -> None:
        """Notes each read of the mode, and its form with `call`'s `training`."""
        if isinstance(node, ast.expr):
            tests = [values.decide_test(node) for values in self._values.values()]
            if None not in tests and not isinstance(node, ast.Constant):
                if len(set(tests)) == 1:
                    self._training[node] = str(tests[0])
                elif len(set(tests[1:])) == 1:
                    self._training[node] = "training" if tests[0] else "not training"
                else:
                    raise NotSplit(node, "its network depends on the mode itself")
                return
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            if node.id == self._find_role("mode"):
                raise NotSplit(node, "its network depends on the mode itself")
        for child in list_children(node):
            self._read_modes(child)

    def _check_names(self) -> None:
        """Refuses names that `call` binds again, and names of several variables."""
        again = {n for u in self._made for n in self._find_changes(u)} & {
            n for s in self._steps for n in self._find_changes(s.unit)
        }
        if again:
            raise NotSplit(
                self._function,
                f"`{sorted(again)[0]}` is first a plain value, and then a tensor",
            )
        check_layers_own(self.network.layers, self._weights)
        counts = [n for w in self._weights for n in names.find_binds(w.unit.statement)]
        counts += [
            "/".join(map(ast.unparse, (*w.scope, w.name))) for w in self._weights
        ]
        twice = [n for n in counts if counts.count(n) > 1]
        if twice:
            raise NotSplit(
                self._function, f"`{twice[0]}` is the name of several variables"
            )

    # What the split asks of it.

    def check(self) -> None:
        """Fails if `call` holds what no step may hold."""
        layers = [layer.call.func for layer in self.network.layers]
        values = [value for layer in self.network.layers for value in layer.given]
        steps = checks.Steps(
            self._function,
            self._scopes,
            set(),
            (*layers, *values, *self._training, *(w.call for w in self._weights)),
            table.CALL_ALLOWED,
        )
        for step in self._steps:
            steps.check(step.unit.statement)
        units = [*self._made, *(step.unit for step in self._steps)]
        recurrent.check(units, self._scopes)

    def find_tensors(self, shared: list[Unit]) -> set[str]:
        """Names of features, labels, variables, and what `call` makes of them."""
        found = {n for s in self._steps for n in self._find_changes(s.unit)}
        found |= {n for w in self._weights for n in names.find_binds(w.unit.statement)}
        return found | {self._find_role("features"), self._find_role("labels")} - {""}

    def is_host(self, unit: Unit, shared: list[Unit]) -> bool:
        """Whether steps compute a unit again: none, as the model keeps the values."""
        return False

    def find_outputs(self, shared: list[Unit], read: set[str]) -> tuple[str, ...]:
        """Names that `call` binds and steps read."""
        found = dict.fromkeys(
            name
            for step in self._steps
            for name in sorted(names.find_binds(step.unit.statement))
            if name in read
        )
        if not found:
            raise NotSplit(
                self._function, "its steps do not read the result of its network"
            )
        return tuple(found)

    def has_penalty(self) -> bool:
        """Whether a variable has a penalty."""
        return any(n == "regularizer" for w in self._weights for n, _ in w.arguments)

    def describe(self, read: Iterable[str]) -> Called:
        """Returns the description from which the class is written.

        Args:
          read: names that the steps of training, evaluation and prediction read.
        """
        bound = {n for u in self._made for n in names.find_binds(u.statement)}
        gone = {
            id(n) for node in self._find_dropped() for n in walk_breadth_first(node)
        }
        inside: set[str] = set()
        for step in self._steps:
            for node in walk_breadth_first(step.unit.statement):
                if id(node) not in gone and isinstance(node, ast.Name):
                    inside |= names.find_reads(node)
                elif isinstance(node, ast.AugAssign):
                    inside |= names.find_binds(node)
        return Called(
            tuple(self._made),
            tuple(self._weights),
            tuple(self._steps),
            frozenset(bound & (inside | set(read))),
            frozenset(inside),
            self._training,
            frozenset(loop for loop in self._find_loops() if self._counts(loop)),
            frozenset(self._static.find_naming_units(self._find_dropped())),
        )

    def _find_loops(self) -> set[ast.For]:
        """Loops that make layers or variables."""
        made: list[Layer | Weight] = [*self.network.layers, *self._weights]
        return {one.loop for one in made if one.loop is not None}

    def _find_dropped(self) -> Iterator[ast.AST]:
        """Yields the code of `call` that is only needed to make layers or variables."""
        made: list[Layer | Weight] = [*self.network.layers, *self._weights]
        for one in made:
            yield from self._find_nodes_of_making(one)
        for loop in self._find_loops():
            if not self._counts(loop):
                yield loop.target
                yield loop.iter

    @staticmethod
    def _find_nodes_of_making(made: Layer | Weight) -> Iterator[ast.AST]:
        """Yields the code that only serves to make a layer or a variable."""
        if isinstance(made, Layer):
            yield from (*made.carried, *made.given)
        else:
            yield made.unit.statement

    def _counts(self, loop: ast.For) -> bool:
        """Whether a loop's own names are read beside what it makes."""
        made: list[Layer | Weight] = [*self.network.layers, *self._weights]
        gone: set[ast.AST] = set()
        for one in made:
            for node in self._find_nodes_of_making(one):
                gone.update(walk_breadth_first(node))
        targets = names.find_binds(loop.target)
        return any(
            isinstance(node, ast.Name) and node.id in targets and node not in gone
            for statement in loop.body
            for node in walk_breadth_first(statement)
        )
