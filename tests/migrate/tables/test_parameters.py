"""The tables say TensorFlow 1.15.5's parameters, in its order.

    python -m tests.migrate.tables.test_parameters PYTHON_WITH_TF1

records the genuine signatures in `tf1_parameters.json`. An argument by place means the wrong
thing where a table has two names exchanged: each such exchange, in each row, must be noticed.
"""

from __future__ import annotations

import ast
import functools
import itertools
import json
import pathlib
import subprocess
import sys
from collections.abc import Iterator

import pytest

import migrate.compiler  # noqa: F401  Before its parts, which import one another.
from migrate import emitted
from migrate.normalise import train_ops
from migrate.normalise.model_forms import variables
from migrate.normalise.sessions import sessions, slim_loops
from migrate.normalise.supervisors import starts
from migrate.tables import (
    contrib,
    contrib_graph,
    contrib_metrics,
    contrib_training,
    estimator,
    first_values,
    hooks,
    keras_fit,
    keras_models,
    layers,
    optimizers,
    partitioners,
    queues,
    recurrent,
    roles,
    scaffolds,
    streaming_metrics,
    supervisor,
)

RECORDED = pathlib.Path(__file__).with_name("tf1_parameters.json")
# Runs in TensorFlow 1.15.5's process, under Python 3.7: names on stdin, signatures on stdout.
_RECORD = """
import inspect, json, sys
import tensorflow as tf
from tensorflow.python.util import tf_inspect

found = {}
for symbol in json.load(sys.stdin):
    value = tf
    try:
        for part in symbol.split(".")[1:]:
            value = getattr(value, part)
    except AttributeError:
        continue  # A name of a private module.
    if inspect.isclass(value):
        value = value.__init__
    try:
        names = tf_inspect.getfullargspec(inspect.unwrap(value)).args
    except TypeError:
        continue  # A constant, or a class without a constructor of its own.
    found[symbol] = [n for n in names if n != "self"]
json.dump(found, sys.stdout)
"""

Claims = dict[str, tuple[str, ...]]


def _of_layers() -> Claims:
    claims: Claims = {}
    for row in layers.LAYER_FUNCTIONS.values():
        claims[row.function] = ("inputs", *row.parameters)
    return claims


def _of_streaming_metrics() -> Claims:
    return {
        f"{prefix}{name}": parameters
        for prefix in contrib_metrics.PREFIXES
        for name, (_, parameters) in contrib_metrics.CORE.items()
    }


def _of_queues() -> Claims:
    rows = {**queues.PRODUCERS, **queues.READERS, **queues.BATCHERS}
    return {symbol: row.parameters for symbol, row in rows.items()}


TABLES: dict[str, Claims] = {
    "layers": _of_layers(),
    "hooks": {r.symbol: r.parameters for r in hooks.HOOKS.values()},
    "partitioners": {
        r.symbol: r.parameters for r in partitioners.PARTITIONERS.values()
    },
    "queues": _of_queues(),
    "streaming_metrics": dict(streaming_metrics.PARAMETERS),
    "contrib_metrics": _of_streaming_metrics(),
    "first_values": {
        symbol: row.parameters for symbol, row in first_values.FIRST_VALUES.items()
    },
    "keras_models": {
        keras_models.VARIABLE: keras_models.VARIABLE_PARAMETERS,
        **{
            symbol: (*row.parameters, *row.constructor)
            for symbol, row in keras_models.METRICS.items()
        },
    },
    "keras_fit": {
        f"tf.estimator.Estimator.{method}": parameters
        for method, parameters in keras_fit.METHODS.items()
    },
    "contrib_training": {
        symbol: contrib_training.OPTIMIZE_LOSS_PARAMETERS
        for symbol in contrib_training.OPTIMIZE_LOSS
    },
    "normal_forms": {
        **train_ops._PARAMETERS,
        **sessions._CREATORS,
        slim_loops._TRAIN: slim_loops._PARAMETERS,
        variables._VARIABLE: variables._PARAMETERS,
        **dict.fromkeys(starts._MAKERS, starts._MAKER_PARAMETERS),
    },
    "sessions": {
        "tf.train.MonitoredTrainingSession": hooks.SESSION_PARAMETERS,
        "tf.train.Scaffold": scaffolds.PARAMETERS,
        "tf.train.Supervisor": supervisor.PARAMETERS,
        "tf.train.Supervisor.managed_session": supervisor.SESSION_PARAMETERS,
        "tf.train.SessionManager.prepare_session": supervisor.PREPARE_PARAMETERS,
        "tf.gradients": roles.GRADIENTS_PARAMETERS,
    },
}


