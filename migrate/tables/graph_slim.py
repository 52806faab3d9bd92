"""Maps slim's names, and what contrib.training has for evaluation, to graph mode.

Read by `migrate/fallback` alone. tf_slim 1.1.0 is slim's code of TensorFlow 1.15.5 as a
package. It imports private modules of TensorFlow, and some of its functions fail on 2.21:
`tests/fallback/test_slim_modules.py` runs each name that has a home here.
"""

from __future__ import annotations

# The module beside a program that needs tf_slim, too.
DECODERS = "slim_decoders"

_TF_SLIM: dict[str, tuple[str, ...]] = {
    "bucketization_op": ("bucketize",),
    "data_provider": ("DataProvider",),
    "dataset": ("Dataset",),
    "dataset_data_provider": ("DatasetDataProvider",),
    "evaluation": ("evaluate_once", "evaluation_loop", "wait_for_new_checkpoint"),
    "model_analyzer": ("analyze_ops", "analyze_vars", "tensor_description"),
    "parallel_reader": ("ParallelReader", "parallel_read", "single_pass_read"),
    "prefetch_queue": ("prefetch_queue",),
    "queues": ("NestedQueueRunnerError", "QueueRunners"),
    "summaries": tuple(
        f"add_{kind}_{ending}"
        for kind in ("histogram", "image", "scalar", "zero_fraction")
        for ending in ("summaries", "summary")
    ),
    "tfexample_decoder": ("BoundingBox",),
}
_OF_TRAINING = {
    "evaluation": (
        *("StopAfterNEvalsHook", "SummaryAtEndHook", "evaluate_repeatedly"),
        *("get_or_create_eval_step", "wait_for_new_checkpoint"),
    ),
    "train_eval": ("evaluate_once",),
    "training": ("train",),
}
# Functions that make no variables, so no arg_scope reaches into them. (contrib_framework
# refuses a scope for them, as it does for every function that is not made for scopes.)
_WITHOUT_VARIABLES = {
    "layers": (
        *("OPTIMIZER_CLS_NAMES", "OPTIMIZER_SUMMARIES", "dense_to_sparse"),
        *("images_to_sequence", "scale_gradient", "sequence_to_images"),
        *("summarize_activation", "summarize_activations", "summarize_collection"),
        *("summarize_tensor", "summarize_tensors"),
    ),
    "framework": (
        *("assert_global_step", "assert_or_get_global_step", "assign_from_checkpoint"),
        "get_variable_full_name",
    ),
}
# Private modules of layers have these functions, too.
_UTILS = ("slim.utils", "layers.python.layers.utils")

# Symbol -> its home.
HOMES: dict[str, str] = {
    **{f"tf.contrib.slim.{name}": f"tf_slim.{name}" for name in ("bucketize", "pool")},
    **{
        f"tf.contrib.slim.{module}.{name}": f"tf_slim.{module}.{name}"
        for module, names in _TF_SLIM.items()
        for name in names
    },
    **{
        f"tf.contrib.training.{name}": f"tf_slim.{module}.{name}"
        for module, names in _OF_TRAINING.items()
        for name in names
    },
    **{
        f"tf.contrib.{module}.{name}": f"tf_slim.{name}"
        for module, names in _WITHOUT_VARIABLES.items()
        for name in names
    },
    **{
        f"tf.contrib.layers.{name}": f"contrib_layers.{name}"
        for name in ("group_norm", "instance_norm")
    },
    **{
        f"tf.contrib.framework.{name}": f"contrib_framework.{name}"
        for name in ("global_variable", "local_variable")
    },
    # tf_slim has them, and they ask TensorFlow for functions that are gone.
    **{
        f"tf.contrib.slim.tfexample_decoder.{name}": f"{DECODERS}.{name}"
        for name in ("BackupHandler", "Image", "LookupTensor", "SparseTensor", "Tensor")
    },
    "tf.contrib.slim.evaluation.checkpoints_iterator": "tf.train.checkpoints_iterator",
    "tf.contrib.slim.learning.add_gradients_summaries": (
        "contrib_training.add_slim_gradients_summaries"
    ),
    "tf.contrib.training.add_gradients_summaries": (
        "contrib_training.add_gradients_summaries"
    ),
    **{
        f"tf.contrib.{module}.{name}": f"slim_utils.{name}"
        for module in _UTILS
        for name in (
            *("NamedOutputs", "channel_dimension", "constant_value"),
            *("get_variable_collections", "last_dimension", "n_positive_integers"),
            *("smart_cond", "static_cond", "two_element_tuple"),
        )
    },
    **{
        f"tf.contrib.{module}.{name}": f"contrib_framework.{name}"
        for module in _UTILS
        for name in (
            *("append_tensor_alias", "gather_tensors_aliases", "get_tensor_aliases"),
        )
    },
}

