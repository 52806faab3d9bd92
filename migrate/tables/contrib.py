"""tf.contrib: what has a home in TF2, by name or by call, and what has none.

The generated table knows the contrib names of core objects (`tf.contrib.signal.stft`).
Here are the others, reviewed by hand against the signatures of TensorFlow 1.15.5;
`tests/migrate/rules/test_contrib.py` proves that the homes exist and that calls give what
1.15.5 gave.
"""

from __future__ import annotations

import dataclasses

from migrate.tables import before_one, contrib_hooks
from migrate.tables.calls import CallRow

# -- the same object or a function of the same parameters ------------------------------

# contrib.data moved to data.experimental; in TF2 some are compat.v1's. Measured on
# 1.15.5: the same parameters in the same order.
_DATA = {
    f"tf.contrib.data.{name}": f"tf.data.experimental.{name}"
    for name in (
        *("Reducer", "TFRecordWriter", "bucket_by_sequence_length", "copy_to_device"),
        *("dense_to_sparse_batch", "enumerate_dataset", "get_single_element"),
        *("group_by_reducer", "group_by_window", "ignore_errors", "map_and_batch"),
        *("parallel_interleave", "parse_example_dataset", "prefetch_to_device"),
        *("rejection_resample", "scan", "shuffle_and_repeat", "unbatch", "unique"),
    )
} | {
    f"tf.contrib.data.{name}": f"tf.compat.v1.data.experimental.{name}"
    for name in (
        *("Counter", "CsvDataset", "RandomDataset", "SqlDataset"),
        *("choose_from_datasets", "make_batched_features_dataset"),
        *("make_csv_dataset", "sample_from_datasets"),
    )
}
HOMES: dict[str, str] = {
    **_DATA,
    "tf.contrib.data.AUTOTUNE": "tf.data.AUTOTUNE",
    "tf.contrib.eager.defun": "tf.function",
    **{
        f"tf.contrib.framework.nest.{name}": f"tf.nest.{name}"
        for name in (
            *("assert_same_structure", "flatten", "map_structure", "pack_sequence_as"),
        )
    },
    "tf.contrib.framework.nest.is_sequence": "tf.nest.is_nested",
    "tf.contrib.framework.list_variables": "tf.train.list_variables",
    "tf.contrib.framework.load_checkpoint": "tf.train.load_checkpoint",
    "tf.contrib.framework.load_variable": "tf.train.load_variable",
    # With the same arguments; without a combiner both take the mean.
    "tf.contrib.layers.safe_embedding_lookup_sparse": (
        "tf.compat.v1.nn.safe_embedding_lookup_sparse"
    ),
    "tf.contrib.training.checkpoints_iterator": "tf.train.checkpoints_iterator",
}

# Emitted modules: contrib symbol -> (module, name in it).
SUPPORT: dict[str, tuple[str, str]] = {
    "tf.contrib.training.HParams": ("contrib_hparams", "HParams"),
    "tf.contrib.training.parse_values": ("contrib_hparams", "parse_values"),
    "tf.contrib.seq2seq.sequence_loss": ("contrib_seq2seq", "sequence_loss"),
    "tf.contrib.legacy_seq2seq.sequence_loss": (
        "contrib_seq2seq",
        "legacy_sequence_loss",
    ),
    "tf.contrib.legacy_seq2seq.sequence_loss_by_example": (
        "contrib_seq2seq",
        "sequence_loss_by_example",
    ),
    **{
        f"tf.contrib.learn.preprocessing.{module}{name}": ("contrib_vocabularies", name)
        for name, own in (
            ("CategoricalVocabulary", "categorical_vocabulary."),
            ("VocabularyProcessor", "text."),
            ("VocabularyProcessor.restore", "text."),
            ("tokenizer", "text."),
        )
        for module in ("", own)
    },
    # They compute eagerly, as those of contrib did.
    **{
        f"tf.contrib.eager.{name}": ("eager_gradients", name)
        for name in (
            *("gradients_function", "implicit_gradients"),
            *("implicit_value_and_gradients", "value_and_gradients_function"),
        )
    },
    **{
        f"tf.contrib.data.{name}": ("contrib_data", name)
        for name in (
            *("assert_element_shape", "batch_and_drop_remainder"),
            *("padded_batch_and_drop_remainder", "sliding_window_batch"),
            "sloppy_interleave",
        )
    },
    # What layers are given, and what makes no variables. (Calls of some have rows below.)
    **{
        f"tf.contrib.{module}.{name}": ("contrib_layers", name)
        for module in ("layers", "slim")
        for name in (
            *("apply_regularization", "l1_l2_regularizer", "sum_regularizer"),
            "variance_scaling_initializer",
        )
    },
    **{
        f"tf.contrib.layers.{name}": ("contrib_layers", name)
        for name in (
            *("l1_regularizer", "l2_regularizer", "xavier_initializer"),
            "xavier_initializer_conv2d",
        )
    },
}
# Functions that have a home for some arguments only, so each call decides.
_PREDICTOR = "contrib_predictor.from_saved_model"