# Functions and classes of emitted modules that stand for TensorFlow 1's, arguments as they are.
EMITTED: dict[str, str] = {
    **recurrent.TARGETS,
    **{s: t for s, t in contrib_graph.GRAPH.items() if t.startswith("contrib_")},
    **{s: ".".join(home) for s, home in contrib.SUPPORT.items()},
    **{s: row.target for s, row in optimizers.OPTIMIZERS.items()},
    **estimator.EMITTED,
    **{h.symbol: f"training_session.{h.target}" for h in hooks.HOOKS.values()},
}
# Symbol -> why its arguments need not stand in the same places.
OTHER_PLACES = {
    "tf.distribute.MirroredStrategy": "tests/support/test_estimator_strategies.py",
    "tf.distribute.experimental.ParameterServerStrategy": "the same test",
    "tf.train.Scaffold": "its arguments are written by keyword: scaffolds.py",
}


@functools.cache
def _definitions(module: str) -> dict[str, list[str]]:
    """The parameters of what an emitted module, or a package's parts, define."""
    files = [
        n
        for n in emitted.list_names()
        if n == f"{module}.py" or n.startswith(f"{module}/")
    ]
    found: dict[str, list[str]] = {}
    for file in sorted(files, key=lambda f: f.endswith("tpu.py"), reverse=True):
        for node in ast.parse(emitted.read_source(file)).body:
            made: ast.stmt | None = node
            if isinstance(node, ast.ClassDef):
                made = next(
                    (n for n in node.body if getattr(n, "name", "") == "__init__"), None
                )
            if isinstance(made, ast.FunctionDef) and isinstance(
                node, (ast.ClassDef, ast.FunctionDef)
            ):
                names = [a.arg for a in made.args.args]
                found[node.name] = [n for n in names if n != "self"]
    return found


def _recorded() -> dict[str, list[str]]:
    return json.loads(RECORDED.read_text())


def _agrees(claimed: tuple[str, ...], genuine: list[str]) -> bool:
    """Whether the parameters are the first of a function's."""
    return list(claimed) == genuine[: len(claimed)]


@pytest.mark.parametrize("table", TABLES)
def test_parameters_are_those_of_tensorflow_1(table: str) -> None:
    genuine = _recorded()
    wrong = {
        symbol: (claimed, genuine[symbol])
        for symbol, claimed in TABLES[table].items()
        if not _agrees(claimed, genuine[symbol])
    }
    assert not wrong


def _mutants(claimed: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Two neighbours exchanged; one that is gone, and is not the last; one misspelled."""
    for at in range(len(claimed) - 1):
        yield (*claimed[:at], claimed[at + 1], claimed[at], *claimed[at + 2 :])
        yield (*claimed[:at], *claimed[at + 1 :])
    for at in range(len(claimed)):
        yield (*claimed[:at], f"{claimed[at]}s", *claimed[at + 1 :])


@pytest.mark.parametrize("table", TABLES)
def test_each_exchange_is_noticed(table: str) -> None:
    genuine = _recorded()
    mutants = list(
        itertools.chain.from_iterable(
            ((symbol, mutant) for mutant in _mutants(claimed))
            for symbol, claimed in TABLES[table].items()
        )
    )
    assert mutants
    assert not [m for s, m in mutants if _agrees(m, genuine[s])]


def test_what_is_emitted_takes_arguments_by_the_same_places() -> None:
    genuine = _recorded()
    checked, wrong = 0, {}
    for symbol, target in EMITTED.items():
        module, _, name = target.partition(".")
        taken = _definitions(module).get(name)
        if taken is None or symbol not in genuine:
            continue  # Made by another function; a private module's name.
        if not genuine[symbol] or symbol in OTHER_PLACES:
            continue  # `*args`: wrappers of cells.
        checked += 1
        # What ours has beyond is given by keyword.
        if not _agrees(tuple(taken[: len(genuine[symbol])]), genuine[symbol]):
            wrong[symbol] = (taken, genuine[symbol])
    assert checked > 100
    assert not wrong


def main(python: str) -> None:
    symbols = sorted({*itertools.chain.from_iterable(TABLES.values()), *EMITTED})
    made = subprocess.run(
        [python, "-c", _RECORD],
        input=json.dumps(symbols),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    found = json.loads(made.stdout)
    RECORDED.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
