"""The programs of the gallery: what a reader should look at, and what proves each equal."""

from __future__ import annotations

import dataclasses
import pathlib

from reference.scenario import HERE

ROOT = HERE.parent

_ALONE = "tests/migrate/frontends/sessions/test_alone.py::test_equals_recorded_tf1[{}]"
_CLUSTERED = "tests/migrate/frontends/sessions/test_programs.py::test_runs[{}]"
_SCENARIO = "tests/reference/test_scenarios.py::test_migration_equals_tensorflow_1_15_5"
_FIT = "tests/migrate/backends/keras_fit/test_parity.py"
_SUITE = f"{_FIT}::test_a_program_of_the_suite[{{}}]"


@dataclasses.dataclass(frozen=True)
class Program:
    """One program of the gallery.

    Attributes:
      name: of its page.
      title: of its page.
      look: what a reader should look at.
      path: from the root of the repository.
      test: that proves it equal, as pytest names it.
      estimators: the option `--estimators`.
      drawing: one of `docs/drawings`, if any.
      later: what a reviewer would still change in the result.
    """

    name: str
    title: str
    look: str
    path: str
    test: str
    estimators: str = "fit"
    drawing: str = ""
    later: tuple[str, ...] = ()

    @property
    def file(self) -> pathlib.Path:
        return ROOT / self.path

    @property
    def scenario(self) -> str:
        """The scenario of `reference` that it is the program of, or nothing."""
        first, name = self.path.split("/")[:2]
        return name if first == "reference" else ""


def _scenario(
    name: str,
    title: str,
    look: str,
    estimators: str = "fit",
    drawing: str = "",
    later: tuple[str, ...] = (),
    page: str = "",
) -> Program:
    path = f"reference/{name}/tf1.py"
    test = f"{_SCENARIO}[{name}-*]"
    return Program(page or name, title, look, path, test, estimators, drawing, later)


def _of(
    directory: str,
    name: str,
    test: str,
    title: str,
    look: str,
    estimators: str = "fit",
    later: tuple[str, ...] = (),
) -> Program:
    path = f"tests/programs/{directory}/{name}.py"
    return Program(name, title, look, path, test.format(name), estimators, "", later)


