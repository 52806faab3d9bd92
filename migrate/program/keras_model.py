"""A model_fn as a Keras model: what is made once, and what each of its three steps does.

The front-end (`migrate.frontends.model_fn`) splits a model_fn by mode into this; the
back-end (`migrate.backends.keras`) writes it as a class. Nodes are the user's own.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterable, Mapping

from migrate.tables.keras_models import MetricRow
from migrate.tables.layers import LayerRow


@dataclasses.dataclass(frozen=True, eq=False)
class Unit:
    """A statement that a mode runs, and the ifs and withs around it that are gone.

    Attributes:
      statement: simple, or a compound one that does not depend on the mode.
      around: statements whose suite it was first in, outermost first; their comments
        stand above it now.
    """

    statement: ast.stmt
    around: tuple[ast.stmt, ...] = ()


@dataclasses.dataclass(frozen=True)
class Several:
    """Layers one after the other, as contrib's `stack` and `repeat` make them.

    Attributes:
      scope: what they are below, TF1's default.
      of: what each is given first, in a list; or how many there are.
      parameters: Keras's arguments that are given from that list; none where they are
        counted.
    """

    scope: str
    of: ast.expr
    parameters: tuple[str, ...]


@dataclasses.dataclass(frozen=True, eq=False)
class Layer:
    """A call of a function of tf.layers, or of a layer object.

    Attributes:
      call: what becomes the Keras layer; of an object that is kept, the call that makes it.
      inputs: what the layer is applied to; None where it is kept, and called by `applied`.
      arguments: the constructor's, by name.
      name: TF1's name where it is known; None where Keras draws the same number.
      scope: expressions whose text, joined by "/", stands before the name.
      texts: further arguments of the constructor, where defaults differ.
      loop: of a called network: where it makes one in every round.
      applied: calls of an object that is kept.
      told: arguments of the layer's call, as `training`, by name.
      normalizer: a layer between its product and its activation; it has the call of this.
      several: where the call makes layers one after the other; their name has a `%d`.
    """

    call: ast.Call
    row: LayerRow
    inputs: ast.expr | None
    arguments: tuple[tuple[str, ast.expr], ...]
    name: str | ast.expr | None
    scope: tuple[ast.expr, ...]
    texts: tuple[tuple[str, str], ...] = ()
    loop: ast.For | None = None
    applied: tuple[ast.Call, ...] = ()
    told: tuple[tuple[str, ast.expr], ...] = ()
    normalizer: Layer | None = None
    several: Several | None = None

    @property
    def parts(self) -> tuple[Layer, ...]:
        """The layer, and what it holds."""
        return (self,) if self.normalizer is None else (self, self.normalizer)

    @property
    def given(self) -> tuple[ast.expr, ...]:
        """What the call is given beside its inputs, as it is written."""
        values = (*self.call.args, *(k.value for k in self.call.keywords))
        return tuple(value for value in values if value is not self.inputs)

    @property
    def carried(self) -> tuple[ast.expr, ...]:
        """The user's expressions that are in what is written for it."""
        found = [value for part in self.parts for _, value in part.arguments]
        found += [p.name for p in self.parts if isinstance(p.name, ast.expr)]
        return (*found, self.several.of) if self.several is not None else (*found,)


@dataclasses.dataclass(frozen=True, eq=False)
class Helper:
    """A function of the module that builds a part of the network.

    Attributes:
      unneeded: its parameters that only said whether it is training.
      opened: statements in it of which the suite is left: scopes that only named
        variables or gave layers arguments, and `if training:` around layers that do
        nothing else elsewhere.
      gone: assignments in it that only said whether it is training, or what normalizers
        are given.
    """

    function: ast.FunctionDef
    unneeded: tuple[str, ...]
    opened: tuple[ast.With | ast.If, ...]
    gone: tuple[ast.stmt, ...] = ()


@dataclasses.dataclass(frozen=True, eq=False)
class Twins:
    """Two calls of one network, one as in training and one as not.

    Attributes:
      statement: the one that stands for both.
      name: of the network's output where the model is made.
      calls: the names that had them, and whether each was as in training.
    """

    statement: ast.stmt
    name: str
    calls: tuple[tuple[str, bool], ...]


@dataclasses.dataclass(frozen=True, eq=False)
class Weight:
    """A variable that the model makes by itself: a call of tf.get_variable.

    Attributes:
      unit: the assignment whose value the call is.
      name: TF1's, below the scopes.
      arguments: of add_weight, by name, without the variable's own name.
      scope: expressions whose text, joined by "/", stands before the name.
      loop: where one is made in every round.
    """

    unit: Unit
    call: ast.Call
    name: ast.expr
    arguments: tuple[tuple[str, ast.expr], ...]
    scope: tuple[ast.expr, ...]
    loop: ast.For | None = None


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


