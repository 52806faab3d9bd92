"""Recognises a program of Estimators: which of its functions build graphs."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator

from migrate.facts.reach import find_definitions, find_reached
from migrate.facts.scopes import Scopes
from migrate.frontends.sessions.derived_hooks import find_hook_classes
from migrate.source.nodes import walk_breadth_first
from migrate.tables import estimator as table

_SPECS = (
    "tf.estimator.EstimatorSpec",
    "tf.estimator.tpu.TPUEstimatorSpec",
    "tf.contrib.tpu.TPUEstimatorSpec",
)
_ESTIMATORS = (
    "tf.estimator.Estimator",
    "tf.estimator.tpu.TPUEstimator",
    "tf.contrib.tpu.TPUEstimator",
)
_RECEIVERS = (
    "tf.estimator.export.ServingInputReceiver",
    "tf.estimator.export.TensorServingInputReceiver",
)
# What ready-made Estimators, and numeric columns, are given and call in their graph.
_CALLED_IN_GRAPH: dict[str, tuple[str, ...]] = {
    **{
        f"tf.estimator.{name}": (
            "optimizer",
            "linear_optimizer",
            "dnn_optimizer",
            "activation_fn",
            "dnn_activation_fn",
            "partitioner",
            "input_layer_partitioner",
        )
        for name in table.CANNED
    },
    "tf.feature_column.numeric_column": ("normalizer_fn",),
    "tf.contrib.estimator.add_metrics": ("metric_fn",),
    "tf.estimator.add_metrics": ("metric_fn",),
}
# What says that a file is a program of Estimators.
_OF_ESTIMATORS = (
    "tf.estimator.",
    "tf.keras.estimator.",
    "tf.contrib.learn.Experiment",
    "tf.contrib.learn.learn_runner.run",
    "tf.contrib.tpu.TPU",
)
# Useful only while a graph is built; here Estimators build all graphs.
_GLOBAL_STEP = ("tf.train.get_global_step", "tf.train.get_or_create_global_step")
_ITERATORS = ("make_one_shot_iterator", "make_initializable_iterator")
Function = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


@dataclasses.dataclass(frozen=True)
class EstimatorProgram:
    """A file that uses tf.estimator.

    Attributes:
      model: functions and classes whose code runs where a graph of the model is
        built: every model_fn, what it calls, and the methods of hooks.
      serving: functions that make serving input receivers, and what they call.
      input: functions that take a batch from a dataset's iterator.
      imported: whether the file is a module that such a program imports; the emitted
        modules are then beside that program.
      iterators: calls `dataset.make_one_shot_iterator()` and its sibling.
    """

    model: frozenset[ast.AST]
    serving: frozenset[ast.AST]
    input: frozenset[ast.AST]
    iterators: tuple[ast.Call, ...]
    imported: bool = False

    def is_within(
        self, node: ast.AST, among: frozenset[ast.AST], scopes: Scopes
    ) -> bool:
        """Whether a node stands in one of some functions."""
        return any(outer in among for outer in _walk_outwards(node, scopes))


def recognise(scopes: Scopes) -> EstimatorProgram | None:
    """The file's Estimator program; None if it uses no tf.estimator."""
    uses = table.find_uses(scopes)
    if not any(s.startswith(_OF_ESTIMATORS) for _, s in uses):
        return None
    model = [
        *_find_functions_using(uses, _SPECS, scopes),
        *_find_model_functions(uses, scopes),
    ]
    model += _find_functions_around(model, scopes)
    model += _find_callers(model, scopes)
    # `begin` of a hook runs where the graph is built.
    model += find_hook_classes(scopes)
    model += _find_functions_called_in_graph(uses, scopes)
    model += _find_functions_using(uses, _GLOBAL_STEP, scopes)
    serving = list(_find_functions_using(uses, _RECEIVERS, scopes))
    iterators = tuple(find_iterators(scopes))
    inputs = [f for call in iterators for f in _walk_functions_around(call, scopes)]
    inputs += _find_functions_using(
        uses, tuple(f"tf.data.{name}" for name in _ITERATORS), scopes
    )
    return EstimatorProgram(
        frozenset([*model, *find_reached(scopes, model)]),
        frozenset([*serving, *find_reached(scopes, serving)]),
        frozenset(inputs),
        iterators,
    )


