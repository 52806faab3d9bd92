"""Writes the model's `test_step`, `predict_step`, exports and hooks."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from migrate.backends.keras import layers
from migrate.backends.keras.layout import Argument
from migrate.backends.keras.layout import write_call as laid_out
from migrate.backends.keras.training import Training
from migrate.facts import names
from migrate.plan import Block, Item, Keep, New
from migrate.program.code import Code, make_code
from migrate.program.keras_model import Counter, Exports, Hooks
from migrate.program.keras_units import Unit
from migrate.source.nodes import walk_breadth_first

# The expressions that hooks watch if they watch the global step.
_STEP = "tf.compat.v1.train.get_global_step()"


class Evaluation(Training):
    """Writes the methods that only evaluate or predict."""

    def _write_test_step(self) -> Block:
        model = self._model
        evaluated = model.evaluated
        assert evaluated is not None
        own = [u for u in model.evaluation if u not in self._find_units_of_methods()]
        nodes = [u.statement for u in own]
        arguments = model.counted
        every = [*(u.statement for u in model.evaluation), *arguments, evaluated]
        labelled = any(self._labels in names.find_reads(node) for node in every)
        items = self._write_data([*nodes, *arguments, evaluated], labelled)
        items += self._write_network_call(False, every)
        units = list(model.evaluation)
        loss = model.loss[-1] if self._shares_loss() else None
        if loss is not None:
            units = [u for u in units if u is loss or u not in model.loss]
        final = model.predictions[-1] if self._is_shared_with_evaluation() else None
        if final is not None:
            rest = [u for u in units if u is not final and u is not loss]
            rest = _find_needed_units(rest, [*arguments, evaluated])
            units = [u for u in units if u is final or u is loss or u in rest]
        for unit in units:
            if unit is final:
                assert isinstance(model.predicted, ast.Name)
                called = self._write_predictions_call()
                items.append(New(make_code(f"{model.predicted.id} = ", called)))
            elif unit is loss:
                items.append(self._write_loss_call())
            else:
                items += self._write_units([unit])
        items.append(
            self._make_item(make_code("self.mean_loss.update_state(", evaluated, ")"))
        )
        if model.counter is not None:
            items.append(self._make_item(self._write_counter_call(model.counter)))
        else:
            for metric in model.metrics:
                counted = self._make_item(self._write_metric_update(metric))
                items.append(self._guard_metric(metric, counted))
        items.append(
            New(make_code("return {m.name: m.result() for m in self.metrics}"))
        )
        return self._write_step("test_step", items, "EVAL")

    def _name_counter(self, counter: Counter) -> str:
        name = counter.function.name
        taken = {self._choose_attribute(metric) for metric in self._model.metrics}
        return f"count_{name}" if self._is_taken(name) or name in taken else name

    def _write_counter_call(self, counter: Counter) -> Code:
        call = counter.call
        arguments: list[Argument] = [
            ("", make_code("*", a.value) if isinstance(a, ast.Starred) else a)
            for a in call.args
        ]
        arguments += [(k.arg or "", k.value) for k in call.keywords]
        return laid_out(f"self.{self._name_counter(counter)}", arguments, 8)

    def _write_counter(self, counter: Counter) -> Block:
        """Writes the function that made the metrics, as a method that counts a batch."""
        function = counter.function
        waiting = {id(metric.call): metric for metric in counter.metrics}
        items: list[Item] = []
        for statement in function.body[:-1]:
            metric = waiting.pop(id(getattr(statement, "value", None)), None)
            if metric is None:
                items.append(Keep(statement))
                self._emit(statement)
            else:
                items.append(
                    self._make_item(self._write_metric_update(metric), Unit(statement))
                )
        for metric in waiting.values():
            items.append(self._make_item(self._write_metric_update(metric)))
        self._emit(function.args)
        if function not in walk_breadth_first(self._model.function):
            self._plan.statements[function] = []
        head = layers.write_header(
            function, name=self._name_counter(counter), first="self"
        )
        return Block(head, items, function)

    def _write_predict_step(self) -> Block:
        shares = self._shares_predictions()
        nodes = [] if shares else self._list_prediction_nodes()
        called = self._write_network_call(False, self._list_prediction_nodes())
        items = [*self._write_data(nodes, labelled=False), *called]
        if shares:
            items.append(New(make_code("return ", self._write_predictions_call())))
        else:
            items += self._return_predictions()
        return self._write_step("predict_step", items, "PREDICT")

    def _write_exports(self, given: Exports) -> Block:
        predicted = self._model.predicted
        name = predicted.id if isinstance(predicted, ast.Name) else "predictions"
        parts = given.parts.items()
        return Block(
            make_code(f"def export_outputs(self, {name}):"),
            [self._make_item(make_code("return ", given.value))],
            replace={part: make_code(name, "[", key, "]") for part, key in parts},
        )

    def _write_hooks(self, hooks: Hooks) -> Block:
        parameters, loss = ["self"], self._model.reported
        name = loss.id if isinstance(loss, ast.Name) else "loss"
        read = {
            node.id
            for outer in hooks.nodes
            for node in walk_breadth_first(outer)
            if isinstance(node, ast.Name) and node not in self._logged
        }
        parameters += [n for n in (name, *hooks.watched) if n in read]
        items = self._bind_params(hooks.nodes)
        for unit in hooks.made:
            items += [*self._list_comments(unit), Keep(unit.statement)]
            self._emit(unit.statement)
        if hooks.value is not None:
            items.append(self._make_item(make_code("return ", hooks.value)))
        return Block(
            make_code(f"def {hooks.kind}({', '.join(parameters)}):"),
            items,
            replace={
                **self._fold_mode_in_hooks(hooks),
                **self._replace_counts(self._model.training, hooks.nodes),
                **{name: make_code(_STEP) for name in hooks.steps},
            },
        )

    def _fold_mode_in_hooks(self, hooks: Hooks) -> dict[ast.AST, Code]:
        """Returns the replacements for the mode in hooks."""
        inside = {n for node in hooks.nodes for n in walk_breadth_first(node)}
        return {n: new for n, new in self._fold_mode("TRAIN").items() if n in inside}


def _find_needed_units(units: Iterable[Unit], nodes: Iterable[ast.AST]) -> list[Unit]:
    """Returns the units that some expressions need."""
    read = {n for node in nodes for n in names.find_reads(node)}
    found = []
    for unit in reversed(list(units)):
        if names.find_binds(unit.statement) & read:
            found.append(unit)
            read |= names.find_reads(unit.statement)
    return list(reversed(found))
