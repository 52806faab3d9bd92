"""TF1 functions with a TF2 counterpart that means the same for certain arguments.

TF2 gave them another object (parameters reordered, renamed or dropped), so the
name alone is not enough: a call is rewritten where every argument it passes is in the
row, each by its TF2 name. Any other call keeps TF1's own function of
`tf.compat.v1`. `tests/migrate/rules/symbol_cases.py` has the calls that prove the rows: each
is computed by TensorFlow 1.15.5 and, migrated, by TensorFlow 2.
"""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True)
class CallRow:
    """One function.

    Attributes:
      symbol: the TF1 symbol.
      target: the TF2 function.
      positional: how many leading positional arguments mean the same.
      keywords: TF1 parameters that both know under one name.
      renamed: TF1's parameter -> TF2's.
      dropped: TF1 parameters without meaning in TF2.
      wrapped: TF1's parameter -> what its value becomes; {} stands for the value.
      added: what TF2 must be given besides, as (parameter, value).
      defaults: what TF2 must be given where a call leaves TF1's default, likewise.
      required: TF1 parameters without which TF2's function is not meant.
      only: TF1's parameter -> the one value for which TF2's function is meant.
      code: of the finding.
      reason: what differs otherwise.
      told: whether the reason is told of a rewritten call, too.
      parameters: all of TF1's, where no other table has them.
    """

    symbol: str
    target: str
    positional: int
    keywords: tuple[str, ...] = ("name",)
    renamed: tuple[tuple[str, str], ...] = ()
    dropped: tuple[str, ...] = ()
    reason: str = ""
    wrapped: tuple[tuple[str, str], ...] = ()
    added: tuple[tuple[str, str], ...] = ()
    defaults: tuple[tuple[str, str], ...] = ()
    required: tuple[str, ...] = ()
    only: tuple[tuple[str, str], ...] = ()
    code: str = "T102"
    told: bool = False
    parameters: tuple[str, ...] = ()


_KEEP_DIMS = (("keep_dims", "keepdims"),)
_REDUCED = tuple(
    CallRow(
        f"tf.{module}{name}",
        f"tf.{module}{name}",
        3,
        ("input_tensor", "axis", "keepdims", "name"),
        (("reduction_indices", "axis"), *_KEEP_DIMS),
    )
    for module in ("", "math.")
    for name in (
        "reduce_mean",
        "reduce_sum",
        "reduce_max",
        "reduce_min",
        "reduce_prod",
        "reduce_any",
        "reduce_all",
        "reduce_logsumexp",
    )
)
_ARGUMENTS = tuple(
    CallRow(
        f"tf.{old}",
        f"tf.{new}",
        2,
        ("input", "axis", "output_type", "name"),
        (("dimension", "axis"),),
    )
    for old, new in (
        ("argmax", "argmax"),
        ("argmin", "argmin"),
        ("math.argmax", "math.argmax"),
        ("math.argmin", "math.argmin"),
        ("arg_max", "argmax"),
        ("arg_min", "argmin"),
    )
)
_SOFTMAX = tuple(
    CallRow(
        f"tf.nn.{name}",
        f"tf.nn.{name}",
        2,
        ("logits", "axis", "name"),
        (("dim", "axis"),),
    )
    for name in ("softmax", "log_softmax")
)
_POOLS = tuple(
    CallRow(
        f"tf.nn.{name}",
        f"tf.nn.{name}",
        4,
        ("input", "ksize", "strides", "padding", "data_format", "name"),
        (("value", "input"),),
    )
    for name in ("max_pool", "avg_pool", "avg_pool2d")
)
_CASTS = tuple(
    CallRow(
        f"tf.to_{name}",
        "tf.cast",
        1,
        ("x", "name"),
        added=(("dtype", f"tf.{name if name[-1].isdigit() else name + bits}"),),
    )
    for name, bits in (
        ("float", "32"),
        ("double", ""),
        ("int32", ""),
        ("int64", ""),
        ("bfloat16", ""),
        ("complex64", ""),
        ("complex128", ""),
    )
)


def _make_file_row(
    old: str, new: str, *renamed: tuple[str, str], keeps: tuple[str, ...] = ()
) -> CallRow:
    return CallRow(
        f"tf.gfile.{old}",
        f"tf.io.gfile.{new}",
        len(renamed) + len(keeps),
        keeps,
        renamed,
    )


