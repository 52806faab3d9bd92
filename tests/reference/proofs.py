"""Names the proof of each row of the migration's tables: scenario, test, or reason.

A row is written `<table>:<symbol>`. `tests/reference/test_closed_world.py` enforces
that every row has a proof, that scenarios and tests named here exist and are about the
row, and that a scenario which says that it proves a row is named for it.
"""

from __future__ import annotations

import dataclasses
import fnmatch
from collections.abc import Iterable, Iterator

from migrate.tables import (
    calls,
    contrib,
    contrib_graph,
    estimator,
    graph_only,
    hooks,
    keras_contrib,
    keras_models,
    layers,
    modes,
    not_public,
    optimizers,
    queues,
    recurrent,
    roles,
    semantics,
    supervisor,
    unsupported,
)
from migrate.tables.symbols import list_symbols


@dataclasses.dataclass(frozen=True)
class Proof:
    """The proof of the rows that match.

    Attributes:
      rows: a shell pattern of "<table>:<symbol>".
      scenarios: directories of `reference/`; each lists the row in its `proves`.
      tests: patterns of files, one of which names the symbol; or "file::function",
        which is about the whole table.
      reason: why no scenario and no test is there.
    """

    rows: str
    scenarios: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    reason: str = ""


_TABLES: dict[str, Iterable[str]] = {
    "optimizers": optimizers.OPTIMIZERS,
    "schedules": optimizers.SCHEDULES,
    "losses": [
        name
        for name in list_symbols()
        if name.startswith("tf.losses.") and name.count(".") == 2
    ],
    "layers": layers.LAYER_FUNCTIONS,
    "hooks": hooks.HOOKS,
    "partitioners": roles.PARTITIONERS,
    "roles": roles.KIND_OF_CALL.keys()
    - optimizers.OPTIMIZERS.keys()
    - optimizers.SCHEDULES
    - layers.LAYER_CLASSES.keys()
    - hooks.HOOKS.keys()
    - roles.PARTITIONERS
    - recurrent.CELLS.keys(),
    "recurrent": recurrent.TARGETS,
    "calls": calls.CALLS,
    "semantics": semantics.SEMANTICS,
    "graph_only": graph_only.GRAPH_ONLY,
    "unsupported": unsupported.UNSUPPORTED,
    "readers": unsupported.MNIST_SYMBOLS,
    "queues": {*queues.INPUT, queues.START, queues.MATCH_ONCE},
    "supervisor": supervisor.PARAMETERS,
    "contrib": {
        *contrib.HOMES,
        *contrib.SUPPORT,
        *contrib.SLIM,
        *(row.symbol for row in contrib.CONTRIB_CALLS),
    },
    "contrib_graph": {*contrib_graph.GRAPH, *contrib_graph.METRICS},
    "contrib_refused": contrib.NO_HOME,
    "keras_contrib": keras_contrib.LAYERS,
    "keras_metrics": keras_models.METRICS,
    "keras_network": keras_models.NETWORK,
    "modes": modes.MODES,
    "not_public": not_public.INSTEAD,
    "estimator": {
        *estimator.EMITTED,
        *estimator.LAYERS,
        *estimator.IN_GRAPH_EMITTED,
        *estimator.TPU_SPECS,
    },
    "estimator_graph": {
        *estimator.IN_GRAPH,
        *estimator.IN_SERVING,
        *estimator.IN_INPUT,
        *estimator.SWITCHES,
        *estimator.RUNS_UPDATES,
    },
    "estimator_refused": estimator.REFUSED,
}


def list_rows() -> Iterator[str]:
    """Every row of the tables, "<table>:<symbol>"."""
    for table, found in _TABLES.items():
        for symbol in sorted(found):
            yield f"{table}:{symbol}"


def find_proof(row: str) -> Proof | None:
    """The first proof that matches a row."""
    return next((p for p in PROOFS if fnmatch.fnmatchcase(row, p.rows)), None)


_PROGRAMS = (
    "tests/programs/clustered/*.py",
    "tests/migrate/test_*.py",
    "reference/*/tf1.py",
)
_REFUSED = "it is refused: there is nothing to compute, the finding says why"

_ESTIMATORS = (
    "tests/programs/estimators/*.py",
    "tests/programs/estimator_variants/*.py",
    "tests/migrate/frontends/estimators/test_estimators.py",
    "tests/support/*estimator*.py",
    "reference/estimator_*/tf1.py",
)


def _repeat_reason(reason: str, *names: str) -> Iterator[Proof]:
    """Rows of Estimator programs that no test names, with the reason."""
    for name in names:
        yield Proof(f"estimator:{name}", reason=reason)