# Names of slim that need no variable. tf_slim 1.1.0 has them, and they work on TF 2.21.
# Measured there: its layers make new variables at every eager call, and its batch_norm
# imports a module of Keras that does not exist any more. Of its decoders Tensor gives
# what 1.15.5's gave, in eager code and in a dataset's map; Image, BoundingBox and
# BackupHandler ask TensorFlow's own files for functions that are gone.
SLIM: dict[str, str] = {
    f"tf.contrib.slim.{name}": f"tf_slim.{name}"
    for name in (
        *("add_arg_scope", "arg_scope", "l1_regularizer", "l2_regularizer"),
        *("xavier_initializer", "xavier_initializer_conv2d"),
        *("data_decoder.DataDecoder", "parallel_reader.get_data_files"),
        *("tfexample_decoder.ItemHandler", "tfexample_decoder.ItemHandlerCallback"),
        *("tfexample_decoder.TFExampleDecoder", "tfexample_decoder.Tensor"),
    )
}

# -- by call ---------------------------------------------------------------------------


def _make_loss_row(
    name: str, *same: str, renamed: tuple[tuple[str, str], ...] = ()
) -> CallRow:
    """contrib.losses have predictions first; tf.losses have labels first."""
    return CallRow(
        f"tf.contrib.losses.{name}",
        f"tf.compat.v1.losses.{name}",
        0,
        (*same, "scope"),
        renamed,
        reason="labels come first in tf.losses: all are passed by name",
        told=True,
    )


def _make_row(symbol: str, target: str, **fields: object) -> CallRow:
    row = CallRow(f"tf.contrib.{symbol}", target, 0, (), told=True)
    fields.setdefault("reason", f"now {target}")
    return dataclasses.replace(row, **fields)  # type: ignore[arg-type]


