"""Rows compared with what both TensorFlows do: see `behaviour.py`.

Parameters are those of `symbols.tsv` and `signatures.tsv`, which other tests compare with
TensorFlow itself.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any

from tests.mutation.behaviour import recorded
from tests.mutation.signatures_of_rows import (
    _definitions,
    _parameters_before,
    _parameters_of,
)


@functools.cache
def _defaults(symbol: str) -> dict[str, str]:
    """TensorFlow 1.15.5's defaults of a function."""
    from migrate.tables import symbols

    known = symbols.look_up(symbol)
    pairs = (p.partition("=") for p in (known.parameters_v1 if known else ()))
    return {name: value for name, equal, value in pairs if equal}


@functools.cache
def _now(name: str) -> tuple[str, ...]:
    """TensorFlow 2.21's parameters of a name."""
    from migrate.tables import signatures

    known = signatures.find_parameters(name) or ()
    return tuple(p.partition("=")[0] for p in known)


@functools.cache
def _exists(name: str) -> bool:
    from migrate.tables import signatures

    return signatures.exists(name)


def _differ(what: str, told: object, seen: object) -> list[str]:
    return [] if told == seen else [f"{what}: {told}, observed {seen}"]


# -- variables ---------------------------------------------------------------------------


def find_wrong_makers() -> list[str]:
    """Finds rows of what makes variables that differ from TensorFlow 1.15.5's graph."""
    from migrate.tables import direct_savers as table
    from migrate.tables import one_tensor

    seen = recorded()
    makes = seen["makes"]
    found = _differ("slots", table.OPTIMIZERS, seen["slots"])
    without = {n for n, made in makes.items() if not made}
    found += _differ("functions", {*table.SCHEDULES, *table.MAKE_NO_VARIABLES}, without)
    with_some = {n for n, made in makes.items() if made}
    own = [b for b in table.MAKE_VARIABLES if b != "tf.random.Generator"]
    found += [f"nothing begins so: {b}" for b in own if not _begins(with_some, b)]
    found += [n for n in with_some if not n.startswith(table.MAKE_VARIABLES)]
    found += _differ("of variables", table.OF_VARIABLES - {*seen["saved"]}, set())
    names = _classes_of_layers()
    weights = {names[n]: of for n, (_, of) in seen["layers"].items() if n in names}
    of_none = {n for n, of in weights.items() if not of} & one_tensor.LAYERS
    found += _differ("layers without variables", table.WITHOUT_VARIABLES, of_none)
    plain = {n for n, of in weights.items() if of == ["bias", "kernel"]}
    plain |= {"Embedding"}  # tf.layers has none.
    found += _differ("layers", table.LAYERS, plain & one_tensor.LAYERS)
    return found


def _begins(names: Iterable[str], text: str) -> bool:
    return any(name.startswith(text) for name in names)


def _classes_of_layers() -> dict[str, str]:
    """tf.layers' functions -> the last names of their classes."""
    from migrate.tables import layers

    known = {r.function: r.target.rpartition(".")[2] for r in layers._ROWS}
    return {**known, "tf.layers.separable_conv2d": "SeparableConv2D"}


def find_wrong_layers() -> list[str]:
    """Layers of which it is not true that they make variables, or how they are called."""
    from migrate.tables import keras_contrib, keras_models, layers

    seen = recorded()["layers"]
    rows = {r.function: r for r in (*layers._ROWS, *keras_contrib._ROWS)}
    rows[keras_models.INPUT_LAYER] = keras_models.LAYERS[keras_models.INPUT_LAYER]
    found = []
    for name, row in rows.items():
        if name not in seen:
            found.append(f"{name} was not observed")
            continue
        top, weights = seen[name]
        # The layer of columns has variables where a column has.
        if name != keras_models.INPUT_LAYER:
            found += _differ(name, row.has_weights, bool(weights))
        # What has no variables gives its name to nothing.
        if row.has_weights or name.startswith("tf.layers."):
            found += _differ(name, row.default_name, top)
    row = rows[keras_models.INPUT_LAYER]
    before = _parameters_before(keras_models.INPUT_LAYER)
    return found + _differ(row.function, row.parameters, before[1:4])


# -- parameters --------------------------------------------------------------------------


def find_wrong_streaming() -> list[str]:
    """contrib's metrics that are no such call of tf.metrics', and those left out."""
    from migrate.tables import contrib_metrics

    seen = {n: (core, tuple(own)) for n, (core, own) in recorded()["core"].items()}
    told = {n: (core, own) for n, (core, own) in contrib_metrics.CORE.items()}
    return [
        f"{n}: {told.get(n)}, it is {seen.get(n)}"
        for n in {*told, *seen}
        if told.get(n) != seen.get(n)
    ]


