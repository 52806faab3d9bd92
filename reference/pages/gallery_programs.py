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
            later=(
                "The comment about the device setter stays above the step counter. The setter is gone.",
                "`compute_accuracy` repeats the network of `train_step`, instead of calling a function for both.",
            ),
        ),
        _scenario(
            "sync_replicas",
            "SyncReplicasOptimizer",
            "`SyncReplicasOptimizer` becomes an all-reduce between the workers.",
            drawing="ring",
            later=(
                "The comment about the device setter stays, and the network stands twice, as in the asynchronous program.",
            ),
        ),
        _scenario(
            "supervisor",
            "Supervisor, and the older wiring of SyncReplicasOptimizer",
            "A `Supervisor` with its services becomes a monitored session.",
            later=(
                "`train_step_with_global_step` says what it returns, where `train_step` would do.",
                '`if (is_chief):` and `(FLAGS.checkpoint_dir + "/model.ckpt")` have parentheses from the code that was put there.',
            ),
        ),
        _of(
            "clustered",
            "dataset_iterator",
            _CLUSTERED,
            "TF_CONFIG, a dataset and clipped gradients",
            "A one-shot iterator, `clip_by_global_norm`, a `Scaffold` with a `Saver`, and "
            "checkpoint and counter hooks.",
            later=("A variable with its initializer is one line of 118 columns.",),
        ),
        _of(
            "clustered",
            "wide_partitioned_div",
            _CLUSTERED,
            "A partitioned embedding",
            "Shards on two parameter servers, a lookup by the `div` strategy, an evaluation "
            "between epochs.",
            later=(
                "The network stands twice, in `train_step` and in `compute_accuracy`.",
            ),
        ),
        _of(
            "clustered",
            "slim_replicated",
            _CLUSTERED,
            "A network of slim",
            "Argument scopes, batch normalisation by a flag that is fed, weight decay.",
            later=(
                "`hooks` and `is_chief` are made in `main` and again in `run_worker`, which alone reads them.",
                "The type of a parameter is asked of a tensor: `tf.convert_to_tensor(False).dtype` for `tf.bool`.",
            ),
        ),
        _of(
            "clustered",
            "trainer_object",
            _CLUSTERED,
            "A trainer class",
            "A class builds the graph in one method, and opens its session in another.",
            later=(
                "The class is gone. Its methods are titles of comments (`# From Trainer.__init__:`).",
                "`loss = step_loss` is a second name in the loop.",
            ),
        ),
        _of(
            "hooks",
            "logger",
            "tests/programs/test_session_hooks.py::test_equals_recorded_tf1[{}]",
            "A hook of one's own",
            "A logger asks each run for the loss (`before_run`), and prints it (`after_run`).",
            later=(
                "The step that asks for the global step alone computes the loss, because the hook asks for it.",
            ),
        ),
        _of(
            "half_migrated",
            "setter",
            "tests/programs/test_half_migrated.py::test_trains_as_one_process[{}]",
            "Half migrated: a device setter around eager steps",
            "A `tape` in a loop of TensorFlow 2, placed as TensorFlow 1 did.",
            later=("`distributed_step` only calls `train_step`.",),
        ),
    ),
    "Towers on one machine": (
        _scenario(
            "in_graph_towers",
            "Towers in one graph whose gradients are averaged",
            "Towers over the devices of one process become replicas of a `MirroredStrategy`.",
            drawing="mirrored",
            later=(
                "The functions of the towers are titles of comments, and their names prefixes: `tower_loss_losses`, `inference_weights_2`.",
                "The comment about towers without a GPU stays above code about something else.",
            ),
        ),
        _of(
            "alone",
            "towers_clipped",
            _ALONE,
            "Towers whose gradients are clipped",
            "Gradients are averaged, then clipped by their global norm.",
            later=(
                "`network(reuse)` and `reuse_vars` are left of variables that were reused.",
                "`prediction_of` is the name of a function that makes the network.",
            ),
        ),
        Program(
            "towers_notebook",
            "Towers in a notebook",
            "The cells of the program stay cells.",
            "notebooks/towers_tf1.ipynb",
            "tests/notebooks/test_notebooks.py::"
            "test_a_story_is_executed_and_its_outputs_are_those_of_its_source[towers]",
            later=(
                "`average_gradients` stays: somebody may call in another cell what a cell defines.",
                "`loss_of` is the name of a function that computes the loss.",
            ),
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
            later=("`test_step` computes `probability` twice.",),
        ),
        _scenario(
            "estimator_train_and_evaluate",
            "train_and_evaluate with TF_CONFIG",
            "Parameter servers, a chief and an evaluator become `fit` with callbacks.",
            later=(
                "`self._step` of the callback is set, and nothing reads it.",
                "`eval_input_fn` keeps a one-shot iterator, which a function beside the program makes a dataset again.",
            ),
        ),
        _of(
            "keras_parts",
            "recurrent",
            _SUITE,
            "Recurrent networks",
            "Stacked cells, both directions, sequences of any length.",
            later=(
                "`keep = 1.0 if training else 1.0` is left of two modes.",
                "The loop's variable `estimator` makes models.",
            ),
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
            later=(
                "`EarlyStoppingHook` is a callback now, and is still called a hook.",
            ),
        ),
        _scenario(
            "estimator_classifier",
            "The faithful form: an Estimator stays",
            "`--estimators estimator` keeps `model_fn`, `train` and TensorFlow 1's timeline.",
            "estimator",
            later=(
                "`train_step` calls `predictions_from` only for a hook that asks for one of its tensors by name.",
            ),
        ),
        _scenario(
            "estimator_wide_deep",
            "A ready-made Estimator",
            "`DNNLinearCombinedClassifier` with feature columns, crossed and embedded.",
            later=(
                "A ready-made Estimator stays one, and so its hook has `before_run` and `SessionRunArgs`. 6,573 lines stand beside it.",
            ),
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
            later=("The network stands three times, in three functions.",),
        ),
        _of(
            "alone",
            "functions_with_session",
            _ALONE,
            "run_epoch(session, model)",
            "Functions that were given a session call the step functions. Nothing stands beside it.",
            later=(
                "`evaluate_2` and `compute_evaluate` say little: the functions that call them have the better names.",
                "`compute_prediction` repeats what `forward` has.",
            ),
        ),
        _of(
            "alone",
            "model_keeps_session",
            _ALONE,
            "A class that holds its session",
            "A model with `fit` and `predict` of its own.",
            later=(
                "The class is gone. Its methods are titles of comments.",
                "`build_net_init` is made again in `forward`, where nothing reads it, and a comment in quotes stands alone.",
            ),
        ),
        _of(
            "alone",
            "saved_and_restored",
            _ALONE,
            "A Saver, and a rate that decays",
            "A second session restores what the first saved.",
            later=("`loss_of` is the name of a function that makes the network.",),
        ),
        _of(
            "alone",
            "written_summaries",
            _ALONE,
            "Summaries",
            "The event files have the same tags and numbers.",
            later=(
                "Writers are made under `tf.Graph().as_default()`, which needs a comment.",
            ),
        ),
        _of(
            "alone",
            "train_then_evaluate",
            _ALONE,
            "Training and evaluation",
            "One graph to train, one to evaluate from the last checkpoint.",
            later=("`loss_of` is the name of a function that gives logits.",),
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
            later=(
                "`variables` is made above a summary, and used below it.",
                "`train_step_2` could be called by what it trains.",
            ),
        ),
        _scenario(
            "queue_input",
            "Queue runners, four kinds of input",
            "Queue runners become a `tf.data` pipeline.",
            later=(
                "What four branches shared stands four times, with numbers: `make_record_4`, `epochs_4`, `batches_of_lines_names`.",
                "The coordinator and the list of threads have nothing to do any more, and their comment speaks of threads.",
            ),
        ),
    ),
}
# What we would still change in several programs.
IN_SEVERAL = (
    "The modules beside a program are imported right below TensorFlow, without a blank line between.",
    "A variable that was made by `tf.get_variable` has its initializer called in place, in a long "
    'line: `tf.Variable(tf.compat.v1.zeros_initializer()([4], dtype=tf.float32), name="b")`.',
    "A docstring of the module that speaks of a session, an Estimator or a hook stays as it was.",
)
PROGRAMS = {p.name: p for programs in GROUPS.values() for p in programs}
