"""Writes the model's `train_step`."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from migrate.backends.keras.construction import Construction
from migrate.facts import names
from migrate.plan import Block, Item, New
from migrate.program.code import Code, make_code
from migrate.program.keras_units import Unit
from migrate.source.nodes import walk_breadth_first

_COUNTS = (
    "E102",
    "a Keras metric; training counts every batch in it, TF1 only those whose summary was "
    "written, or for which a hook asked",
)
_SCOPED = "# Its variables have the names of TensorFlow 1's checkpoints."


class Training(Construction):
    """Writes one step of training."""

    def _write_train_step(self) -> Block:
        model = self._model
        own = () if self._shares_loss() else model.loss
        units = (*own, *model.summaries)
        kept = [*(u.statement for u in units), *self._list_update_nodes()]
        nodes = [*(u.statement for u in model.loss), *kept, model.train_loss]
        nodes.append(model.reported)
        labelled = any(self._labels in names.find_reads(node) for node in nodes)
        items = self._write_data(kept, labelled)
        watching = [node for hooks in model.hooks for node in hooks.nodes]
        inside = self._write_network_call(True, [*nodes, *watching])
        rates = self._replace_rates(model.training)
        self._say_what_counts()
        if self._shares_loss():
            inside.append(self._write_loss_call())
        else:
            inside += self._write_units(model.loss, rates)
        loss = model.loss_name
        if not isinstance(model.train_loss, ast.Name):
            inside.append(self._make_item(make_code("loss = ", model.train_loss)))
        scale = (
            "# Strategies add up the gradients of their replicas.\n"
            f"scaled_loss = {loss} / self.distribute_strategy.num_replicas_in_sync"
        )
        if model.sums:
            scale = f"# A sum over the batches of all replicas.\nscaled_loss = {loss}"
        if not self._adds_up():
            inside.append(New(make_code(scale)))
        items.append(Block(make_code("with tf.GradientTape() as tape:"), inside))
        # Before the update, so that they read the same step as the update.
        tags = {node: make_code(f'"{tag}"') for node, tag in model.tags.items()}
        late = self._find_gradient_summaries()
        early = [unit for unit in model.summaries if unit not in late]
        items += self._write_units(early, {**rates, **tags})
        if model.named:
            items.append(
                New(
                    make_code(
                        "# Hooks ask for its tensors by their names.\n",
                        self._write_predictions_call(),
                    )
                )
            )
        names_watched = dict.fromkeys(n for one in model.hooks for n in one.watched)
        items += [
            New(make_code(f"{name} = self.{name}()"))
            for name in names_watched
            if name in model.update.schedules
        ]
        told = [
            (_find_line(u), self._write_units([u], {**rates, **tags})) for u in late
        ]
        items += [*self._write_update_gradients(told), *self._write_averages()]
        watched = "".join(f', "{name}": {name}' for name in names_watched) + "}"
        if ast.dump(model.reported) != ast.dump(model.train_loss):
            items.append(
                self._make_item(make_code('return {"loss": ', model.reported, watched))
            )
        else:
            items.append(New(make_code(f'return {{"loss": {loss}{watched}')))
        return self._write_step("train_step", items, "TRAIN")

    def _write_step(self, name: str, items: list[Item], mode: str) -> Block:
        header = make_code(f"def {name}(self, data):")
        return Block(header, items, replace=self._fold_mode(mode))

    def _replace_rates(self, units: Iterable[Unit]) -> dict[ast.AST, Code]:
        """Replaces reads of schedules and metrics in training, which the class holds."""
        units = list(units)
        return self._replace_counts(units, [unit.statement for unit in units]) | {
            node: make_code(f"self.{node.id}()")
            for unit in units
            for node in walk_breadth_first(unit.statement)
            if isinstance(node, ast.Name)
            and isinstance(node.ctx, ast.Load)
            and node.id in self._model.update.schedules
        }

    def _say_what_counts(self) -> None:
        """Reports streaming metrics of training, which did not count every batch in TF1."""
        for unit in self._model.training:
            if self._find_metric(unit) is not None:
                value = getattr(unit.statement, "value", None)
                assert isinstance(value, ast.Call)
                self.claimed[value.func] = _COUNTS

    def _replace_counts(
        self, units: Iterable[Unit], nodes: Iterable[ast.AST]
    ) -> dict[ast.AST, Code]:
        """Replaces reads of metrics in some code, because the class holds them.

        Args:
          units: of training; they count the metrics.
        """
        values = {
            ast.unparse(u.statement.targets[0]): metric
            for u in units
            if (metric := self._find_metric(u)) and isinstance(u.statement, ast.Assign)
        }
        return {
            node: make_code(
                f"self.{self._choose_attribute(values[node.value.id])}.result()"
            )
            for outer in nodes
            for node in walk_breadth_first(outer)
            if isinstance(node, ast.Subscript)
            and isinstance(node.value, ast.Name)
            and node.value.id in values
        }

    def _write_averages(self) -> list[Item]:
        """Writes the update of the variables' averages, after the training update."""
        averaged = self._model.update.averaged
        if averaged is None:
            return []
        text = f"self.{self._choose_attribute_name(averaged.name)}.apply(self.trainable_variables)"
        return [
            *self._list_comments(averaged.unit),
            *_wrap_in_scopes(
                averaged.scopes, New(make_code(text), averaged.unit.statement)
            ),
        ]

    def _find_gradient_summaries(self) -> list[Unit]:
        """Returns summaries that read values made from the gradients, as their norm."""
        made = list(self._model.update.gradients[:-1])
        found: list[Unit] = []
        for unit in self._model.summaries:
            before = [*found, *(m for m in made if _find_line(m) < _find_line(unit))]
            bound = {n for m in before for n in names.find_binds(m.statement)}
            if names.find_reads(unit.statement) & bound:
                found.append(unit)
        return found

    def _write_update_gradients(self, told: list[tuple[int, list[Item]]]) -> list[Item]:
        """Writes the update.

        Args:
          told: items about the gradients in between, with their lines.
        """
        update = self._model.update
        apply = "self.optimizer.apply_gradients("
        if update.computed is None:
            origin = update.gradients[0] if update.gradients else None
            before = self._list_comments(origin) if origin is not None else []
            return [
                *before,
                New(
                    make_code(
                        f"variables = {self._write_variables()}\n"
                        "gradients = tape.gradient(scaled_loss, variables)"
                    ),
                    origin.statement if origin is not None else None,
                ),
                *_wrap_in_scopes(
                    update.scopes, New(make_code(f"{apply}zip(gradients, variables))"))
                ),
            ]
        items: list[Item] = []
        for unit in update.gradients:
            last = unit is update.gradients[-1]
            while told and (last or told[0][0] < _find_line(unit)):
                items += told.pop(0)[1]
            items += self._list_comments(unit)
            if last:
                given = names.find_argument(update.applied, "grads_and_vars", 0)
                assert given is not None
                applied = self._make_item(make_code(apply, given, ")"), unit)
                items += _wrap_in_scopes(update.scopes, applied)
            elif any(
                node is update.computed for node in walk_breadth_first(unit.statement)
            ):
                items.append(self._write_gradients(unit))
            else:
                items += self._write_units([unit])
        return items


def _wrap_in_scopes(scopes: tuple[tuple[str, str], ...], made: New) -> list[Item]:
    """Puts a statement into the scopes that name its variables."""
    if not scopes:
        return [made]
    opened = ", ".join(f'{opens}("{name}")' for opens, name in scopes)
    return [Block(make_code(f"{_SCOPED}\nwith {opened}:"), [made])]


def _find_line(unit: Unit) -> int:
    return unit.statement.lineno