def _find_wrong_metrics(rows: dict[str, Any]) -> list[str]:
    found = []
    for row in rows.values():
        before, after = _parameters_before(row.symbol), _now(row.target)
        if not {*before} <= {*row.keywords} <= {*after}:
            found.append(f"{row.symbol}: {row.keywords}, it has {before}, now {after}")
    return found


def find_wrong_metrics_of_graphs() -> list[str]:
    """Metrics of contrib whose parameters are not those of 1.15.5 and of compat.v1."""
    from migrate.tables import contrib_graph

    return _find_wrong_metrics(contrib_graph.METRICS)


def find_wrong_metrics_of_compat() -> list[str]:
    from migrate.tables import graph_mode

    return _find_wrong_metrics(graph_mode.METRICS)


def find_wrong_totals() -> list[str]:
    """Parameters of tf.metrics that are not 1.15.5's, and words that none has."""
    from migrate.tables import streaming_metrics as table

    found = []
    every: set[str] = set()
    for name, parameters in table.PARAMETERS.items():
        found += _differ(name, parameters, _parameters_before(name))
        every |= {*_parameters_before(name)}
    found += [
        f"no metric has {n}"
        for n in table.TENSORS | table.COLLECTIONS - every
        if n not in every
    ]
    return found + [
        n for n in every if n.endswith("_collections") and n not in table.COLLECTIONS
    ]


# The table does not have it: a call that gives it is refused.
_REFUSED_PARAMETER = ("tf.FixedLengthRecordReader", "encoding")


def find_wrong_queues() -> list[str]:
    """Readers and batchers that take, or give, something else in 1.15.5 and tf.data."""
    from migrate.tables import queues as table

    found = []
    for name, reader in table.READERS.items():
        before = tuple(
            n for n in _parameters_before(name) if (name, n) != _REFUSED_PARAMETER
        )
        found += _differ(name, reader.parameters, before)
        if reader.dataset is not None:
            after = _now(f"tf.data.{reader.dataset}")
            same = tuple(n for n in before if n in after and n.endswith("_bytes"))
            found += _differ(name, reader.arguments, same)
            if not _exists(f"tf.data.{reader.dataset}"):
                found.append(f"{name}: no {reader.dataset}")
        skips = [n for n in before if n.startswith("skip")]
        found += _differ(name, reader.skip, skips[0] if skips else None)
    for name, batcher in table.BATCHERS.items():
        before = _parameters_before(name)
        found += _differ(name, batcher.parameters, before)
        found += _differ(name, batcher.join, before[0] == "tensors_list")
        found += _differ(name, batcher.shuffles, "min_after_dequeue" in before)
    every = {n for name in table.INPUT for n in _parameters_before(name)}
    return found + [f"nothing takes {n}" for n in table.WITHOUT_EFFECT - every]


def find_wrong_partitioners() -> list[str]:
    """Partitioners that both TensorFlows give other parameters or defaults."""
    from migrate.tables import partitioners as table

    found = []
    for row in table._ROWS:
        before, after = (
            _parameters_before(row.symbol),
            _now(f"{table.MODULE}.{row.target}"),
        )
        found += _differ(row.symbol, row.parameters, before)
        old, new = [o for o, _ in row.renamed], [n for _, n in row.renamed]
        found += _differ(row.symbol, {*old}, {*before} - {"axis"})
        found += [f"{row.target} has no {n}" for n in new if n not in after]
        # The first of TensorFlow 1's has no default in either, or is given here.
        for name, value in row.defaults:
            found += _differ(row.symbol, value, _defaults(row.symbol).get(name))
    return found


@functools.cache
def _parameters_of_cell(name: str) -> tuple[str, ...]:
    """Returns a cell's parameters: compat.v1 has 1.15.5's, hidden by a decorator."""
    from migrate.tables import symbols

    known = symbols.look_up(f"tf.nn.rnn_cell.{name}")
    return known.signature_v2 if known is not None else ()