_PLACES = (("inputs", "input"), ("kernel_size", "ksize"), ("stride", "strides"))
_GPUS = '["/gpu:%d" % i for i in range({})]'
CONTRIB_CALLS: tuple[CallRow, ...] = (
    *(
        _make_row(
            f"layers.{name}",
            "tf.compat.v1.glorot_uniform_initializer",
            keywords=("seed", "dtype"),
        )
        for name in ("xavier_initializer", "xavier_initializer_conv2d")
    ),
    _make_row(
        "layers.l2_regularizer",
        "tf_keras.regularizers.L2",
        renamed=(("scale", "l2"),),
        dropped=("scope",),
        wrapped=(("scale", "0.5 * {}"),),
        required=("scale",),
        reason="scale * sum(w ** 2) / 2; Keras' L2 does not halve",
    ),
    _make_row(
        "layers.l1_regularizer",
        "tf_keras.regularizers.L1",
        renamed=(("scale", "l1"),),
        dropped=("scope",),
        required=("scale",),
    ),
    _make_row(
        "layers.flatten",
        "tf_keras.layers.Flatten()",
        positional=1,
        keywords=("inputs",),
        dropped=("outputs_collections", "scope"),
    ),
    _make_row(
        "layers.one_hot_encoding",
        "tf.one_hot",
        positional=4,
        keywords=("on_value", "off_value"),
        renamed=(("labels", "indices"), ("num_classes", "depth")),
        dropped=("outputs_collections", "scope"),
    ),
    *(
        _make_row(
            f"layers.{name}",
            f"tf.nn.{name}",
            positional=4,
            keywords=("padding",),
            renamed=_PLACES,
            dropped=("outputs_collections", "scope"),
            defaults=(("strides", "2"), ("padding", "'VALID'")),
        )
        for name in ("max_pool2d", "avg_pool2d")
    ),
    _make_row(
        "layers.softmax",
        "tf.nn.softmax",
        positional=1,
        keywords=("logits",),
        dropped=("scope",),
    ),
    _make_loss_row("mean_squared_error", "predictions", "labels", "weights"),
    _make_loss_row("absolute_difference", "predictions", "labels", "weights"),
    _make_loss_row("log_loss", "predictions", "labels", "weights", "epsilon"),
    _make_loss_row(
        "softmax_cross_entropy", "logits", "onehot_labels", "weights", "label_smoothing"
    ),
    _make_loss_row("sparse_softmax_cross_entropy", "logits", "labels", "weights"),
    _make_loss_row(
        "sigmoid_cross_entropy",
        *("logits", "multi_class_labels", "weights", "label_smoothing"),
    ),
    _make_row(
        "lookup.HashTable",
        "tf.compat.v1.lookup.StaticHashTable",
        positional=2,
        keywords=("initializer", "default_value", "name"),
        dropped=("shared_name",),
    ),
    _make_row(
        "lookup.MutableHashTable",
        "tf.lookup.experimental.MutableHashTable",
        positional=3,
        keywords=("key_dtype", "value_dtype", "default_value", "name"),
        dropped=("checkpoint",),
    ),
    _make_row(
        "lookup.index_table_from_tensor",
        "contrib_lookup.index_table_from_tensor",
        positional=3,
        keywords=("mapping", "num_oov_buckets", "default_value", "dtype", "name"),
    ),
    _make_row(
        "lookup.index_table_from_file",
        "contrib_lookup.index_table_from_file",
        positional=4,
        keywords=(
            *("vocabulary_file", "num_oov_buckets", "vocab_size", "default_value"),
            "name",
        ),
    ),
    _make_row(
        "lookup.index_to_string_table_from_tensor",
        "contrib_lookup.index_to_string_table_from_tensor",
        positional=3,
        keywords=("mapping", "default_value", "name"),
    ),
    _make_row(
        "lookup.index_to_string_table_from_file",
        "contrib_lookup.index_to_string_table_from_file",
        positional=4,
        keywords=("vocabulary_file", "vocab_size", "default_value", "name"),
    ),
    _make_row(
        "predictor.from_saved_model",
        _PREDICTOR,
        positional=2,
        keywords=("export_dir", "signature_def_key", "tags"),
        dropped=("graph", "config"),
        reason="the model's own function in place of a session",
    ),
    _make_row(
        "learn.datasets.load_dataset",
        "mnist_input_data.load_mnist",
        dropped=("name",),
        required=("name",),
        only=(("name", "mnist"),),
        reason="the same reader, written beside the file",
        code="T107",
    ),
    _make_row("eager.Iterator", "iter", positional=1),
    _make_row(
        "eager.Variable",
        "tf.Variable",
        positional=2,
        keywords=("initial_value", "trainable", "name", "dtype", "shape"),
        dropped=("validate_shape",),
    ),
    _make_row(
        "summary.create_file_writer",
        "tf.summary.create_file_writer",
        positional=5,
        keywords=("logdir", "max_queue", "flush_millis", "filename_suffix", "name"),
    ),
    *(
        _make_row(
            f"summary.{name}",
            f"tf.summary.{name}",
            positional=2,
            keywords=("name", "step"),
            renamed=(("tensor", "data"),),
            required=("step",),
        )
        for name in ("scalar", "histogram")
    ),
    _make_row(
        "summary.always_record_summaries", "tf.summary.record_if", added=(("", "True"),)
    ),
    _make_row(
        "summary.never_record_summaries", "tf.summary.record_if", added=(("", "False"),)
    ),
    _make_row(
        "distribute.MirroredStrategy",
        "tf.distribute.MirroredStrategy",
        positional=1,
        keywords=("devices", "cross_device_ops"),
        renamed=(("num_gpus", "devices"), ("num_gpus_per_worker", "devices")),
        wrapped=(("num_gpus", _GPUS), ("num_gpus_per_worker", _GPUS)),
    ),
    _make_row(
        "distribute.CollectiveAllReduceStrategy",
        "tf.distribute.MultiWorkerMirroredStrategy",
        dropped=("num_gpus_per_worker",),
        reason="now tf.distribute.MultiWorkerMirroredStrategy, of the workers in "
        "TF_CONFIG; it takes every GPU that a process sees (CUDA_VISIBLE_DEVICES)",
    ),
)

