"""Lists the parts of an Estimator's interface that `Model.fit` and its callbacks replace."""

from __future__ import annotations

# The emitted module of callbacks.
MODULE = "fit_callbacks"
ESTIMATOR = "keras_estimator.Estimator"
TRAIN_AND_EVALUATE = "estimator_loop.train_and_evaluate"
RUN_CONFIG = "estimator_loop.RunConfig"
LOGGING = "estimator_loop.LoggingTensorHook"

# Parameters in their order.
PARAMETERS: dict[str, tuple[str, ...]] = {
    ESTIMATOR: ("model", "model_dir", "config", "params", "warm_start_from"),
    TRAIN_AND_EVALUATE: ("estimator", "train_spec", "eval_spec"),
    "estimator_loop.TrainSpec": ("input_fn", "max_steps", "hooks"),
    "estimator_loop.EvalSpec": (
        "input_fn",
        "steps",
        "name",
        "hooks",
        "exporters",
        "start_delay_secs",
        "throttle_secs",
    ),
    RUN_CONFIG: (
        "model_dir",
        "tf_random_seed",
        "save_summary_steps",
        "save_checkpoints_steps",
        "save_checkpoints_secs",
        "session_config",
        "keep_checkpoint_max",
        "keep_checkpoint_every_n_hours",
        "log_step_count_steps",
        "train_distribute",
        "device_fn",
        "protocol",
        "eval_distribute",
        "experimental_distribute",
        "experimental_max_worker_delay_secs",
        "session_creation_timeout_secs",
    ),
    LOGGING: ("tensors", "every_n_iter", "every_n_secs", "at_end", "formatter"),
}

_EXPORT = (
    "export_dir_base",
    "serving_input_receiver_fn",
    "assets_extra",
    "as_text",
    "checkpoint_path",
)
# Methods of Estimator that a model, or TensorFlow, has as well -> their parameters.
METHODS: dict[str, tuple[str, ...]] = {
    "train": ("input_fn", "hooks", "steps", "max_steps", "saving_listeners"),
    "evaluate": ("input_fn", "steps", "hooks", "checkpoint_path", "name"),
    "predict": (
        "input_fn",
        "predict_keys",
        "hooks",
        "checkpoint_path",
        "yield_single_examples",
    ),
    "get_variable_names": (),
    "get_variable_value": ("name",),
    "latest_checkpoint": (),
    "export_saved_model": (*_EXPORT, "experimental_mode"),
    "export_savedmodel": (*_EXPORT, "strip_default_attrs"),
}
# Methods that run the model. The other methods only read the model's directory.
EXPORTS = frozenset({"export_saved_model", "export_savedmodel"})
RUNS = EXPORTS | {"train", "evaluate", "predict", "train_and_evaluate"}

TRAININGS = frozenset({"train", "train_and_evaluate"})
CAUGHT = (
    "the program catches an error of `train`, after which an Estimator goes on from the "
    "last checkpoint"
)

UNCOUNTED = (
    "the devices of its strategy share one input, and the number of steps is not known"
)

# Methods that use a model, and do not train it.
ASKS = EXPORTS | frozenset(
    {
        "evaluate",
        "predict",
        "get_variable_names",
        "get_variable_value",
        "latest_checkpoint",
    }
)

