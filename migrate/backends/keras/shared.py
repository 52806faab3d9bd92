"""Writes the methods that several steps share: predictions and the loss."""

from __future__ import annotations

import ast

from migrate.backends.keras.state import State
from migrate.facts import names
from migrate.plan import Block, Item, New
from migrate.program.code import Code, make_code
from migrate.program.keras_units import Unit


class Shared(State):
    """Writes `predictions_from` and `loss_from`."""

    def _is_shared_with_evaluation(self) -> bool:
        """Whether evaluation reads the predictions as they are returned."""
        model = self._model
        return (
            bool(model.predictions)
            and isinstance(model.predicted, ast.Name)
            and all(unit in model.evaluation for unit in model.predictions)
            and model.predicted.id in names.find_binds(model.predictions[-1].statement)
            and self._are_modes_alike("PREDICT", "EVAL", model.predictions)
            and not self._is_rebound_in_evaluation(model.predictions)
        )

    def _is_rebound_in_evaluation(self, units: tuple[Unit, ...]) -> bool:
        """Whether evaluation binds names anew that some of its statements have read."""
        read = {n for u in units for n in names.find_reads(u.statement)}
        return any(
            names.find_binds(u.statement) & read
            for u in self._model.evaluation
            if u not in units
        )

    def _shares_predictions(self) -> bool:
        return self._is_shared_with_evaluation() or self._model.named

    def _list_prediction_nodes(self) -> list[ast.AST]:
        model = self._model
        assert model.predicted is not None
        return [*(u.statement for u in model.predictions), model.predicted]

    def _list_predictions_parameters(self) -> list[str]:
        model = self._model
        nodes = self._list_prediction_nodes()
        read = {n for node in nodes for n in names.find_reads(node)}
        return [n for n in (self._features, *model.outputs) if n in read]

    def _write_predictions_call(self) -> Code:
        return make_code(
            f"self.predictions_from({', '.join(self._list_predictions_parameters())})"
        )

    def _write_predictions(self) -> Block:
        nodes = self._list_prediction_nodes()
        parameters = ", ".join(["self", *self._list_predictions_parameters()])
        items = [*self._bind_params(nodes), *self._return_predictions()]
        header = make_code(f"def predictions_from({parameters}):")
        return Block(header, items, replace=self._fold_mode("PREDICT"))

    def _return_predictions(self) -> list[Item]:
        """Returns the predictions' statements; the last becomes the return if possible."""
        model = self._model
        units, last = list(model.predictions), model.predicted
        assert last is not None
        if units and isinstance(last, ast.Name):
            final = units[-1].statement
            if (
                isinstance(final, ast.Assign)
                and len(final.targets) == 1
                and isinstance(final.targets[0], ast.Name)
                and final.targets[0].id == last.id
            ):
                items = self._write_units(units[:-1])
                items += self._list_comments(units[-1])
                return [
                    *items,
                    self._make_item(make_code("return ", final.value), units[-1]),
                ]
        return [*self._write_units(units), self._make_item(make_code("return ", last))]

    def _shares_loss(self) -> bool:
        """Whether training and evaluation compute the loss by the same several statements."""
        model = self._model
        loss = model.train_loss
        if not isinstance(loss, ast.Name) or len(model.loss) < 2:
            return False
        if not isinstance(model.evaluated, ast.Name) or model.evaluated.id != loss.id:
            return False
        if ast.dump(model.reported) != ast.dump(loss):
            return False
        if not all(unit in model.evaluation for unit in model.loss):
            return False
        if not self._are_modes_alike(
            "TRAIN", "EVAL", model.loss
        ) or self._is_rebound_in_evaluation(model.loss):
            return False
        inner = {n for u in model.loss for n in names.find_binds(u.statement)} - {
            loss.id
        }
        others: list[ast.AST] = [
            u.statement
            for u in (*model.summaries, *model.evaluation)
            if u not in model.loss
        ]
        others += model.counted
        others += [node for hooks in model.hooks for node in hooks.nodes]
        return not any(names.find_reads(node) & inner for node in others)

    def _list_loss_parameters(self) -> list[str]:
        model = self._model
        read = {n for u in model.loss for n in names.find_reads(u.statement)}
        read |= {n for total in model.totals.values() for n in total.losses}
        return [n for n in (self._features, self._labels, *model.outputs) if n in read]

    def _write_loss_call(self) -> New:
        assert isinstance(self._model.train_loss, ast.Name)
        given = ", ".join(self._list_loss_parameters())
        return New(make_code(f"{self._model.train_loss.id} = self.loss_from({given})"))

    def _write_loss(self) -> Block:
        units = self._model.loss
        parameters = ", ".join(["self", *self._list_loss_parameters()])
        items = self._bind_params([u.statement for u in units])
        final, name = units[-1].statement, self._model.train_loss
        assert isinstance(name, ast.Name)
        if (
            isinstance(final, ast.Assign)
            and isinstance(final.targets[0], ast.Name)
            and final.targets[0].id == name.id
        ):
            items += self._write_units(units[:-1])
            items += self._list_comments(units[-1])
            items.append(self._make_item(make_code("return ", final.value), units[-1]))
        else:
            items += [*self._write_units(units), New(make_code(f"return {name.id}"))]
        header = make_code(f"def loss_from({parameters}):")
        return Block(header, items, replace=self._fold_mode("TRAIN"))