# Calls whose arguments an arg_scope of the file may give.
SCOPED = frozenset(
    f"tf.contrib.layers.{name}"
    for name in ("flatten", "one_hot_encoding", "max_pool2d", "avg_pool2d", "softmax")
)

# -- no home ---------------------------------------------------------------------------

# Symbol, or module with all below it -> (reason, what to do instead).
_PROBABILITY = "Use the same distribution of tensorflow_probability."
_RNN = (
    "contrib's cells make their variables by the variable scopes of a graph",
    "Use the cell of tf_keras.layers. (LSTM gates: TF1 i, j, f, o; Keras i, f, j, o.)",
)
_TABLE = (
    "it consists of a table and a hash of TensorFlow 1",
    "Use tf.lookup.StaticVocabularyTable with a KeyValueTensorInitializer or a "
    "TextFileInitializer.",
)
_SUMMARY = (
    "it used the graph's global step, but summaries of TensorFlow 2 need a step",
    "Pass step=... to the call. The tool then writes the function of tf.summary.",
)
_IMAGE = (
    "TensorFlow 2 has no such image operation",
    "Use tf.raw_ops.ImageProjectiveTransformV3, or tf_keras.layers.RandomRotation and "
    "RandomTranslation.",
)
_GONE = "TensorFlow 2 does not contain this part of contrib"
NO_HOME: dict[str, tuple[str, str]] = {
    **contrib_hooks.REASONS,
    "bayesflow": (_GONE, _PROBABILITY),
    "boosted_trees": (_GONE, "Use TensorFlow Decision Forests."),
    "checkpoint": (_GONE, "Use tf.train.Checkpoint, which tracks lists and dicts."),
    "constrained_optimization": (_GONE, "Use tensorflow_constrained_optimization."),
    "copy_graph": ("TF2 has no graph to copy", "Call the function again."),
    "crf": (
        "its functions make a variable of the graph, or decode by a cell of a graph",
        "Write the forward pass with tf.scan, or use a CRF layer for Keras. Or use "
        "--fallback compat, which keeps contrib's function.",
    ),
    "crf.viterbi_decode": (
        f"{_GONE}, but this function needs only NumPy",
        "Copy the function into your program, from "
        "tensorflow/contrib/crf/python/ops/crf.py of TensorFlow 1.15.",
    ),
    "cudnn_rnn": (
        "cuDNN kernels are chosen by the layer in TF2",
        "Use tf_keras.layers.LSTM or GRU. Their weights have another layout.",
    ),
    "data.read_batch_features": (
        "TensorFlow 2 has another function for this",
        "Use tf.data.experimental.make_batched_features_dataset.",
    ),
    "data.reduce_dataset": ("it is a method in TF2", "Use dataset.reduce."),
    "data.LMDBDataset": (_GONE, "Use tensorflow_io's LMDBDataset."),
    "distribute.ParameterServerStrategy": (
        "it was for Estimators. TensorFlow 2's class has a coordinator and other "
        "arguments",
        "Use tf.distribute.ParameterServerStrategy with a ClusterCoordinator.",
    ),
    "distribute.DistributeConfig": (
        "it was for Estimators, which take the strategy itself",
        "Write `RunConfig(train_distribute=strategy, eval_distribute=strategy)`.",
    ),
    "distribute.AllReduceCrossDeviceOps": (
        "cross device operations have other names and arguments",
        "Use tf.distribute.NcclAllReduce or HierarchicalCopyAllReduce.",
    ),
    "distributions": (_GONE, _PROBABILITY),
    "eager.num_gpus": (
        "it has no function of its own",
        "len(tf.config.list_logical_devices('GPU')).",
    ),
    "eager.Network": (_GONE, "Derive from tf_keras.Model."),
    "eager.Sequential": (_GONE, "Use tf_keras.Sequential."),
    "eager.Saver": (_GONE, "Use tf.train.Checkpoint."),
    "estimator": (
        f"{_GONE}, and the tool has nothing in its place",
        "Write the model as the model_fn of a tf.estimator.Estimator.",
    ),
    "factorization": (
        _GONE,
        "Use scikit-learn, or write the updates with tf.Variable.",
    ),
    "ffmpeg": (_GONE, "Use tensorflow_io, or tf.audio.decode_wav."),
    "framework.arg_scope": (
        "it gives arguments to layers of contrib, but the file uses them outside "
        "of functions that build a graph",
        "Make the layers in separate functions that return tensors.",
    ),
    "framework.get_variables": (
        "TF2 keeps no list of all variables",
        "Pass the list of variables to the code that needs it.",
    ),
    "framework.nest": ("it is public in TF2", "Use tf.nest."),
    "gan": (_GONE, "Use tensorflow_gan."),
    "graph_editor": ("TF2 has no graph to edit", "Change the function instead."),
    "image": _IMAGE,
    "integrate": (_GONE, "Use scipy.integrate or tensorflow_probability.math.ode."),
    "kernel_methods": (
        _GONE,
        "Use tf_keras.layers.experimental.RandomFourierFeatures.",
    ),
    "labeled_tensor": (_GONE, "Use xarray, or name the axes in comments."),
    "layers": (
        "contrib's layers make their variables by the variable scopes of a graph, "
        "but this is not a function that only builds a graph",
        "Make the layers in separate functions that return tensors. Or use the "
        "layer of tf_keras.layers.",
    ),
    **{
        f"layers.{old}": (
            "contrib's feature columns do not exist in TF2",
            f"Use tf.feature_column.{new}.",
        )
        for old, new in {
            "real_valued_column": "numeric_column(key, shape=[dimension])",
            "sparse_column_with_keys": "categorical_column_with_vocabulary_list",
            "sparse_column_with_vocabulary_file": "categorical_column_with_vocabulary_file",
            "sparse_column_with_hash_bucket": "categorical_column_with_hash_bucket",
            "sparse_column_with_integerized_feature": "categorical_column_with_identity",
            "weighted_sparse_column": "weighted_categorical_column",
            "bucketized_column": "bucketized_column",
            "crossed_column": "crossed_column",
            "one_hot_column": "indicator_column",
            "embedding_column": "embedding_column",
            "shared_embedding_columns": "shared_embeddings",
        }.items()
    },
    "eager.list_devices": (
        "it gave the names of devices as text. TensorFlow 2 gives objects with "
        "shorter names",
        "Use [d.name for d in tf.config.list_logical_devices()]: '/device:GPU:0', "
        "without the job and the task.",
    ),
    "layers.optimize_loss": (
        "the tool reads this function only in a model_fn",
        "Write the update out: `train_op = tf.train.AdamOptimizer(rate).minimize(loss, "
        "global_step=step)`, for example.",
    ),
    "learn.datasets": (
        "tf.contrib does not exist in TF2",
        'The tool migrates only `load_dataset("mnist")` of these data sets. Read '
        "the others by another package, such as scikit-learn's load_iris.",
    ),
    "learn": (
        "contrib.learn's Estimators and readers do not exist in TF2",
        "Use tf_keras models and tf.data.",
    ),
    "learn.preprocessing": (
        "contrib.learn's preprocessing does not exist in TF2",
        "Use tf_keras.layers.TextVectorization, or plain Python.",
    ),
    "legacy_seq2seq": (_GONE, "Write the decoder with tf_keras cells."),
    "legacy_seq2seq.rnn_decoder": (
        _GONE,
        "Without a loop_function, use tf.nn.static_rnn(cell, decoder_inputs, "
        "initial_state). Else write the loop with tf_keras cells.",
    ),
    "linear_optimizer": (_GONE, "Use tf_keras.experimental.LinearModel."),
    "lookup": _TABLE,
    "losses": (
        "contrib's losses are collected in a graph",
        "Use tf.compat.v1.losses, labels first, or tf_keras.losses.",
    ),
    "memory_stats": (_GONE, "Use tf.config.experimental.get_memory_info."),
    "metrics": (
        "streaming metrics keep their state in a graph's local variables",
        "Use tf_keras.metrics.",
    ),
    "mixed_precision": (_GONE, "Use tf_keras.mixed_precision."),
    "model_pruning": (_GONE, "Use tensorflow_model_optimization."),
    "nn.alpha_dropout": (_GONE, "Use tf_keras.layers.AlphaDropout."),
    "opt": (
        "this optimizer has no equal in TF2",
        "Choose another optimizer, or write its update.",
    ),
    **{
        f"opt.{name}OptimizerInterface": (
            "it trains by an optimizer outside of TensorFlow, which runs the session",
            "Train by an optimizer of tf.train. In TensorFlow 2, give "
            "scipy.optimize.minimize a function that returns the loss and its gradients.",
        )
        for name in ("External", "Scipy")
    },
    "opt.MultitaskOptimizerWrapper": (
        "it leaves out variables whose gradients are 0, and nothing in TensorFlow 2 does "
        "that",
        "Train each task by an optimizer of its own, with its own var_list.",
    ),
    "opt.clip_gradients_by_global_norm": (
        _GONE,
        "Write `clipped, _ = tf.clip_by_global_norm(gradients, norm)`.",
    ),
    **{
        f"opt.{name}": (
            "it makes a new class of optimizers at run time, and the tool does not read "
            "that class",
            "Use tf.contrib.opt.AdamWOptimizer or tf.contrib.opt.MomentumWOptimizer.",
        )
        for name in (
            "DecoupledWeightDecayExtension",
            "extend_with_decoupled_weight_decay",
        )
    },
    **{
        f"opt.{name}CustomGetter": (
            f"it makes the copies of variables that {name}Optimizer needs, and that "
            "optimizer has no equal in TF2",
            "Remove it together with the optimizer, and train with the optimizer inside "
            "that one.",
        )
        for name in ("AGN", "ElasticAverage", "ModelAverage")
    },
    "optimizer_v2": ("it has other classes in TF2", "Use tf.compat.v1.train."),
    "predictor": (
        "predictors run a session",
        "Use tf.saved_model.load(path).signatures['serving_default'].",
    ),
    "quantize": (_GONE, "Use tensorflow_model_optimization."),
    "rnn": _RNN,
    "saved_model": (_GONE, "Use tf_keras.models.save_model."),
    "seq2seq": (
        "its decoders use recurrent cells of a graph",
        "Write the decoder with tf_keras cells. Or use --fallback compat, which keeps "
        "contrib's decoders.",
    ),
    "signal": (_GONE, "Use tf.signal."),
    "solvers": (_GONE, "Use tf.linalg or scipy."),
    "sparsemax": (_GONE, "Write it with tf.sort and tf.cumsum."),
    "staging": ("staging areas feed sessions", "Use dataset.prefetch."),
    "summary": _SUMMARY,
    "tensor_forest": (_GONE, "Use TensorFlow Decision Forests."),
    "tensorboard": (_GONE, "Use the projector of tensorboard.plugins."),
    "tensorrt": (_GONE, "Use tf.experimental.tensorrt."),
    "tfprof": (_GONE, "Use tf.profiler.experimental."),
    "timeseries": (_GONE, "Use tensorflow_probability.sts."),
    "tpu": (
        "TPUEstimators do not exist in TF2",
        "Use tf.distribute.TPUStrategy and tf_keras.",
    ),
    "training.train": (
        "the tool does not read this training loop",
        "Write the loop out: open tf.train.MonitoredTrainingSession with the same "
        "arguments (`logdir` is `checkpoint_dir`), and run `sess.run(train_op)` while "
        "`not sess.should_stop()`.",
    ),
    "training": (
        "it builds a graph's training or batching operations",
        "Write the loop with tf.GradientTape, and batches with tf.data.",
    ),
    "util": (_GONE, "Use tf.io and tf.nest."),
}

# Parts of contrib of which no program's form brings anything over.
WITHOUT_EQUAL = tuple(
    f"tf.contrib.{module}"
    for module in (
        *("bayesflow", "boosted_trees", "constrained_optimization", "copy_graph"),
        *("crf", "cudnn_rnn", "distributions", "factorization", "ffmpeg"),
        *("graph_editor", "integrate", "kernel_methods", "labeled_tensor"),
        *("legacy_seq2seq", "model_pruning", "opt", "quantize", "seq2seq", "solvers"),
        *("tensor_forest", "tensorrt", "timeseries"),
    )
)


def explain_no_home(symbol: str) -> tuple[str, str]:
    """Returns the reason why a contrib symbol is refused, and what to do instead."""
    new = before_one.RENAMED.get(symbol)
    if new is not None:
        reason = f"TensorFlow 1.15 has no `{symbol}` either"
        return reason, f"TensorFlow 1.15 calls it `{new}`: write that first."
    name = symbol.removeprefix("tf.contrib.")
    while name:
        if name in NO_HOME:
            return NO_HOME[name]
        name = name.rpartition(".")[0]
    return (
        "tf.contrib does not exist in TF2",
        "Look for the function in tf_slim, in Keras, or in a separate package.",
    )
