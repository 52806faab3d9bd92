"""The model's `__init__`: network, optimizer, metrics."""

from __future__ import annotations

import ast

from migrate.backends.keras.layout import Argument
from migrate.backends.keras.layout import call as laid_out
from migrate.backends.keras.shared import Shared
from migrate.plan import Block, Dropped, Item, New
from migrate.program.ir import code

_METRIC = ("K103", "a Keras metric that counts the same")


class Construction(Shared):
    """Writes what is made once."""

    def _init(self) -> Block:
        model = self._model
        items = self._units(model.network)
        # After the network, whose comments come first.
        after = [*self._optimizer(), *self._metrics()]
        read = {n.id for n in self._emitted if isinstance(n, ast.Name)}
        if self._reads_params():
            read.add(self._params)
        roles = [r for r in ("params", "config") if model.parameters.get(r) in read]
        parameters = ", ".join(
            ["self", self._features, *(model.parameters[r] for r in roles)]
        )
        outputs = ", ".join(model.outputs)
        if len(model.outputs) > 1:
            outputs = f"({outputs})"
        items.append(
            New(code(f"\nsuper().__init__(inputs={self._features}, outputs={outputs})"))
        )
        if self._reads_params():
            items.append(New(code(f"self.{self._params} = {self._params}")))
        return Block(code(f"def __init__({parameters}):"), [*items, *after])

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
