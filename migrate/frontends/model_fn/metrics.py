"""The metrics of an evaluation, as Keras metrics that count the same."""

from __future__ import annotations

import ast

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.model_fn.calls import uses
from migrate.frontends.model_fn.grown import added, items
from migrate.frontends.model_fn.modes import ModeValues, NotSplit
from migrate.program.keras_model import Metric, Unit
from migrate.tables import keras_models as table


class Metrics:
    """Finds the metrics of one model_fn.

    Args:
      values: what is known in evaluation.
    """

    def __init__(self, scopes: Scopes, values: ModeValues | None) -> None:
        self._scopes, self._values = scopes, values

    def run(
        self, spec: dict[str, ast.expr], units: list[Unit]
    ) -> tuple[list[Metric], list[Unit]]:
        """The metrics of eval_metric_ops, and statements that only gathered them.

        Raises:
          NotSplit: of one of them no Keras metric is known.
        """
        given = spec.get("eval_metric_ops")
        gone: list[Unit] = []
        if given is None:
            return [], gone
        found = []
        for key, value in self._entries(given, units, gone):
            text = self.key(key, value)
            pair = paired(value, [u.statement for u in units])
            if pair is not None:
                gone += [u for u in units if u.statement is pair]
                call: ast.expr = pair.value
            else:
                call = self._chosen(value_of(value, units, gone))
            found.append(self.metric(text, call))
        return found, gone

    def key(self, key: ast.expr, value: ast.expr) -> str:
        """A metric's name, which is not one of Estimator's own."""
        if not (isinstance(key, ast.Constant) and isinstance(key.value, str)):
            raise NotSplit(value, "a metric whose name is not written out")
        if key.value in ("loss", "global_step"):
            raise NotSplit(value, f"a metric named {key.value!r}, as Estimator's own")
        return key.value

    def _entries(
        self, given: ast.expr, units: list[Unit], gone: list[Unit]
    ) -> list[tuple[ast.expr, ast.expr]]:
        """Names and metrics of a dictionary, with those that are added to it."""
        more: list[tuple[ast.expr, ast.expr]] = []
        if isinstance(given, ast.Name):
            for unit in units:
                if given.id not in names.mutates(unit.statement):
                    continue
                entries = added(unit.statement, given.id)
                if entries is None:
                    raise NotSplit(
                        unit.statement, "a metric that is added by more than the mode"
                    )
                more += entries
                gone.append(unit)
        value = self._chosen(value_of(given, units, gone))
        entries = items(value)
        if entries is None:
            raise NotSplit(
                value, "eval_metric_ops is no dictionary that is written out"
            )
        every = [*entries, *more]
        keys = [ast.dump(key) for key, _ in every]
        if len(set(keys)) < len(keys):
            raise NotSplit(value, "a metric that takes another's place")
        return every

    def _chosen(self, node: ast.expr) -> ast.expr:
        return self._values.chosen(node) if self._values is not None else node

    def metric(self, key: str, call: ast.expr) -> Metric:
        """The Keras metric of a call."""
        symbol = (
            self._scopes.resolve(call.func) if isinstance(call, ast.Call) else None
        ) or ""
        row = table.METRICS.get(symbol)
        if row is None or not isinstance(call, ast.Call):
            raise NotSplit(
                call,
                f"of the metric {key!r} no Keras metric is known to count the same",
            )
        bound = names.bound_arguments(
            call, (*row.parameters, *row.constructor, "weights", "name")
        )
        if bound is None:
            raise NotSplit(call, f"arguments of {symbol} that its Keras metric has not")
        if not all(p in bound for p in row.parameters):
            raise NotSplit(call, f"{symbol} without all of its arguments")
        weights = bound.get("weights")
        if isinstance(weights, ast.Constant) and weights.value is None:
            weights = None
        return Metric(
            key,
            call,
            row,
            (
                *(bound[p] for p in row.parameters),
                *([] if weights is None else [weights]),
            ),
            tuple((p, bound[p]) for p in row.constructor if p in bound),
            weighted=weights is not None,
        )

    def check_training(self, training: list[Unit], metrics: list[Metric]) -> None:
        """A streaming metric in training is one of evaluation's, and read as its value."""
        known = {ast.dump(m.call) for m in metrics}
        for unit in training:
            for node, symbol in uses(unit.statement, self._scopes):
                if not symbol.startswith("tf.metrics."):
                    continue
                call = self._scopes.parents.get(node)
                statement = unit.statement
                plain = (
                    isinstance(statement, ast.Assign)
                    and statement.value is call
                    and isinstance(statement.targets[0], ast.Name)
                )
                if call is None or ast.dump(call) not in known or not plain:
                    raise NotSplit(node, "a streaming metric of training alone")
                assert isinstance(statement, ast.Assign)
                self._check_reads(ast.unparse(statement.targets[0]), training, node)

    def _check_reads(self, name: str, training: list[Unit], where: ast.AST) -> None:
        for unit in training:
            for node in ast.walk(unit.statement):
                if isinstance(node, ast.Name) and node.id == name:
                    if isinstance(node.ctx, ast.Load):
                        parent = self._scopes.parents.get(node)
                        if not (
                            isinstance(parent, ast.Subscript)
                            and isinstance(parent.slice, ast.Constant)
                        ):
                            raise NotSplit(where, "a streaming metric as a pair")


def paired(node: ast.expr, statements: list[ast.stmt]) -> ast.Assign | None:
    """What makes both of a pair of names: `a, b = tf.metrics.mean(x)`, then `(a, b)`."""
    if not isinstance(node, ast.Tuple):
        return None
    found = []
    for statement in statements:
        target = statement.targets[0] if isinstance(statement, ast.Assign) else None
        if isinstance(target, ast.Tuple) and ast.unparse(target) == ast.unparse(node):
            found.append(statement)
    wanted = names.reads(node)
    makers = [s for s in statements if names.binds(s) & wanted]
    if len(found) != 1 or makers != found or len(wanted) != 2:
        return None
    assert isinstance(found[0], ast.Assign)
    return found[0]


def value_of(node: ast.expr, units: list[Unit], gone: list[Unit]) -> ast.expr:
    """What a name stands for, where one statement binds it."""
    if not isinstance(node, ast.Name):
        return node
    makers = [u for u in units if node.id in names.binds(u.statement)]
    if len(makers) != 1 or not isinstance(makers[0].statement, ast.Assign):
        raise NotSplit(node, f"`{node.id}` is bound more than once, or not here")
    if not isinstance(makers[0].statement.targets[0], ast.Name):
        raise NotSplit(node, f"`{node.id}` is one of several values")
    gone.append(makers[0])
    return makers[0].statement.value
