"""A model_fn as a Keras model: what is made once, and what each of its three steps does.

The front-end (`migrate.frontends.model_fn`) splits a model_fn by mode into this; the
back-end (`migrate.backends.keras`) writes it as a class. Nodes are the user's own.
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
      when: the value of `training` where it runs, None for both.
    """

    unit: Unit
    when: bool | None


@dataclasses.dataclass(frozen=True, eq=False)
class Called:
    """A network that is no functional model: `__init__` makes what `call` applies.

    Attributes:
      made: statements of plain values, and of variables, of `__init__`.
      weights: the variables among them.
      steps: statements of `call`.
      kept: names bound by `made` that steps read: attributes of the model.
      reads: names that `call` reads.
      training: expressions in `call` that say whether it is training -> their value
        there; the same in every mode where it is a constant.
      counted: loops that make layers or variables, and read their own names beside.
      named: statements of `call` that `__init__` has too: they name features of which
        it reads the type or shape.
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
    """What a call is given of the losses that the graph collected.

    Attributes:
      losses: their names, in the order in which they were collected.
      summed: whether it is their sum, else a list.
      penalised: whether penalties of layers are added.
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
      test: where it is true there is this metric; None where there always is.
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
    """A function that makes metrics, and becomes a method that counts with them.

    Attributes:
      call: the one call of it, in evaluation.
      statements: those of it that make no metric, but the last, which returns them.
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
      parts: names of tensors in it -> the keys of the predictions that they are.
    """

    value: ast.expr
    parts: Mapping[ast.Name, ast.expr]


@dataclasses.dataclass(frozen=True, eq=False)
class Hooks:
    """Hooks, or a Scaffold, that an EstimatorSpec gives.

    Attributes:
      kind: the argument of EstimatorSpec; of a scaffold with the mode before it
        ("initial" where training makes it before the update). Or what gives variables
        their first values: "initial_values", or "initial_training_values".
      made: statements that make them, and plain values for them.
      value: the list of them; None where there is nothing to be given.
      watched: names of a training step's tensors, beside the loss.
      counted: names of metrics whose value they watch.
      steps: names of the global step in them.
    """

    kind: str
    made: tuple[Unit, ...]
    value: ast.expr | None
    watched: tuple[str, ...]
    counted: tuple[str, ...]
    steps: tuple[ast.Name, ...] = ()

    @property
    def nodes(self) -> tuple[ast.AST, ...]:
        """All of their code."""
        value = [] if self.value is None else [self.value]
        return (*(unit.statement for unit in self.made), *value)


@dataclasses.dataclass(frozen=True, eq=False)
class KerasModel:
    """One model_fn.

    Attributes:
      function: the model_fn.
      name: the class's.
      parameters: of the model_fn, by role ("features", "labels", "mode", "params",
        "config"), in its order; those that are bound by their own name.
      bound: parameters that functools.partial gives.
      network: statements from the features to the outputs, made once.
      outputs: names bound by them that the steps read.
      twins: two calls of the network, or None; then `outputs` are their names.
      layers: all calls of tf.layers, of helpers too.
      within: variable scopes in loops and under conditions, of helpers too.
      predictions: statements from the outputs to the predictions.
      predicted: the predictions; None where the model_fn gives none.
      exports: what is exported of the predictions, or None.
      loss: statements from the outputs to the loss, in training.
      summaries: what else a training step runs: summaries, and tensors for hooks.
      train_loss: what training minimises.
      reported: the loss that it reports.
      update: of the variables.
      sums: whether replicas' losses are added up, not their mean taken.
      hooks: those that its EstimatorSpecs give.
      evaluation: statements that the loss and the metrics of evaluation need.
      evaluated: the loss in evaluation; None where the model_fn gives none.
      metrics: of eval_metric_ops.
      counter: the function that made them; None where the model_fn did.
      gathered: statements that made eval_metric_ops, whose comments stay.
      named: whether a hook may ask for tensors of the predictions by their names.
      folded: by mode, what it decides in its step -> what that is.
      called: how the network is made and called; None for a functional model.
      scoping: functions of which only argument scopes were read, and nothing is left.
      replaced: names of their parameters, in what layers are given -> what these are.
      tags: names of summaries and tensors in training -> what they were in TF1's scopes.
      totals: what asks for the graph's losses -> what it is given.
      tables: lookup tables, which it makes once.
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
        """What a training step calls the loss that it minimises."""
        given = self.train_loss
        return given.id if isinstance(given, ast.Name) else "loss"

    @property
    def counted(self) -> tuple[ast.expr, ...]:
        """What the step of evaluation gives its metrics."""
        return list_counted_values(self.metrics, self.counter)

    @property
    def training(self) -> tuple[Unit, ...]:
        """What a training step runs before and beside the update."""
        return (*self.loss, *self.summaries)


def list_counted_values(
    metrics: Iterable[Metric], counter: Counter | None
) -> tuple[ast.expr, ...]:
    """What a step gives metrics, or the function that makes them."""
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
    """A model_fn that stays one, and why."""

    node: ast.AST
    reason: str
