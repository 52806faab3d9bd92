"""TF1 functions whose TF2 namesake means the same when called with certain arguments.

TF2 gave them another object (parameters reordered, renamed or dropped), so the
name alone is not enough: a call is rewritten where all its arguments are in the row.
"""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True)
class CallRow:
    """One function.

    Attributes:
      symbol: the TF1 symbol.
      target: its TF2 namesake.
      positional: how many leading positional arguments mean the same.
      keywords: keyword arguments that both know.
      renamed: TF1's keyword -> TF2's.
      dropped: TF1 keywords without meaning in TF2.
      reason: what differs otherwise.
    """

    symbol: str
    target: str
    positional: int
    keywords: tuple[str, ...] = ("name",)
    renamed: tuple[tuple[str, str], ...] = ()
    dropped: tuple[str, ...] = ()
    reason: str = ""


_REDUCED = tuple(
    CallRow(
        f"tf.{name}",
        f"tf.{'math.reduce_logsumexp' if name == 'reduce_logsumexp' else name}"
        if name != "reduce_logsumexp"
        else "tf.reduce_logsumexp",
        3,
        ("input_tensor", "axis", "keepdims", "name"),
        (("reduction_indices", "axis"), ("keep_dims", "keepdims")),
    )
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
        f"tf.{name}",
        f"tf.{name}",
        2,
        ("input", "axis", "output_type", "name"),
        (("dimension", "axis"),),
    )
    for name in ("argmax", "argmin")
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
    for name in ("max_pool", "avg_pool")
)

_ROWS = (
    *_REDUCED,
    *_ARGUMENTS,
    *_SOFTMAX,
    *_POOLS,
    CallRow("tf.constant", "tf.constant", 4, ("value", "dtype", "shape", "name")),
    CallRow("tf.shape", "tf.shape", 1, ("input", "out_type", "name")),
    CallRow("tf.size", "tf.size", 1, ("input", "out_type", "name")),
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
    ),
    CallRow(
        "tf.nn.sigmoid_cross_entropy_with_logits",
        "tf.nn.sigmoid_cross_entropy_with_logits",
        0,
        ("labels", "logits", "name"),
    ),
    CallRow(
        "tf.nn.conv2d",
        "tf.nn.conv2d",
        4,
        ("input", "filters", "strides", "padding", "data_format", "dilations", "name"),
        (("filter", "filters"),),
        ("use_cudnn_on_gpu",),
    ),
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
    CallRow("tf.zeros_initializer", "tf.compat.v1.zeros_initializer", 1, ("dtype",)),
)

CALLS: dict[str, CallRow] = {row.symbol: row for row in _ROWS}