# Arguments that have no counterpart, and why.
UNSAID: dict[tuple[str, str], str] = {
    ("train", "saving_listeners"): "`saving_listeners` are called at its checkpoints",
    ("evaluate", "checkpoint_path"): "`evaluate` has a `checkpoint_path`",
    ("predict", "checkpoint_path"): "`predict` has a `checkpoint_path`",
    ("predict", "yield_single_examples"): "`predict` has `yield_single_examples`",
    ("predict", "hooks"): "`predict` has hooks",
    **{
        (method, name): reason
        for method in sorted(EXPORTS)
        for name, reason in (
            ("assets_extra", "the export has `assets_extra`"),
            ("as_text", "the export is text (`as_text`)"),
            ("checkpoint_path", "the export has a `checkpoint_path`"),
        )
    },
    (
        "export_saved_model",
        "experimental_mode",
    ): "the export has an `experimental_mode`",
    (ESTIMATOR, "warm_start_from"): "it has `warm_start_from`",
    ("estimator_loop.EvalSpec", "hooks"): "its EvalSpec has hooks",
}
# Arguments of RunConfig that would change the training.
UNSAID_CONFIG: dict[str, str] = {
    "keep_checkpoint_every_n_hours": "its RunConfig has `keep_checkpoint_every_n_hours`",
    "device_fn": "its RunConfig has a `device_fn`",
    "eval_distribute": "its RunConfig has `eval_distribute`",
    "experimental_distribute": "its RunConfig has `experimental_distribute`",
}
# Modules of Estimators. The program may use nothing else of them beside `Model.fit`.
OF_ESTIMATORS = frozenset(
    (
        "canned_estimators",
        "derivable_hooks",
        "estimator_early_stopping",
        "estimator_experiments",
        "estimator_heads",
        "estimator_loop",
        "estimator_more_heads",
        "estimator_strategies",
        "estimator_tpu",
        "estimator_vocabularies",
        "in_memory_evaluation",
        "keras_estimator",
        "keras_model_estimator",
        "synchronous_estimator",
        "training_session",
    )
)
_STRATEGIES = "estimator_strategies"
# Strategies that take their cluster from TF_CONFIG.
BY_CLUSTER = frozenset(
    f"{_STRATEGIES}.{name}"
    for name in ("MultiWorkerMirroredStrategy", "ParameterServerStrategy")
)
STRATEGIES = BY_CLUSTER | frozenset(
    f"{_STRATEGIES}.{name}" for name in ("MirroredStrategy", "OneDeviceStrategy")
)
# Names of `estimator_loop` that smaller modules also have.
INPUTS, EXPORTED = "estimator_inputs", "estimator_exports"
STAYING: dict[str, str] = {
    **{
        f"estimator_loop.{name}": f"{INPUTS}.{name.removeprefix('inputs.')}"
        for name in (
            "Batches",
            "fed",
            "first_batch",
            "inputs.numpy_input_fn",
            "inputs.pandas_input_fn",
            "one_shot_iterator",
            "when_asked",
        )
    },
    **{
        f"estimator_loop.{name}": f"{EXPORTED}.{name.removeprefix('export.')}"
        for name in (
            "BestExporter",
            "Exporter",
            "FinalExporter",
            "LatestExporter",
            "export.PredictOutput",
            "export.ServingInputReceiver",
            "export.TensorServingInputReceiver",
            "export.build_parsing_serving_input_receiver_fn",
            "export.build_raw_serving_input_receiver_fn",
        )
    },
}
# Methods of a model class that give hooks.
TRAINING_HOOKS = ("training_hooks", "training_chief_hooks")
# Symbols that ask for the state of a graph. There is no graph.
GRAPH_STATE = frozenset(
    f"tf.{name}"
    for name in (
        "get_collection",
        "get_collection_ref",
        "get_default_graph",
        "global_variables",
        "local_variables",
        "losses.get_losses",
        "losses.get_regularization_loss",
        "losses.get_regularization_losses",
        "losses.get_total_loss",
        "train.get_global_step",
        "train.get_or_create_global_step",
        "trainable_variables",
    )
)
STEPS = frozenset({"tf.train.get_global_step", "tf.train.get_or_create_global_step"})
# Methods of a model class that its Estimator called -> why they have no counterpart.
# For those that give first values, or a Scaffold, the finding names the call that makes
# them.
UNSAID_METHODS: dict[str, str] = {
    "prediction_hooks": "its model has `prediction_hooks`",
}
# Prefixes of names of functions that draw in each step, and suffixes of those that do not.
DRAWS = ("dropout", "multinomial", "random_")
NO_DRAWS = ("initializer", "seed")
# Functions that make a random generator that nothing else draws from.
GENERATORS = frozenset(
    ("numpy.random.RandomState", "numpy.random.default_rng", "random.Random")
)
# Functions that delete files, checkpoints among them.
DELETING = frozenset(
    (
        "os.remove",
        "os.removedirs",
        "os.rmdir",
        "os.unlink",
        "shutil.rmtree",
        "tf.gfile.DeleteRecursively",
        "tf.gfile.Remove",
        "tf.io.gfile.remove",
        "tf.io.gfile.rmtree",
    )
)
# Methods that change an object and also return something, and methods that only log.
CHANGING = frozenset(("pop", "popitem", "popleft", "setdefault", "parse"))
LOGGED = frozenset(
    ("critical", "debug", "error", "exception", "flush", "info", "log", "warn")
    + ("warning", "write")
)