_FILES = (
    _make_file_row("Exists", "exists", ("filename", "path")),
    _make_file_row("IsDirectory", "isdir", ("dirname", "path")),
    _make_file_row("ListDirectory", "listdir", ("dirname", "path")),
    _make_file_row("MakeDirs", "makedirs", ("dirname", "path")),
    _make_file_row("MkDir", "mkdir", ("dirname", "path")),
    _make_file_row("Remove", "remove", ("filename", "path")),
    _make_file_row("DeleteRecursively", "rmtree", ("dirname", "path")),
    _make_file_row("Stat", "stat", ("filename", "path")),
    _make_file_row("Glob", "glob", ("filename", "pattern")),
    _make_file_row("Walk", "walk", ("in_order", "topdown"), keeps=("top",)),
    _make_file_row(
        "Copy", "copy", ("oldpath", "src"), ("newpath", "dst"), keeps=("overwrite",)
    ),
    _make_file_row(
        "Rename", "rename", ("oldname", "src"), ("newname", "dst"), keeps=("overwrite",)
    ),
)
_ASSERTIONS = tuple(
    CallRow(
        f"tf.{module}{name}",
        f"tf.debugging.{name}",
        2,
        ("x", "y", "message", "summarize", "name"),
    )
    for module in ("", "debugging.")
    for name in (
        "assert_equal",
        "assert_greater",
        "assert_greater_equal",
        "assert_less",
        "assert_less_equal",
    )
)
_DEPTHS = tuple(
    CallRow(
        f"tf.{module}{name}",
        f"tf.nn.{name}",
        2,
        ("input", "block_size", "data_format", "name"),
    )
    for module in ("", "nn.")
    for name in ("space_to_depth", "depth_to_space")
)