def find_wrong_cells() -> list[str]:
    """Arguments of cells that the written module does not have, and is not said to lack."""
    from migrate.tables import recurrent as table

    found = []
    for cell in table._CELLS:
        before = _parameters_of_cell(cell)
        after = _parameters_of(table.MODULE, cell) or ()
        # A cell that is told to be in shards makes other variables.
        missing = {n for n in before if n not in after or n.endswith("_shards")}
        refused = table.REFUSED_ARGUMENTS.get(cell, frozenset())
        found += _differ(cell, refused, missing - {"**kwargs"})
    for symbol, home in table.LOOPS.items():
        if home.rpartition(".")[2] not in _definitions(table.MODULE):
            found.append(f"no {home}")
        if not _parameters_before(symbol):
            found.append(f"no {symbol}")
    return found + [n for n in table.REFUSED_ARGUMENTS if n not in table._CELLS]


def find_wrong_methods() -> list[str]:
    """Methods of Estimators that take something else in 1.15.5."""
    from migrate.tables import keras_fit as table

    seen = recorded()["parameters"]
    found = []
    for name, told in table.METHODS.items():
        found += _differ(name, list(told), seen.get(f"tf.estimator.Estimator.{name}"))
    hooks = {
        n
        for n in _parameters_before("tf.estimator.EstimatorSpec")
        if n.startswith("training_") and n.endswith("hooks")
    }
    return found + _differ("hooks", {*table.TRAINING_HOOKS}, hooks)


def find_wrong_initializers() -> list[str]:
    """First values whose initializers take other arguments, or give another type."""
    from migrate.tables import first_values as table

    found = []
    for name, row in table.FIRST_VALUES.items():
        before = _parameters_before(name)
        found += _differ(name, row.parameters, before[: len(row.parameters)])
        own = {n for n in before if n in ("mean", "stddev", "minval", "maxval", "seed")}
        taken = _parameters_before(f"tf.{row.initializer}")
        if not taken or not own <= {*taken}:
            found.append(f"tf.{row.initializer} takes {taken}")
        if name.partition(".")[2].partition("_")[0] not in row.initializer:
            found.append(f"{name}: {row.initializer}")
        of_integers = recorded()["int_dtypes"].get(name, "") == "int32"
        found += _differ(name, row.of_floats, of_integers)
    return found


def find_wrong_rates() -> list[str]:
    """Optimizers of which it is not true that they take a function as their rate."""
    from migrate.tables import optimizers

    seen = recorded()["schedules"]
    return [
        text
        for row in optimizers._ROWS
        if row.symbol.startswith("tf.train.")
        for text in _differ(row.symbol, row.accepts_schedule, seen.get(row.symbol))
    ]


def find_wrong_training_of_contrib() -> list[str]:
    """Finds rows of contrib's `optimize_loss` that differ from 1.15.5's."""
    from migrate.tables import contrib_training as table

    seen = recorded()
    of_names = {}
    for name, (target, more) in table.BY_NAME.items():
        value = (
            float(more.removeprefix(", ")) if more.startswith(", ") else more or None
        )
        of_names[name] = [target.partition(".")[2], value]
    scope, tags = seen["optimize_loss"]
    known = {
        n: [of, value or None] for n, (of, value) in seen["rate_optimizers"].items()
    }
    found = _differ("names", of_names, known)
    found += _differ("scope", table.SCOPE, scope)
    last = (tag.replace("global_norm/", "global_").rpartition("/")[2] for tag in tags)
    # The rate itself has the first name.
    written = {name.removesuffix("_1") for name in last}
    return found + _differ("summaries", table.SUMMARIES, written)


# -- hooks and sessions ------------------------------------------------------------------


def find_wrong_modes() -> list[str]:
    """Hooks that run in another mode than the one that they are given for."""
    from migrate.tables import callbacks as table

    modes = {table.TRAIN: "train", table.TEST: "eval", table.PREDICT: "infer"}
    told = sorted(
        [f"{c} {a}", modes.get(mode, mode)] for (c, a), mode in table.GIVEN.items()
    )
    found = _differ("hooks", told, recorded()["given"])
    return found + _differ("the step", table.STEP_NAME, recorded()["step"])


def find_wrong_rows_of_hooks() -> list[str]:
    """Hooks whose written class, or whose parameters, are others."""
    from migrate.tables import hooks as table

    seen = recorded()["hooks"]
    session, derivable = (
        _definitions("training_session"),
        _definitions("derivable_hooks"),
    )
    found = []
    for row in table._ROWS:
        before = _parameters_before(row.symbol)
        found += _differ(row.symbol, row.parameters, before)
        if row.target not in session:
            found.append(f"no {row.target}")
        observed = [n for n in before if n in ("tensors", "summary_op", "loss_tensor")]
        found += _differ(row.symbol, row.tensors, observed[0] if observed else "")
    targets = {row.target for row in table._ROWS}
    found += _differ("derivable", table.DERIVABLE, targets & {*derivable})
    every = {n for names in seen.values() for n in names}
    found += [f"no hook has {n}" for n in table.HOOK_METHODS - every]
    of_sessions = _parameters_before("tf.train.MonitoredTrainingSession")
    found += _differ("sessions", table.SESSION_PARAMETERS, of_sessions)
    return found + [n for n in table.SESSION_DROPPED if n not in of_sessions]


