"""A model_fn as a Keras model: the code that runs once, and the code of each of three steps.

The front-end (`migrate.frontends.model_fn`) splits a model_fn by mode, and returns a
`KerasModel`. The back-end (`migrate.backends.keras`) writes it as a class. The nodes are
nodes of the user's code.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterable, Mapping

from migrate.program.keras_layers import Helper, Layer, Table, Twins, Weight
from migrate.program.keras_units import Unit
from migrate.program.keras_updates import Update
from migrate.tables.keras_models import MetricRow


@dataclasses.dataclass(frozen=True, eq=False)
class Step:
    """A statement of `call`.

    Attributes:
      when: the value of `training` with which the statement runs; None for both.
    """

    unit: Unit
    when: bool | None


@dataclasses.dataclass(frozen=True, eq=False)
class Called:
    """A network that is no functional model: `__init__` makes the layers, and `call` uses them.

    Attributes:
      made: statements of `__init__` that make plain values and variables.
      weights: the variables among these.
      steps: statements of `call`.
      kept: names that `made` binds and steps read. They become attributes of the model.
      reads: names that `call` reads.
      training: expressions in `call` that say whether the model trains -> their value.
        A constant has the same value in every mode.
      counted: loops that make layers or variables, and also read the loop's own names.
      named: statements of `call` that `__init__` needs too. They name features whose type
        or shape `__init__` reads.
    """

    made: tuple[Unit, ...]
    weights: tuple[Weight, ...]
    steps: tuple[Step, ...]
    kept: frozenset[str]
    reads: frozenset[str]
    training: dict[ast.expr, str]
    counted: frozenset[ast.For]
    named: frozenset[Unit]


@dataclasses.dataclass(frozen=True)
class Total:
    """The value of a call that reads the losses which the graph collected.

    Attributes:
      losses: the names of the losses, in the order in which they were collected.
      summed: whether the value is the sum of the losses; otherwise it is a list.
      penalised: whether it includes the penalties of layers.
      name: that the sum has as a tensor, or None.
    """

    losses: tuple[str, ...]
    summed: bool
    penalised: bool
    name: ast.expr | None


@dataclasses.dataclass(frozen=True, eq=False)
class Metric:
    """An entry of eval_metric_ops.

    Attributes:
      key: its name in the results.
      arguments: of update_state, in order.
      constructor: further arguments of the class, by name.
      weighted: whether the last argument is the weights.
      test: the condition under which this metric exists; None if it always exists.
    """

    key: str
    call: ast.Call
    row: MetricRow
    arguments: tuple[ast.expr, ...]
    constructor: tuple[tuple[str, ast.expr], ...]
    weighted: bool = False
    test: ast.expr | None = None


@dataclasses.dataclass(frozen=True, eq=False)
class Counter:
    """A function that makes metrics. It becomes a method that updates them.

    Attributes:
      call: the one call of it, in evaluation.
      statements: its statements that make no metric, without the `return` at its end.
    """

    function: ast.FunctionDef
    call: ast.Call
    statements: tuple[ast.stmt, ...]
    metrics: tuple[Metric, ...]


@dataclasses.dataclass(frozen=True, eq=False)
class Exports:
    """The export_outputs of an EstimatorSpec.

    Attributes:
      value: an expression of the predictions.
      parts: names of tensors in this expression -> their keys in the predictions.
    """

    value: ast.expr
    parts: Mapping[ast.Name, ast.expr]


@dataclasses.dataclass(frozen=True, eq=False)
class Hooks:
    """Hooks, or a Scaffold, that an EstimatorSpec gives.

    Attributes:
      kind: the argument of EstimatorSpec. A scaffold's kind begins with its mode, or with
        "initial" if training makes it before the update. For code that gives variables
        their first values it is "initial_values" or "initial_training_values".
      made: statements that make the hooks, and plain values for them.
      value: the list of the hooks; None if there is nothing to return.
      watched: names of a training step's tensors that hooks read, besides the loss.
      counted: names of metrics whose value the hooks read.
      steps: names of the global step in the hooks.
    """

    kind: str
    made: tuple[Unit, ...]
    value: ast.expr | None
    watched: tuple[str, ...]
    counted: tuple[str, ...]
    steps: tuple[ast.Name, ...] = ()

    @property
    def nodes(self) -> tuple[ast.AST, ...]:
        """All nodes of the hooks' code."""
        value = [] if self.value is None else [self.value]
        return (*(unit.statement for unit in self.made), *value)


