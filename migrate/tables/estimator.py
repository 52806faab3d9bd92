"""Maps tf.estimator, and the functions that a model_fn is built from, to their new names.

A migrated model_fn is still a function that builds a graph: TensorFlow traces it. So
the functions of TF1 that need a graph, and no session, keep their meaning there under
`tf.compat.v1`; the emitted module gives them the variables. What it has of its own (its
names are those of tf.estimator and tf.train) is listed by name, so that nothing is
promised that it has not.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrate import emitted
from migrate.tables import contrib_graph, contrib_hooks, symbols

if TYPE_CHECKING:
    from migrate.facts.scopes import Scopes

MODULE = "estimator_loop"
CANNED_MODULE = "canned_estimators"
DERIVABLE_MODULE = "derivable_hooks"
EXPERIMENTS_MODULE = "estimator_experiments"
IN_MEMORY_MODULE = "in_memory_evaluation"
HEADS_MODULE = "estimator_heads"
KERAS_MODULE = "keras_model_estimator"
MORE_HEADS_MODULE = "estimator_more_heads"
STOPPING_MODULE = "estimator_early_stopping"
STRATEGIES_MODULE = "estimator_strategies"
VOCABULARIES_MODULE = "estimator_vocabularies"
SYNC_MODULE = "synchronous_estimator"
TPU_MODULE = "estimator_tpu"

# Emitted modules that few programs need -> files that they need besides those of MODULE.
BESIDE: dict[str, tuple[str, ...]] = {
    CANNED_MODULE: (*emitted.list_files(CANNED_MODULE), f"{HEADS_MODULE}.py"),
    DERIVABLE_MODULE: (f"{DERIVABLE_MODULE}.py",),
    EXPERIMENTS_MODULE: (f"{EXPERIMENTS_MODULE}.py",),
    IN_MEMORY_MODULE: (f"{IN_MEMORY_MODULE}.py",),
    HEADS_MODULE: (f"{HEADS_MODULE}.py",),
    **contrib_graph.FILES,
    KERAS_MODULE: (*emitted.list_files("keras_estimator"), f"{KERAS_MODULE}.py"),
    MORE_HEADS_MODULE: (f"{HEADS_MODULE}.py", f"{MORE_HEADS_MODULE}.py"),
    STOPPING_MODULE: (f"{STOPPING_MODULE}.py",),
    STRATEGIES_MODULE: (f"{STRATEGIES_MODULE}.py",),
    SYNC_MODULE: (f"{SYNC_MODULE}.py",),
    TPU_MODULE: (f"{TPU_MODULE}.py",),
    VOCABULARIES_MODULE: (f"{VOCABULARIES_MODULE}.py",),
}
# Modules that hold no ready-made Estimators -> (code, text of the finding).
BESIDE_CODES: dict[str, tuple[str, str]] = {
    VOCABULARIES_MODULE: (
        "E101",
        "rows are found again by their words",
    ),
    STOPPING_MODULE: (
        "E101",
        "it reads what evaluations have written, as often as TF1's",
    ),
    IN_MEMORY_MODULE: (
        "E101",
        "it evaluates the variables as they are",
    ),
    KERAS_MODULE: (
        "E101",
        "copies of the model, under the names that TF1's checkpoints have",
    ),
    EXPERIMENTS_MODULE: (
        "E101",
        "for one process, around an Estimator",
    ),
    STRATEGIES_MODULE: (
        "E130",
        "every replica takes a batch of its own, as TF1's did",
    ),
    SYNC_MODULE: (
        "E130",
        "the workers make every step together, also where TF_CONFIG has parameter servers",
    ),
    TPU_MODULE: ("E156", "the mean of all cores' gradients; never run on a TPU"),
}


# The files of the session that all loops run in.
SESSION = emitted.list_files("training_session")


def list_needed_files(module: str) -> tuple[str, ...]:
    """The files of an emitted module, and of those that it imports."""
    if module in contrib_graph.FILES:
        return contrib_graph.FILES[module]
    if module in (MODULE, *BESIDE):
        return (*emitted.list_files(MODULE), *SESSION, *BESIDE.get(module, ()))
    if module in ("plain_session", "eager_steps", "graph_variables"):
        return (*emitted.list_files(module), *SESSION)
    return emitted.list_files(module)


CANNED = tuple(
    f"{model}{kind}"
    for model in ("Baseline", "DNN", "DNNLinearCombined", "Linear")
    for kind in ("Classifier", "Estimator", "Regressor")
)

# Measured on 1.15.5: tf.estimator's and tf.train's are the same classes.
HOOKS = (
    "CheckpointSaverHook",
    "CheckpointSaverListener",
    "GlobalStepWaiterHook",
    "LoggingTensorHook",
    "NanLossDuringTrainingError",
    "NanTensorHook",
    "ProfilerHook",
    "SessionRunArgs",
    "SessionRunContext",
    "SessionRunHook",
    "SessionRunValues",
    "StepCounterHook",
    "StopAtStepHook",
    "SummarySaverHook",
)

# Feature columns that a Keras layer does not take.
GRAPH_COLUMNS = frozenset({"tf.feature_column.shared_embedding_columns"})

# TF1 symbol (a class stands for its attributes too) -> the emitted module's.
EMITTED: dict[str, str] = {
    **{
        f"tf.estimator.{name}": f"{MODULE}.{name}"
        for name in (
            "BestExporter",
            "Estimator",
            "EstimatorSpec",
            "EvalSpec",
            "Exporter",
            "FinalExporter",
            "LatestExporter",
            "ModeKeys",
            "RunConfig",
            "TrainSpec",
            "WarmStartSettings",
            "train_and_evaluate",
            "inputs.numpy_input_fn",
            "inputs.pandas_input_fn",
            "export.ClassificationOutput",
            "export.PredictOutput",
            "export.RegressionOutput",
            "export.ServingInputReceiver",
            "export.TensorServingInputReceiver",
            "export.build_parsing_serving_input_receiver_fn",
            "export.build_raw_serving_input_receiver_fn",
        )
    },
    **{
        f"tf.{package}.{name}": f"{MODULE}.{name}"
        for package in ("train", "estimator")
        for name in HOOKS
    },
    **{
        f"tf.{package}.tpu.{name}": f"{MODULE}.tpu.{name}"
        for package in ("estimator", "contrib")
        for name in (
            "InputPipelineConfig",
            "RunConfig",
            "TPUConfig",
            "TPUEstimator",
            "TPUEstimatorSpec",
        )
    },
    **{
        f"tf.{package}.CrossShardOptimizer": f"{TPU_MODULE}.CrossShardOptimizer"
        for package in ("tpu", "contrib.tpu")
    },
    "tf.contrib.learn.ModeKeys": f"{MODULE}.ModeKeys",
    "tf.feature_column.shared_embedding_columns": (
        f"{MODULE}.feature_column.shared_embedding_columns"
    ),
    "tf.train.Scaffold": f"{MODULE}.Scaffold",
    **{
        f"tf.estimator.{name}": f"{CANNED_MODULE}.{name}"
        for name in (
            *CANNED,
            "add_metrics",
            "classifier_parse_example_spec",
            "regressor_parse_example_spec",
        )
    },
    **{
        f"tf.contrib.estimator.{name}": f"{CANNED_MODULE}.{name}"
        for name in ("add_metrics", "clip_gradients_by_norm", "forward_features")
    },
    "tf.python.estimator.canned.optimizers.get_optimizer_instance": (
        f"{CANNED_MODULE}.get_optimizer_instance"
    ),
    **{
        f"tf.contrib.estimator.{name}": f"{HEADS_MODULE}.{name}"
        for name in (
            "binary_classification_head",
            "multi_class_head",
            "regression_head",
        )
    },
    **{
        f"tf.contrib.estimator.{name}": f"{MORE_HEADS_MODULE}.{name}"
        for name in (
            "logistic_regression_head",
            "multi_head",
            "multi_label_head",
            "poisson_regression_head",
        )
    },
    **{
        f"tf.estimator.{name}": f"{MORE_HEADS_MODULE}.{name}"
        for name in (
            "BinaryClassHead",
            "LogisticRegressionHead",
            "MultiClassHead",
            "MultiHead",
            "MultiLabelHead",
            "PoissonRegressionHead",
            "RegressionHead",
        )
    },
    **{
        f"tf.{package}.{name}": f"{STOPPING_MODULE}.{name}"
        for package in ("estimator.experimental", "contrib.estimator")
        for name in (
            "make_early_stopping_hook",
            "read_eval_metrics",
            "stop_if_higher_hook",
            "stop_if_lower_hook",
            "stop_if_no_decrease_hook",
            "stop_if_no_increase_hook",
        )
    },
    **{
        f"tf.contrib.distribute.{name}": f"{STRATEGIES_MODULE}.{name}"
        for name in (
            "AllReduceCrossDeviceOps",
            "CollectiveAllReduceStrategy",
            "DistributeConfig",
            "MirroredStrategy",
            "OneDeviceStrategy",
            "ParameterServerStrategy",
        )
    },
    # Its name before TensorFlow 1.12.
    "tf.contrib.distribute.AllReduceCrossTowerOps": (
        f"{STRATEGIES_MODULE}.AllReduceCrossDeviceOps"
    ),
    **{
        f"tf.distribute.{name}": f"{STRATEGIES_MODULE}.{name.rpartition('.')[2]}"
        for name in (
            "MirroredStrategy",
            "OneDeviceStrategy",
            "experimental.MultiWorkerMirroredStrategy",
            "experimental.ParameterServerStrategy",
        )
    },
    "tf.estimator.experimental.InMemoryEvaluatorHook": (
        f"{IN_MEMORY_MODULE}.InMemoryEvaluatorHook"
    ),
    "tf.keras.estimator.model_to_estimator": f"{KERAS_MODULE}.model_to_estimator",
    "tf.contrib.learn.Experiment": f"{EXPERIMENTS_MODULE}.Experiment",
    "tf.contrib.learn.RunConfig": f"{EXPERIMENTS_MODULE}.RunConfig",
    "tf.contrib.learn.learn_runner.run": f"{EXPERIMENTS_MODULE}.run",
    "tf.estimator.SecondOrStepTimer": "tf.compat.v1.train.SecondOrStepTimer",
    "tf.estimator.VocabInfo": f"{VOCABULARIES_MODULE}.VocabInfo",
    "tf.train.SyncReplicasOptimizer": f"{SYNC_MODULE}.SyncReplicasOptimizer",
    # Modules that a name stands for.
    "tf.estimator": MODULE,
    "tf.estimator.export": f"{MODULE}.export",
    "tf.estimator.inputs": f"{MODULE}.inputs",
    "tf.data.make_one_shot_iterator": f"{MODULE}.one_shot_iterator",
    "tf.data.make_initializable_iterator": f"{MODULE}.one_shot_iterator",
}

# tf.layers and rnn cells, which the module takes from Keras 2 as they were.
_LAYERS = (
    "average_pooling1d",
    "average_pooling2d",
    "average_pooling3d",
    "batch_normalization",
    "conv1d",
    "conv2d",
    "conv2d_transpose",
    "conv3d",
    "conv3d_transpose",
    "dense",
    "dropout",
    "flatten",
    "max_pooling1d",
    "max_pooling2d",
    "max_pooling3d",
    "separable_conv1d",
    "separable_conv2d",
    "AveragePooling1D",
    "AveragePooling2D",
    "AveragePooling3D",
    "BatchNormalization",
    "Conv1D",
    "Conv2D",
    "Conv2DTranspose",
    "Conv3D",
    "Conv3DTranspose",
    "Dense",
    "Dropout",
    "Flatten",
    "MaxPooling1D",
    "MaxPooling2D",
    "MaxPooling3D",
    "SeparableConv1D",
    "SeparableConv2D",
)
LAYERS: dict[str, str] = {
    **{f"tf.layers.{name}": f"{MODULE}.layers.{name}" for name in _LAYERS},
    "tf.layers": f"{MODULE}.layers",
    **{
        f"tf.{package}.{name}": f"{MODULE}.rnn_cell.{name}"
        for package in ("nn.rnn_cell", "contrib.rnn")
        for name in (
            "BasicLSTMCell",
            "BasicRNNCell",
            "DropoutWrapper",
            "GRUCell",
            "LSTMCell",
            "LSTMStateTuple",
            "MultiRNNCell",
            "ResidualWrapper",
            "RNNCell",
        )
    },
    "tf.nn.rnn_cell": f"{MODULE}.rnn_cell",
}

# Replacements from the emitted module, inside the functions that build the graph.
IN_GRAPH_EMITTED: dict[str, str] = {
    **{
        f"tf.contrib.{package}.assign_from_checkpoint_fn": (
            f"{MODULE}.assign_from_checkpoint_fn"
        )
        for package in ("framework", "slim")
    },
    "tf.train.ExponentialMovingAverage": f"{MODULE}.ExponentialMovingAverage",
    "tf.train.Saver": f"{MODULE}.Saver",
    "tf.train.init_from_checkpoint": f"{MODULE}.init_from_checkpoint",
}

# Symbols that stay under tf.compat.v1, with all below, inside functions that build the graph.
IN_GRAPH: frozenset[str] = frozenset(
    f"tf.{name}"
    for name in (
        "Variable",
        "VariableScope",
        "add_to_collection",
        "add_to_collections",
        "assert_variables_initialized",
        "get_collection",
        "get_collection_ref",
        "get_default_graph",
        "get_local_variable",
        "get_variable",
        "get_variable_scope",
        "global_variables",
        "gradients",
        "hessians",
        "local_variables",
        "losses",
        "make_template",
        "metrics",
        "model_variables",
        "moving_average_variables",
        "summary.audio",
        "summary.histogram",
        "summary.image",
        "summary.merge",
        "summary.merge_all",
        "summary.scalar",
        "summary.tensor_summary",
        "summary.text",
        "train.Optimizer",
        "train.create_global_step",
        "train.get_global_step",
        "train.get_or_create_global_step",
        "trainable_variables",
        "variable_op_scope",
        "variable_scope",
    )
)

# They also stay in a function that makes a serving input receiver, for the exported graph.
IN_SERVING = frozenset(
    {"tf.placeholder", "tf.placeholder_with_default", "tf.sparse_placeholder"}
)

# Whether a placeholder is in a model_fn -> (reason, recipe), if no serving input has it.
NOT_FED = {
    False: (
        "the placeholder does not belong to a serving input. An input_fn runs "
        "once, and nothing feeds it",
        "Make the dataset directly from the arrays.",
    ),
    True: (
        "the placeholder is in a model_fn. A step function takes its batch, and "
        "nothing feeds it",
        "Replace the placeholder by a variable: tf.get_variable(name, [], "
        "trainable=False, initializer=...). Let a hook set its value in "
        "before_run: variable.load(value, run_context.session).",
    ),
}

# They also stay in an input_fn that takes a batch from an iterator.
IN_INPUT = frozenset({"tf.add_to_collection"})

# A function returns a receiver that is not TensorFlow 1's ServingInputReceiver.
RECEIVER = (
    "this placeholder belongs to a receiver that the migrated Estimators do not "
    "export, such as tensorflow_model_analysis's for evaluation",
    "Export a serving input by export_saved_model. Let tensorflow_model_analysis "
    "evaluate it by a ModelSpec with its signature_name.",
)

# Calls that switch TF2's behaviour off.
SWITCHES = frozenset(
    {
        "tf.disable_eager_execution",
        "tf.disable_resource_variables",
        "tf.disable_v2_behavior",
        "tf.disable_v2_tensorshape",
        "tf.enable_resource_variables",
    }
)

_TREES_GONE = "TensorFlow 2.16 and later do not have gradient boosted trees"
_TREES = "Use TensorFlow Decision Forests."
# Symbol, or a class or module with all below it -> (code, reason, recipe).
REFUSED: dict[str, tuple[str, str, str]] = {
    **{
        f"tf.estimator.BoostedTrees{name}": ("E117", _TREES_GONE, _TREES)
        for name in ("Classifier", "Estimator", "Regressor")
    },
    **{
        f"tf.{package}.tpu": (
            "E117",
            "the tool covers only TPUEstimator and what it needs",
            "Change the TensorFlow 1 program to tf.estimator.Estimator first.",
        )
        for package in ("estimator", "contrib")
    },
    "tf.contrib.tpu.AsyncCheckpointSaverHook": (
        "E117",
        *contrib_hooks.REASONS["tpu.AsyncCheckpointSaverHook"],
    ),
    "tf.estimator.experimental.make_stop_at_checkpoint_step_hook": (
        "E117",
        "on a worker its hook waits for the checkpoint of the last step, and no hook of "
        "the migrated program waits for a checkpoint",
        "Write tf.train.StopAtStepHook(last_step=last_step), which it is on the chief.",
    ),
    "tf.contrib.learn.learn_runner": (
        "E117",
        "the tool covers only `run` of learn_runner",
        "Use tf.estimator.train_and_evaluate with a TrainSpec and an EvalSpec.",
    ),
    "tf.contrib.learn.Estimator": (
        "E117",
        "an Estimator of contrib.learn has another form of model_fn",
        "Change the TensorFlow 1 program to tf.estimator.Estimator first.",
    ),
    "tf.keras.estimator": (
        "E117",
        "TensorFlow 2.16 and later cannot make an Estimator from a Keras model",
        "Call the Keras model's fit, evaluate and predict.",
    ),
    "tf.estimator": (
        "E117",
        "the tool does not cover this part of tf.estimator",
        "Remove it, or write what it does in the model_fn or in a hook.",
    ),
}

MAKERS = frozenset(f"tf.estimator.{name}" for name in ("Estimator", *CANNED))
TPU_ESTIMATORS = frozenset(
    {"tf.contrib.tpu.TPUEstimator", "tf.estimator.tpu.TPUEstimator"}
)
# The findings for them.
NO_TPU = (
    "use_tpu=True trains under tf.distribute.TPUStrategy. Nobody has run this on a "
    "TPU yet: compare a few steps before you rely on it"
)
TPU_SPECS = frozenset(
    {"tf.contrib.tpu.TPUEstimatorSpec", "tf.estimator.tpu.TPUEstimatorSpec"}
)

# Functions that update the averages of batch normalisation in TF1.
UPDATE_OPS = ("tf.GraphKeys.UPDATE_OPS", "update_ops")
RUNS_UPDATES = frozenset(
    {
        "tf.contrib.training.create_train_op",
        "tf.contrib.slim.learning.create_train_op",
        "tf.contrib.layers.optimize_loss",
        "tf.contrib.slim.optimize_loss",
    }
)
BATCH_NORMALIZATION = frozenset(
    {
        "tf.contrib.layers.batch_norm",
        "tf.contrib.slim.batch_norm",
        "tf.layers.batch_normalization",
        "tf.layers.BatchNormalization",
    }
)


# TensorFlow's own files that programs import from -> the public module with the same names.
_PRIVATE = {
    "tf.python.estimator.canned.dnn": "tf.estimator",
    "tf.python.estimator.canned.dnn_linear_combined": "tf.estimator",
    "tf.python.estimator.canned.linear": "tf.estimator",
    "tf.python.estimator.estimator": "tf.estimator",
    "tf.python.estimator.export.export": "tf.estimator.export",
    "tf.python.estimator.exporter": "tf.estimator",
    "tf.python.estimator.inputs.numpy_io": "tf.estimator.inputs",
    "tf.python.estimator.inputs.pandas_io": "tf.estimator.inputs",
    "tf.python.estimator.model_fn": "tf.estimator",
    "tf.python.estimator.run_config": "tf.estimator",
    "tf.contrib.learn.python.learn.experiment": "tf.contrib.learn",
    "tf.contrib.learn.python.learn.learn_runner": "tf.contrib.learn.learn_runner",
    "tf.python.estimator.training": "tf.estimator",
    "tf.contrib.tpu.python.tpu.tpu_config": "tf.contrib.tpu",
    "tf.contrib.tpu.python.tpu.tpu_estimator": "tf.contrib.tpu",
    "tf.contrib.tpu.python.tpu.tpu_optimizer": "tf.contrib.tpu",
}


def find_public(symbol: str) -> str:
    """The public name of what a program may import from TensorFlow's own files."""
    for private, module in _PRIVATE.items():
        if symbol.startswith(f"{private}."):
            return module + symbol[len(private) :]
    return symbol