@dataclasses.dataclass(frozen=True, eq=False)
class Metric:
    """An entry of eval_metric_ops.

    Attributes:
      key: its name in the results.
      arguments: of update_state, in order.
      constructor: further arguments of the class, by name.
      weighted: whether the last argument is the weights.
    """

    key: str
    call: ast.Call
    row: MetricRow
    arguments: tuple[ast.expr, ...]
    constructor: tuple[tuple[str, ast.expr], ...]
    weighted: bool = False


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
class Hooks:
    """Hooks, or a Scaffold, that an EstimatorSpec gives.

    Attributes:
      kind: the argument of EstimatorSpec; of a scaffold with the mode before it.
      made: statements that make them, and plain values for them.
      value: the list of them.
      watched: names of a training step's tensors, beside the loss.
      counted: names of metrics whose value they watch.
    """

    kind: str
    made: tuple[Unit, ...]
    value: ast.expr
    watched: tuple[str, ...]
    counted: tuple[str, ...]

    @property
    def nodes(self) -> tuple[ast.AST, ...]:
        """All of their code."""
        return (*(unit.statement for unit in self.made), self.value)


@dataclasses.dataclass(frozen=True, eq=False)
class Averaged:
    """Moving averages of the trainable variables, moved after every update.

    Attributes:
      name: of what moves them.
      unit: the statement that does.
    """

    name: str
    unit: Unit


@dataclasses.dataclass(frozen=True, eq=False)
class Update:
    """How training changes the variables.

    Attributes:
      units: what makes the optimizer, its rate included: done once.
      optimizer: the expression that is the optimizer.
      loss: what is minimised.
      gradients: statements from gradients to the update; empty for `minimize`.
      computed: `compute_gradients`, or tf.gradients, among them.
      applied: the call that updates.
      schedules: names of learning-rate schedules.
      casts: calls that only make the step another integer -> the step.
      functions: of the module, that make rates and optimizers.
      averaged: what is done after it, or None; `units` make what does it.
    """

    units: tuple[Unit, ...]
    optimizer: ast.expr
    loss: ast.expr
    gradients: tuple[Unit, ...]
    computed: ast.Call | None
    applied: ast.Call
    schedules: frozenset[str]
    casts: dict[ast.Call, ast.expr]
    functions: tuple[ast.FunctionDef, ...]
    averaged: Averaged | None = None


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
      export_outputs: an expression of the predictions, or None.
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
    export_outputs: ast.expr | None
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

    @property
    def counted(self) -> tuple[ast.expr, ...]:
        """What the step of evaluation gives its metrics."""
        return counted(self.metrics, self.counter)

    @property
    def training(self) -> tuple[Unit, ...]:
        """What a training step runs before and beside the update."""
        return (*self.loss, *self.summaries)


def counted(metrics: Iterable[Metric], counter: Counter | None) -> tuple[ast.expr, ...]:
    """What a step gives metrics, or the function that makes them."""
    if counter is not None:
        call = counter.call
        given = (a.value if isinstance(a, ast.Starred) else a for a in call.args)
        return (*given, *(keyword.value for keyword in call.keywords))
    return tuple(argument for metric in metrics for argument in metric.arguments)


@dataclasses.dataclass(frozen=True)
class Source:
    """A file of a tree as it was read.

    Attributes:
      path: its real path.
      imports: names at its top that are of others of the tree -> (real path, the name
        there; "" for the file itself).
    """

    path: str
    text: str
    imports: Mapping[str, tuple[str, str]]


@dataclasses.dataclass(frozen=True)
class Files:
    """A file with model functions, and the files whose functions these call.

    Attributes:
      exported: model functions that Estimators of other files have, or call for one.
      kept: functions, as (real path, name), that cannot change with a network -> why;
        the name "" is that of all.
    """

    model: Source
    others: tuple[Source, ...]
    exported: frozenset[str] = frozenset()
    kept: Mapping[tuple[str, str], str] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class SharedModels:
    """Model functions that files of a tree have together, and that become Keras models.

    Attributes:
      exported: of this file, functions that Estimators of others have, or call for one.
      imported: what names one of another file -> the class's name; "" for a function that
        makes it.
      stay: what names one of another file -> why that stays a model_fn.
      files: where its networks' functions may stand; None where only here.
      networks: of other files, whose networks have functions of this one.
      hooks: classes of this file that others name.
    """

    exported: frozenset[str] = frozenset()
    imported: Mapping[str, str] = dataclasses.field(default_factory=dict)
    stay: Mapping[str, str] = dataclasses.field(default_factory=dict)
    files: Files | None = None
    networks: tuple[Files, ...] = ()
    hooks: frozenset[str] = frozenset()


@dataclasses.dataclass(frozen=True, eq=False)
class Stays:
    """A model_fn that stays one, and why."""

    node: ast.AST
    reason: str
