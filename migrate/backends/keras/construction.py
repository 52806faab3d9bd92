"""Writes the model's `__init__`: network, optimizer, metrics."""

from __future__ import annotations

import ast

from migrate.backends.keras import layers
from migrate.backends.keras.layout import Argument
from migrate.backends.keras.layout import write_call as laid_out
from migrate.backends.keras.subclassed import Subclassed
from migrate.facts import names
from migrate.plan import Block, Dropped, Item, New
from migrate.program.code import Code, make_code, quote_text
from migrate.program.keras_units import Unit
from migrate.program.keras_updates import Computed, Held
from migrate.source.nodes import walk_breadth_first

_METRIC = ("K105", "a Keras metric that counts the same")
_HELD = ("K105", "a variable of the model, under TF1's name")


class Construction(Subclassed):
    """Writes the objects that are made once."""

    def _write_init(self) -> Block:
        model = self._model
        items: list[Item] = []
        if model.called is not None:
            items = self._write_making(model.called)
        else:
            for unit in model.network:
                items += layers.write_sharing(unit.statement, model.helpers)
                items += self._write_twins(unit) or self._write_units([unit])
        # After the network, because its comments come first.
        after = [
            *self._write_tables(),
            *self._write_optimizer(),
            *self._write_metrics(),
        ]
        read = {n.id for n in self._emitted if isinstance(n, ast.Name)}
        kept = self._read_by_steps()
        read.update(kept)
        order = [n for n in self._made_with if n in read or n in model.bound]
        if model.called is None or self._features in read:
            order.insert(0, self._features)
        if model.bound:  # In the order that functools.partial knows.
            order = [n for n in model.parameters.values() if n in order]
        self._order = order
        if model.called is None:
            items = self._write_functional(items, kept)
        parameters = make_code("self")
        for name in order:
            parameters = make_code(parameters, f", {name}", *self._write_default(name))
        header = make_code("def __init__(", parameters, "):")
        return Block(header, [*items, *after])

    def _write_default(self, name: str) -> list[str | ast.AST]:
        """Writes the default of a parameter that some call of the model_fn leaves out."""
        function = self._model.function
        calls = [
            names.bind_call(call, function) or {} for _, call in self._flow.lambdas
        ]
        if name not in self._model.bound or all(name in given for given in calls):
            return []
        arguments = function.args.args
        place = [argument.arg for argument in arguments].index(name)
        default = function.args.defaults[place - len(arguments)]
        self._emit(default)
        return ["=", default]

    def _write_functional(self, items: list[Item], kept: list[str]) -> list[Item]:
        """Writes the network, and the model of its inputs and outputs."""
        model, inputs = self._model, self._features
        if any(self._features in names.find_binds(u.statement) for u in model.network):
            inputs = self._find_free_name("inputs")
            items = [New(make_code(f"{inputs} = {self._features}")), *items]
        outputs = ", ".join(model.outputs)
        if model.twins is not None:
            outputs = model.twins.name
        elif len(model.outputs) > 1:
            outputs = f"({outputs})"
        made = f"\nsuper().__init__(inputs={inputs}, outputs={outputs})"
        of_steps = [
            New(make_code(f"self.{self._name_attribute(name)} = {name}"))
            for name in kept
        ]
        return [*items, New(make_code(made)), *of_steps]

    def _write_twins(self, unit: Unit) -> list[Item]:
        """Writes the one call of a network that the model_fn called twice."""
        twins = self._model.twins
        if twins is None or unit.statement is not twins.statement:
            return []
        assert isinstance(unit.statement, ast.Assign)
        new = self._make_item(make_code(f"{twins.name} = ", unit.statement.value), unit)
        return [*self._list_comments(unit), new]

    def _write_tables(self) -> list[Item]:
        """Writes lookup tables, which exist once, and the statements that they need."""
        model = self._model
        items: list[Item] = []
        done = [*model.network] if model.called is None else [*model.called.made]
        for one in model.tables:
            new = [unit for unit in one.plain if unit not in done]
            items += self._write_units(new)
            done += new
            items += self._list_comments(one.unit)
            made = make_code(
                f"self.{self._choose_attribute_name(one.name)} = ", one.call
            )
            items.append(self._make_item(made, one.unit, blank=not items))
        return items

    def _write_optimizer(self) -> list[Item]:
        update = self._model.update
        folded = self._fold_mode("TRAIN")
        items: list[Item] = []
        for unit in update.units:
            rate = update.rate
            held = next((one for one in update.held if one.unit is unit), None)
            if held is not None:
                items += [
                    *self._list_comments(unit),
                    self._make_item(self._write_held_rate(held), unit),
                ]
            elif rate is None or unit not in rate.units:
                items += self._write_units([unit], folded)
            elif unit is rate.units[-1]:
                body = self._write_rate(rate, folded)
                items.append(Block(make_code(f"def {rate.name}():"), body))
        for name in sorted(update.schedules & self._find_step_names()):
            items.append(New(make_code(f"self.{name} = {name}")))
        if update.averaged is not None:
            name = update.averaged.name
            items.append(
                New(make_code(f"self.{self._choose_attribute_name(name)} = {name}"))
            )
        compiled = self._make_item(
            make_code("self.compile(optimizer=", update.optimizer, ")"),
            blank=self._model.called is not None and not items,
        )
        compiled.replace.update(folded)
        items.append(compiled)
        step = "tf.compat.v1.train.get_or_create_global_step()"
        for unit in update.units:
            value = getattr(unit.statement, "value", None)
            if self._is_step(value) and isinstance(unit.statement, ast.Assign):
                step = ast.unparse(unit.statement.targets[0])
        items.append(New(make_code(f"self.optimizer.iterations = {step}")))
        return items

    def _write_held_rate(self, held: Held) -> Code:
        """Writes a rate that is a variable of the model."""
        statement = held.unit.statement
        assert isinstance(statement, ast.Assign)
        self.claimed[held.call.func] = _HELD
        target = ast.unparse(statement.targets[0])
        arguments: list[Argument] = [
            ("", quote_text(held.name)),
            ("shape", "[]"),
            ("initializer", held.initializer),
            ("trainable", "False"),
        ]
        made = laid_out("self.add_weight", arguments, len(target) + 11)
        return make_code(f"{target} = ", made)

    def _write_rate(self, rate: Computed, folded: dict[ast.AST, Code]) -> list[Item]:
        """Writes the statements of a rate; the last becomes the return if possible."""
        *before, last = rate.units
        if isinstance(last.statement, ast.Assign) and len(last.statement.targets) == 1:
            target = last.statement.targets[0]
            if isinstance(target, ast.Name) and target.id == rate.name:
                returned = self._make_item(
                    make_code("return ", last.statement.value), last
                )
                returned.replace.update(folded)
                comments = self._list_comments(last)
                return [*self._write_units(before, folded), *comments, returned]
        return [
            *self._write_units(rate.units, folded),
            New(make_code(f"return {rate.name}")),
        ]

    def _write_metrics(self) -> list[Item]:
        items: list[Item] = []
        if self._model.evaluated is None:
            return items
        items.append(
            New(make_code('\nself.mean_loss = tf_keras.metrics.Mean(name="loss")'))
        )
        gathered = self._group_statements_by_metric()
        for metric in self._model.metrics:
            items += gathered.pop(metric.call, [])
            arguments: list[Argument] = list(metric.constructor)
            arguments.append(("name", quote_text(metric.key)))
            attribute = self._choose_attribute(metric)
            made = laid_out(metric.row.target, arguments, len(attribute) + 12)
            new = self._make_item(make_code(f"self.{attribute} = ", made))
            items.append(self._guard_metric(metric, new))
            self.claimed[metric.call.func] = _METRIC
        return items

    def _group_statements_by_metric(self) -> dict[ast.Call, list[Item]]:
        """Groups the statements that made eval_metric_ops by metric, for their comments.

        Statements that only collected metrics belong to the first one.
        """
        calls = [metric.call for metric in self._model.metrics]
        found: dict[ast.Call, list[Item]] = {call: [] for call in calls}
        alone: list[Item] = []
        for unit in self._model.gathered:
            inside = set(walk_breadth_first(unit.statement))
            made = [call for call in calls if call in inside]
            dropped = found[made[0]] if made else alone
            dropped.append(Dropped(unit.statement))
        if calls:
            found[calls[0]][:0] = alone
        return found