def find_wrong_supervisors() -> list[str]:
    """Finds parameters of Supervisor and SessionManager that differ from 1.15.5's."""
    from migrate.tables import supervisor as table

    before = _parameters_before("tf.train.Supervisor")
    found = _differ("Supervisor", table.PARAMETERS, before)
    of_manager = {*recorded()["parameters"]["tf.train.SessionManager"]}
    found += [f"no manager has {n}" for n in table.MANAGER_DROPPED - of_manager]
    found += [n for n in (table.INIT_FUNCTION,) if n not in before]
    default = _defaults("tf.train.Supervisor")["checkpoint_basename"]
    found += _differ("its file", repr(table.BASENAME), default)
    return found + [
        n for n in (table.STARTS_THREADS,) if n not in table.METHODS_DROPPED
    ]


def find_wrong_scaffolds() -> list[str]:
    """Finds parameters of Scaffold unlike 1.15.5's, or unlike the written one's."""
    from migrate.tables import scaffolds as table

    before = _parameters_before("tf.train.Scaffold")
    found = _differ("Scaffold", table.PARAMETERS, before)
    found += _differ("quiet", {*table.QUIET}, {*before} - table.MEANT)
    written = _parameters_of("estimator_loop", "Scaffold") or ()
    return found + _differ("meant", table.MEANT, {*before} & {*written})


# -- Keras and words ---------------------------------------------------------------------


def find_wrong_strings() -> list[str]:
    """Strings that Keras's `compile` takes for something else."""
    from migrate.tables import compiled_keras as table

    seen = recorded()["compiled"]
    found = []
    for name, of in table.OPTIMIZERS.items():
        found += _differ(name, of, seen["optimizers"].get(name))
    for name, of in table.LOSSES.items():
        function = seen["losses"].get(of, "").lower().replace("_", "")
        same = seen["losses"].get(name, "?").replace("_", "")
        if of not in recorded()["loss_classes"] or of.lower() not in (same, function):
            found.append(f"{name}: {of}, it is {same}")
    for name, of in table.METRICS.items():
        found += _differ(name, of, seen["metrics"].get(name))
    return found


def find_wrong_weights() -> list[str]:
    """Arguments of variables that Keras's `add_weight` has not, and names of collections."""
    from migrate.tables import keras_models as table

    taken = recorded()["add_weight"]
    before = _parameters_before(table.VARIABLE)
    found = _differ(
        "variables", table.VARIABLE_PARAMETERS, before[: len(table.VARIABLE_PARAMETERS)]
    )
    told = {*table.WEIGHT_ARGUMENTS}
    found += [f"not in both: {n}" for n in told if n not in taken or n not in before]
    found += [f"nothing has {n}" for n in table.WEIGHT_IGNORED if n not in before]
    for key, word in (table.REGULARIZATION_LOSSES, table.TRAINABLE_VARIABLES):
        found += _differ(key, word, recorded()["keys"].get(key.rpartition(".")[2]))
    for name, row in table.METRICS.items():
        taken_before = _parameters_before(name)
        found += [f"{name} has no {n}" for n in row.options if n not in taken_before]
    return found


def find_wrong_places() -> list[str]:
    """Finds wrong positions of arguments that decide something."""
    from migrate.tables import roles

    return [
        text
        for name, at in roles.KEEP_SHAPE.items()
        for text in _differ(
            name, at, [*_parameters_before(name)].index("validate_shape")
        )
    ]


def find_wrong_place_of_name() -> list[str]:
    from migrate.tables import named_tensors as table

    found = []
    for name, at in table.VARIABLES.items():
        before = [*_parameters_before(name)]
        # By position nobody names a tf.Variable: it is the sixth.
        found += _differ(
            name, at, before.index("name") if before[0] == "name" else None
        )
    return found


def find_wrong_update_ops() -> list[str]:
    from migrate.tables import estimator as table

    return _differ("updates", table.UPDATE_OPS[-1], recorded()["keys"]["UPDATE_OPS"])


def find_wrong_words_of_modes() -> list[str]:
    from migrate.tables import host_effects as table

    return _differ("modes", table.MODES - {"mode"}, {*recorded()["modes"]})
