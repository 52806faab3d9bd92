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
      half: it is migrated by half, so its test has no TensorFlow 1.15.5 to compare with.
    """

    name: str
    title: str
    look: str
    path: str
    test: str
    estimators: str = "fit"
    drawing: str = ""
    later: tuple[str, ...] = ()
    half: bool = False

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
    half: bool = False,
) -> Program:
    path = f"tests/programs/{directory}/{name}.py"
    test = test.format(name)
    return Program(name, title, look, path, test, estimators, "", later, half)


# What they have in common -> the programs.
GROUPS: dict[str, tuple[Program, ...]] = {
    "Parameter servers and workers": (
        _scenario(
            "async_parameter_server",
            "Asynchronous training with parameter servers",
            "A `MonitoredTrainingSession` with hooks. Each worker applies its own gradients, and does "
            "not wait for the others. The launch commands stay the same.",
            drawing="asynchronous",
            later=(
                "The device setter is gone, but the comment about it stays, above the step counter.",
                "`compute_accuracy` repeats the network of `train_step`. Both could call one function.",
            ),
        ),
        _scenario(
            "sync_replicas",
            "SyncReplicasOptimizer",
            "`SyncReplicasOptimizer` becomes an all-reduce between the workers.",
            drawing="ring",
            later=(
                "As in the asynchronous program, the comment about the device setter stays, and the network is written twice.",
            ),
        ),
        _scenario(
            "supervisor",
            "Supervisor, and the older wiring of SyncReplicasOptimizer",
            "A `Supervisor` with its services becomes a monitored session.",
            later=(
                "The name `train_step_with_global_step` is too long. `train_step` would do.",
                '`if (is_chief):` and `(FLAGS.checkpoint_dir + "/model.ckpt")` have parentheses that they do not need.',
            ),
        ),
        _of(
            "clustered",
            "dataset_iterator",
            _CLUSTERED,
            "TF_CONFIG, a dataset and clipped gradients",
            "A one-shot iterator, `clip_by_global_norm`, a `Scaffold` with a `Saver`, and "
            "checkpoint and counter hooks.",
            later=(
                "Two lines have more than 120 columns: one makes a variable, the other a hook.",
            ),
        ),
        _of(
            "clustered",
            "wide_partitioned_div",
            _CLUSTERED,
            "A partitioned embedding",
            "An embedding with shards on two parameter servers, a lookup by the `div` strategy, and an "
            "evaluation between epochs.",
            later=(
                "The network is written twice, in `train_step` and in `compute_accuracy`.",
            ),
        ),
        _of(
            "clustered",
            "slim_replicated",
            _CLUSTERED,
            "A network of slim",
            "Argument scopes, weight decay, and batch normalisation that a fed flag switches.",
            later=(
                "`main` and `run_worker` both define `hooks` and `is_chief`, but only `run_worker` reads them.",
                "The type of a parameter is written as `tf.convert_to_tensor(False).dtype`, instead of `tf.bool`.",
            ),
        ),
        _of(
            "clustered",
            "trainer_object",
            _CLUSTERED,
            "A trainer class",
            "A class builds the graph in one method, and opens its session in another.",
            later=(
                "The class is gone. Comments name the methods from which the code comes (`# From Trainer.__init__:`).",
                "The loop has two names for the loss: `loss = step_loss`.",
            ),
        ),
        _of(
            "hooks",
            "logger",
            "tests/programs/test_session_hooks.py::test_equals_recorded_tf1[{}]",
            "A hook of your own",
            "A logger asks each run for the loss (`before_run`), and prints it (`after_run`).",
            later=(
                "`compute_global_step` also computes the loss, because the hook asks every run for it.",
            ),
        ),
        _of(
            "half_migrated",
            "setter",
            "tests/programs/test_half_migrated.py::test_trains_as_one_process[{}]",
            "A half migrated program: a device setter around eager steps",
            "A TensorFlow 2 loop with a `GradientTape`, whose variables TensorFlow 1's device setter places. "
            "No TensorFlow runs this program, so its test compares with the same training in one process.",
            half=True,
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
                "The functions of the towers are gone. Comments and prefixes name them: `tower_loss_losses`, `inference_weights_2`.",
                "The comment about towers without a GPU stays above code that it does not explain.",
            ),
        ),
        _of(
            "alone",
            "towers_clipped",
            _ALONE,
            "Towers whose gradients are clipped",
            "Gradients are averaged, then clipped by their global norm.",
            later=(
                "`network(reuse)` still has the parameter `reuse`, and `reuse_vars` is still set, although they change nothing.",
                "`prediction_of` applies the network, but its name does not say so.",
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
                "`average_gradients` stays, although nothing calls it, because you may call it in another cell.",
                "`loss_of` computes the loss of a tower. The name `tower_loss` of the original is clearer.",
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
                "`eval_input_fn` still returns a one-shot iterator. A module beside the program turns it into a dataset again.",
            ),
        ),
        _of(
            "keras_parts",
            "recurrent",
            _SUITE,
            "Recurrent networks",
            "Stacked cells, cells for both directions, and sequences of any length.",
            later=(
                "`keep = 1.0 if training else 1.0` has the same value in both cases.",
                "The loop variable `estimator` is a function that makes a model.",
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
            "A `SessionRunHook` of the program becomes a Keras callback.",
            later=(
                "`EarlyStoppingHook` is a callback now, but its name still says hook.",
            ),
        ),
        _scenario(
            "estimator_classifier",
            "The faithful form: an Estimator stays",
            "`--estimators estimator` keeps `model_fn` and `train`. The program saves and evaluates when "
            "TensorFlow 1 did.",
            "estimator",
            later=(
                "`train_step` calls `predictions_from` only for a hook that asks for one of its tensors by name.",
            ),
        ),
        _scenario(
            "estimator_wide_deep",
            "A ready-made Estimator",
            "`DNNLinearCombinedClassifier` with crossed and embedded feature columns.",
            later=(
                "The Estimator stays, so its hook still has `before_run` and `SessionRunArgs`. The modules beside it have more than 6,000 lines.",
            ),
        ),
        _of(
            "estimator_variants",
            "warm_started",
            "tests/programs/test_estimator_variants.py::test_equals_tensorflow_1_15_5[{}]",
            "Pretraining, then fine-tuning",
            "With `WarmStartSettings` an Estimator starts with variables of another Estimator.",
            "estimator",
        ),
    ),
    "Sessions of one process": (
        _of(
            "alone",
            "interactive_softmax",
            _ALONE,
            "The smallest program",
            "An `InteractiveSession` becomes calls of functions. The program needs no module beside it.",
            later=("The network is written three times, in three functions.",),
        ),
        _of(
            "alone",
            "functions_with_session",
            _ALONE,
            "run_epoch(session, model)",
            "Functions that had a session as their parameter now call step functions. The program needs "
            "no module beside it.",
            later=(
                "The names `evaluate_2` and `compute_evaluate` say little, because the functions that call them already have the better names.",
                "`compute_prediction` repeats the code of `forward`.",
            ),
        ),
        _of(
            "alone",
            "model_keeps_session",
            _ALONE,
            "A class that holds its session",
            "A model with `fit` and `predict` of its own.",
            later=(
                "The class is gone. Comments name the methods from which the code comes.",
                "`forward` sets `build_net_init`, but nothing reads it there. A string that was a comment stays.",
            ),
        ),
        _of(
            "alone",
            "saved_and_restored",
            _ALONE,
            "A Saver, and a rate that decays",
            "A second session restores the variables that the first session saved.",
            later=("`loss_of` applies the network, but its name speaks of the loss.",),
        ),
        _of(
            "alone",
            "written_summaries",
            _ALONE,
            "Summaries",
            "The event files have the same tags and numbers.",
            later=(
                "The program makes its writers under `tf.Graph().as_default()`, without a comment that says why.",
            ),
        ),
        _of(
            "alone",
            "train_then_evaluate",
            _ALONE,
            "Training and evaluation",
            "One graph trains. Another graph evaluates the last checkpoint.",
            later=("`loss_of` returns logits, but its name speaks of the loss.",),
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
                "`variables` is computed above a summary, and used below the summary.",
                "The name `train_step_2` does not say which variables it trains.",
            ),
        ),
        _scenario(
            "queue_input",
            "Queue runners, four kinds of input",
            "Queue runners become a `tf.data` pipeline.",
            later=(
                "Code that four branches shared is written four times, with numbered names: `make_record_4`, `epochs_4`.",
                "The coordinator and the list of threads have nothing to do any more, but they and their comment stay.",
            ),
        ),
    ),
}
# What we would still change in several programs.
IN_SEVERAL = (
    "The imports of the modules beside a program follow TensorFlow's import, without a blank line between them.",
    "A variable of `tf.get_variable` gets its initial value from a call of the initializer, in a long "
    'line: `tf.Variable(tf.compat.v1.zeros_initializer()([4], dtype=tf.float32), name="b")`.',
    "If the docstring of the file speaks of a session, an Estimator or a hook, it stays as it was.",
)
PROGRAMS = {p.name: p for programs in GROUPS.values() for p in programs}
