"""The model's `__init__`: network, optimizer, metrics."""

from __future__ import annotations

import ast

from migrate.backends.keras.layout import Argument
from migrate.backends.keras.layout import call as laid_out
from migrate.backends.keras.subclassed import Subclassed
from migrate.plan import Block, Dropped, Item, New
from migrate.program.ir import code

_METRIC = ("K103", "a Keras metric that counts the same")


class Construction(Subclassed):
    """Writes what is made once."""

    def _init(self) -> Block:
        model = self._model
        if model.called is not None:
            items = self._making(model.called)
        else:
            items = self._units(model.network)
        # After the network, whose comments come first.
        after = [*self._optimizer(), *self._metrics()]
        read = {n.id for n in self._emitted if isinstance(n, ast.Name)}
        if self._reads_params():
            read.add(self._params)
        roles = ("features", "params", "config")
        wanted = [
            model.parameters[role]
            for role in roles
            if model.parameters.get(role) in read
            or (role == "features" and model.called is None)
        ]
        if model.called is None:
            items += self._functional()
        return Block(
            code(f"def __init__({', '.join(['self', *wanted])}):"), [*items, *after]
        )

    def _functional(self) -> list[Item]:
        """Makes the model of its inputs and outputs."""
        outputs = ", ".join(self._model.outputs)
        if len(self._model.outputs) > 1:
            outputs = f"({outputs})"
        made = f"\nsuper().__init__(inputs={self._features}, outputs={outputs})"
        items: list[Item] = [New(code(made))]
        if self._reads_params():
            items.append(New(code(f"self.{self._params} = {self._params}")))
        return items

    def _optimizer(self) -> list[Item]:
        update = self._model.update
        items = self._units(update.units)
        for name in sorted(update.schedules & self._names_of_steps()):
            items.append(New(code(f"self.{name} = {name}")))
        items.append(self._new(code("self.compile(optimizer=", update.optimizer, ")")))
        step = "tf.compat.v1.train.get_or_create_global_step()"
        for unit in update.units:
            value = getattr(unit.statement, "value", None)
            if self._is_step(value) and isinstance(unit.statement, ast.Assign):
                step = ast.unparse(unit.statement.targets[0])
        items.append(New(code(f"self.optimizer.iterations = {step}")))
        return items

    def _metrics(self) -> list[Item]:
        items: list[Item] = []
        items.append(New(code('\nself.mean_loss = tf_keras.metrics.Mean(name="loss")')))
        if self._model.gathered is not None:
            items.append(Dropped(self._model.gathered.statement))
        for metric in self._model.metrics:
            arguments: list[Argument] = list(metric.constructor)
            arguments.append(("name", repr_of(metric.key)))
            attribute = self._attribute(metric)
            made = laid_out(metric.row.target, arguments, len(attribute) + 12)
            items.append(self._new(code(f"self.{attribute} = ", made)))
            self.claimed[metric.call.func] = _METRIC
        return items


def repr_of(text: str) -> str:
    """A string in double quotes."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