# Modules of slim -> the modules of contrib whose names they have. slim itself has the
# names of the first entry.
_ORIGINS: dict[str, tuple[str, ...]] = {
    "": ("layers", "framework"),
    "checkpoint_utils": ("framework",),
    "contrib_variables": ("framework",),
    "loss_ops": ("losses",),
    "metric_ops": ("metrics",),
    **{
        module: ("layers",)
        for module in (
            *("embedding_ops", "encoders"),
            *("fc", "feature_column", "feature_column_ops", "layers"),
            *("normalization", "optimizers", "rev_block_lib"),
            "target_column",
        )
    },
}
_SLIM = "tf.contrib.slim."


def list_originals(symbol: str) -> list[str]:
    """Names of contrib that may be those of the same object as a name of slim."""
    if not symbol.startswith(_SLIM):
        return []
    module, _, name = symbol.removeprefix(_SLIM).rpartition(".")
    return [f"tf.contrib.{origin}.{name}" for origin in _ORIGINS.get(module, ())]


# -- no home ---------------------------------------------------------------------------

_OTHER_SCOPES = (
    "tf_slim has it, but takes part in tf_slim's argument scopes alone, and the layers that "
    "the tool writes (module contrib_layers) have scopes of their own"
)
_FAILS = "tf_slim has it, but it asks TensorFlow for private functions that 2.21 lacks"
_OF_LAYERS: dict[tuple[str, ...], tuple[str, str]] = {
    (
        *("GDN", "conv2d_in_plane", "conv3d_transpose", "convolution2d_in_plane"),
        *("convolution3d_transpose", "gdn", "spatial_softmax"),
    ): (_OTHER_SCOPES, "Write the layer with tf.nn or tf.layers."),
    ("RevBlock", "enable_with_args", "recompute_grad", "rev_block"): (
        _FAILS,
        "Call the functions f and g of the block one after another: this computes the "
        "same, but keeps the activations in memory.",
    ),
    ("adaptive_clipping_fn",): (
        _FAILS,
        "Clip the gradients by tf.clip_by_global_norm, or keep the averages of their "
        "norms in variables.",
    ),
    ("legacy_fully_connected",): (
        _FAILS,
        "Use fully_connected.",
    ),
}
# Symbol, or module with all below it -> (reason, recipe).
REASONS: dict[str, tuple[str, str]] = {
    "tf.contrib.framework.VariableDeviceChooser": (
        "the variables that the tool writes (module contrib_framework) stand where "
        "tf.device says, and not where an argument of theirs says",
        "Use tf.train.replica_device_setter in a block of tf.device.",
    ),
    "tf.contrib.framework.arg_scoped_arguments": (
        _OTHER_SCOPES,
        "Pass the function itself to arg_scope.",
    ),
    **{
        f"tf.contrib.framework.{name}": (
            "it only prints a warning, and compat.v1 does not have it",
            "Remove the decorator.",
        )
        for name in ("deprecated", "deprecated_arg_values")
    },
    **{
        f"tf.contrib.layers.{name}": why
        for names, why in _OF_LAYERS.items()
        for name in names
    },
}
