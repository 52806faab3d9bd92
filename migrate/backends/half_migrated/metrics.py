"""Writes the metrics of eager code: one for each worker on the servers, or one of all workers."""

from __future__ import annotations

import ast
from collections.abc import Callable

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.half_migrated import Refused
from migrate.frontends.half_migrated.losses import LossReader, UnknownLoss
from migrate.frontends.half_migrated.step import map_step_arguments
from migrate.frontends.keras_names import find_keras_name, makes_model
from migrate.plan import Plan
from migrate.program.code import make_code
from migrate.program.eager import Division, EagerProgram, Metric
from migrate.rules.mistakes.mistake import find_binding
from migrate.source.nodes import walk_breadth_first

# Functions that compute each example by itself: always, or if `axis` is not 0.
_OF_EACH = frozenset(
    {
        *("tf.cast", "tf.equal", "tf.square", "tf.abs", "tf.round", "tf.one_hot"),
        *("tf.sigmoid", "tf.nn.sigmoid", "tf.nn.softmax", "tf.squared_difference"),
        *("tf.math.squared_difference", "tf.math.abs", "tf.math.equal", "tf.identity"),
        *("tf.math.sigmoid", "tf.math.square", "tf.stop_gradient"),
        "tf.nn.sparse_softmax_cross_entropy_with_logits",
        "tf.nn.softmax_cross_entropy_with_logits",
    }
)
_OF_AXIS = frozenset({"tf.argmax", "tf.math.argmax", "tf.reduce_mean", "tf.reduce_sum"})
_EACH = "each worker's loop has a metric of its own, on the parameter servers"
_TOGETHER = (
    "this metric counts the parts of all workers, so it has the value for the "
    "whole batch"
)


class MetricRewrite:
    """Plans the edits of one program's metrics.

    Args:
      together: whether the workers make every step together.
      rows: a name in the step whose value has one row for each example.
    """

    def __init__(
        self,
        program: EagerProgram,
        scopes: Scopes,
        plan: Plan,
        found: Callable[[ast.AST, str, str], None],
        together: bool,
        rows: str | None,
        of: str,
    ) -> None:
        self._of = of
        self._program = program
        self._scopes = scopes
        self._plan = plan
        self._found = found
        self._together = together
        self._rows = rows
        step = program.step
        self._losses = LossReader(scopes, step.body, map_step_arguments(step))

    def run(self) -> None:
        """Plans the edits.

        Raises:
          Refused: a metric over the workers' parts would have another value.
        """
        for metric in self._program.metrics:
            made = metric.made
            self._plan.replace(made, make_code("replicas.metric(lambda: ", made, ")"))
            self._found(made, "D132", _TOGETHER if self._together else _EACH)
            if not self._together:
                continue
            for call in metric.counted:
                self._make_metric_whole(metric, call)
            for call in metric.others:
                self._check_loop(call)

    def _make_metric_whole(self, metric: Metric, call: ast.Call) -> None:
        """Plans a call so that the workers' parts count as the whole batch did; refuses others."""
        for value in [*call.args, *(k.value for k in call.keywords)]:
            division = self._find_division(value)
            if division is None:
                if not self._is_per_example(value, frozenset()):
                    raise Refused(
                        "D125",
                        call,
                        f"each worker has a part of `{ast.unparse(value)}`, and the "
                        "tool cannot tell how to combine the parts",
                        "Count a value that is computed for each example separately.",
                    )
                continue
            # Every worker counts the value of the whole batch. This does not change a mean.
            if metric.kind != "Mean" or len(call.args) + len(call.keywords) != 1:
                raise Refused(
                    "D125",
                    call,
                    f"every worker would count all of `{ast.unparse(value)}`, which "
                    "is of the whole batch",
                    "tf.keras.metrics.Mean()",
                )
            if division is Division.SUM:
                self._plan.replace(
                    value, make_code(f"{self._of}.sum_of_batch(", value, ")")
                )
            elif division is Division.MEAN:
                end = f", {self._rows})"
                self._plan.replace(
                    value, make_code(f"{self._of}.mean_of_batch(", value, end)
                )

    def _find_division(self, value: ast.expr) -> Division | None:
        try:
            return self._losses.find_division(value)
        except UnknownLoss:
            return None

    def _is_per_example(self, node: ast.expr, seen: frozenset[str]) -> bool:
        """Whether a value has an entry for each example, computed from this example only."""
        if isinstance(node, ast.Name):
            if node.id in seen:
                return False
            body = self._program.step.body
            assigned = [
                n
                for s in body
                for n in walk_breadth_first(s)
                if isinstance(n, ast.Assign) and node.id in names.find_binds(n)
            ]
            if not assigned:
                return node.id in self._find_batch_names()
            return all(
                self._is_per_example(a.value, seen | {node.id}) for a in assigned
            )
        if isinstance(node, ast.Call):
            symbol = self._scopes.resolve(node.func) or ""
            axis = names.read_literal(names.find_argument(node, "axis", 1))
            of_each = symbol in _OF_EACH or (symbol in _OF_AXIS and axis in (1, -1))
            if not of_each and not self._is_model(node.func):
                return False
            return bool(node.args) and self._is_per_example(node.args[0], seen)
        return False

    def _find_batch_names(self) -> set[str]:
        """The names in the step of the parts of a dataset's element."""
        step, source = self._program.step, self._program.source
        found = set(source.names) if step.call is None else set()
        for parameter, value in map_step_arguments(step).items():
            if isinstance(value, ast.Name) and value.id in source.names:
                found.add(parameter)
        return found

    def _is_model(self, function: ast.expr) -> bool:
        passed = map_step_arguments(self._program.step)
        if isinstance(function, ast.Name):
            function = passed.get(function.id, function)
        made = find_binding(self._scopes, function)
        if made is None or not makes_model(self._scopes, made):
            return False
        kind = (
            find_keras_name(self._scopes, made.func)
            if isinstance(made, ast.Call)
            else ""
        )
        return not kind.startswith(("losses.", "optimizers.", "metrics."))

    def _check_loop(self, call: ast.Call) -> None:
        """Refuses a metric in the loop that reads other values than the step's results."""
        step, source = self._program.step, self._program.source
        site = step.fetched or step.call
        around = self._scopes.parents[site] if site is not None else None
        results = set(step.results)
        if isinstance(around, ast.Assign):
            results |= names.find_binds(around)
        read = {
            n.id
            for value in [*call.args, *(k.value for k in call.keywords)]
            for n in walk_breadth_first(value)
            if isinstance(n, ast.Name)
        }
        if not read <= results or read & set(source.names):
            raise Refused(
                "D125",
                call,
                "a worker would count only its own part of the batch, because the "
                "loop updates the metric",
                "Update the metric in the step.",
            )
