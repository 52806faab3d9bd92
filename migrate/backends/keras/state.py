"""Holds the state for writing a model's class, and moves statements into it."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from migrate.backends.keras.layout import Argument
from migrate.backends.keras.layout import write_call as laid_out
from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.model_fn.flow import Flow
from migrate.plan import Block, Dropped, Item, Keep, New, Plan
from migrate.program.code import Code, make_code
from migrate.program.keras_model import KerasModel, Metric
from migrate.program.keras_units import Unit
from migrate.source.nodes import find_plain_names, walk_breadth_first
from migrate.tables import keras_models as table


class State:
    """The model, the plan, and the uses that are already handled."""

    def __init__(
        self,
        model: KerasModel,
        flow: Flow,
        scopes: Scopes,
        plan: Plan,
        name: str,
        logged: frozenset[ast.AST] = frozenset(),
    ) -> None:
        self._model, self._flow, self._scopes = model, flow, scopes
        self._plan, self._name = plan, name
        # Tensors that hooks got. Callbacks get their names.
        self._logged = logged
        self.claimed: dict[ast.AST, tuple[str, str]] = {}
        # Statements around units whose comments are already written.
        self._told: set[ast.stmt] = set()
        self._emitted: set[ast.AST] = set()
        # The parameters of __init__, once it is written.
        self._order: list[str] = []
        self._taken = table.TAKEN.union(model.parameters.values())
        self._features = model.parameters["features"]
        self._labels = model.parameters.get("labels", "")
        # Parameters of the class, besides features. A step reads them from the model.
        self._made_with = [
            name
            for role, name in model.parameters.items()
            if role not in ("features", "labels", "mode")
        ]

    def _write_units(
        self, units: Iterable[Unit], replace: dict[ast.AST, Code] | None = None
    ) -> list[Item]:
        found: list[Item] = []
        for unit in units:
            found += self._list_comments(unit)
            counted = self._find_metric(unit)
            if counted is not None:
                found.append(self._make_item(self._write_metric_update(counted), unit))
                continue
            found.append(Keep(unit.statement, replace=dict(replace or {})))
            self._emit(unit.statement)
        return found

    def _find_metric(self, unit: Unit) -> Metric | None:
        """Returns the metric that a statement makes."""
        value = getattr(unit.statement, "value", None)
        if not isinstance(value, ast.Call):
            return None
        same = ast.dump(value)
        return next((m for m in self._model.metrics if ast.dump(m.call) == same), None)

    def _fold_mode(self, mode: str) -> dict[ast.AST, Code]:
        """Returns the replacements for conditions on the mode, in one mode."""
        return {n: make_code(v) for n, v in self._model.folded.get(mode, {}).items()}

    def _find_left_out_nodes(self, mode: str) -> set[ast.AST]:
        """Returns the nodes that a mode leaves out where it decides."""
        return {
            inner
            for node, value in self._model.folded.get(mode, {}).items()
            for inner in walk_breadth_first(node)
            if isinstance(value, str) or inner not in set(walk_breadth_first(value))
        }

    def _are_modes_alike(self, one: str, other: str, units: Iterable[Unit]) -> bool:
        """Whether two modes have the same replacements in some statements."""
        folded = self._model.folded
        return all(
            folded.get(one, {}).get(node) == folded.get(other, {}).get(node)
            for unit in units
            for node in walk_breadth_first(unit.statement)
        )

    def _list_comments(self, unit: Unit) -> list[Item]:
        """Returns comments above removed code around a statement, once."""
        told = [s for s in unit.around if s not in self._told]
        self._told.update(told)
        return [Dropped(s) for s in told]

    def _emit(self, node: ast.AST) -> None:
        self._emitted.update(walk_breadth_first(node))

    def _make_item(
        self, new: Code, unit: Unit | None = None, blank: bool = False
    ) -> New:
        for node in new.walk_nodes():
            self._emit(node)
        origin = unit.statement if unit is not None else None
        return New(make_code("\n", new) if blank else new, origin)

    def _find_free_name(self, name: str) -> str:
        """Returns a name that the model_fn does not use."""
        function = self._model.function
        taken = find_plain_names(function)
        taken |= {n.arg for n in walk_breadth_first(function) if isinstance(n, ast.arg)}
        while name in taken:
            name = f"model_{name}"
        return name

    def _is_step(self, node: ast.AST | None) -> bool:
        return (
            isinstance(node, ast.Call)
            and self._scopes.resolve(node.func) in table.GLOBAL_STEP
        )

    def _choose_attribute(self, metric: Metric) -> str:
        name = "".join(c if c.isalnum() else "_" for c in metric.key)
        if self._is_taken(name) or name[:1].isdigit():
            name = f"{name}_metric" if name[:1].isalpha() else f"metric_{name}"
        return name

    def _is_taken(self, name: str) -> bool:
        """Whether an attribute of this name would hide another."""
        return name in self._taken or name in self._model.update.schedules

    def _find_step_names(self) -> set[str]:
        nodes = [unit.statement for unit in self._model.training]
        watching = [node for hooks in self._model.hooks for node in hooks.nodes]
        return {name for node in (*nodes, *watching) for name in names.find_reads(node)}

    def _read_by_steps(self) -> list[str]:
        """Returns the class's parameters that a step reads."""
        model = self._model
        nodes: list[ast.AST] = [
            u.statement
            for u in (*model.predictions, *model.training, *model.evaluation)
        ]
        nodes += self._list_update_nodes()
        results = (model.evaluated, model.train_loss, model.reported, model.predicted)
        nodes += [node for node in results if node is not None]
        nodes += model.counted
        nodes += [node for hooks in model.hooks for node in hooks.nodes]
        read = {name for node in nodes for name in names.find_reads(node)}
        if model.called is not None:
            read |= model.called.reads
        return [name for name in self._made_with if name in read]

    def _list_update_nodes(self) -> list[ast.AST]:
        """Returns the statements of the update that a step keeps; of `minimize`, none."""
        update = self._model.update
        if update.computed is None:
            return []
        return [unit.statement for unit in update.gradients]

    def _bind_params(self, nodes: Iterable[ast.AST]) -> list[Item]:
        """Writes `params = self.params` if some code reads it."""
        read = {name for node in nodes for name in names.find_reads(node)}
        return [
            New(make_code(f"{name} = self.{self._name_attribute(name)}"))
            for name in self._made_with
            if name in read
        ]

    def _name_attribute(self, name: str) -> str:
        """Returns the attribute of a class's parameter, which hides none of Keras's."""
        bound = name in self._model.bound and name in table.TAKEN
        return f"{name}_value" if bound else name

    def _write_data(
        self, nodes: Iterable[ast.AST], labelled: bool = True
    ) -> list[Item]:
        """Writes the beginning of a step."""
        if labelled:
            data = f"{self._features}, {self._labels} = data"
        else:
            data = (
                f"{self._features}, _, _ = "
                "tf_keras.utils.unpack_x_y_sample_weight(data)"
            )
        return [New(make_code(data)), *self._bind_params(nodes)]

    def _write_network_call(
        self, training: bool, read: Iterable[ast.AST]
    ) -> list[Item]:
        """Writes the network's outputs; of twins, those that some code of the step reads."""
        twins, outputs = self._model.twins, ", ".join(self._model.outputs)
        if twins is None:
            ways = [(outputs, training)]
        else:
            mode = "TRAIN" if training else "EVAL"
            gone = self._find_left_out_nodes(mode)
            wanted = {
                inner.id
                for node in read
                for inner in walk_breadth_first(node)
                if isinstance(inner, ast.Name) and inner not in gone
            }
            ways = [(name, way) for name, way in twins.calls if name in wanted]
        return [
            New(make_code(f"{name} = self({self._features}, training={way})"))
            for name, way in ways
        ]

    def _adds_up(self) -> bool:
        """Whether replicas add up gradients and losses as they are.

        Optimizers of TF1 divided a mean loss by the number of replicas; tf.gradients did not.
        """
        computed = self._model.update.computed
        return (
            computed is not None
            and self._scopes.resolve(computed.func) == "tf.gradients"
        )

    def _write_variables(self) -> str:
        """Writes the variables that training changes."""
        chosen = self._model.update.chosen
        if not chosen:
            return "self.trainable_variables"
        return (
            "[\n    v for v in self.trainable_variables\n"
            f'    if v.name.startswith("{chosen}")]'
        )

    def _write_gradients(self, unit: Unit) -> Item:
        """Writes the statement that computes gradients."""
        computed, statement = self._model.update.computed, unit.statement
        assert computed is not None and isinstance(statement, ast.Assign)
        if self._adds_up():
            of = names.find_argument(computed, "xs", 1)
            assert of is not None
            new = make_code(f"tape.gradient({self._model.loss_name}, ", of, ")")
            self._emit(statement)
            self._emitted.discard(computed.func)
            return Keep(statement, replace={computed: new})
        pair = _read_unzipped_names(statement)
        if pair is not None:
            gradients, variables = pair
            return New(
                make_code(
                    f"{variables} = {self._write_variables()}\n"
                    f"{gradients} = tape.gradient(scaled_loss, {variables})"
                ),
                statement,
            )
        target = ast.unparse(statement.targets[0])
        return New(
            make_code(
                f"variables = {self._write_variables()}\n"
                f"{target} = list(zip(tape.gradient(scaled_loss, variables), variables))"
            ),
            statement,
        )

    def _find_units_of_methods(self) -> list[Unit]:
        """Returns units that evaluation needs and that have methods of their own."""
        shared = list(self._model.loss) if self._shares_loss() else []
        if self._is_shared_with_evaluation():
            shared.append(self._model.predictions[-1])
        return shared

    def _guard_metric(self, metric: Metric, done: Item) -> Item:
        """Puts an item for a metric under the metric's condition, if it has one."""
        if metric.test is None:
            return done
        self._emit(metric.test)
        return Block(make_code("if ", metric.test, ":"), [done])

    def _write_metric_update(self, metric: Metric) -> Code:
        """Writes the call by which a metric counts a batch."""
        cast, compared = metric.row.cast, list(metric.arguments)
        weights = compared.pop() if metric.weighted else None
        given: list[Argument] = [
            (
                "",
                make_code("tf.cast(", a, f", {cast})")
                if cast and not self._is(a)
                else a,
            )
            for a in compared
        ]
        if weights is not None:
            given.append(("sample_weight", weights))
        return laid_out(f"self.{self._choose_attribute(metric)}.update_state", given, 8)

    def _is(self, node: ast.expr) -> bool:
        """Whether an expression is a tensor of bools, as it is written."""
        return isinstance(node, ast.Call) and (
            self._scopes.resolve(node.func) in table.BOOLEAN
        )

    def _is_shared_with_evaluation(self) -> bool:
        raise NotImplementedError

    def _shares_loss(self) -> bool:
        raise NotImplementedError


def _read_unzipped_names(statement: ast.Assign) -> tuple[str, str] | None:
    """Returns the names in `gradients, variables = zip(*...)`."""
    target, value = statement.targets[0], statement.value
    if (
        isinstance(target, ast.Tuple)
        and len(target.elts) == 2
        and isinstance(value, ast.Call)
        and isinstance(value.func, ast.Name)
        and value.func.id == "zip"
        and len(value.args) == 1
        and isinstance(value.args[0], ast.Starred)
    ):
        return ast.unparse(target.elts[0]), ast.unparse(target.elts[1])
    return None