PROOFS = (
    # Input by queues.
    *(
        Proof(f"queues:tf.{name}", scenarios=("queue_input",))
        for name in (
            *("train.string_input_producer", "train.slice_input_producer"),
            *("train.batch", "train.start_queue_runners"),
            *("TFRecordReader", "TextLineReader", "FixedLengthRecordReader"),
        )
    ),
    Proof("queues:*", tests=("tests/programs/alone/queue_*.py",)),
    # Estimators.
    *(
        Proof(f"estimator:tf.*.{name}", tests=("tests/support/test_hooks.py",))
        for name in ("CheckpointSaverHook", "ProfilerHook", "StepCounterHook")
    ),
    *(
        Proof(
            f"estimator:tf.*.{name}",
            tests=("tests/programs/estimator_clusters/*_strategies.py",),
        )
        for name in (
            *("ParameterServerStrategy", "DistributeConfig"),
            *("MultiWorkerMirroredStrategy", "CollectiveAllReduceStrategy"),
        )
    ),
    *_repeat_reason(
        "what a hook is given; hooks of programs use it without its name",
        "tf.*.SessionRunContext",
        "tf.*.SessionRunValues",
    ),
    *_repeat_reason(
        "it computes nothing: it waits, or is the error that NanTensorHook raises",
        "tf.*.GlobalStepWaiterHook",
        "tf.*.NanLossDuringTrainingError",
    ),
    *_repeat_reason(
        "its model and its head are those of ready-made Estimators that have scenarios",
        "tf.estimator.BaselineEstimator",
        "tf.estimator.DNNEstimator",
        "tf.estimator.DNNLinearCombinedRegressor",
        "tf.python.estimator.canned.optimizers.get_optimizer_instance",
    ),
    *_repeat_reason(
        "another form of an exporter or of a receiver that is tested; none runs this one",
        "tf.estimator.export.TensorServingInputReceiver",
        "tf.estimator.export.build_raw_serving_input_receiver_fn",
    ),
    *_repeat_reason(
        "TF1's own layer or cell, which tf_keras keeps; others of them are run",
        "tf.layers.*pooling*",
        "tf.layers.*conv*",
        "tf.layers.[A-Z]*",
        "tf.nn.rnn_cell.*",
        "tf.contrib.rnn.*",
    ),
    Proof(
        "roles:tf.train.ExponentialMovingAverage",
        tests=("tests/programs/alone/averages_*.py",),
    ),
    Proof("recurrent:*", tests=("tests/programs/alone/cells_*.py",)),
    Proof(
        "estimator:tf.keras.estimator.*", tests=("tests/programs/compiled_keras/*.py",)
    ),
    Proof(
        "estimator:tf.contrib.distribute.AllReduceCrossTowerOps",
        reason="the name of AllReduceCrossDeviceOps before 1.12; 1.15.5 has it not",
    ),
    Proof("estimator:*", tests=_ESTIMATORS),
    Proof(
        "estimator_graph:*",
        reason="it is left as it is, or says what is: TensorFlow 2's own function, where "
        "a graph is built as TF1 built it",
    ),
    Proof("estimator_refused:*", reason=_REFUSED),
    # Optimizers and schedules.
    Proof("optimizers:tf.train.*", scenarios=("optimizers",)),
    *(
        Proof(
            f"optimizers:{row.symbol}",
            tests=("tests/programs/clustered/*.py", "tests/support/*"),
        )
        for row in optimizers.OPTIMIZERS.values()
        if row.target and not row.scenario
    ),
    Proof("optimizers:tf.contrib.opt.*", reason=_REFUSED),
    Proof(
        "schedules:tf.train.piecewise_constant_decay",
        reason="another name of tf.train.piecewise_constant, which has a scenario",
    ),
    Proof("schedules:*", scenarios=("optimizers",)),
    # Losses and layers.
    *(
        Proof(
            f"losses:tf.losses.{name}",
            reason="it needs a graph's collection of losses, which a program has or the "
            "symbol is refused; it has no numbers of its own",
        )
        for name in (
            "add_loss",
            "get_losses",
            "get_regularization_loss",
            "get_regularization_losses",
            "get_total_loss",
        )
    ),
    Proof("losses:*", scenarios=("losses_metrics_layers",)),
    Proof("layers:*", scenarios=("losses_metrics_layers",)),
    # A program's parts.
    Proof(
        "hooks:*",
        tests=("tests/support/test_hooks.py", "tests/programs/clustered/*.py"),
    ),
    Proof("partitioners:*", scenarios=("variable_partitioners",)),
    *(
        Proof(
            f"roles:{symbol}",
            reason="an older name, or one of tables: a run of it is read alike",
        )
        for symbol in ("tf.initialize_all_variables", "tf.tables_initializer")
    ),
    Proof("roles:tf.train.SyncReplicasOptimizer", scenarios=("sync_replicas",)),
    Proof(
        "roles:tf.train.SyncReplicasOptimizerV2",
        reason="TensorFlow 0.12's name of tf.train.SyncReplicasOptimizer; 1.15.5 has it "
        "not",
    ),
    Proof(
        "roles:tf.contrib.training.RandomStrategy",
        reason="it chose a parameter server at random: no number depends on which",
    ),
    Proof(
        "roles:tf.contrib.estimator.clip_gradients_by_norm",
        reason="a session's program that uses it is refused: it is of Estimators",
    ),
    *(
        Proof(f"roles:{symbol}", reason=reason)
        for reason, symbols_ in (
            (
                "a configuration of devices; no number depends on it",
                ("tf.GPUOptions", "tf.GraphOptions", "tf.OptimizerOptions"),
            ),
            (
                "dropped: variables are initialised where they are made, as the programs "
                "with tf.global_variables_initializer show",
                (
                    "tf.initialize_local_variables",
                    "tf.report_uninitialized_variables",
                    "tf.variables_initializer",
                ),
            ),
            (
                "it holds no value: it is dropped, or its operands are run",
                ("tf.no_op",),
            ),
            (
                "tf.scatter_X(ref, indices, updates) is ref.scatter_X, whose arguments "
                "tests/migrate/normalise/graph_collections/test_updates.py looks at for one of them",
                tuple(
                    f"tf.scatter_{name}"
                    for name in ("add", "div", "max", "min", "mul", "sub", "update")
                ),
            ),
            (
                "tf.assign_X(ref, value) is ref.assign_X(value), as tf.assign, which the "
                "programs have",
                ("tf.assign_add", "tf.assign_sub"),
            ),
            (
                "TensorFlow 0.12's name of tf.summary.FileWriter; 1.15.5 has it not",
                ("tf.train.SummaryWriter",),
            ),
            (
                "dropped where nothing fetches it, and refused (N150) elsewhere",
                ("tf.summary.audio",),
            ),
        )
        for symbol in symbols_
    ),
    Proof("roles:*", tests=_PROGRAMS),
    Proof(
        "calls:*",
        tests=("tests/migrate/rules/test_symbol_values.py::test_every_row_has_a_case",),
    ),
    # Meanings.
    Proof(
        "semantics:tf.nn.embedding_lookup",
        scenarios=("variable_partitioners", "sparse_sync"),
    ),
    Proof("semantics:tf.losses", scenarios=("losses_metrics_layers",)),
    Proof("semantics:tf.metrics", scenarios=("metrics_cells_regularisers",)),
    *(
        Proof(f"semantics:{symbol}", tests=("tests/migrate/rules/test_symbols.py",))
        for symbol in (
            "tf.where",
            "tf.nn.softmax_cross_entropy_with_logits",
            "tf.random_normal_initializer",
            "tf.random_uniform_initializer",
            "tf.image.resize_bilinear",
        )
    ),
    Proof(
        "semantics:*",
        reason="read from the signatures and the documentation of TensorFlow 1.15.5 and "
        "2.21; compat.v1 keeps TF1's meaning",
    ),
    Proof(
        "graph_only:*",
        tests=("tests/migrate/rules/test_symbols.py::test_graph_only_claims",),
    ),
    Proof("unsupported:*", reason=_REFUSED),
    Proof(
        "readers:*.read_data_sets", tests=("tests/support/test_mnist_input_data.py",)
    ),
    Proof(
        "readers:*",
        reason="what read_data_sets is made of, whose batches the tests compare with TF1's",
    ),
    Proof(
        "supervisor:*",
        tests=("tests/migrate/frontends/sessions/test_programs.py::test_runs",),
    ),
    # contrib.
    Proof(
        "contrib:tf.contrib.training.HParams", tests=("tests/support/hparams_cases.py",)
    ),
    Proof(
        "contrib:tf.contrib.learn.preprocessing.VocabularyProcessor",
        tests=("tests/support/vocabulary_cases.py",),
    ),
    Proof(
        "contrib:*",
        tests=("tests/migrate/rules/test_contrib.py::test_every_name_has_a_verdict",),
    ),
    Proof(
        "contrib_graph:*",
        tests=(
            "tests/support/slim_layers.py",
            "tests/programs/estimator_variants/slim_networks.py",
            "tests/programs/estimator_variants/contrib.py",
        ),
    ),
    Proof("contrib_refused:*", reason=_REFUSED),
    Proof(
        "keras_contrib:*",
        tests=(
            "tests/programs/test_subclassed_programs.py::test_equals_tensorflow_1_15_5",
            "tests/programs/test_keras_parts.py::test_equals_tensorflow_1_15_5",
        ),
    ),
    Proof(
        "keras_metrics:*",
        tests=(
            "tests/support/test_keras_models.py::test_metrics_count_as_tensorflow_1s",
        ),
    ),
    Proof(
        "keras_network:*",
        tests=(
            "tests/support/test_keras_models.py"
            "::test_keras_records_every_function_of_a_network",
        ),
    ),
    Proof(
        "modes:*", tests=("tests/migrate/rules/test_imports.py::test_a_name_for_modes",)
    ),
    Proof(
        "not_public:*",
        tests=(
            "tests/migrate/facts/test_private_names.py::test_recipes_name_what_exists",
        ),
    ),
)