_ROWS = (
    *_REDUCED,
    *_ARGUMENTS,
    *_SOFTMAX,
    *_POOLS,
    *_CASTS,
    *_FILES,
    *_ASSERTIONS,
    *_DEPTHS,
    # Arrays.
    CallRow("tf.constant", "tf.constant", 4, ("value", "dtype", "shape", "name")),
    CallRow("tf.shape", "tf.shape", 1, ("input", "out_type", "name")),
    CallRow("tf.size", "tf.size", 1, ("input", "out_type", "name")),
    CallRow(
        "tf.zeros_like", "tf.zeros_like", 2, ("dtype", "name"), (("tensor", "input"),)
    ),
    CallRow(
        "tf.ones_like", "tf.ones_like", 2, ("dtype", "name"), (("tensor", "input"),)
    ),
    CallRow(
        "tf.expand_dims",
        "tf.expand_dims",
        2,
        ("input", "axis", "name"),
        (("dim", "axis"),),
    ),
    CallRow(
        "tf.squeeze",
        "tf.squeeze",
        2,
        ("input", "axis", "name"),
        (("squeeze_dims", "axis"),),
    ),
    CallRow(
        "tf.where",
        "tf.where",
        1,
        ("condition", "name"),
        reason="with x and y a vector condition selected rows; TF2 broadcasts it",
    ),
    CallRow(
        "tf.gather",
        "tf.gather",
        2,
        ("params", "indices", "axis", "batch_dims", "name"),
        dropped=("validate_indices",),
    ),
    CallRow(
        "tf.gather_nd", "tf.gather_nd", 2, ("params", "indices", "batch_dims", "name")
    ),
    CallRow(
        "tf.boolean_mask", "tf.boolean_mask", 2, ("tensor", "mask", "axis", "name")
    ),
    CallRow("tf.transpose", "tf.transpose", 2, ("a", "perm", "conjugate", "name")),
    CallRow(
        "tf.pad", "tf.pad", 3, ("tensor", "paddings", "mode", "constant_values", "name")
    ),
    CallRow(
        "tf.reverse_sequence",
        "tf.reverse_sequence",
        4,
        ("input", "seq_lengths", "seq_axis", "batch_axis", "name"),
        (("seq_dim", "seq_axis"), ("batch_dim", "batch_axis")),
    ),
    CallRow(
        "tf.convert_to_tensor",
        "tf.convert_to_tensor",
        2,
        ("value", "dtype", "dtype_hint", "name"),
        (("preferred_dtype", "dtype_hint"),),
    ),
    *(
        CallRow(
            f"tf.{module}norm",
            f"tf.{module}norm",
            4,
            ("tensor", "ord", "axis", "keepdims", "name"),
            _KEEP_DIMS,
        )
        for module in ("", "linalg.")
    ),
    *(
        CallRow(
            f"tf.{module}count_nonzero",
            "tf.math.count_nonzero",
            4,
            ("input", "axis", "keepdims", "dtype", "name"),
            (("input_tensor", "input"), ("reduction_indices", "axis"), *_KEEP_DIMS),
        )
        for module in ("", "math.")
    ),
    *(
        CallRow(
            f"tf.{module}confusion_matrix",
            "tf.math.confusion_matrix",
            3,
            ("labels", "predictions", "num_classes", "dtype", "weights", "name"),
        )
        for module in ("", "math.")
    ),
    CallRow("tf.floor_div", "tf.math.floordiv", 3, ("x", "y", "name")),
    *(
        CallRow(
            f"tf.{old}",
            "tf.random.categorical",
            2,
            ("logits", "num_samples", "seed", "name"),
            (("output_dtype", "dtype"),),
        )
        for old in ("multinomial", "random.multinomial")
    ),
    # Strings and records.
    CallRow(
        "tf.string_to_number",
        "tf.strings.to_number",
        3,
        ("input", "out_type", "name"),
        (("string_tensor", "input"),),
    ),
    CallRow(
        "tf.string_to_hash_bucket",
        "tf.strings.to_hash_bucket",
        3,
        ("input", "num_buckets", "name"),
        (("string_tensor", "input"),),
    ),
    *(
        CallRow(
            f"tf.{old}", "tf.strings.substr", 3, ("input", "pos", "len", "unit", "name")
        )
        for old in ("substr", "strings.substr")
    ),
    CallRow("tf.strings.length", "tf.strings.length", 1, ("input", "unit", "name")),
    *(
        CallRow(
            f"tf.{old}",
            "tf.strings.reduce_join",
            2,
            ("inputs", "axis", "separator", "name", "keepdims"),
            (("reduction_indices", "axis"), *_KEEP_DIMS),
        )
        for old in ("reduce_join", "strings.reduce_join")
    ),
    *(
        CallRow(
            f"tf.{old}",
            "tf.io.decode_raw",
            3,
            ("input_bytes", "out_type", "little_endian", "name"),
            (("bytes", "input_bytes"),),
        )
        for old in ("decode_raw", "io.decode_raw")
    ),
    *(
        CallRow(
            f"tf.{old}",
            "tf.io.decode_csv",
            4,
            (
                *("records", "record_defaults", "field_delim", "use_quote_delim"),
                *("na_value", "select_cols", "name"),
            ),
        )
        for old in ("decode_csv", "io.decode_csv")
    ),
    *(
        CallRow(
            f"tf.{module}parse_{kind}example",
            f"tf.io.parse_{kind}example",
            2,
            ("serialized", "features", "example_names", "name"),
        )
        for module in ("", "io.")
        for kind in ("", "single_")
    ),
    # Neural networks.
    CallRow(
        "tf.nn.dropout",
        "tf.nn.dropout",
        1,
        ("x", "rate", "noise_shape", "seed", "name"),
        (("keep_prob", "rate"),),
        wrapped=(("keep_prob", "1 - {}"),),
        reason="keep_prob is 1 - rate",
    ),
    CallRow(
        "tf.nn.softmax_cross_entropy_with_logits",
        "tf.nn.softmax_cross_entropy_with_logits",
        0,
        ("labels", "logits", "axis", "name"),
        (("dim", "axis"),),
        dropped=("_sentinel",),
        wrapped=(("labels", "tf.stop_gradient({})"),),
        required=("labels", "logits"),
        reason="TF1's sent no gradient into the labels",
    ),
    CallRow(
        "tf.nn.softmax_cross_entropy_with_logits_v2",
        "tf.nn.softmax_cross_entropy_with_logits",
        2,
        ("labels", "logits", "axis", "name"),
        (("dim", "axis"),),
    ),
    CallRow(
        "tf.nn.sparse_softmax_cross_entropy_with_logits",
        "tf.nn.sparse_softmax_cross_entropy_with_logits",
        0,
        ("labels", "logits", "name"),
        dropped=("_sentinel",),
        required=("labels", "logits"),
    ),
    CallRow(
        "tf.nn.sigmoid_cross_entropy_with_logits",
        "tf.nn.sigmoid_cross_entropy_with_logits",
        0,
        ("labels", "logits", "name"),
        dropped=("_sentinel",),
        required=("labels", "logits"),
    ),
    CallRow(
        "tf.nn.weighted_cross_entropy_with_logits",
        "tf.nn.weighted_cross_entropy_with_logits",
        3,
        ("labels", "logits", "pos_weight", "name"),
        (("targets", "labels"),),
        required=("logits", "pos_weight"),
    ),
    CallRow(
        "tf.nn.moments",
        "tf.nn.moments",
        3,
        ("x", "axes", "shift", "keepdims", "name"),
        _KEEP_DIMS,
    ),
    CallRow(
        "tf.nn.l2_normalize",
        "tf.nn.l2_normalize",
        4,
        ("x", "axis", "epsilon", "name"),
        (("dim", "axis"),),
    ),
    CallRow("tf.nn.crelu", "tf.nn.crelu", 1, ("features", "axis", "name")),
    CallRow(
        "tf.nn.in_top_k", "tf.nn.in_top_k", 0, ("predictions", "targets", "k", "name")
    ),
    CallRow(
        "tf.nn.conv1d",
        "tf.nn.conv1d",
        4,
        (
            *("filters", "stride", "padding", "input", "data_format", "dilations"),
            "name",
        ),
        (("value", "input"),),
        ("use_cudnn_on_gpu",),
    ),
    CallRow(
        "tf.nn.conv2d",
        "tf.nn.conv2d",
        4,
        ("input", "filters", "strides", "padding", "data_format", "dilations", "name"),
        (("filter", "filters"),),
        ("use_cudnn_on_gpu",),
    ),
    CallRow(
        "tf.nn.conv3d",
        "tf.nn.conv3d",
        5,
        ("input", "filters", "strides", "padding", "data_format", "dilations", "name"),
        (("filter", "filters"),),
    ),
    CallRow(
        "tf.nn.conv2d_transpose",
        "tf.nn.conv2d_transpose",
        6,
        (
            *("input", "filters", "output_shape", "strides", "padding", "data_format"),
            *("dilations", "name"),
        ),
        (("value", "input"), ("filter", "filters")),
    ),
    CallRow(
        "tf.nn.depthwise_conv2d",
        "tf.nn.depthwise_conv2d",
        4,
        ("input", "filter", "strides", "padding", "data_format", "dilations", "name"),
        (("rate", "dilations"),),
    ),
    CallRow(
        "tf.nn.separable_conv2d",
        "tf.nn.separable_conv2d",
        5,
        (
            *("input", "depthwise_filter", "pointwise_filter", "strides", "padding"),
            *("data_format", "dilations", "name"),
        ),
        (("rate", "dilations"),),
    ),
    CallRow(
        "tf.image.crop_and_resize",
        "tf.image.crop_and_resize",
        6,
        (
            *("image", "boxes", "box_indices", "crop_size", "method"),
            *("extrapolation_value", "name"),
        ),
        (("box_ind", "box_indices"),),
    ),
    # Scopes and variables.
    CallRow("tf.device", "tf.device", 1, ("device_name",)),
    CallRow("tf.name_scope", "tf.name_scope", 1, ("name",)),
    CallRow(
        "tf.Variable",
        "tf.Variable",
        2,
        ("initial_value", "trainable", "name", "dtype", "shape"),
        (),
        ("use_resource", "validate_shape"),
        "collections and caching devices do not exist in TF2",
    ),
    CallRow("tf.zeros_initializer", "tf.compat.v1.zeros_initializer", 1, ("dtype",)),
)

CALLS: dict[str, CallRow] = {row.symbol: row for row in _ROWS}

# Where a call does not fit its row: TF1's own function, by names. TF 2.21's
# `tf.compat.v1.Variable` takes a third positional argument for `validate_shape`, not for
# `collections`, whatever its signature says.
BY_NAME: dict[str, CallRow] = {
    "tf.Variable": CallRow(
        "tf.Variable",
        "tf.compat.v1.Variable",
        2,
        (
            *("initial_value", "trainable", "collections", "validate_shape"),
            *("caching_device", "name", "variable_def", "dtype", "expected_shape"),
            *("import_scope", "constraint", "use_resource", "synchronization"),
            *("aggregation", "shape"),
        ),
        reason="now tf.compat.v1.Variable",
    )
}

# Their results do not depend on a variable, so no gradient has to be stopped.
WITHOUT_GRADIENT = frozenset(
    {
        *("tf.placeholder", "tf.one_hot", "tf.constant", "tf.zeros", "tf.ones"),
        *("tf.stop_gradient", "tf.argmax", "tf.zeros_like", "tf.ones_like"),
    }
)