def recognise_module(scopes: Scopes) -> EstimatorProgram:
    """Recognises a module that builds graphs for another file's Estimator program."""
    functions = [n for n in walk_breadth_first(scopes.tree) if isinstance(n, Function)]
    iterators = tuple(find_iterators(scopes))
    inputs = frozenset(
        f for call in iterators for f in _walk_functions_around(call, scopes)
    )
    return EstimatorProgram(frozenset(functions), frozenset(), inputs, iterators, True)


def _walk_outwards(node: ast.AST, scopes: Scopes) -> Iterator[ast.AST]:
    current: ast.AST | None = node
    while current is not None:
        yield current
        current = scopes.parents.get(current)


def _walk_functions_around(node: ast.AST, scopes: Scopes) -> Iterator[ast.AST]:
    """The innermost function around a node, if there is one."""
    for outer in _walk_outwards(node, scopes):
        if isinstance(outer, Function):
            yield outer
            return


def _find_functions_using(
    uses: list[tuple[ast.expr, str]], symbols: tuple[str, ...], scopes: Scopes
) -> Iterator[ast.AST]:
    """Functions in which a symbol is used."""
    for node, symbol in uses:
        if symbol in symbols:
            yield from _walk_functions_around(node, scopes)


def _find_functions_around(model: list[ast.AST], scopes: Scopes) -> list[ast.AST]:
    """Functions with a model_fn's parameters, around those that make its EstimatorSpecs."""
    return [
        outer
        for function in model
        for outer in _walk_outwards(function, scopes)
        if isinstance(outer, Function)
        and {"features", "mode"} <= {a.arg for a in outer.args.args}
    ]


def _find_callers(model: list[ast.AST], scopes: Scopes) -> list[ast.AST]:
    """Functions that return the result of a function that makes an EstimatorSpec."""
    found: dict[ast.AST, None] = {}
    known = set(model)
    todo = True
    while todo:
        todo = False
        for node in walk_breadth_first(scopes.tree):
            if not isinstance(node, ast.Return) or not isinstance(node.value, ast.Call):
                continue
            name = node.value.func
            targets = (
                find_definitions(scopes, name) if isinstance(name, ast.Name) else []
            )
            for outer in _walk_functions_around(node, scopes):
                if outer not in known and any(t in known for t in targets):
                    known.add(outer)
                    found[outer] = None
                    todo = True
    return list(found)


def _find_model_functions(
    uses: list[tuple[ast.expr, str]], scopes: Scopes
) -> Iterator[ast.AST]:
    """Finds the functions that are passed to Estimators as model_fn."""
    for node, symbol in uses:
        call = scopes.parents.get(node)
        if symbol not in _ESTIMATORS or not isinstance(call, ast.Call):
            continue
        given = [k.value for k in call.keywords if k.arg == "model_fn"]
        for value in [*given, *call.args[:1]]:
            if isinstance(value, ast.Lambda):
                yield value
            elif isinstance(value, ast.Name):
                yield from find_definitions(scopes, value)


def _find_functions_called_in_graph(
    uses: list[tuple[ast.expr, str]], scopes: Scopes
) -> Iterator[ast.AST]:
    """Functions that ready-made Estimators call when they build their graph."""
    for node, symbol in uses:
        call = scopes.parents.get(node)
        if symbol not in _CALLED_IN_GRAPH or not isinstance(call, ast.Call):
            continue
        named = _CALLED_IN_GRAPH[symbol]
        given = [k.value for k in call.keywords if k.arg in named]
        if named == ("metric_fn",):
            given += call.args[1:2]
        for value in given:
            if isinstance(value, ast.Lambda):
                yield value
            elif isinstance(value, ast.Name):
                yield from find_definitions(scopes, value)


def find_iterators(scopes: Scopes) -> Iterator[ast.Call]:
    """Finds calls of the iterator methods that only TF1's datasets have."""
    for node in walk_breadth_first(scopes.tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in _ITERATORS
            and scopes.resolve(node.func) is None
        ):
            yield node