def find_uses(scopes: Scopes) -> list[tuple[ast.expr, str]]:
    """Every use of a TensorFlow symbol in a file, by its public name."""
    return [(node, find_public(symbol)) for node, symbol in scopes.walk_uses()]


def find_tf2_symbol(uses: list[tuple[ast.expr, str]]) -> str:
    """Returns a symbol among the uses that only TensorFlow 2 has, or ""."""
    for _, symbol in uses:
        if symbol.rpartition(".")[2].startswith("_"):
            continue  # `tf.__version__` is in both.
        if symbol not in symbols.list_modules() and symbols.look_up(symbol) is None:
            if symbols.exists_in_tf2(symbol):
                return symbol
    return ""


def find_longest(symbol: str, table: dict[str, str]) -> str | None:
    """The new name of a symbol, or of the class it is an attribute of."""
    name, rest = symbol, ""
    while name:
        if name in table:
            # The name of a module stands for itself only. Its parts have rows of their own.
            is_class = name.rpartition(".")[2][:1].isupper()
            return table[name] + rest if not rest or is_class else None
        name, _, last = name.rpartition(".")
        rest = f".{last}{rest}"
    return None


def find_prefix(
    symbol: str, names: frozenset[str] | dict[str, tuple[str, str, str]]
) -> str:
    """The name among `names` that a symbol is, or stands below; "" if none."""
    name = symbol
    while name:
        if name in names:
            return name
        name = name.rpartition(".")[0]
    return ""