# What they have in common -> the programs.
GROUPS: dict[str, tuple[Program, ...]] = {
    "Parameter servers and workers": (
        _scenario(
            "async_parameter_server",
            "Asynchronous, between graphs",
            "`MonitoredTrainingSession` with hooks. Nobody waits: each worker applies its own "
            "gradients. The old launch commands stay.",
            drawing="asynchronous",
        ),
        _scenario(
            "sync_replicas",
            "SyncReplicasOptimizer",
            "`SyncReplicasOptimizer` becomes an all-reduce between the workers.",
            drawing="ring",
        ),
        _scenario(
            "supervisor",
            "Supervisor, and the older wiring of SyncReplicasOptimizer",
            "A `Supervisor` with its services becomes a monitored session.",
        ),
        _of(
            "clustered",
            "dataset_iterator",
            _CLUSTERED,
            "TF_CONFIG, a dataset and clipped gradients",
            "A one-shot iterator, `clip_by_global_norm`, a `Scaffold` with a `Saver`, and "
            "checkpoint and counter hooks.",
        ),
        _of(
            "clustered",
            "wide_partitioned_div",
            _CLUSTERED,
            "A partitioned embedding",
            "Shards on two parameter servers, a lookup by the `div` strategy, an evaluation "
            "between epochs.",
        ),
        _of(
            "clustered",
            "slim_replicated",
            _CLUSTERED,
            "A network of slim",
            "Argument scopes, batch normalisation by a flag that is fed, weight decay.",
        ),
        _of(
            "clustered",
            "trainer_object",
            _CLUSTERED,
            "A trainer class",
            "A class builds the graph in one method, and opens its session in another.",
        ),
        _of(
            "hooks",
            "logger",
            "tests/programs/test_session_hooks.py::test_equals_recorded_tf1[{}]",
            "A hook of one's own",
            "A logger asks each run for the loss (`before_run`), and prints it (`after_run`).",
        ),
        _of(
            "half_migrated",
            "setter",
            "tests/programs/test_half_migrated.py::test_trains_as_one_process[{}]",
            "Half migrated: a device setter around eager steps",
            "A `tape` in a loop of TensorFlow 2, placed as TensorFlow 1 did.",
        ),
    ),
    "Towers on one machine": (
        _scenario(
            "in_graph_towers",
            "Towers in one graph whose gradients are averaged",
            "Towers over the devices of one process become replicas of a `MirroredStrategy`.",
            drawing="mirrored",
        ),
        _of(
            "alone",
            "towers_clipped",
            _ALONE,
            "Towers whose gradients are clipped",
            "Gradients are averaged, then clipped by their global norm.",
        ),
        Program(
            "towers_notebook",
            "Towers in a notebook",
            "The cells of the program stay cells.",
            "notebooks/towers_tf1.ipynb",
            "tests/notebooks/test_notebooks.py::"
            "test_a_story_is_executed_and_its_outputs_are_those_of_its_source[towers]",
        ),
    ),
    "Estimators": (
        _of(
            "fitted",
            "guided",
            f"{_FIT}::test_a_script_of_the_guides_shape",
            "The Estimator of the migration guide",
            "`model_fn` and `train` become a model under a strategy's scope, `compile` and `fit`.",
        ),
        _scenario(
            "estimator_layers",
            "Layers and two inputs",
            "An Estimator's `model_fn` of `tf.layers` becomes a Keras model.",
        ),
        _scenario(
            "estimator_train_and_evaluate",
            "train_and_evaluate with TF_CONFIG",
            "Parameter servers, a chief and an evaluator become `fit` with callbacks.",
        ),
        _of(
            "keras_parts",
            "recurrent",
            _SUITE,
            "Recurrent networks",
            "Stacked cells, both directions, sequences of any length.",
        ),
        _of(
            "scoped",
            "text_cnn",
            _SUITE,
            "A text network of embeddings and convolutions",
            "Variables in scopes keep their names.",
        ),
        _of(
            "callbacks",
            "early_stopping",
            _SUITE,
            "A hook that stops the training",
            "A `SessionRunHook` of one's own becomes a Keras callback.",
        ),
        _scenario(
            "estimator_classifier",
            "The faithful form: an Estimator stays",
            "`--estimators estimator` keeps `model_fn`, `train` and TensorFlow 1's timeline.",
            "estimator",
        ),
        _scenario(
            "estimator_wide_deep",
            "A ready-made Estimator",
            "`DNNLinearCombinedClassifier` with feature columns, crossed and embedded.",
        ),
        _of(
            "estimator_variants",
            "warm_started",
            "tests/programs/test_estimator_variants.py::test_equals_tensorflow_1_15_5[{}]",
            "Pretraining, then fine-tuning",
            "`WarmStartSettings` take the variables of another Estimator.",
            "estimator",
        ),
    ),
    "Sessions of one process": (
        _of(
            "alone",
            "interactive_softmax",
            _ALONE,
            "The smallest program",
            "An `InteractiveSession` becomes calls of functions. Nothing stands beside it.",
        ),
        _of(
            "alone",
            "functions_with_session",
            _ALONE,
            "run_epoch(session, model)",
            "Functions that were given a session call the step functions. Nothing stands beside it.",
        ),
        _of(
            "alone",
            "model_keeps_session",
            _ALONE,
            "A class that holds its session",
            "A model with `fit` and `predict` of its own.",
        ),
        _of(
            "alone",
            "saved_and_restored",
            _ALONE,
            "A Saver, and a rate that decays",
            "A second session restores what the first saved.",
        ),
        _of(
            "alone",
            "written_summaries",
            _ALONE,
            "Summaries",
            "The event files have the same tags and numbers.",
        ),
        _of(
            "alone",
            "train_then_evaluate",
            _ALONE,
            "Training and evaluation",
            "One graph to train, one to evaluate from the last checkpoint.",
        ),
        _of(
            "alone",
            "cells_both_ways",
            _ALONE,
            "A bidirectional network",
            "`bidirectional_dynamic_rnn` with cells of TensorFlow 1.",
        ),
        _of(
            "alone",
            "contrib_layers_script",
            _ALONE,
            "Layers of tf.contrib",
            "The layers keep their initial values, penalties and names.",
        ),
        _scenario(
            "queue_input",
            "Queue runners, four kinds of input",
            "Queue runners become a `tf.data` pipeline.",
        ),
    ),
}
PROGRAMS = {p.name: p for programs in GROUPS.values() for p in programs}
