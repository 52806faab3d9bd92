"""The model's `train_step`."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from migrate.backends.keras.construction import Construction
from migrate.facts import names
from migrate.plan import Block, Item, New
from migrate.program.ir import Code, code
from migrate.program.keras_model import Unit


class Training(Construction):
    """Writes one step of training."""

    def _train_step(self) -> Block:
        model = self._model
        own = () if self._shares_loss() else model.loss
        units = (*own, *model.summaries)
        kept = [*(u.statement for u in units), *self._of_update()]
        nodes = [*(u.statement for u in model.loss), *kept, model.train_loss]
        nodes.append(model.reported)
        labelled = any(self._labels in names.reads(node) for node in nodes)
        items = self._data(kept, labelled)
        watching = [node for hooks in model.hooks for node in hooks.nodes]
        inside = self._called(True, [*nodes, *watching])
        rates = self._rates(model.training)
        if self._shares_loss():
            inside.append(self._loss_call())
        else:
            inside += self._units(model.loss, rates)
        loss = "loss"
        if isinstance(model.train_loss, ast.Name):
            loss = model.train_loss.id
        else:
            inside.append(self._new(code("loss = ", model.train_loss)))
        scale = (
            "# Strategies add up the gradients of their replicas.\n"
            f"scaled_loss = {loss} / self.distribute_strategy.num_replicas_in_sync"
        )
        if model.sums:
            scale = f"# A sum over the batches of all replicas.\nscaled_loss = {loss}"
        inside.append(New(code(scale)))
        items.append(Block(code("with tf.GradientTape() as tape:"), inside))
        # Before the update: what they read of the step is what the update reads.
        items += self._units(model.summaries, rates)
        if model.named:
            items.append(
                New(
                    code(
                        "# Hooks ask for its tensors by their names.\n",
                        self._predictions_call(),
                    )
                )
            )
        names_watched = dict.fromkeys(n for one in model.hooks for n in one.watched)
        items += [
            New(code(f"{name} = self.{name}()"))
            for name in names_watched
            if name in model.update.schedules
        ]
        items += [*self._gradients(), *self._moved()]
        watched = "".join(f', "{name}": {name}' for name in names_watched) + "}"
        if ast.dump(model.reported) != ast.dump(model.train_loss):
            items.append(self._new(code('return {"loss": ', model.reported, watched)))
        else:
            items.append(New(code(f'return {{"loss": {loss}{watched}')))
        return self._step("train_step", items, "TRAIN")

    def _step(self, name: str, items: list[Item], mode: str) -> Block:
        header = code(f"def {name}(self, data):")
        return Block(header, items, replace=self._folded(mode))

    def _rates(self, units: Iterable[Unit]) -> dict[ast.AST, Code]:
        """What training reads of schedules and metrics, which the class holds."""
        units = list(units)
        return self._counts_in(units, [unit.statement for unit in units]) | {
            node: code(f"self.{node.id}()")
            for unit in units
            for node in ast.walk(unit.statement)
            if isinstance(node, ast.Name)
            and isinstance(node.ctx, ast.Load)
            and node.id in self._model.update.schedules
        }

    def _counts_in(
        self, units: Iterable[Unit], nodes: Iterable[ast.AST]
    ) -> dict[ast.AST, Code]:
        """What some code reads of metrics, which the class holds.

        Args:
          units: of training; they count the metrics.
        """
        values = {
            ast.unparse(u.statement.targets[0]): metric
            for u in units
            if (metric := self._counted(u)) and isinstance(u.statement, ast.Assign)
        }
        return {
            node: code(f"self.{self._attribute(values[node.value.id])}.result()")
            for outer in nodes
            for node in ast.walk(outer)
            if isinstance(node, ast.Subscript)
            and isinstance(node.value, ast.Name)
            and node.value.id in values
        }

    def _moved(self) -> list[Item]:
        """The variables' averages, after the update."""
        averaged = self._model.update.averaged
        if averaged is None:
            return []
        text = f"self.{self._kept_name(averaged.name)}.apply(self.trainable_variables)"
        return [
            *self._comments(averaged.unit),
            New(code(text), averaged.unit.statement),
        ]

    def _gradients(self) -> list[Item]:
        update = self._model.update
        apply = "self.optimizer.apply_gradients("
        if update.computed is None:
            origin = update.gradients[0] if update.gradients else None
            before = self._comments(origin) if origin is not None else []
            return [
                *before,
                New(
                    code(
                        "variables = self.trainable_variables\n"
                        "gradients = tape.gradient(scaled_loss, variables)\n"
                        f"{apply}zip(gradients, variables))"
                    ),
                    origin.statement if origin is not None else None,
                ),
            ]
        items: list[Item] = []
        for unit in update.gradients:
            items += self._comments(unit)
            if unit is update.gradients[-1]:
                given = names.argument(update.applied, "grads_and_vars", 0)
                assert given is not None
                items.append(self._new(code(apply, given, ")"), unit))
            elif any(node is update.computed for node in ast.walk(unit.statement)):
                items.append(self._computed(unit))
            else:
                items += self._units([unit])
        return items