@dataclasses.dataclass(frozen=True, eq=False)
class KerasModel:
    """One model_fn.

    Attributes:
      function: the model_fn.
      name: the name of the class.
      parameters: the model_fn's parameters by role ("features", "labels", "mode",
        "params", "config"), in its order; further parameters by their own names.
      bound: parameters that functools.partial gives.
      network: statements from the features to the outputs, made once.
      outputs: names that the network binds and the steps read.
      twins: two calls of the network, or None. If there are two, `outputs` has their names.
      layers: all calls of tf.layers, also those in helpers.
      within: variable scopes in loops and under conditions, also those in helpers.
      predictions: statements from the outputs to the predictions.
      predicted: the predictions; None if the model_fn returns none.
      exports: the exported part of the predictions, or None.
      loss: statements from the outputs to the loss, in training.
      summaries: other statements of a training step: summaries, and tensors for hooks.
      train_loss: the loss that training minimises.
      reported: the loss that training reports.
      update: the update of the variables.
      sums: whether replicas add up their losses, and do not take the mean.
      hooks: the hooks of the EstimatorSpecs.
      evaluation: statements that the loss and the metrics of evaluation need.
      evaluated: the loss in evaluation; None if the model_fn returns none.
      metrics: the metrics of eval_metric_ops.
      counter: the function that makes them; None if the model_fn does.
      gathered: statements that made eval_metric_ops, whose comments stay.
      named: whether a hook may request tensors of the predictions by their names.
      folded: by mode, the expressions that the mode decides -> their values.
      called: how the network is made and called; None for a functional model.
      scoping: functions that only made argument scopes, and are removed.
      replaced: their parameters in the arguments of layers -> the values.
      tags: names of summaries and tensors in training -> their names in TF1's scopes.
      totals: calls that read the graph's losses -> their values.
      tables: lookup tables, which the model makes once.
    """

    function: ast.FunctionDef
    name: str
    parameters: dict[str, str]
    bound: frozenset[str]
    network: tuple[Unit, ...]
    outputs: tuple[str, ...]
    twins: Twins | None
    layers: tuple[Layer, ...]
    within: tuple[ast.With, ...]
    helpers: tuple[Helper, ...]
    predictions: tuple[Unit, ...]
    predicted: ast.expr | None
    exports: Exports | None
    loss: tuple[Unit, ...]
    summaries: tuple[Unit, ...]
    train_loss: ast.expr
    reported: ast.expr
    update: Update
    sums: bool
    hooks: tuple[Hooks, ...]
    evaluation: tuple[Unit, ...]
    evaluated: ast.expr | None
    metrics: tuple[Metric, ...]
    gathered: tuple[Unit, ...]
    named: bool
    folded: dict[str, dict[ast.AST, ast.expr | str]]
    called: Called | None = None
    counter: Counter | None = None
    scoping: tuple[ast.FunctionDef, ...] = ()
    replaced: Mapping[ast.Name, ast.expr] = dataclasses.field(default_factory=dict)
    tags: dict[ast.AST, str] = dataclasses.field(default_factory=dict)
    totals: Mapping[ast.Call, Total] = dataclasses.field(default_factory=dict)
    tables: tuple[Table, ...] = ()

    @property
    def loss_name(self) -> str:
        """The name, in a training step, of the loss that it minimises."""
        given = self.train_loss
        return given.id if isinstance(given, ast.Name) else "loss"

    @property
    def counted(self) -> tuple[ast.expr, ...]:
        """The values that the evaluation step passes to its metrics."""
        return list_counted_values(self.metrics, self.counter)

    @property
    def training(self) -> tuple[Unit, ...]:
        """The statements of a training step besides the update."""
        return (*self.loss, *self.summaries)


def list_counted_values(
    metrics: Iterable[Metric], counter: Counter | None
) -> tuple[ast.expr, ...]:
    """The values that a step passes to metrics, or to the function that makes them."""
    if counter is not None:
        call = counter.call
        given = (a.value if isinstance(a, ast.Starred) else a for a in call.args)
        return (*given, *(keyword.value for keyword in call.keywords))
    return tuple(
        given
        for metric in metrics
        for given in (*metric.arguments, *([metric.test] if metric.test else []))
    )


@dataclasses.dataclass(frozen=True, eq=False)
class Stays:
    """A model_fn that does not become a Keras model, and the reason."""

    node: ast.AST
    reason: str
